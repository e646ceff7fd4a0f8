// Text of bounded length on the stack: messages of conversions and of PetscFinalize() allocate nothing. Longer text is cut off.
#pragma once

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <initializer_list>
#include <string_view>

namespace petscspmv {

class FixedString {
public:
  FixedString() = default;
  [[gnu::format(printf, 2, 3)]] explicit FixedString(const char *format, ...)
  {
    va_list values;
    va_start(values, format);
    Append(format, values);
    va_end(values);
  }

  /// The parts, one after the other: faster than by printf(), above all where a library has added conversions to it (libquadmath).
  static FixedString Of(std::initializer_list<std::string_view> parts)
  {
    FixedString joined;
    for (const std::string_view part : parts)
      joined.used_ += part.copy(joined.text_ + joined.used_, sizeof(joined.text_) - 1 - joined.used_);
    return joined;
  }
  [[gnu::format(printf, 2, 3)]] void Add(const char *format, ...)
  {
    va_list values;
    va_start(values, format);
    Append(format, values);
    va_end(values);
  }

  bool        empty() const { return used_ == 0; }
  const char *c_str() const { return text_; }

private:
  void Append(const char *format, va_list values)
  {
    const int added = std::vsnprintf(text_ + used_, sizeof(text_) - used_, format, values);
    if (added > 0) used_ = std::min(used_ + static_cast<std::size_t>(added), sizeof(text_) - 1);
  }

  char        text_[512] = "";
  std::size_t used_      = 0;
};

} // namespace petscspmv
