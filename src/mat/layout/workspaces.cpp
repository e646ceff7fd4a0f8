#include "mat/layout/workspaces.hpp"

#include <utility>

namespace petscspmv {

Workspaces::Workspaces(const FormatLayout &layout, bool for_many) : for_many_(for_many)
{
  idle_.push_back(layout.MakeWorkspace(for_many));
}

void Workspaces::MakeForMany(const FormatLayout &layout)
{
  if (!for_many_) *this = Workspaces(layout, true);
}

Workspace Workspaces::Take(const FormatLayout &layout)
{
  if (idle_.empty()) {
    idle_.reserve(idle_.capacity() + 1);
    return layout.MakeWorkspace(for_many_);
  }
  Workspace workspace = std::move(idle_.back());
  idle_.pop_back();
  return workspace;
}

void Workspaces::Return(Workspace workspace, bool for_many) noexcept
{
  if (for_many == for_many_ && idle_.size() < idle_.capacity()) idle_.push_back(std::move(workspace));
}

std::size_t Workspaces::Bytes() const
{
  std::size_t bytes = 0;
  for (const Workspace &workspace : idle_) bytes += workspace.bytes();
  return bytes;
}

} // namespace petscspmv
