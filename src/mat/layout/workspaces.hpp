// The workspaces of a layout.
#pragma once

#include "mat/exec/workspace.hpp"
#include "mat/layout/format_layout.hpp"

#include <cstddef>
#include <vector>

namespace petscspmv {

/// A product takes a workspace and returns it. Further workspaces are made for products that run at the same time.
class Workspaces {
public:
  /// Makes the first workspace, so that Take() cannot throw unless products run at the same time.
  void        Start(const FormatLayout &layout) { *this = Workspaces(layout, false); }
  void        MakeForMany(const FormatLayout &layout); // for many vectors from now on
  bool        ForMany() const { return for_many_; }
  Workspace   Take(const FormatLayout &layout);
  void        Return(Workspace workspace, bool for_many) noexcept;
  std::size_t Bytes() const;

  Workspaces() = default;

private:
  Workspaces(const FormatLayout &layout, bool for_many);

  std::vector<Workspace> idle_; // has capacity for all workspaces, those in use included: Return() cannot throw
  bool                   for_many_ = false;
};

} // namespace petscspmv
