// CSR5 on devices.
#pragma once

#include "mat/impls/csr5/build_device.hpp"
#include "mat/impls/csr5/csr5.hpp"
#include "mat/impls/csr5/spmv_device.hpp"
