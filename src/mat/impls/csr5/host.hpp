// CSR5 on hosts.
#pragma once

#include "mat/impls/csr5/build.hpp"
#include "mat/impls/csr5/csr5.hpp"
#include "mat/impls/csr5/fill.hpp"
#include "mat/impls/csr5/spmv.hpp"
