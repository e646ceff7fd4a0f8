// Misspelled names of the library's types among the options. PETSc ends with "Unknown Mat type given" where a matrix gets such a
// type. The same error, at the same place and with the same code, shows here what was probably meant: for this the name is
// registered as a type that cannot be made. Whoever later registers a real type of that name replaces it.
#include "mat/exec/session.hpp"
#include "mat/registry/registry.hpp"
#include "petsc/guard.hpp"
#include "petsc/option_text.hpp"
#include "plugin/plugin.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace petscspmv {

namespace {

struct Misspelled {
  std::string meant; // for all names found: "scr5 (csr5?), ..."
};

/// The letters and digits of a name, in lower case, without the prefix of types derived from AIJ.
std::string Stem(std::string_view name)
{
  std::string stem;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c))) stem += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  for (const char *prefix : {"seqaij", "mpiaij", "aij"}) {
    if (stem.starts_with(prefix)) return stem.substr(std::string_view(prefix).size());
  }
  return stem;
}

/// How many letters to insert, delete, replace, or exchange with the next one, to turn one name into the other.
std::size_t Distance(std::string_view a, std::string_view b)
{
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

/// The type that a name is closest to; null if it is close to none. Close: at most a letter in four differs, or one of the two
/// names begins with the other.
const TypeInfo *Closest(const char *name)
{
  constexpr std::size_t kShortest = 3, kLongest = 32;
  const std::string     stem    = Stem(name);
  const TypeInfo       *closest = nullptr;
  std::size_t           least   = 0;
  if (stem.size() < kShortest || stem.size() > kLongest) return nullptr;
  for (const TypeInfo *type : Types()) {
    for (const std::string &own : {Stem(type->alias), Stem(type->root), Stem(type->title)}) {
      const bool        longer   = stem.starts_with(own) || own.starts_with(stem);
      const std::size_t distance = longer ? 0 : Distance(stem, own);
      if (distance > own.size() / 4 || (closest && distance >= least)) continue;
      closest = type;
      least   = distance;
    }
  }
  return closest;
}

/// Whether PETSc, or a library that was loaded before this one, has a type of that name.
PetscErrorCode IsKnown(const char *name, bool *known)
{
  PetscErrorCode (*create)(Mat)                            = nullptr;
  PetscErrorCode (*convert)(Mat, MatType, MatReuse, Mat *) = nullptr;
  PetscBool same                                           = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(MatList, name, &create));
  PetscCall(PetscFunctionListFind(MatSeqAIJList, name, &convert));
  for (MatRootName root = MatRootNameList; root && !same; root = root->next) PetscCall(PetscStrcmp(name, root->rname, &same));
  *known = create || convert || same;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_Misspelled(Mat A)
{
  std::string names;

  PetscFunctionBegin;
  for (const TypeInfo *type : Types()) AddName(names, type->alias);
  SETERRQ(PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_UNKNOWN_TYPE, "Unknown Mat type given: %s. The types of PetscSpMV are %s",
          OfSession<Misspelled>().meant.c_str(), names.c_str());
}

PetscErrorCode MatConvert_SeqAIJ_Misspelled(Mat A, MatType, MatReuse, Mat *)
{
  PetscFunctionBegin;
  PetscCall(MatCreate_Misspelled(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RegisterIfMisspelled(const char *name)
{
  bool known = true;

  PetscFunctionBegin;
  PetscCall(IsKnown(name, &known));
  const TypeInfo *type = known ? nullptr : Closest(name);
  if (!type) PetscFunctionReturn(PETSC_SUCCESS);
  const char *const closest = std::string_view(name).starts_with("seq") ? type->seq.c_str() : type->alias;
  AddName(OfSession<Misspelled>().meant, std::string(name) + " (" + closest + "?)");
  PetscCall(MatRegister(name, Entry<MatCreate_Misspelled>));
  PetscCall(MatSeqAIJRegister(name, Entry<MatConvert_SeqAIJ_Misspelled>));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether an option, without its -, has a matrix type for its value: mat_type, dm_mat_type, inner_mat_seqaij_type.
bool IsOfType(std::string_view option)
{
  for (const std::string_view name : {"mat_type", "mat_seqaij_type"}) {
    if (option == name || (option.ends_with(name) && option[option.size() - name.size() - 1] == '_')) return true;
  }
  return false;
}

} // namespace

PetscErrorCode RegisterMisspelledTypes()
{
  PetscInt       n;
  char         **options, **values;
  PetscErrorCode ierr = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCall(PetscOptionsLeftGet(NULL, &n, &options, &values)); // unused options: no matrix has got a type yet
  for (PetscInt k = 0; k < n && !ierr; ++k) {
    if (IsOfType(options[k]) && values[k]) ierr = Entry<RegisterIfMisspelled>(values[k]);
  }
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &options, &values));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
