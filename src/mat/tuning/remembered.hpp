// Findings remembered by key, up to a limit.
#pragma once

#include <cstddef>
#include <map>
#include <memory>

namespace petscspmv {

/// Shared findings by key. All are forgotten when there would be too many, so that a program that makes new matrices again and
/// again does not grow.
template <class Key, class Findings>
class Remembered {
public:
  static constexpr std::size_t kMost = 4096;

  /// The findings for a key, or null.
  std::shared_ptr<Findings> Find(const Key &key) const
  {
    const auto found = known_.find(key);
    return found == known_.end() ? nullptr : found->second;
  }

  /// The findings for a key; if there are none, those that make() returns from now on.
  template <class Make>
  std::shared_ptr<Findings> FindOrAdd(const Key &key, const Make &make)
  {
    if (auto found = Find(key)) return found;
    std::shared_ptr<Findings> made = make();
    if (Size() >= kMost) Forget();
    known_.emplace(key, made);
    return made;
  }

  std::size_t Size() const { return known_.size(); }
  void        Forget() { known_.clear(); }

private:
  std::map<Key, std::shared_ptr<Findings>> known_;
};

} // namespace petscspmv
