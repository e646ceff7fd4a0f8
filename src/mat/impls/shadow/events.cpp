#include "mat/impls/shadow/events.hpp"

#include <map>

namespace petscspmv {

namespace {
std::map<const PetscFormat *, Events> events;
}

PetscErrorCode RegisterEvents(const PetscFormat &format)
{
  char name[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "Mat%sBuild", format.symbol));
  PetscCall(PetscLogEventRegister(name, MAT_CLASSID, &events[&format].build));
  PetscCall(PetscSNPrintf(name, sizeof(name), "Mat%sRefresh", format.symbol));
  PetscCall(PetscLogEventRegister(name, MAT_CLASSID, &events[&format].refresh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const Events &EventsOf(const PetscFormat &format)
{
  return events.at(&format);
}

} // namespace petscspmv
