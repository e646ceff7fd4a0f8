"""PETSc's manual pages, which stand in comments above what they describe, as documents for Sphinx.

A comment begins with its kind and ends with it: /*@ or /*@C (a function), /*MC (a matrix type or a macro), /*S (a structure), /*E
(an enumeration). Its first paragraph is `NAME - brief`; sections begin with a line such as "Input Parameters:", and their lists
have "+", "." and "-" before the first, the middle and the last item. Text between .vb and .ve stays as it is. .seealso: ends it.
"""
import dataclasses
import glob
import os
import re

COMMENT = re.compile(r"/\*(@C?|MC|S|E)\n(.*?)\n *(?:@|M|S|E)\*/\n", re.S)
KINDS = {"@": "Functions", "M": "Matrix types", "S": "Structures and enumerations", "E": "Structures and enumerations",
         "D": "Macros"}
HEADING = re.compile(r"((?:Input|Output|Input/Output) Parameters?|Options Database Keys?|Notes?|Values|References?|Level|Synopsis):"
                     r"[ \t]*(.*)")
# A name in backquotes, an option, or a character that reStructuredText gives a meaning.
INLINE = re.compile(r"`([^`\n]+)`|(?<![\w<>-])(-(?:mat|spmv|ksp|dll|vec)_[\w<>]*(?: ::\w+)?(?:(?:,|\.\.)[\w<>]+)*)|([*_|\\`])")


@dataclasses.dataclass
class Page:
    """A manual page: kind, name, brief description, its other lines, and what of the source comes after the comment."""
    kind: str
    name: str
    brief: str
    lines: list
    follows: str


def pages(top):
    """The manual pages of all sources, by name."""
    found = {}
    for path in sorted(glob.glob(f"{top}/src/**/*.[ch]*", recursive=True) + glob.glob(f"{top}/include/*")):
        with open(path) as f:
            text = f.read()
        for comment in COMMENT.finditer(text):
            head, _, body = comment[2].partition("\n\n")
            name, dash, brief = " ".join(head.split()).partition(" - ")
            if not dash or name in found:
                raise ValueError(f"{path}: a manual page begins with a name of its own and ' - ', not with '{head.strip()}'")
            kind = "D" if comment[1] == "MC" and not name.startswith("MAT") else comment[1][0]
            found[name] = Page(kind, name, brief, body.split("\n"), text[comment.end():])
    return found


def defined(top):
    """The names of matrix types that headers define, with their text: {"MATSEQAIJCSR5": "seqaijcsr5"}."""
    names = {}
    for path in glob.glob(f"{top}/src/mat/impls/*/petscspmv*.h"):
        with open(path) as f:
            names.update(re.findall(r'^#define (MAT\w+) +"(\w+)"', f.read(), re.M))
    return names


