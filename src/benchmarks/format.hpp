// Numbers as text.
#pragma once

#include <cstdio>
#include <string>

namespace petscspmv::benchmarks {

template <class... Values>
std::string Format(const char *format, Values... values)
{
  std::string text(static_cast<std::size_t>(std::snprintf(nullptr, 0, format, values...)), '\0');
  std::snprintf(text.data(), text.size() + 1, format, values...);
  return text;
}

} // namespace petscspmv::benchmarks
