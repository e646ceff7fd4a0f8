// Columns and values of CSR5, host mapping: from CSR order to tile order.
#pragma once

#include "mat/arithmetic/column_lanes.hpp"
#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/value_source.hpp"
#include "mat/exec/host.hpp"
#include "mat/format/csr.hpp"
#include "mat/impls/csr5/layout.hpp"
#include "mat/impls/csr5/tiles.hpp"

namespace petscspmv::csr5 {

/// Transposes the entries of a complete tile, or copies those of the incomplete one. Omega and Sigma are compile-time constants
/// unless 0.
template <int Omega, int Sigma>
struct Transpose {
  int          any_omega, any_sigma;
  std::int64_t nnz;

  KOKKOS_FUNCTION int omega() const { return Omega ? Omega : any_omega; }
  KOKKOS_FUNCTION int sigma() const { return Sigma ? Sigma : any_sigma; }
  KOKKOS_FUNCTION std::int64_t Begin(std::int64_t tile) const { return tile * (omega() * sigma()); }

  template <class From, class To, class Conversion = Convert<To>>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t tile, const From *csr, To *to, const Conversion &conversion = {}) const
  {
    constexpr int      kRow  = Omega ? Omega : 1; // entries written at a time
    const std::int64_t begin = Begin(tile);
    const From        *from  = csr + begin;
    if (nnz - begin < omega() * sigma()) {
      for (std::int64_t k = 0; k < nnz - begin; ++k) to[k] = conversion(from[k]);
      return;
    }
    for (int j = 0; j < sigma(); ++j) {
      Prefetch<true>()(from + j * omega(), omega());
      for (int i = 0; i < omega(); i += kRow)
        WriteLanes<kRow>(
          conversion, [&](int k) PETSCSPMV_INLINE_LAMBDA { return from[(i + k) * sigma() + j]; }, to + j * omega() + i);
    }
  }
};

/// The values of the tiles, for arithmetic/value_source.hpp.
template <int Omega, int Sigma, class Scalar>
struct TileValues {
  Transpose<Omega, Sigma> transpose;
  std::int64_t            complete;
  const Scalar           *csr;

  KOKKOS_FORCEINLINE_FUNCTION BlockBits<Scalar> Bits(const ValueRule<Scalar> &rule, std::int64_t tile) const
  {
    const Scalar     *from = csr + transpose.Begin(tile);
    BlockBits<Scalar> bits(*from, rule);
    AddValues(from, transpose.omega() * transpose.sigma(), rule, bits);
    return bits;
  }
  KOKKOS_FORCEINLINE_FUNCTION ValueKind Kind(const ValueRule<Scalar> &rule, std::int64_t tile) const
  {
    return tile < complete ? Bits(rule, tile).Kind() : ValueKind::Full;
  }
  KOKKOS_FORCEINLINE_FUNCTION void Write(std::int64_t tile, const ValuesTarget<Scalar> &target) const
  {
    const std::int64_t begin = transpose.Begin(tile);
    if (target.Kind(tile) == ValueKind::One) return target.SetOne(tile, csr[begin]);
    target.Write(tile, begin,
                 [&](auto *to, const auto &conversion) PETSCSPMV_INLINE_LAMBDA { transpose(tile, csr, to, conversion); });
  }
};

template <int Omega, int Sigma, class CsrIndex, class Index>
struct FillTileColumns {
  Transpose<Omega, Sigma> transpose;
  const CsrIndex         *csr;
  ColumnsTarget<Index>    target;

  KOKKOS_FUNCTION void operator()(std::int64_t tile) const
  {
    target.Write(tile, transpose.Begin(tile),
                 [&](auto *to, const auto &conversion) PETSCSPMV_INLINE_LAMBDA { transpose(tile, csr, to, conversion); });
  }
};

/// The smallest column of a tile if 16-bit offsets from it reach all of its columns, otherwise kFar; the incomplete tile is plain.
template <class CsrIndex>
struct BaseOfTile {
  const CsrIndex *col_idx;
  std::int64_t    complete;
  int             tile_size;

  KOKKOS_FORCEINLINE_FUNCTION CsrIndex operator()(std::int64_t tile) const
  {
    if (tile == complete) return kFar;
    ColumnRange<CsrIndex> range;
    AddColumns(col_idx + tile * tile_size, tile_size, range);
    return range.Base();
  }
};

/// Calls `fill` with the layout's Transpose<>.
template <class Scalar, class Index, class Exec, class Fill>
void WithTranspose(const Layout<Scalar, Index, Exec> &layout, const Fill &fill)
{
  WithShape(layout.fields, [&]<int Omega, int Sigma>() {
    fill(Transpose<Omega, Sigma>{layout.fields.omega, layout.fields.sigma, layout.nnz});
  });
}

template <OnProcessor Exec, class Scalar, class CsrIndex, class Index>
void FillColumns(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  using Base              = BaseOfTile<CsrIndex>;
  const std::size_t   nnz = static_cast<std::size_t>(layout.nnz);
  const EntriesOfTile entries_of{layout.TileSize(), layout.complete, layout.nnz};
  const Base          base_of{csr.col_idx, layout.complete, layout.TileSize()};
  const bool          offsets = layout.offsets && SampleIsNear(layout.tiles, base_of, entries_of);
  const auto find_bases = [&](Index *base) { exec.For("CSR5FindBases", layout.tiles, nnz, FindBase<Base, Index>{base_of, base}); };
  ShapeColumns(exec, offsets, layout.tiles, layout.nnz, find_bases, entries_of, layout.columns);
  WithTranspose(layout, [&]<int Omega, int Sigma>(Transpose<Omega, Sigma> transpose) {
    exec.For("CSR5FillColumns", layout.tiles, nnz,
             FillTileColumns<Omega, Sigma, CsrIndex, Index>{transpose, csr.col_idx, ColumnsTarget<Index>(layout.columns)});
  });
}

/// Calls f with the source of the layout's values.
template <OnProcessor Exec, class Scalar, class CsrIndex, class Index, class F>
void WithValues(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, const Layout<Scalar, Index, Exec> &layout, const F &f)
{
  const EntriesOfTile entries_of{layout.TileSize(), layout.complete, layout.nnz};
  WithTranspose(layout, [&]<int Omega, int Sigma>(Transpose<Omega, Sigma> transpose) {
    using Of = TileValues<Omega, Sigma, Scalar>;
    f(ValueSource<Exec, Scalar, CsrIndex, EntriesOfTile, Of>{{exec, csr, layout.tiles, layout.nnz, entries_of},
                                                             Of{transpose, layout.complete, csr.val}});
  });
}

} // namespace petscspmv::csr5
