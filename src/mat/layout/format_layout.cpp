#include "mat/layout/format_layout.hpp"

#include "mat/format/divide.hpp"

#include <functional>
#include <numeric>
#include <utility>

namespace petscspmv {

FormatLayout::FormatLayout(const PetscFormat &format, Place place, const Csr<PetscScalar, PetscInt> &csr, int parts) :
  format_(&format), place_(place), first_(DivideRows(csr, parts))
{
  parts_.reserve(static_cast<std::size_t>(parts));
}

Csr<PetscScalar, PetscInt> FormatLayout::RowsOfPart(const Csr<PetscScalar, PetscInt> &csr, int part,
                                                    std::vector<PetscInt> &row_ptr) const
{
  if (Parts() == 1) return csr;
  return RowsOf(csr, FirstRow(part), FirstRow(part + 1), row_ptr);
}

void FormatLayout::Build(const Execution &execution, const Csr<PetscScalar, PetscInt> &rows, const OptionValues &options)
{
  AnyLayout<PetscScalar, PetscInt> part(*format_, place_);
  part.Build(execution.OfPart(Parts()), rows, options);
  parts_.push_back(std::move(part));
}

void FormatLayout::Refresh(int part, const Execution &execution, const Csr<PetscScalar, PetscInt> &rows)
{
  parts_[static_cast<std::size_t>(part)].Refresh(execution.OfPart(Parts()), rows);
}

void FormatLayout::Apply(int parts, const Execution &execution, Op op, const PetscScalar *x,
                         const Result<PetscScalar> &result) const
{
  const Execution of_part = execution.OfPart(Parts());
  for (int part = 0; part < parts; ++part)
    parts_[static_cast<std::size_t>(part)].Apply(of_part, op, x, result.From(FirstRow(part)));
}

void FormatLayout::ApplyMany(const Execution &execution, bool add, Vectors<const PetscScalar> x, Vectors<PetscScalar> y) const
{
  const Execution of_part = execution.OfPart(Parts());
  for (int part = 0; part < Parts(); ++part)
    parts_[static_cast<std::size_t>(part)].ApplyMany(of_part, add, x, {y.data + FirstRow(part), y.ld, y.count});
}

std::size_t FormatLayout::Bytes() const
{
  return std::transform_reduce(parts_.begin(), parts_.end(), std::size_t{0}, std::plus<>(),
                               [](const auto &part) { return part.Bytes(); });
}

Workspace FormatLayout::MakeWorkspace(bool many) const
{
  Workspace largest;
  for (const auto &part : parts_) {
    Workspace workspace = part.MakeWorkspace(many);
    if (workspace.bytes() > largest.bytes()) largest = std::move(workspace);
  }
  return largest;
}

Stats FormatLayout::Statistics(const Execution &execution) const
{
  return parts_.front().Statistics(execution);
}

} // namespace petscspmv
