// CSRCopy on the processor.
#pragma once

#include "mat/exec/host.hpp"

#include "csrcopy.hpp"
