// The speculative segmented sum on the processor.
#pragma once

#include "mat/impls/speculative/speculative.hpp"
#include "mat/impls/speculative/spmv.hpp"
