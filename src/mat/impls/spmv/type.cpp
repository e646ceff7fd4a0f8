#include "mat/impls/spmv/type.hpp"

#include "mat/exec/session.hpp"
#include "mat/impls/spmv/chooser.hpp"
#include "mat/shadow/shadow.hpp"
#include "petsc/guard.hpp"

#include <limits>
#include <list>
#include <string>
#include <vector>

namespace petscspmv::spmv {

namespace {

constexpr std::int64_t kLeastNonzeros = 4096; // below it, AIJ takes a microsecond or two, two clock reads a tenth of that

struct OfSpmv {
  TypeInfo                  type;
  std::vector<const char *> choices; // names of values of the option choose
  std::vector<OptionSpec>   options;
  std::list<std::string>    keys; // of the formats' options
};

PetscErrorCode CreateSeq(Mat A)
{
  return MatCreate_SeqAIJShadow(A, OfSession<OfSpmv>().type);
}

PetscErrorCode CreateMPI(Mat A)
{
  return MatCreate_MPIAIJShadow(A, OfSession<OfSpmv>().type);
}

void MakeOptions()
{
  auto &[type, choices, options, keys] = OfSession<OfSpmv>();
  choices                              = {"measured", "structure", "aij"};
  for (const PetscFormat *format : Formats()) choices.push_back(format->alias);
  options = {
    {.key     = "choose",
     .help    = "what multiplies: AIJ or the format that measures fastest, the best format by structure, or the one named",
     .upper   = static_cast<std::int64_t>(choices.size()) - 1,
     .initial = 0,
     .names   = choices},
    {.key     = "regret",
     .help    = "net loss against AIJ that is allowed while finding out, as a share of AIJ's time",
     .upper   = 1000000,
     .initial = 50000,
     .unit    = kMillionth},
    {.key     = "least",
     .help    = "matrices or blocks with fewer nonzeros always use AIJ",
     .upper   = std::numeric_limits<std::int32_t>::max(),
     .initial = kLeastNonzeros},
  };
  for (const PetscFormat *format : Formats()) {
    for (OptionSpec option : format->options) {
      option.key = keys.emplace_back(std::string(format->alias) + "_" + option.key).c_str();
      options.push_back(option);
    }
  }
  type.options = options;
}

} // namespace

const char *NameOf(std::size_t candidate)
{
  return candidate == kAij ? "aij" : Formats()[candidate - 1]->alias;
}

std::span<const char *const> Choices()
{
  return OfSession<OfSpmv>().choices;
}

Mode ModeOf(const OptionValues &values)
{
  return values[kChoose] == 0 ? Mode::Measured : values[kChoose] == 1 ? Mode::Structure : Mode::Named;
}

std::size_t NamedIn(const OptionValues &values)
{
  return values[kChoose] < 2 ? kAij : static_cast<std::size_t>(values[kChoose]) - 2;
}

double RegretOf(const OptionValues &values)
{
  return static_cast<double>(values[kRegret]) * kMillionth;
}

std::int64_t LeastOf(const OptionValues &values)
{
  return values[kLeast];
}

PetscErrorCode RegisterSpmv()
{
  TypeInfo &type = OfSession<OfSpmv>().type;

  PetscFunctionBegin;
  MakeOptions();
  type.alias  = "spmv";
  type.root   = "aijspmv";
  type.seq    = "seqaijspmv";
  type.mpi    = "mpiaijspmv";
  type.symbol = "SpMV";
  type.title  = "spmv";
  PetscCall(
    RegisterType(type, Entry<CreateSeq>, Entry<CreateMPI>, []() -> std::unique_ptr<Chooser> { return std::make_unique<Turns>(); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::spmv
