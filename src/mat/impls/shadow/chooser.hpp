// What a type without a format of its own adds to the shadow machinery.
#pragma once

#include "mat/impls/shadow/made.hpp"

#include <memory>
#include <string>
#include <vector>

namespace petscspmv {

struct Shadow;

/// Decides for each product of a sequential matrix whether AIJ does it or one of several layouts.
class Chooser {
public:
  virtual ~Chooser() = default;

  /// The layouts that it chooses from, none of them made.
  virtual std::vector<MadeLayout> Layouts(const OptionValues &options) const = 0;

  /// Options or pattern are others now, layouts are gone.
  virtual void Restart() = 0;

  /// Before a product: if it is not AIJ's, the layout that does it is made current and in use.
  virtual PetscErrorCode BeginProduct(Mat A, Shadow &shadow, Place place, bool *by_aij) = 0;

  /// After it.
  virtual PetscErrorCode EndProduct(Shadow &shadow) = 0;

  /// For viewers: figures, and lines on each of the candidates.
  virtual Stats                    Figures(const Shadow &shadow) const = 0;
  virtual std::vector<std::string> Lines() const                       = 0;
};

using MakeChooser = std::unique_ptr<Chooser> (*)();

} // namespace petscspmv
