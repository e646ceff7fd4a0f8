// How the kernels of one layout run, where several ways give the same bits: its products find the fastest.
#pragma once

#include "mat/exec/trial.hpp"
#include "mat/impls/shadow/choose_target.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace petscspmv {

/// What differs from the process' settings. The target of a format is the fastest where x is in the nearest cache, and to prefetch
/// where the matrix is large is a rule of thumb; what is better with one matrix depends on where its entries are.
struct Way {
  bool other_target = false; // OtherTargetOf()
  bool no_prefetch  = false;
};

/// The way of a layout on the processor. Layouts of one pattern share theirs, and what its products have found out so far. While
/// the user forces a target, all run by the process' settings.
class LayoutWay {
public:
  LayoutWay() = default; // the process' settings
  /// Of a new layout, whose kernels read so many bytes.
  LayoutWay(const PetscFormat &format, const OptionValues &options, std::uint64_t pattern, const Csr<PetscScalar, PetscInt> &csr,
            std::size_t bytes);

  /// Makes an execution that of the next product.
  void SetIn(Execution &execution) const;

  /// Whether the time of the next product is to be noted.
  bool Undecided() const;

  /// Notes it. True if the way is decided now.
  bool Note(double seconds);

  /// Whether it is decided, and otherwise than the process' settings.
  bool IsOther() const;

  std::string Describe() const; // where there was something to try

private:
  struct Shared {
    const PetscFormat *format;
    std::vector<Way>   ways; // the first: the process' settings
    Trial              trial;

    const Way &Current() const { return ways[trial.Way()]; }
  };

  std::shared_ptr<Shared> shared_; // null: nothing to try
};

/// Forgets what layouts of all patterns have found out.
void ForgetWays();

} // namespace petscspmv
