// IPCSR on devices.
#pragma once

#include "mat/impls/ipcsr/ipcsr.hpp"
#include "mat/impls/ipcsr/spmv_device.hpp"
