// CSRCopy on devices, where its kernels are the same.
#pragma once

#include "csrcopy.hpp"
