// Several vectors at a time: a pack holds the same entry of each vector, and kernels take packs in place of scalars. Host only
// (lanes.hpp).
#pragma once

#include "mat/arithmetic/lanes.hpp"
#include "mat/arithmetic/row_lanes.hpp"
#include "mat/arithmetic/scalar.hpp"
#include "mat/arithmetic/store.hpp"
#include "mat/arithmetic/value_lanes.hpp"
#include "mat/exec/workspace.hpp"
#include "mat/format/csr.hpp"
#include "mat/format/pack_size.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace petscspmv {

template <class Scalar>
inline constexpr int kPacked = VectorsOfPack(kRegisterBytes, sizeof(Scalar));

template <class T, int packed>
KOKKOS_FORCEINLINE_FUNCTION Lanes<T, packed> Plus(const Lanes<T, packed> &a, const Lanes<T, packed> &b)
{
  return a + b;
}
template <class T, int packed>
KOKKOS_FORCEINLINE_FUNCTION Lanes<T, packed> PlusProduct(const Lanes<T, packed> &sum, const T &a, const Lanes<T, packed> &b)
{
  return sum.PlusProduct(Lanes<T, packed>::All(a), b);
}

/// n packs.
template <class T, int packed, int n>
class Lanes<Lanes<T, packed>, n> {
public:
  using Pack  = Lanes<T, packed>;
  using Count = std::int64_t;
  struct Counts {
    template <class From>
    static KOKKOS_FORCEINLINE_FUNCTION Counts Load(const From *from)
    {
      Counts counts;
      for (int i = 0; i < n; ++i) counts.of[i] = from[i];
      return counts;
    }
    std::int64_t of[n];
  };

  static KOKKOS_FORCEINLINE_FUNCTION Lanes Zero()
  {
    return Generate([](int) PETSCSPMV_INLINE_LAMBDA { return Pack::Zero(); });
  }
  static KOKKOS_FORCEINLINE_FUNCTION Lanes Load(const Pack *from)
  {
    return Generate([&](int i) PETSCSPMV_INLINE_LAMBDA { return from[i]; });
  }
  template <class Places>
  static KOKKOS_FORCEINLINE_FUNCTION Lanes LoadAt(const Pack *x, const Places &places)
  {
    return Generate([&](int i) PETSCSPMV_INLINE_LAMBDA { return x[places[i]]; });
  }
  KOKKOS_FORCEINLINE_FUNCTION void Store(Pack *to) const
  {
    lanes::Unroll<n>([&](auto i) PETSCSPMV_INLINE_LAMBDA { to[i] = v[i]; });
  }

  /// this + a b, where a has one number per pack.
  template <class Numbers>
  KOKKOS_FORCEINLINE_FUNCTION Lanes PlusProduct(const Numbers &a, const Lanes &b) const
  {
    return Generate([&](int i) PETSCSPMV_INLINE_LAMBDA { return v[i].PlusProduct(Pack::All(a[i]), b.v[i]); });
  }
  KOKKOS_FORCEINLINE_FUNCTION Lanes operator+(const Lanes &other) const
  {
    return Generate([&](int i) PETSCSPMV_INLINE_LAMBDA { return v[i] + other.v[i]; });
  }
  KOKKOS_FORCEINLINE_FUNCTION Lanes IfAbove(Count now, const Counts &counts) const
  {
    return Generate([&](int i) PETSCSPMV_INLINE_LAMBDA { return now < counts.of[i] ? v[i] : Pack::Zero(); });
  }

  /// Fold() and Sum() add in the same order as those of Lanes of numbers.
  KOKKOS_FORCEINLINE_FUNCTION Lanes<Pack, n / 2> Fold() const
  {
    return Lanes<Pack, n / 2>::Generate([&](int i) PETSCSPMV_INLINE_LAMBDA { return v[i] + v[i + n / 2]; });
  }
  KOKKOS_FORCEINLINE_FUNCTION Pack Sum() const
  {
    if constexpr (n == 2) return v[0] + v[1];
    else return Fold().Sum();
  }

