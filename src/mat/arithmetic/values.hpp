// The values of a layout, stored block by block, each block in its own kind.
#pragma once

#include "mat/arithmetic/conversion.hpp"
#include "mat/arithmetic/load.hpp"
#include "mat/arithmetic/value_kinds.hpp"
#include "mat/exec/host.hpp"

#include <cstddef>
#include <cstdint>

namespace petscspmv {

/// A block's kind, and where its values begin in the array of that kind.
class ValuePlace {
public:
  ValuePlace() = default;
  KOKKOS_FORCEINLINE_FUNCTION ValuePlace(ValueKind kind, std::int64_t at) :
    word_(static_cast<std::uint64_t>(at) * kValueKinds + static_cast<std::uint64_t>(kind))
  {
  }

  KOKKOS_FORCEINLINE_FUNCTION ValueKind Kind() const { return static_cast<ValueKind>(word_ % kValueKinds); }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t At() const { return static_cast<std::int64_t>(word_ / kValueKinds); }

private:
  std::uint64_t word_;
};

/// The values of a layout's blocks.
template <class Scalar, class Space>
struct Values {
  ValueStorage      storage = ValueStorage::Auto;
  ValueRule<Scalar> rule;
  int               choices = 0; // how often kinds have been chosen for this layout

  Array<ValuePlace, Space>                   place; // of each block; empty if all blocks are full
  Array<Scalar, Space>                       full;
  Array<SingleOf<Scalar>, Space>             single;
  Array<std::uint8_t, Space>                 few;   // positions in the table
  Array<typename Parts<Scalar>::Real, Space> table; // rule.number: kTableNumbers real parts, then as many imaginary parts
  Array<Scalar, Space>                       one;   // one value for each block of kind One

  std::int64_t single_blocks = 0, few_blocks = 0, one_blocks = 0;

  std::size_t Bytes() const { return place.bytes() + full.bytes() + single.bytes() + few.bytes() + table.bytes() + one.bytes(); }
};

/// The values of a block as kernels read them, in a struct for each kind: element k is the block's entry k in the order of storage.
/// On hosts, padding is zero if kZeroPadding, any number otherwise.
template <class Scalar>
struct FullValues {
  static constexpr bool kZeroPadding = true;
  const Scalar         *val;

  KOKKOS_FORCEINLINE_FUNCTION FullValues From(std::int64_t k) const { return {val + k}; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar     operator[](std::int64_t k) const { return LoadOnce(val + k); }
};
template <class Scalar>
struct SingleValues {
  static constexpr bool   kZeroPadding = true;
  const SingleOf<Scalar> *val;

  KOKKOS_FORCEINLINE_FUNCTION SingleValues From(std::int64_t k) const { return {val + k}; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar       operator[](std::int64_t k) const { return static_cast<Scalar>(LoadOnce(val + k)); }
};
template <class Scalar>
struct FewValues {
  static constexpr bool kZeroPadding = false;
  using Real                         = typename Parts<Scalar>::Real;
  const std::uint8_t *val;
  const Real         *table;

  KOKKOS_FORCEINLINE_FUNCTION FewValues From(std::int64_t k) const { return {val + k, table}; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar    operator[](std::int64_t k) const
  {
    const Real *number = table + LoadOnce(val + k);
    if constexpr (Parts<Scalar>::count == 1) return Load(number);
    else return {Load(number), Load(number + kTableNumbers)};
  }
};
template <class Scalar>
struct OneValue {
  static constexpr bool kZeroPadding = false;
  Scalar                value;

  KOKKOS_FORCEINLINE_FUNCTION OneValue From(std::int64_t) const { return *this; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar   operator[](std::int64_t) const { return value; }
};

/// A layout's values as kernels read them.
template <class Scalar>
struct ValuesView {
  const ValuePlace                   *place;
  const Scalar                       *full;
  const SingleOf<Scalar>             *single;
  const std::uint8_t                 *few;
  const typename Parts<Scalar>::Real *table;
  const Scalar                       *one;

  template <class Space>
  explicit ValuesView(const Values<Scalar, Space> &values) :
    place(values.place.data()), full(values.full.data()), single(values.single.data()), few(values.few.data()),
    table(values.table.data()), one(values.one.data())
  {
  }

  /// Calls f(values) with the values of a block whose first entry is number `begin` overall.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION auto With(std::int64_t block, std::int64_t begin, const F &f) const
  {
    if (!place) return f(FullValues<Scalar>{full + begin});
    const ValueKind    kind = place[block].Kind();
    const std::int64_t at   = place[block].At();
    if constexpr (kHasSingle<Scalar>) {
      if (kind == ValueKind::Single) return f(SingleValues<Scalar>{single + at});
    }
    if (kind == ValueKind::Few) return f(FewValues<Scalar>{few + at, table});
    if (kind == ValueKind::One) return f(OneValue<Scalar>{Load(one + at)});
    return f(FullValues<Scalar>{full + at});
  }

  /// The value of entry k of the block.
  KOKKOS_FORCEINLINE_FUNCTION Scalar Value(std::int64_t block, std::int64_t begin, std::int64_t k) const
  {
    return With(block, begin, [k](const auto &values) { return values[k]; });
  }

  /// Where in `full` the values of a full block begin. The block's first entry is number `begin` overall.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t FullAt(std::int64_t block, std::int64_t begin) const
  {
    return place ? place[block].At() : begin;
  }
};

/// Converts a number to its position in the table. Padding, if its zero is not in the table, gets any position.
template <class Scalar>
struct FindInTable {
  const ValueRule<Scalar> *rule;

  KOKKOS_FORCEINLINE_FUNCTION std::uint8_t operator()(const Scalar &number) const
  {
    return static_cast<std::uint8_t>(rule->Place(number) % kTableNumbers);
  }
};

/// Writes the values of a layout.
template <class Scalar>
struct ValuesWriter {
  const ValuePlace *place;
  Scalar           *full;
  SingleOf<Scalar> *single;
  std::uint8_t     *few;
  Scalar           *one;
  ValueRule<Scalar> rule;

  template <class Space>
  explicit ValuesWriter(Values<Scalar, Space> &values) :
    place(values.place.data()), full(values.full.data()), single(values.single.data()), few(values.few.data()),
    one(values.one.data()), rule(values.rule)
  {
  }

  KOKKOS_FORCEINLINE_FUNCTION ValueKind Kind(std::int64_t block) const { return place ? place[block].Kind() : ValueKind::Full; }
  KOKKOS_FORCEINLINE_FUNCTION void      SetOne(std::int64_t block, const Scalar &value) const { one[place[block].At()] = value; }

  /// Calls put(memory, conversion) to write a block, not of kind One, whose first entry is number `begin` overall.
  template <class Put>
  KOKKOS_FORCEINLINE_FUNCTION void Write(std::int64_t block, std::int64_t begin, const Put &put) const
  {
    const std::int64_t at = place ? place[block].At() : begin;
    if (Kind(block) == ValueKind::Full) put(full + at, Convert<Scalar>());
    else if (Kind(block) == ValueKind::Single) put(single + at, Convert<SingleOf<Scalar>>());
    else put(few + at, FindInTable<Scalar>{&rule});
  }
};

} // namespace petscspmv
