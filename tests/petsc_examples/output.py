"""Whether two runs of an example agree, except for the names of types and the rounding of numbers."""
import re

RELATIVE, ABSOLUTE = 1e-3, 1e-7  # examples print few digits, and numbers as small as rounding errors
NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")
# What MatView() adds in PETSC_VIEWER_ASCII_INFO: lines of figures, and after products of the type spmv what it chose from.
LAYOUT = re.compile(r"^.*=.*,\n(?:.*,\n)*.*(?:\n +)?\(layout is \S+ of CSR\)\n"
                    r"(?: +aij: \S+ s a product.*\n(?: +\w+: expected .*\n)*)?", re.MULTILINE)


def as_aij(text, root):
    """A text with AIJ's names in place of a type's, without the layout."""
    return LAYOUT.sub("", re.sub(rf"\b(seq|mpi|){root}\b", r"\1aij", text))


def lines_of(text):
    """The nonempty lines, with signs of imaginary parts attached to their numbers."""
    text = re.sub(r" ([-+]) +(?=[\d.]\S* *i\b)", r" + \1", text)
    return [line for line in text.split("\n") if line.strip()]


def words_of(line):
    return " ".join(NUMBER.sub("#", line).split())


def close(a, b):
    """Whether two numbers agree: counts exactly, others to rounding."""
    if a == b:
        return True
    if a.lstrip("+-").isdigit() and b.lstrip("+-").isdigit():
        return False
    return abs(float(a) - float(b)) <= RELATIVE * max(abs(float(a)), abs(float(b))) + ABSOLUTE


def difference(expected, found):
    """The first difference between two texts, '' if there is none."""
    a, b = lines_of(expected), lines_of(found)
    for x, y in zip(a, b):
        if words_of(x) != words_of(y) or not all(map(close, NUMBER.findall(x), NUMBER.findall(y))):
            return f"'{x.strip()}' is '{y.strip()}'"
    return "" if len(a) == len(b) else f"{len(a)} lines are {len(b)}"
