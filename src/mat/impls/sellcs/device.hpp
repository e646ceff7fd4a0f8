// SELL-C-sigma on devices.
#pragma once

#include "mat/impls/sellcs/build_device.hpp"
#include "mat/impls/sellcs/sellcs.hpp"
#include "mat/impls/sellcs/spmv_device.hpp"
