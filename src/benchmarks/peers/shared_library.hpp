// A library that is opened at run time.
#pragma once

#include <dlfcn.h>
#include <initializer_list>
#include <stdexcept>
#include <string>

namespace petscspmv::benchmarks {

/// Stays open until the process ends: libraries with threads of their own do not take well to being closed.
class SharedLibrary {
public:
  /// Opens the first of these names that the dynamic linker finds; throws std::runtime_error, which ends with `advice`.
  SharedLibrary(std::initializer_list<const char *> names, const std::string &advice)
  {
    std::string why;
    for (const char *name : names) {
      handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (handle_) return;
      if (why.empty()) why = dlerror();
    }
    throw std::runtime_error(why + "; " + advice);
  }

  template <class Function>
  void Find(const char *name, Function *&function) const
  {
    function = reinterpret_cast<Function *>(dlsym(handle_, name));
    if (!function) throw std::runtime_error(dlerror());
  }

private:
  void *handle_ = nullptr;
};

} // namespace petscspmv::benchmarks
