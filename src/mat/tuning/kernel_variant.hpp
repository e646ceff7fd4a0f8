// How the kernels of one layout run: the layout's products find the fastest of several variants that give the same bits.
#pragma once

#include "mat/registry/registry.hpp"
#include "mat/tuning/variant_trial.hpp"
#include "petsc/fixed_string.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace petscspmv {

/// How a variant differs from the settings of the process. A format's target is the fastest if x is in the L1 cache, and
/// prefetching for large matrices is a heuristic; the best variant for a given matrix depends on where its entries are.
struct KernelVariant {
  bool other_target = false; // OtherTargetOf()
  bool no_prefetch  = false;
};

/// The variant with which the kernels of a layout run on the host. Layouts with the same nonzero pattern share the variant and the
/// times measured so far. While the user forces a target, all layouts run with the settings of the process.
class LayoutVariant {
public:
  LayoutVariant() = default; // the settings of the process
  /// For a new layout, whose kernels read `bytes` bytes.
  LayoutVariant(const PetscFormat &format, const OptionValues &options, std::uint64_t pattern,
                const Csr<PetscScalar, PetscInt> &csr, std::size_t bytes);

  /// Call before each product: once the target is settled, finds the variants to try.
  void Find();

  /// Sets up the execution of the next product.
  void SetIn(Execution &execution) const;

  /// Whether the next product is to be timed. If so, no other product is timed until its turn ends.
  bool TakeTurn();

  /// Records the time of the product. True if this decides the trial.
  bool EndTurn(double seconds);
  void GiveTurnBack(); // the product has failed

  /// Whether the trial has ended with another variant than the settings of the process.
  bool IsOther() const;

  FixedString Describe() const; // only if there was something to try

private:
  struct Shared {
    const PetscFormat         *format;
    std::vector<KernelVariant> variants; // the first: the settings of the process
    VariantTrial               trial;
    bool                       in_turn = false;

    const KernelVariant &Current() const { return variants[trial.Variant()]; }
  };

  /// What the variants to try depend on; kept until the target is settled.
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
