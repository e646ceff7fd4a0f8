// The TriangleMethods of the target that is being compiled.
#pragma once

#include "mat/triangles/build.hpp"
#include "mat/triangles/plain.hpp"
#include "mat/triangles/sweep.hpp"
#include "mat/triangles/triangle.hpp"

namespace petscspmv::triangles {

template <class Scalar, class Index>
constexpr TriangleMethods<Scalar, Index> MethodsOf()
{
  using Layout = triangles::Layout<Scalar, Index>;
  using Source = TriangleSource<Scalar, Index>;
  return {
    .make    = []() -> void    *{ return new Layout(); },
    .destroy = [](void *layout) { delete static_cast<Layout *>(layout); },
    .window  = [](const Source &source) { return ChooseWindow(source, kLanes<Scalar>); },
    .build =
      [](void *layout, const Execution &execution, const Source &source, const TriangleOptions &options) {
        return Build(HostExec(execution), source, options, *static_cast<Layout *>(layout));
      },
    .refresh      = [](void *layout, const Execution &execution,
                  const Source &source) { FillLayoutValues(HostExec(execution), source, *static_cast<Layout *>(layout), true); },
    .set_diagonal = [](void *layout, const Scalar *diagonal) { SetDiagonal(diagonal, *static_cast<Layout *>(layout)); },
    .sweep        = [](const void *layout, const Execution &execution,
                const Sweep<Scalar> &sweep) { Run(HostExec(execution), *static_cast<const Layout *>(layout), sweep); },
    .plain        = PlainSweep<Scalar, Index>,
    .bytes        = [](const void *layout) { return static_cast<const Layout *>(layout)->Bytes(); },
  };
}

} // namespace petscspmv::triangles
