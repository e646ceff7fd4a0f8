// What viewers show of the choice of the type spmv.
#include "mat/exec/session.hpp"
#include "mat/impls/spmv/chooser.hpp"
#include "mat/impls/spmv/options.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

namespace petscspmv::spmv {

namespace {

/// The key of a candidate's figure, such as "by_csr5". Keys are never freed, since figures point to them.
const char *ByKey(std::size_t candidate)
{
  struct Keys {
    std::map<std::string, std::string> of_formats;
  };
  return OfProcess<Keys>().of_formats.try_emplace(NameOf(candidate), std::string("by_") + NameOf(candidate)).first->second.c_str();
}

} // namespace

Stats SpmvChooser::Figures(const Layouts &layouts) const
{
  Stats stats;
  for (std::size_t k = 0; k < kOwn; ++k)
    stats.push_back({.key   = layouts.settings->type->options[k].key,
                     .value = static_cast<double>(layouts.settings->options[k]),
                     .kind  = Stat::Parameter});
  for (std::size_t candidate = 0; candidate <= Formats().size(); ++candidate)
    stats.push_back({.key = ByKey(candidate), .value = static_cast<double>(candidate_ == candidate), .kind = Stat::IfNonzero});
  stats.push_back({.key = "products", .value = static_cast<double>(products_)});
  stats.push_back({.key = "products_by_aij", .value = static_cast<double>(by_aij_)});
  stats.push_back({.key = "seconds_spent", .value = Spent()});
  stats.push_back({.key = "seconds_gained", .value = Gained()});
  return stats;
}

std::vector<std::string> SpmvChooser::Lines() const
{
  std::vector<std::string> lines;
  char                     text[96];
  if (!choice_ || choice_->AijSeconds() == 0) return lines;
  const Pattern &pattern = choice_->OfPattern();
  const double   aij     = choice_->AijSeconds();
  const bool     tried   = std::ranges::any_of(pattern.candidates, [](const Findings &known) { return known.ratio > 0; });
  std::snprintf(text, sizeof(text), "aij: %.3g s a product%s", aij, tried && pattern.adopted == kAij ? "; adopted" : "");
  lines.emplace_back(text);
  for (std::size_t candidate = 1; candidate < pattern.candidates.size(); ++candidate) {
    const Findings &known = pattern.candidates[candidate];
    if (known.predicted.build == 0) continue; // the pattern was not examined, or the format is by name only
    std::snprintf(text, sizeof(text), ": expected %.2f of aij's time", known.predicted.product);
    std::string line = std::string(NameOf(candidate)) + text;
    if (known.no_memory) line += ", no memory for its layout";
    else if (known.product.Known()) {
      std::snprintf(text, sizeof(text), ", found %.2f", known.product.Value() / aij);
      line += text;
    } else line += known.build.Known() ? ", trial not finished" : ", not tried";
    if (known.build.Known()) {
      std::snprintf(text, sizeof(text), ", layout built in %.1f products", known.build.Value() / aij);
      line += text;
    }
    if (const int parts = choice_->Current(candidate); parts > 0 && parts < known.predicted.parts) {
      std::snprintf(text, sizeof(text), ", so far %d of its %d parts", parts, known.predicted.parts);
      line += text;
    }
    if (known.refresh.Known()) {
      std::snprintf(text, sizeof(text), ", values refreshed in %.1f", known.refresh.Value() / aij);
      line += text;
    }
    if (pattern.adopted == candidate) line += "; adopted";
    lines.push_back(std::move(line));
  }
  return lines;
}

} // namespace petscspmv::spmv
