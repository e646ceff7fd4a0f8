// The products of a matrix of type spmv.
#pragma once

#include "mat/layout/chooser.hpp"
#include "mat/layout/transpose.hpp"
#include "mat/tuning/choice.hpp"
#include "petscspmv.h"

#include <chrono>
#include <optional>

namespace petscspmv::spmv {

class Turns final : public Chooser {
public:
  /// In all formats: those on hosts, then those on devices.
  std::vector<MadeLayout> Layouts(const OptionValues &options) const override;

  void           Restart() override;
  PetscErrorCode PrepareProduct(Mat A, Shadow &shadow) override;
  PetscErrorCode BeginProduct(Mat A, Shadow &shadow, Place place, bool *by_aij) override;
  PetscErrorCode BeginDense(Mat A, Shadow &shadow, PetscInt columns, bool *by_aij) override;
  PetscErrorCode EndProduct(Shadow &shadow) override;

  WhyAij                   Why(const Shadow &shadow) const override;
  Stats                    Figures(const Shadow &shadow) const override;
  std::vector<std::string> Lines() const override;

  /// Adds this matrix's counts and gains to `choice`; the candidate that multiplied last.
  void        AddTo(MatSpMVChoice &choice) const;
  std::size_t Who() const { return who_; }

private:
  double         Spent() const { return spent_ + (choice_ ? choice_->Spent() : 0); }
  double         Gained() const { return gained_ + (choice_ ? choice_->Gained() : 0); }
  PetscErrorCode Look(Mat A, Shadow &shadow);
  PetscErrorCode ByMeasurement(Mat A, Shadow &shadow);
  PetscErrorCode Prepare(Mat A, Shadow &shadow);
  PetscErrorCode Search(const Shadow &shadow);
  PetscErrorCode Predict();
  PetscErrorCode Record(const Shadow &shadow);
  PetscErrorCode ByRules(Mat A, Shadow &shadow);
  void           OnDevice(const OptionValues &options);
  void           DropUnused(Shadow &shadow);
  PetscErrorCode ReportTrial(Mat A);

  PetscInt64 products_ = 0, by_aij_ = 0;
  double     spent_ = 0, gained_ = 0;                   // seconds, by choices that are gone
  double     reported_spent_ = 0, reported_gained_ = 0; // totals reported to the statistics of the process

  // For the current pattern and options.
  std::optional<Choice> choice_;              // only while products are measured
  Stamp                 seen_;                // at the last product
  PetscInt64            same_values_ = 0;     // products since values or pattern changed
  bool                  new_values_  = false; // since the last measured product
  std::size_t           who_         = kAij;  // did the last product
  std::size_t           by_rules_    = kAij;  // the choice by structure
  std::size_t           on_device_   = kAij;  // and on devices
  std::size_t           dense_       = kAij;  // and for dense matrices
  Patience              patience_;            // until that one multiplies
  bool                  no_memory_ = false;   // for the layout chosen by structure

  // For the current product.
  bool                                  measured_ = false; // by the choice
  std::chrono::steady_clock::time_point start_;            // if it is timed
};

} // namespace petscspmv::spmv