class Writer:
    """Writes pages as reStructuredText; names in them lead to the page that has them."""

    def __init__(self, top):
        self.pages, self.types = pages(top), defined(top)
        self.page_of = {name: name for name in self.pages}
        for page in self.pages.values():
            if page.kind == "M":
                self.page_of.update({name: page.name for name in self.types if name.endswith(page.name[3:])})
            if page.kind == "E":
                self.page_of.update({name: page.name for name in re.findall(r"^[+.-]  `(\w+)`", "\n".join(page.lines), re.M)})

    def inline(self, text, own):
        def written(match):
            name, option, character = match.groups()
            if character:
                return f"\\{character}"
            page = self.page_of.get((name or "").removesuffix("()"))
            return f":doc:`{name} <{page}>`" if page and page != own else f"``{name or option}``"
        return re.sub(r"^(\w+[.)] )", r"\\\1", INLINE.sub(written, text))  # "W. Liu" is no item of a list

    def items(self, lines, own):
        """A list of terms and what they are; one without terms is plain text."""
        items = []
        for line in lines:
            if line[:1] in "+.-" and line.strip():
                items.append(line[1:].strip())
            elif items:
                items[-1] += " " + line.strip()
        for item in items:
            term, _, meaning = re.sub(" +", " ", item).partition(" - ")
            if term == "*":
                yield f"{self.inline(meaning, own)}\n"
            elif meaning:
                yield f"{self.inline(term, own) if term.startswith('`') else f'``{term}``'}\n   {self.inline(meaning, own)}\n"

    def section(self, lines, own):
        """Paragraphs, lists and text that stays as it is, as they come."""
        for paragraph in re.split(r"\n\s*\n|\n(?=\.vb$)|(?<=^\.ve)\n", "\n".join(lines).strip("\n"), flags=re.M):
            if paragraph.startswith(".vb\n"):
                yield "::\n\n" + "".join(f"   {line}\n" for line in paragraph.split("\n")[1:-1])
            elif re.match(r"[+.-]  ", paragraph):
                yield from self.items(paragraph.split("\n"), own)
            elif paragraph.strip():
                yield self.inline(" ".join(paragraph.split()), own) + "\n"

    def synopsis(self, page):
        if page.kind == "M":
            code = [f'#define {name} "{text}"' for name, text in self.types.items() if name.endswith(page.name[3:])]
        elif page.kind == "D":
            code = re.findall(rf"#define {page.name}\(.*?\)", "\n".join(page.lines))
        else:
            end = r"[^{;]*?(?=\n?(?:try)? *\{)" if page.kind == "@" else r".*?\} \w+;"
            declaration = re.match(end, page.follows, re.S)
            if not declaration or page.name not in declaration[0]:
                raise ValueError(f"{page.name}: its manual page does not stand before it")
            code = declaration[0].rstrip().split("\n")
            code[-1] += ";" if page.kind == "@" else ""
        return "".join(f"   {line}\n" for line in ["#include <petscspmv.h>", "", *code])

    def document(self, page):
        yield f"{page.name}\n{'=' * len(page.name)}\n"
        yield f".. only:: html\n\n   {self.inline(page.brief, page.name)}\n"  # man pages have it beside their name
        yield f"Synopsis\n--------\n\n.. code-block:: c\n\n{self.synopsis(page)}"
        body, _, see_also = "\n".join(page.lines).partition("\n.seealso:")
        title, lines, level = "", [], ""
        for line in [*body.split("\n"), "   Notes:"]:  # the last ends the one before
            heading = HEADING.fullmatch(line.strip())
            if not heading:
                lines.append(line if line[:1] in ("+", ".", "-") else re.sub("^   ", "", line))
                continue
            text = "\n".join(self.section(lines, page.name))
            if text and title != "Synopsis":
                yield f"{title}\n{'-' * len(title)}\n\n{text}" if title else text
            title, lines = heading[1], [heading[2]] if heading[2] else []
            if title == "Level":
                level, title, lines = heading[2], "Notes", []
        if see_also.strip():
            yield f"See also\n--------\n\n{self.inline(' '.join(see_also.split()), page.name)}\n"
        if level:
            yield f"Level: {level}\n"

    def index(self):
        yield "Manual pages\n============\n"
        yield "What a program may call, and the names of types, from ``petscspmv.h``.\n"
        for kind in dict.fromkeys(["Matrix types", *KINDS.values()]):
            chosen = sorted(name for name, page in self.pages.items() if KINDS[page.kind] == kind)
            yield f"{kind}\n{'-' * len(kind)}\n"
            yield from (f":doc:`{name}`\n   {self.inline(self.pages[name].brief, '')}\n" for name in chosen)
        yield ".. toctree::\n   :hidden:\n"
        yield "".join(f"   {name}\n" for name in sorted(self.pages))


def write(top, folder):
    """Writes all pages and their index into a folder."""
    writer = Writer(top)
    os.makedirs(folder, exist_ok=True)
    documents = {"index": writer.index(), **{name: writer.document(page) for name, page in writer.pages.items()}}
    for old in glob.glob(f"{folder}/*.rst"):
        if os.path.basename(old).removesuffix(".rst") not in documents:
            os.remove(old)
    for name, parts in documents.items():
        text, path = "\n".join(parts), f"{folder}/{name}.rst"
        if not os.path.exists(path) or open(path).read() != text:  # Sphinx reads again what is newer
            with open(path, "w") as f:
                f.write(text)
    return writer.pages