  template <class F>
  static KOKKOS_FORCEINLINE_FUNCTION Lanes Generate(const F &f)
  {
    Lanes result;
    lanes::Unroll<n>([&](auto i) PETSCSPMV_INLINE_LAMBDA { result.v[i] = f(i); });
    return result;
  }

  Pack v[n];
};

/// Values k .. k + n - 1 of a block, to be multiplied with packs. PlusProduct() broadcasts each to all lanes of its pack.
template <class Values, int n>
struct ValuesOfPacks {
  Values       values;
  std::int64_t k;

  /// The values whose count is above `now`, and zero in place of the others.
  template <class Counts>
  struct Above {
    ValuesOfPacks values;
    std::int64_t  now;
    const Counts &counts;

    KOKKOS_FORCEINLINE_FUNCTION auto operator[](int i) const
    {
      using Number = decltype(values[i]);
      return now < counts.of[i] ? values[i] : Number(0);
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION auto operator[](int i) const { return values[k + i]; }
  template <class Counts>
  KOKKOS_FORCEINLINE_FUNCTION Above<Counts> IfAbove(std::int64_t now, const Counts &counts) const
  {
    return {*this, now, counts};
  }
};

/// Loads values k .. k + n - 1 of a block as factors of X: of scalars or of packs.
template <class X, int n>
struct Factors {
  template <class Values>
  static KOKKOS_FORCEINLINE_FUNCTION auto Load(const Values &values, std::int64_t k)
  {
    return LoadValues<n>(values, k);
  }
};
template <class T, int packed, int n>
struct Factors<Lanes<T, packed>, n> {
  template <class Values>
  static KOKKOS_FORCEINLINE_FUNCTION auto Load(const Values &values, std::int64_t k)
  {
    return ValuesOfPacks<Values, n>{values, k};
  }
};

/// Where kernels store packs: one row of `vectors` vectors that are ld apart, and all rows of such vectors.
template <class T>
struct PackRow {
  T           *at;
  std::int64_t ld;
  int          vectors;
};
template <class T>
struct PackRows {
  T           *y;
  std::int64_t ld;
  int          vectors;

  KOKKOS_FORCEINLINE_FUNCTION PackRow<T> operator[](std::int64_t row) const { return {y + row, ld, vectors}; }
};

template <bool add, class T, int packed>
KOKKOS_FORCEINLINE_FUNCTION void Store(const PackRow<T> &row, const Lanes<T, packed> &sum)
{
  T number[packed];
  sum.Store(number);
  if (row.vectors == packed) {
    lanes::Unroll<packed>([&](auto k) PETSCSPMV_INLINE_LAMBDA { Store<add>(row.at[k * row.ld], number[k]); });
  } else {
    for (int k = 0; k < row.vectors; ++k) Store<add>(row.at[k * row.ld], number[k]);
  }
}

template <class T, int packed>
KOKKOS_FORCEINLINE_FUNCTION void AddToStored(const PackRow<T> &row, const Lanes<T, packed> &sum)
{
  Store<true>(row, sum);
}

/// Whether a pack is one register of real numbers, so that blocks are transposed in registers.
template <class T, int packed>
inline constexpr bool kPacksAreRegisters = std::is_floating_point_v<T> &&RegistersOf<T, packed>::kCount == 1;

/// If a pack is one register, rows are stored in groups of `packed`, transposed in registers.
template <bool add, class T, class Sum>
KOKKOS_FORCEINLINE_FUNCTION void StoreRows(const PackRows<T> &y, std::int64_t row, std::int64_t n, const Sum &sum)
{
  constexpr int packed = kPacked<T>;
  std::int64_t  i      = 0;
  if constexpr (kPacksAreRegisters<T, packed>) {
    for (; i + packed <= n; i += packed) {
      lanes::Vector<T, packed> block[packed];
      lanes::Unroll<packed>([&](auto k) PETSCSPMV_INLINE_LAMBDA { block[k] = sum(i + k).v[0]; });
      TransposeRegisters<T, packed>(block);
      lanes::Unroll<packed>([&](auto k) PETSCSPMV_INLINE_LAMBDA {
        if (k >= y.vectors) return;
        T *const to = y.y + k * y.ld + row + i;
        if constexpr (add) block[k] = lanes::LoadVector<lanes::Vector<T, packed>>(to) + block[k];
        lanes::StoreVector(to, block[k]);
      });
    }
  }
  for (; i < n; ++i) Store<add>(y[row + i], sum(i));
}

/// Packs the rows of several vectors; missing vectors are zeros.
template <class T, int packed>
struct MakePacks {
  static constexpr std::int64_t kRows = 64; // of a block, few enough to stay in the L1 cache

