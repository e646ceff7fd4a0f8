#include "mat/impls/shadow/way.hpp"

#include "mat/exec/host.hpp"
#include "mat/exec/settings.hpp"
#include "mat/exec/target.hpp"
#include "mat/impls/shadow/choose_target.hpp"

#include <map>
#include <utility>

namespace petscspmv {

namespace {

// The smallest first-level cache of data there is. Loads of an x that it holds wait for nothing, as in the measurement that chose
// the process' target.
constexpr std::size_t kNearestCache = 32 * 1024;

constexpr std::size_t kMostKnown = 4096; // patterns; then all are forgotten

std::map<std::pair<const void *, std::uint64_t>, Way> known; // by format and pattern
WayCounts                                             counts;

} // namespace

LayoutWay::LayoutWay(const FormatInfo<PetscScalar, PetscInt> &format, std::uint64_t pattern,
                     const Csr<PetscScalar, PetscInt> &csr) :
  pattern_(pattern)
{
  const Execution execution = CurrentExecution();
  const Way       usual{execution.target, execution.prefetching};
  ways_.push_back(usual);
  if (!format.borrows) {
    format_          = &format;
    const auto found = known.find({format_, pattern_});
    if (found != known.end()) {
      ways_.front() = found->second;
      return;
    }
  }
  if (!TargetIsForced() && OtherTarget() != usual.target &&
      static_cast<std::size_t>(csr.cols) * sizeof(PetscScalar) > kNearestCache)
    ways_.push_back({OtherTarget(), usual.prefetching});
  if (usual.prefetching == Prefetching::Auto && HostExec(execution).Prefetches(csr.EntryBytes())) {
    for (std::size_t n = ways_.size(), k = 0; k < n; ++k) ways_.push_back({ways_[k].target, Prefetching::Off});
  }
  trial_ = Trial(ways_.size());
}

void LayoutWay::SetIn(Execution &execution) const
{
  if (ways_.empty()) return;
  if (!TargetIsForced()) execution.target = Current().target;
  if (execution.prefetching == Prefetching::Auto) execution.prefetching = Current().prefetching;
}

bool LayoutWay::Wants(const Execution &execution) const
{
  return trial_.Runs() && Current() == Way{execution.target, execution.prefetching};
}

bool LayoutWay::Note(double seconds)
{
  trial_.Add(seconds);
  if (trial_.Runs()) return false;
  ++counts.decided;
  counts.otherwise += trial_.Way() != 0;
  if (format_ && !TargetIsForced()) {
    if (known.size() >= kMostKnown) known.clear();
    known[{format_, pattern_}] = Current();
  }
  return true;
}

std::string LayoutWay::Describe() const
{
  return std::string("target ") + Targets()[Current().target].name +
         (Current().prefetching == Prefetching::Off ? ", without prefetching" : "");
}

WayCounts CountWays()
{
  return counts;
}

void ForgetWays()
{
  known.clear();
  counts = WayCounts();
}

} // namespace petscspmv
