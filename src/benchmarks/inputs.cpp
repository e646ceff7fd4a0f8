#include "benchmarks/inputs.hpp"

#include "benchmarks/errors.hpp"
#include "matio/families.hpp"
#include "matio/generate.hpp"
#include "matio/load.hpp"
#include "petsc/success.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <new>

namespace petscspmv::benchmarks {

std::vector<Input> Expand(const std::vector<std::string> &names)
{
  std::vector<Input> inputs;
  for (const std::string &name : names) {
    std::error_code                     failed; // also where it is no folder
    std::filesystem::directory_iterator entry(name, failed);
    if (matio::NamesFamily(name) || failed) {
      inputs.push_back({name, false});
      continue;
    }
    std::vector<std::string> paths;
    for (; !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
      const std::string path = entry->path().string();
      if (path.ends_with(".mtx") || path.ends_with(".mtx.gz") || path.ends_with(".petsc") || path.ends_with(".bin"))
        paths.push_back(path);
    }
    std::sort(paths.begin(), paths.end());
    for (const std::string &path : paths) inputs.push_back({path, true});
  }
  return inputs;
}

std::string NameOf(const std::string &path)
{
  if (matio::NamesFamily(path)) return path;
  std::string name = std::filesystem::path(path).filename().string();
  for (const char *end : {".gz", ".mtx", ".petsc", ".bin"}) {
    if (name.ends_with(end)) name.resize(name.size() - std::strlen(end));
  }
  return name;
}

PetscErrorCode Open(const std::string &path, Mat *A, std::string &error)
{
  ErrorGuard     errors;
  PetscErrorCode code;
  PetscMPIInt    size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  try {
    if (matio::NamesFamily(path)) code = matio::CreateMatFromFamily(PETSC_COMM_WORLD, path.c_str(), A);
    else code = matio::CreateMatFromFile(PETSC_COMM_WORLD, path.c_str(), A);
    if (code) error = errors.text();
  } catch (const std::bad_alloc &) {
    if (size > 1) throw; // the others have memory, and would wait
    error = "it needs more memory than there is";
    code  = PETSC_ERR_MEM;
  }
  if (!code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(errors.RaiseIfAlone());
  if (error.find(path) == std::string::npos) error = path + ": " + error;
  *A = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::benchmarks
