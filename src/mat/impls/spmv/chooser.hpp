// Decides which format does each product of a matrix of type spmv.
#pragma once

#include "mat/layout/made.hpp"
#include "mat/tuning/choice.hpp"
#include "mat/tuning/loop_turns.hpp"
#include "petscspmv.h"

#include <chrono>
#include <optional>

namespace petscspmv::spmv {

class SpmvChooser final : public Chooser {
public:
  /// One slot per format: first those on hosts, then those on devices.
  std::vector<MadeLayout> MakeSlots(const OptionValues &options) const override;

  void           Restart() override;
  PetscErrorCode PrepareProduct(Mat A, Layouts &layouts) override;
  PetscErrorCode BeginProduct(Mat A, Layouts &layouts, Place place, Decision *decision) override;
  PetscErrorCode BeginDense(Mat A, Layouts &layouts, PetscInt columns, Slot *slot) override;
  PetscErrorCode EndProduct(Mat A, Layouts &layouts, double by_parts) override;

  bool WatchesRelaxation() const override { return choice_.has_value(); }
  void Relaxed(double seconds, std::optional<std::size_t> loop) override { choice_->Relaxed(seconds, loop); }

  WhyAij                   Why(const Layouts &layouts) const override;
  Stats                    Figures(const Layouts &layouts) const override;
  std::vector<std::string> Lines() const override;

  /// AddTo() adds this matrix's counts and gains to `choice`; Candidate() is the candidate that did the last product.
  void        AddTo(MatSpMVChoiceInfo &choice) const;
  std::size_t Candidate() const { return candidate_; }

private:
  double         Spent() const { return spent_ + (choice_ ? choice_->Spent() : 0); }
  double         Gained() const { return gained_ + (choice_ ? choice_->Gained() : 0); }
  PetscErrorCode Look(Mat A, Layouts &layouts);
  PetscErrorCode ByRules(Mat A, Layouts &layouts);
  void           OnDevice(const OptionValues &options);

  // By measurement (measurement.cpp).
  PetscErrorCode ByMeasurement(Mat A, Layouts &layouts);
  PetscErrorCode EndMeasured(Mat A, Layouts &layouts, double by_parts);
  PetscErrorCode PreparePart(Mat A, Layouts &layouts);
  Extent         ExtentOf(int parts_more) const;
  PetscErrorCode Search(const Layouts &layouts);
  PetscErrorCode Predict(const Layouts &layouts);
  PetscErrorCode Record(const Layouts &layouts);
  void           DropUnused(Layouts &layouts);
  PetscErrorCode ChooseLoop(Mat A, const Layouts &layouts);
  void           LoopDone(double seconds);
  PetscErrorCode ReportTrial(Mat A, const Layouts &layouts);

  static constexpr int kBeforeLoops = 2; // the first products find nothing in caches

  PetscInt64 products_ = 0, by_aij_ = 0;
  double     spent_ = 0, gained_ = 0;                   // seconds, of earlier choices
  double     reported_spent_ = 0, reported_gained_ = 0; // totals reported to the statistics of the process

  // For the current pattern and options.
  std::optional<Choice> choice_;                // by measurement; set by the first measured product
  Stamp                 seen_;                  // the matrix at the last product
  PetscInt64            same_values_ = 0;       // products since values or pattern changed
  bool                  new_values_  = false;   // whether values changed since the last measured product
  std::size_t           candidate_   = kAij;    // that did the last product
  RepeatedTurns         loops_{kBeforeLoops};   // of AIJ and the plain loop, for products without a layout
  bool                  plain_         = false; // the plain loop did the last product
  PetscInt              nonempty_rows_ = 0;
  std::size_t           by_rules_      = kAij; // chosen by structure on hosts
  std::size_t           on_device_     = kAij; // chosen by structure on devices
  std::size_t           dense_         = kAij; // named or chosen by structure for dense matrices
  BreakEven             break_even_;           // counts columns of dense matrices until dense_ multiplies
  bool                  no_memory_ = false;    // there was none for the layout chosen by structure

  // For the current product.
  bool                                  measured_ = false; // choice_ measures it
  std::chrono::steady_clock::time_point start_;            // if choice_ wants its time
};

} // namespace petscspmv::spmv
