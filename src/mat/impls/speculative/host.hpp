// The speculative segmented sum on hosts.
#pragma once

#include "mat/impls/speculative/speculative.hpp"
#include "mat/impls/speculative/spmv.hpp"
