// Log events: Mat<Symbol>Build and Mat<Symbol>Refresh of each format.
#pragma once

#include "mat/registry/registry.hpp"

namespace petscspmv {

struct Events {
  PetscLogEvent build = 0, refresh = 0;
};

PetscErrorCode RegisterEvents(const PetscFormat &format);
const Events  &EventsOf(const PetscFormat &format);

} // namespace petscspmv
