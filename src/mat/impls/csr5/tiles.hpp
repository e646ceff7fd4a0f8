// A CSR5 layout as its kernels read it.
#pragma once

#include "mat/impls/csr5/layout.hpp"

#include <cstdint>
#include <type_traits>

namespace petscspmv::csr5 {

/// A layout as the kernels read it. Omega and Sigma are compile-time where they are not 0.
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
  const Scalar        *val;
  ColumnsView<Index>   columns;

  template <class Exec>
  explicit Tiles(const Layout<Scalar, Index, Exec> &layout) :
    fields(layout.fields), complete(layout.complete), tile_ptr(layout.tile_ptr.data()), tile_desc(layout.tile_desc.data()),
    empty_ptr(layout.empty_ptr.data()), empty_offset(layout.empty_offset.data()), inner_ends(layout.inner_ends.data()),
    block_ptr(layout.block_ptr.data()), segment_end(layout.segment_end.data()), val(layout.val.data()), columns(layout.columns)
  {
  }

  KOKKOS_FUNCTION int omega() const { return Omega ? Omega : fields.omega; }
  KOKKOS_FUNCTION int sigma() const { return Sigma ? Sigma : fields.sigma; }
};

/// Calls f<omega, sigma>() for the shapes that hosts use by default, which have kernels of their own, and f<0, 0>() for any other.
template <class F>
void WithShape(const DescriptorFields &fields, const F &f)
{
  if (fields.omega == 16 && fields.sigma == 16) f.template operator()<16, 16>();
  else if (fields.omega == 16 && fields.sigma == 32) f.template operator()<16, 32>();
  else f.template operator()<0, 0>();
}

} // namespace petscspmv::csr5
