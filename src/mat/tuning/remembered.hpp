// What a process remembers, of as many things as it pays to know.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <utility>

namespace petscspmv {

/// Shared findings by key. All are forgotten when there would be too many: a program whose matrices are new again and again takes
/// no more and more memory.
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

  /// Remembers findings for a key, in place of those before.
  void Add(const Key &key, std::shared_ptr<Findings> findings)
  {
    if (Size() >= kMost) Forget();
    known_.insert_or_assign(key, std::move(findings));
  }

  std::size_t Size() const { return known_.size(); }
  void        Forget() { known_.clear(); }

private:
  std::map<Key, std::shared_ptr<Findings>> known_;
};

} // namespace petscspmv
