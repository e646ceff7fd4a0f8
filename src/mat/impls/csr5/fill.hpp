// Columns and values of CSR5, host mapping: from CSR order to tile order.
#pragma once

#include "mat/arithmetic/column_lanes.hpp"
#include "mat/arithmetic/column_source.hpp"
#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/row_lanes.hpp"
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

  template <class From, class To, class Conversion>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t tile, const From *csr, To *to, const Conversion &conversion) const
  {
    const std::int64_t begin = Begin(tile);
    if (nnz - begin < omega() * sigma()) {
      for (std::int64_t k = 0; k < nnz - begin; ++k) to[k] = conversion(csr[begin + k]);
    } else if constexpr (Omega > 0 && Sigma == RowLanes<From, 1>::kColumns) {
      RowLanes<From, Omega> columns; // each column of the tile is a row here
      std::int64_t          first[Omega];
      lanes::Unroll<Omega>([&](auto i) PETSCSPMV_INLINE_LAMBDA { first[i] = begin + i * Sigma; });
      Prefetch<true>()(csr, Omega * Sigma, begin);
      columns.Load(csr, nnz, first, 0, Sigma);
      for (int j = 0; j < Sigma; ++j) ConvertLanes<Omega>(conversion, columns[j], to + j * Omega);
    } else {
      for (int j = 0; j < sigma(); ++j)
        for (int i = 0; i < omega(); ++i) to[j * omega() + i] = conversion(csr[begin + i * sigma() + j]);
    }
  }
};

/// The values of the tiles, for arithmetic/value_source.hpp.
template <int Omega, int Sigma, class Scalar>
struct TileValues {
  Transpose<Omega, Sigma> transpose;
  std::int64_t            complete;
  const Scalar           *csr;

  KOKKOS_FORCEINLINE_FUNCTION bool IsFull(std::int64_t tile) const { return tile == complete; }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t Begin(std::int64_t tile) const { return transpose.Begin(tile); }
  KOKKOS_FORCEINLINE_FUNCTION BlockBits<Scalar> Bits(const ValueRule<Scalar> &rule, std::int64_t tile) const
  {
    const Scalar     *from = csr + transpose.Begin(tile);
    BlockBits<Scalar> bits(*from, rule);
    AddValues(from, transpose.omega() * transpose.sigma(), rule, bits);
    return bits;
  }
  KOKKOS_FORCEINLINE_FUNCTION void Write(std::int64_t tile, const ValuesWriter<Scalar> &writer) const
  {
    const std::int64_t begin = transpose.Begin(tile);
    if (writer.Kind(tile) == ValueKind::One) return writer.SetOne(tile, csr[begin]);
    writer.Write(tile, begin,
                 [&](auto *to, const auto &conversion) PETSCSPMV_INLINE_LAMBDA { transpose(tile, csr, to, conversion); });
  }
  template <class Fits>
  KOKKOS_FORCEINLINE_FUNCTION BlockBits<Scalar> WriteIf(std::int64_t tile, const ValuesWriter<Scalar> &writer,
                                                        const Fits &fits) const
  {
    const BlockBits<Scalar> bits = Bits(writer.rule, tile);
    if (fits(bits)) Write(tile, writer);
    return bits;
  }
};

/// The columns of the tiles, for arithmetic/column_source.hpp. Those of the incomplete tile are plain.
template <int Omega, int Sigma, class CsrIndex>
struct TileColumns {
  Transpose<Omega, Sigma> transpose;
  EntriesOfTile           entries_of;
  const CsrIndex         *csr;

  std::int64_t                         Entries(std::int64_t tile) const { return entries_of(tile); }
  std::int64_t                         Begin(std::int64_t tile) const { return transpose.Begin(tile); }
  KOKKOS_FORCEINLINE_FUNCTION CsrIndex Base(std::int64_t tile) const
  {
    if (tile == entries_of.complete) return kFar;
    ColumnRange<CsrIndex> range;
    AddColumns(csr + transpose.Begin(tile), entries_of.tile_size, range);
    return range.Base();
  }
  KOKKOS_FORCEINLINE_FUNCTION CsrIndex WriteOffsets(std::int64_t tile, std::uint16_t *to) const
  {
    const CsrIndex base = Base(tile);
    if (base != kFar) transpose(tile, csr, to, OffsetFrom<CsrIndex>{base});
    return base;
  }
  template <class To, class Conversion>
  KOKKOS_FORCEINLINE_FUNCTION void Write(std::int64_t tile, To *to, const Conversion &conversion) const
  {
    transpose(tile, csr, to, conversion);
  }
};

/// Calls `fill` with the layout's Transpose<>.
template <class Scalar, class Index, class Exec, class Fill>
void WithTranspose(const Layout<Scalar, Index, Exec> &layout, const Fill &fill)
{
  WithShape<Exec>(layout.fields, [&]<int Omega, int Sigma>() {
    fill(Transpose<Omega, Sigma>{layout.fields.omega, layout.fields.sigma, layout.nnz});
  });
}

template <OnProcessor Exec, class Scalar, class CsrIndex, class Index>
void FillColumns(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  const EntriesOfTile entries_of{layout.TileSize(), layout.complete, layout.nnz};
  WithTranspose(layout, [&]<int Omega, int Sigma>(Transpose<Omega, Sigma> transpose) {
    FillColumnBlocks(exec, "CSR5FillColumns", layout.offsets, layout.tiles, layout.nnz,
                     TileColumns<Omega, Sigma, CsrIndex>{transpose, entries_of, csr.col_idx}, layout.columns);
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
