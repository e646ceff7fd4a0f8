// A sample of a matrix's values: whether kinds other than Full may pay, and which kind to expect.
#pragma once

#include "mat/arithmetic/sample.hpp"
#include "mat/arithmetic/values.hpp"
#include "mat/exec/host.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace petscspmv {

/// Saving less than this share of the values' bytes does not pay for looking up each block's kind.
inline constexpr double kLeastSaved = 1.0 / 16;

/// A kind is expected of all blocks if at least this share of a sample's values has it.
inline constexpr double kExpectedInSample = 0.75;

/// How many numbers a block with `entries` entries stores if it is of this kind.
KOKKOS_INLINE_FUNCTION std::int64_t NumbersOf(ValueKind kind, std::int64_t entries)
{
  return kind == ValueKind::One ? 1 : entries;
}

/// The space that blocks take, by kind.
struct ValueSpace {
  std::int64_t numbers[kValueKinds] = {}, blocks[kValueKinds] = {};

  std::int64_t Numbers(ValueKind kind) const { return numbers[static_cast<int>(kind)]; }
  std::int64_t Blocks(ValueKind kind) const { return blocks[static_cast<int>(kind)]; }

  template <class Scalar>
  std::int64_t Bytes() const
  {
    const std::int64_t scalar = sizeof(Scalar), single = sizeof(SingleOf<Scalar>), few = Numbers(ValueKind::Few);
    return (Numbers(ValueKind::Full) + Numbers(ValueKind::One)) * scalar + Numbers(ValueKind::Single) * single + few;
  }
};

/// Whether values in `bytes` bytes save enough, compared with full ones.
template <class Scalar>
bool SavesEnough(std::int64_t entries, std::int64_t bytes)
{
  const double all = static_cast<double>(entries) * sizeof(Scalar);
  return all - static_cast<double>(bytes) > kLeastSaved * all;
}

/// Copies the sampled stretches of entries. Beyond the matrix's end, its last entry is repeated.
template <class Scalar>
struct TakeSample {
  static constexpr std::int64_t kStretch = 64;

  const Scalar *val;
  std::int64_t  nnz, stretches;
  Scalar       *to;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const
  {
    const std::int64_t entry = SampleBlock(stretches, k / kStretch) * kStretch + k % kStretch;
    to[k]                    = val[entry < nnz ? entry : nnz - 1];
  }
};

/// Sampled stretches of a matrix's values, in CSR order.
template <class Scalar>
class ValueSample {
public:
  template <class Exec>
  ValueSample(const Exec &exec, const Scalar *val, std::int64_t nnz)
  {
    const std::int64_t                         stretches = (nnz + kStretch - 1) / kStretch, n = SampleSize(stretches) * kStretch;
    Array<Scalar, typename Exec::memory_space> there(static_cast<std::size_t>(n));
    exec.For("SampleValues", n, 0, TakeSample<Scalar>{val, nnz, stretches, there.data()});
    values_ = OnHost<Exec, Scalar>(exec, there);
  }

  /// Chooses the numbers of the rule's table: the most frequent ones, or none if the sample has too many different ones.
  void FindNumbers(ValueRule<Scalar> &rule) const
  {
    constexpr int kMany = 32;
    struct Seen {
      NumberBits<Scalar> number;
      int                times = 0;
    };
    Seen seen[kMany];
    int  different = 0;
    rule.numbers   = 0;
    for (std::size_t k = 0; k < values_.size(); ++k) {
      const NumberBits<Scalar> number(values_[k]);
      Seen *const              at = std::find_if(seen, seen + different, [&](const Seen &each) { return each.number == number; });
      if (at == seen + kMany) return;
      if (at == seen + different) seen[different++].number = number;
      ++at->times;
    }
    std::stable_sort(seen, seen + different, [](const Seen &a, const Seen &b) { return a.times > b.times; });
    rule.numbers = std::min(different, kTableNumbers);
    std::transform(seen, seen + rule.numbers, rule.number, [](const Seen &each) { return each.number; });
  }

  /// Whether enough would be saved if the stretches were blocks: rejects, at little cost, values that clearly must stay full.
  /// Empties a table that no stretch would use. Sets `expected` to the kind of most stretches, or to Full if these are too few.
  bool MaySave(ValueRule<Scalar> &rule, ValueKind &expected) const
  {
    ValueSpace space;
    for (std::size_t begin = 0; begin < values_.size(); begin += kStretch) {
      BlockBits<Scalar> bits(values_[begin], rule);
      for (std::size_t k = begin; k < begin + kStretch; ++k) bits.Add(values_[k], rule);
      space.numbers[static_cast<int>(bits.Kind())] += NumbersOf(bits.Kind(), kStretch);
      space.blocks[static_cast<int>(bits.Kind())] += kStretch;
    }
    const auto *const most = std::max_element(space.blocks, space.blocks + kValueKinds);
    expected               = static_cast<double>(*most) >= kExpectedInSample * static_cast<double>(values_.size())
                               ? static_cast<ValueKind>(most - space.blocks)
                               : ValueKind::Full;
    if (space.Numbers(ValueKind::Few) == 0) rule.numbers = 0;
    return SavesEnough<Scalar>(static_cast<std::int64_t>(values_.size()), space.template Bytes<Scalar>());
  }

private:
  static constexpr std::int64_t kStretch = TakeSample<Scalar>::kStretch;

  Array<Scalar> values_;
};

} // namespace petscspmv
