// What the type spmv says of its choice.
#include "mat/impls/shadow/shadow.hpp"
#include "mat/impls/spmv/turns.hpp"
#include "mat/impls/spmv/type.hpp"

#include <map>

namespace petscspmv::spmv {

namespace {

/// "by_csr5" of a format; the keys of figures stay for good.
const char *ByKey(std::size_t who)
{
  static std::map<std::string, std::string> keys;
  return keys.try_emplace(NameOf(who), "by_" + NameOf(who)).first->second.c_str();
}

} // namespace

Stats FiguresOf(Shadow &shadow)
{
  const Turns &turns = *shadow.turns;
  Stats        stats;
  for (std::size_t k = 0; k < kOwn; ++k)
    stats.push_back({.key = shadow.type->options[k].key, .value = static_cast<double>(shadow.options[k]), .kind = Stat::Parameter});
  for (std::size_t who = 0; who <= Formats().size(); ++who)
    stats.push_back({.key = ByKey(who), .value = static_cast<double>(turns.who == who), .kind = Stat::Histogram});
  stats.push_back({.key = "products", .value = static_cast<double>(turns.products)});
  stats.push_back({.key = "products_by_aij", .value = static_cast<double>(turns.by_aij)});
  stats.push_back({.key = "seconds_spent", .value = turns.Spent()});
  stats.push_back({.key = "seconds_gained", .value = turns.Gained()});
  double bytes = 0;
  for (const MadeLayout &made : shadow.made) bytes += static_cast<double>(made.Bytes());
  stats.push_back({.key = "bytes", .value = bytes});
  stats.push_back({.key = "csr_bytes", .value = turns.seen.CsrBytes()});
  return stats;
}

PetscErrorCode PrintChoice(PetscViewer viewer, Shadow &shadow)
{
  const Turns &turns = *shadow.turns;

  PetscFunctionBegin;
  if (!turns.choice) PetscFunctionReturn(PETSC_SUCCESS);
  const Choice  &choice  = *turns.choice;
  const Pattern &pattern = choice.OfPattern();
  const double   aij     = choice.AijSeconds();
  if (aij == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "  aij: %.3g s a product\n", aij));
  for (std::size_t who = 1; who < pattern.candidates.size(); ++who) {
    const Known &known = pattern.candidates[who];
    std::string  line  = "  " + NameOf(who) + ": ";
    char         text[96];
    if (known.predicted.build == 0) continue; // nobody has looked
    std::snprintf(text, sizeof(text), "expected %.2f of aij's time", known.predicted.product);
    line += text;
    if (known.no_memory) line += ", no memory for its layout";
    else if (known.product.Known()) {
      std::snprintf(text, sizeof(text), ", found %.2f", known.product.Value() / aij);
      line += text;
    } else line += ", not tried";
    if (known.build.Known()) {
      std::snprintf(text, sizeof(text), ", layout built in %.1f products", known.build.Value() / aij);
      line += text;
    }
    if (known.refresh.Known()) {
      std::snprintf(text, sizeof(text), ", values renewed in %.1f", known.refresh.Value() / aij);
      line += text;
    }
    if (pattern.adopted == who) line += "; adopted";
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", line.c_str()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::spmv
