// How the kernels of one layout run, where several variants give the same bits: its products find the fastest.
#pragma once

#include "mat/registry/registry.hpp"
#include "mat/tuning/trial.hpp"
#include "petsc/fixed_string.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace petscspmv {

/// How a variant differs from the settings of the process. A format's target is the fastest if x is in the L1 cache, and
/// prefetching for large matrices is a heuristic; the best for a given matrix depends on where its entries are.
struct KernelVariant {
  bool other_target = false; // OtherTargetOf()
  bool no_prefetch  = false;
};

/// The variant by which a layout on the host runs. Layouts of the same nonzero pattern share it, and what their products have
/// found so far. While the user forces a target, all run by the settings of the process.
class LayoutVariant {
public:
  LayoutVariant() = default; // the settings of the process
  /// For a new layout, whose kernels read `bytes` bytes.
  LayoutVariant(const PetscFormat &format, const OptionValues &options, std::uint64_t pattern,
                const Csr<PetscScalar, PetscInt> &csr, std::size_t bytes);

  /// Call before each product: finds what there is to try, once the target is settled.
  void Find();

  /// Sets up the execution of the next product.
  void SetIn(Execution &execution) const;

  /// Whether the next product is to be timed, and then is the only one until its turn ends.
  bool TakeTurn();

  /// Records the time of the product. True if this decides the trial.
  bool EndTurn(double seconds);
  void GiveTurnBack(); // the product has failed

  /// Whether it is decided, for another variant than the settings of the process.
  bool IsOther() const;

  FixedString Describe() const; // only if there was something to try

private:
  struct Shared {
    const PetscFormat         *format;
    std::vector<KernelVariant> variants; // the first: the settings of the process
    Trial                      trial;
    bool                       in_turn = false;

    const KernelVariant &Current() const { return variants[trial.Variant()]; }
  };

  /// What it depends on, until the target is settled.
  struct Undecided {
    const PetscFormat *format;
    OptionValues       options;
    std::uint64_t      pattern;
    std::size_t        x_bytes, bytes;
    std::size_t        products = 0; // so far
  };

  std::optional<Undecided> undecided_;
  std::shared_ptr<Shared>  shared_; // null if there is nothing to try
};

/// Forgets what layouts of all patterns have found.
void ForgetVariants();

} // namespace petscspmv
