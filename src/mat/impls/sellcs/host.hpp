// SELL-C-sigma on hosts.
#pragma once

#include "mat/impls/sellcs/build.hpp"
#include "mat/impls/sellcs/sellcs.hpp"
#include "mat/impls/sellcs/spmv.hpp"
