// IPCSR on hosts.
#pragma once

#include "mat/impls/ipcsr/ipcsr.hpp"
#include "mat/impls/ipcsr/pcsr.hpp"
#include "mat/impls/ipcsr/spmv.hpp"
#include "mat/impls/ipcsr/spmv_many.hpp"
