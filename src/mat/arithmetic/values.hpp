// Values of a layout, block by block, each block's in its own kind.
#pragma once

#include "mat/arithmetic/load.hpp"
#include "mat/arithmetic/value_kinds.hpp"
#include "mat/exec/host.hpp"

#include <cstddef>
#include <cstdint>

namespace petscspmv {

/// Where the values of a block begin, among those of its kind.
class ValuePlace {
public:
  ValuePlace() = default;
  KOKKOS_FORCEINLINE_FUNCTION ValuePlace(ValueKind kind, std::int64_t at) : word_(at * 4 + static_cast<int>(kind)) { }

  KOKKOS_FORCEINLINE_FUNCTION ValueKind Kind() const { return static_cast<ValueKind>(word_ & 3); }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t At() const { return word_ >> 2; }

private:
  std::int64_t word_;
};

/// The values of a layout's blocks, block by block.
template <class Scalar, class Space>
struct Values {
  ValueStorage storage = ValueStorage::Auto;

  Array<ValuePlace, Space>       place; // of each block; empty where all are full
  Array<Scalar, Space>           full;
  Array<SingleOf<Scalar>, Space> single;
  Array<Scalar, Space>           one; // of each such block

  std::int64_t single_blocks = 0, one_blocks = 0;
  int          choices = 0; // how often kinds have been chosen since the layout was built

  std::size_t Bytes() const { return place.bytes() + full.bytes() + single.bytes() + one.bytes(); }
};

/// The values of a block as kernels read them: number k of the block's entries, as they are stored.
template <class Scalar>
struct FullValues {
  static constexpr bool kStored = true; // padding as zeros
  const Scalar         *val;

  KOKKOS_FORCEINLINE_FUNCTION FullValues From(std::int64_t k) const { return {val + k}; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar     operator[](std::int64_t k) const { return Load(val + k); }
};
template <class Scalar>
struct SingleValues {
  static constexpr bool   kStored = true;
  const SingleOf<Scalar> *val;

  KOKKOS_FORCEINLINE_FUNCTION SingleValues From(std::int64_t k) const { return {val + k}; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar       operator[](std::int64_t k) const { return static_cast<Scalar>(Load(val + k)); }
};
template <class Scalar>
struct OneValue {
  static constexpr bool kStored = false; // padding would have the number as well
  Scalar                value;

  KOKKOS_FORCEINLINE_FUNCTION OneValue From(std::int64_t) const { return *this; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar   operator[](std::int64_t) const { return value; }
};

/// Values as kernels read them.
template <class Scalar>
struct ValuesView {
  const ValuePlace       *place;
  const Scalar           *full;
  const SingleOf<Scalar> *single;
  const Scalar           *one;

  template <class Space>
  explicit ValuesView(const Values<Scalar, Space> &values) :
    place(values.place.data()), full(values.full.data()), single(values.single.data()), one(values.one.data())
  {
  }

  /// f(values) with those of a block whose first entry is number `begin` of all.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION auto With(std::int64_t block, std::int64_t begin, const F &f) const
  {
    if (!place) return f(FullValues<Scalar>{full + begin});
    const std::int64_t at = place[block].At();
    if constexpr (kHasSingle<Scalar>) {
      if (place[block].Kind() == ValueKind::Single) return f(SingleValues<Scalar>{single + at});
    }
    if (place[block].Kind() == ValueKind::One) return f(OneValue<Scalar>{Load(one + at)});
    return f(FullValues<Scalar>{full + at});
  }

  /// That of one entry, number k of the block.
  KOKKOS_FORCEINLINE_FUNCTION Scalar Value(std::int64_t block, std::int64_t begin, std::int64_t k) const
  {
    return With(block, begin, [k](const auto &values) { return values[k]; });
  }

  /// Where the values of a full block are whose first entry is number `begin` of all.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t FullAt(std::int64_t block, std::int64_t begin) const
  {
    return place ? place[block].At() : begin;
  }
};

/// Memory for the values of a layout to be written to.
template <class Scalar>
struct ValuesTarget {
  const ValuePlace *place;
  Scalar           *full;
  SingleOf<Scalar> *single;
  Scalar           *one;

  template <class Space>
  explicit ValuesTarget(Values<Scalar, Space> &values) :
    place(values.place.data()), full(values.full.data()), single(values.single.data()), one(values.one.data())
  {
  }

  KOKKOS_FORCEINLINE_FUNCTION bool IsOne(std::int64_t block) const { return place && place[block].Kind() == ValueKind::One; }
  KOKKOS_FORCEINLINE_FUNCTION void SetOne(std::int64_t block, const Scalar &value) const { one[place[block].At()] = value; }

  /// put(memory) for another block's entries, the first of which is number `begin` of all.
  template <class Put>
  KOKKOS_FORCEINLINE_FUNCTION void Write(std::int64_t block, std::int64_t begin, const Put &put) const
  {
    if (!place) put(full + begin);
    else if (place[block].Kind() == ValueKind::Full) put(full + place[block].At());
    else put(single + place[block].At());
  }
};

} // namespace petscspmv
