#include "mat/report/events.hpp"

#include "mat/exec/session.hpp"

#include <map>

namespace petscspmv {

namespace {

struct KnownEvents {
  std::map<const PetscFormat *, Events> of_formats;
};

/// Processes make their layouts when they need them. With -log_sync PETSc 3.25 begins an event with a barrier, unless the event is
/// said not to be collective.
PetscErrorCode RegisterEvent(const char *what, const PetscFormat &format, PetscLogEvent *event)
{
  char name[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "Mat%s%s", format.symbol, what));
  PetscCall(PetscLogEventRegister(name, MAT_CLASSID, event));
  PetscCall(PetscLogEventSetCollective(*event, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode RegisterEvents(const PetscFormat &format)
{
  Events &events = OfSession<KnownEvents>().of_formats[&format];

  PetscFunctionBegin;
  PetscCall(RegisterEvent("Build", format, &events.build));
  PetscCall(RegisterEvent("Refresh", format, &events.refresh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const Events &EventsOf(const PetscFormat &format)
{
  return OfSession<KnownEvents>().of_formats.at(&format);
}

} // namespace petscspmv