  const T          *x;
  std::int64_t      ld, rows;
  int               vectors;
  Lanes<T, packed> *pack;

  void operator()(std::int64_t block) const
  {
    std::int64_t       row = block * kRows;
    const std::int64_t end = std::min(rows, row + kRows);
    if constexpr (kPacksAreRegisters<T, packed>) {
      for (; row + packed <= end; row += packed) MakeByRegisters(row);
    }
    MakeByNumbers(row, end);
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION void MakeByRegisters(std::int64_t row) const
  {
    using Vector = lanes::Vector<T, packed>;
    Vector registers[packed];
    lanes::Unroll<packed>(
      [&](auto k) PETSCSPMV_INLINE_LAMBDA { registers[k] = k < vectors ? lanes::LoadVector<Vector>(x + k * ld + row) : Vector{}; });
    TransposeRegisters<T, packed>(registers);
    lanes::Unroll<packed>([&](auto k) PETSCSPMV_INLINE_LAMBDA { pack[row + k].v[0] = registers[k]; });
  }
  void MakeByNumbers(std::int64_t begin, std::int64_t end) const
  {
    using Real           = typename Parts<T>::Real;
    constexpr int kParts = Parts<T>::count;
    for (int k = 0; k < packed; ++k) {
      for (std::int64_t row = begin; row < end; ++row) {
        Real *to = reinterpret_cast<Real *>(pack + row) + k; // real parts, then imaginary parts
        for (int part = 0; part < kParts; ++part)
          to[part * packed] = k < vectors ? reinterpret_cast<const Real *>(x + k * ld + row)[part] : Real(0);
      }
    }
  }
};

/// Calls mult(packs, rows to store to) for each pack of vectors of x and y, and single(x, y) for a single remaining vector.
template <class Exec, class Scalar, class Mult, class Single>
void InPacks(const Exec &exec, std::int64_t cols, std::size_t own_workspace, Vectors<const Scalar> x, Vectors<Scalar> y,
             const Mult &mult, const Single &single)
{
  constexpr int packed = kPacked<Scalar>;
  static_assert(packed <= static_cast<int>(kMostPacked<Scalar>));
  using Make = MakePacks<Scalar, packed>;
  WorkspaceArrays arrays(exec.workspace());
  arrays.Take<std::byte>(packed * own_workspace);
  auto *const  packs = arrays.Take<Lanes<Scalar, packed>>(static_cast<std::size_t>(cols));
  std::int64_t done  = 0;
  while (x.count - done > 1) {
    const int vectors = static_cast<int>(std::min<std::int64_t>(packed, x.count - done));
    exec.For("MakePacks", (cols + Make::kRows - 1) / Make::kRows, static_cast<std::size_t>(cols * vectors),
             Make{x[done], x.ld, cols, vectors, packs});
    mult(static_cast<const Lanes<Scalar, packed> *>(packs), PackRows<Scalar>{y[done], y.ld, vectors});
    done += vectors;
  }
  if (done < x.count) single(x[done], y[done]);
}

} // namespace petscspmv
