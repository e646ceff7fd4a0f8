// Layouts of SELL-C-sigma on hosts, for the kernel tests that look into them.
#pragma once

#include "kernels/conformance.hpp"
#include "kernels/sellcs.hpp"
#include "mat/impls/sellcs/host.hpp"

#include <cstddef>
#include <string>

namespace petscspmv::test {

using Sellcs = WithExec<sellcs::Sellcs>;

namespace sellcs_layout {

using Layout = sellcs::Layout<double, int, HostExec>;

inline double Figure(const Layout &layout, const std::string &key)
{
  return test::Figure(Sellcs::Statistics(layout), key);
}

inline Layout Build(const TestMatrix &a, const OptionValues &options)
{
  const Arrays<double, int> arrays(a);
  Layout                    layout;
  Sellcs::Build(arrays.csr, options, layout);
  return layout;
}

inline int Length(const TestMatrix &a, int row)
{
  return a.row_ptr[static_cast<std::size_t>(row) + 1] - a.row_ptr[static_cast<std::size_t>(row)];
}

} // namespace sellcs_layout

} // namespace petscspmv::test
