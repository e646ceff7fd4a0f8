// CSRCopy on devices, with the same kernels.
#pragma once

#include "csrcopy.hpp"
