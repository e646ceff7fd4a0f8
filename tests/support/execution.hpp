// Formats as tests run them: with the tests' own execution settings, and the workspace that a layout needs.
#pragma once

#include "mat/exec/array.hpp"
#include "mat/exec/host.hpp"
#include "mat/exec/kokkos_start.hpp"
#include "mat/format/methods.hpp"

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace petscspmv::test {

/// How kernels run in tests. Even the smallest products use all threads.
inline Execution &TestExecution()
{
  static Execution execution = [] {
    Execution initial;
    initial.launch_work = 1;
    return initial;
  }();
  return execution;
}

/// An Exec with its own execution and workspace. The initial contents of the workspace must have no effect: on hosts they are NaN.
template <class Exec>
class OwnExec {
public:
  explicit OwnExec(std::size_t workspace_bytes = 0) :
    workspace_(Ready(workspace_bytes)), execution_(TestExecution()), exec_(WithWorkspace(execution_, workspace_.data()))
  {
    if constexpr (std::is_same_v<Space, HostSpace>) {
      if (workspace_bytes > 0) std::memset(workspace_.data(), 0xff, workspace_bytes);
    }
  }
  OwnExec(const OwnExec &)            = delete;
  OwnExec &operator=(const OwnExec &) = delete;

  const Exec &operator*() const { return exec_; }

private:
  using Space = typename Exec::memory_space;

  static std::size_t Ready(std::size_t bytes)
  {
    if (std::is_same_v<Space, DeviceSpace> && !StartKokkos())
      throw std::runtime_error(std::string("Kokkos does not start: ") + WhyNoKokkos());
    return bytes;
  }
  static const Execution &WithWorkspace(Execution &execution, void *workspace)
  {
    execution.workspace = workspace;
    return execution;
  }

  Array<unsigned char, Space> workspace_;
  Execution                   execution_;
  Exec                        exec_;
};

/// A format's functions without exec: each call has its own.
template <class F>
struct WithExec {
  template <class Scalar, class CsrIndex, class Index, class Exec, template <class, class, class> class Layout>
  static void Build(const Csr<Scalar, CsrIndex> &csr, const OptionValues &options, Layout<Scalar, Index, Exec> &layout)
  {
    if (options.size() != F::options.size()) throw std::invalid_argument("a format reads all of its options");
    F::Build(*OwnExec<Exec>(), csr, options, layout);
  }

  template <class Scalar, class CsrIndex, class Index, class Exec, template <class, class, class> class Layout>
  static void Refresh(const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
  {
    F::Refresh(*OwnExec<Exec>(), csr, layout);
  }

  template <Op op, bool add, class Scalar, class Index, class Exec, template <class, class, class> class Layout>
  static void Apply(const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
  {
    const OwnExec<Exec> exec(WorkspaceBytes<F>(layout));
    F::template Apply<op, add>(*exec, layout, x, y);
    if constexpr (!kHostMemory<typename Exec::memory_space>) (*exec).Fence(); // before its workspace is freed
  }

  template <class Scalar, class Index, class Exec, template <class, class, class> class Layout>
  static Stats Statistics(const Layout<Scalar, Index, Exec> &layout)
  {
    return F::Statistics(*OwnExec<Exec>(), layout);
  }

  template <class Layout>
  static std::size_t Bytes(const Layout &layout)
  {
    return F::Bytes(layout);
  }
};

} // namespace petscspmv::test
