#include "benchmarks/checks.hpp"

#include "benchmarks/errors.hpp"
#include "benchmarks/peers/use_peer.hpp"
#include "benchmarks/problems.hpp"
#include "petsc/success.hpp"

namespace petscspmv::benchmarks {

namespace {

/// Says why a type of matrices or vectors is none, or nothing.
template <class Object, class Create, class SetType, class Destroy>
PetscErrorCode CheckType(const std::string &type, const Create &create, const SetType &set_type, const Destroy &destroy,
                         std::string &error)
{
  Object         object;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(create(PETSC_COMM_WORLD, &object));
  {
    const ErrorGuard errors; // the type is the same for all processes, and so are errors, whatever their communicator
    code = set_type(object, type.c_str());
    if (code) error = errors.text();
  }
  if (!code) PetscCall(destroy(&object));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode CheckArguments(const Arguments &arguments, std::string &error)
{
  PetscBool   catch_all;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-mat_seqaij_type", &catch_all));
  if (catch_all) error = "-mat_seqaij_type changes what every type is compared with: leave it out (PETSC_OPTIONS=)";
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (const std::string &input : arguments.inputs) {
    if (error.empty() && arguments.task == Task::Solves && FindProblem(input)) error = FaultOfProblem(input);
  }
  for (const std::string &type : arguments.types) {
    const bool of_others = arguments.task != Task::Products && arguments.task != Task::Totals;
    if (error.empty() && of_others && IsPeer(type)) error = NameOf(arguments.task) + std::string(" measures no peers");
    if (!error.empty()) break;
    if (IsPeer(type)) PetscCall(OpenPeer(type, error));
    else PetscCall(CheckType<Mat>(type, MatCreate, MatSetType, MatDestroy, error));
  }
  if (error.empty() && arguments.task != Task::Products && arguments.all_targets)
    error = NameOf(arguments.task) + std::string(" does not measure all targets");
  const bool alone = arguments.task == Task::First || arguments.task == Task::Chosen;
  if (error.empty() && alone && size > 1) error = NameOf(arguments.task) + std::string(" measures one process");
  if (error.empty() && arguments.task == Task::Solves && size > 1) error = "solves starts its processes itself: --processes";
  const std::string &vec_type = arguments.settings.vec_type;
  if (error.empty() && !vec_type.empty()) PetscCall(CheckType<Vec>(vec_type, VecCreate, VecSetType, VecDestroy, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::benchmarks
