#include "mat/report/events.hpp"

#include "mat/exec/session.hpp"

#include <map>

namespace petscspmv {

namespace {
struct KnownEvents {
  std::map<const PetscFormat *, Events> of_formats;
};

} // namespace

PetscErrorCode RegisterEvents(const PetscFormat &format)
{
  Events &events = OfSession<KnownEvents>().of_formats[&format];
  char    name[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "Mat%sBuild", format.symbol));
  PetscCall(PetscLogEventRegister(name, MAT_CLASSID, &events.build));
  PetscCall(PetscSNPrintf(name, sizeof(name), "Mat%sRefresh", format.symbol));
  PetscCall(PetscLogEventRegister(name, MAT_CLASSID, &events.refresh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const Events &EventsOf(const PetscFormat &format)
{
  return OfSession<KnownEvents>().of_formats.at(&format);
}

} // namespace petscspmv
