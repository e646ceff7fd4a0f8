#include "petsc/option_text.hpp"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace petscspmv {

namespace {

/// False for a decimal number that does not fit in PetscInt. True for text that is no number, such as "decide".
bool FitsPetscInt(const char *text)
{
  char *end;
  errno                 = 0;
  const long long value = std::strtoll(text, &end, 10);
  if (end == text) return true;
  return errno != ERANGE && value >= std::numeric_limits<PetscInt>::min() && value <= std::numeric_limits<PetscInt>::max();
}

template <class Value>
bool Reads(PetscErrorCode (*read)(const char[], Value *), const char *text, Value &value)
{
  return read(text, &value) == PETSC_SUCCESS;
}

template <class Value>
bool Reads(PetscErrorCode (*read)(const char[], Value *), const char *text)
{
  Value value;
  return Reads(read, text, value);
}

/// Newer versions of PETSc refuse infinite numbers without naming the option.
bool IsFinite(const char *text)
{
  PetscReal value;
  return Reads(PetscOptionsStringToReal, text, value) && std::isfinite(static_cast<double>(value));
}

bool IsOfKind(OptionKind kind, const char *text)
{
  switch (kind) {
  case OptionKind::Integer:
    return FitsPetscInt(text) && Reads(PetscOptionsStringToInt, text);
  case OptionKind::Real:
    return IsFinite(text);
  case OptionKind::Flag:
    return Reads(PetscOptionsStringToBool, text);
  }
  return false;
}

} // namespace

PetscErrorCode GetWrongText(OptionItems items, const char *key, OptionKind kind, FixedString *wrong)
{
  char      text[256];
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(items->options, items->prefix, key, text, sizeof(text), &given));
  if (!given || !*text) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  const bool right = IsOfKind(kind, text);
  PetscCall(PetscPopErrorHandler());
  if (!right) wrong->Add("%s", text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
