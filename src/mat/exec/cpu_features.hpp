// What glibc knows of the processor, for TARGET_RUNS_HERE (config/cmake/PetscSpMVTargets.cmake): CPU_FEATURE_ACTIVE().
#pragma once

#if __has_include(<sys/platform/x86.h>)
  #if defined(__clang__) && !defined(_Bool)
    #define _Bool bool // C's, which the header needs, and which clang knows in C++ only with GNU's extensions
    #include <sys/platform/x86.h>
    #undef _Bool
  #else
    #include <sys/platform/x86.h>
  #endif
#endif
