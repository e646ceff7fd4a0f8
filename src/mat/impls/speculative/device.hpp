// The speculative segmented sum on devices.
#pragma once

#include "mat/impls/speculative/speculative.hpp"
#include "mat/impls/speculative/spmv_device.hpp"
