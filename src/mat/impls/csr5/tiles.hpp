// A CSR5 layout as kernels read it.
#pragma once

#include "mat/exec/host.hpp"
#include "mat/impls/csr5/layout.hpp"

#include <cstdint>
#include <type_traits>

namespace petscspmv::csr5 {

/// The arrays of a layout. Omega and Sigma are compile-time constants unless 0.
template <class Scalar, class Index, int Omega, int Sigma>
struct Tiles {
  using Unsigned = std::make_unsigned_t<Index>;

  DescriptorFields     fields;
  std::int64_t         complete;
  const Unsigned      *tile_ptr;
  const std::uint32_t *tile_desc;
  const std::int64_t  *empty_ptr;
  const Index         *empty_offset;
  const std::uint16_t *inner_ends;
  const std::int64_t  *block_ptr;
  const std::uint16_t *segment_end;
  ColumnsView<Index>   columns;
  ValuesView<Scalar>   values;

  template <class Exec>
  explicit Tiles(const Layout<Scalar, Index, Exec> &layout) :
    fields(layout.fields), complete(layout.complete), tile_ptr(layout.tile_ptr.data()), tile_desc(layout.tile_desc.data()),
    empty_ptr(layout.empty_ptr.data()), empty_offset(layout.empty_offset.data()), inner_ends(layout.inner_ends.data()),
    block_ptr(layout.block_ptr.data()), segment_end(layout.segment_end.data()), columns(layout.columns), values(layout.values)
  {
  }

  /// Prefetches what the next tiles have besides their entries. `end`: this tile's part of segment_end.
  template <class Prefetch>
  KOKKOS_FORCEINLINE_FUNCTION void PrefetchTiles(const Prefetch &prefetch, std::int64_t tile, const std::uint16_t *end) const
  {
    prefetch.NextLine(tile_ptr, tile);
    prefetch.NextLine(inner_ends, tile);
    prefetch.NextLine(columns.base, tile);
    prefetch.NextLine(columns.at, tile);
    prefetch.NextLine(values.place, tile);
    prefetch.NextLine(end, 32);
    prefetch.NextLine(tile_desc, (tile + 3) * fields.WordsPerTile());
  }

  KOKKOS_FORCEINLINE_FUNCTION DescriptorFields Fields() const
  {
    if constexpr (Omega && Sigma) {
      constexpr DescriptorFields known = DescriptorFields::For(Omega, Sigma);
      return known;
    } else {
      return fields;
    }
  }
  KOKKOS_FUNCTION int omega() const { return Omega ? Omega : fields.omega; }
  KOKKOS_FUNCTION int sigma() const { return Sigma ? Sigma : fields.sigma; }
};

/// Calls f<omega, sigma>() for the default shape, which has kernels of its own, and f<0, 0>() for any other.
template <class Exec, class F>
void WithShape(const DescriptorFields &fields, const F &f)
{
  constexpr int omega = DefaultOmega<Exec>(), sigma = DefaultSigma<Exec>();
  if (fields.omega == omega && fields.sigma == sigma) f.template operator()<omega, sigma>();
  else f.template operator()<0, 0>();
}

} // namespace petscspmv::csr5
