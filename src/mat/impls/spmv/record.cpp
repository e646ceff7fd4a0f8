#include "mat/impls/spmv/record.hpp"

#include "mat/exec/session.hpp"
#include "mat/impls/shadow/guard.hpp"
#include "mat/impls/shadow/shadow.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace petscspmv::spmv {

namespace {

/// One run of consecutive products by the same format.
template <class Who>
struct Run {
  Who        who; // aij or a format: its number, or in a file its name
  PetscInt64 products;
};

template <class Who>
struct MatrixRecord {
  PetscInt              rows = 0, cols = 0, nnz = 0;
  std::vector<Run<Who>> runs;
};

struct Records {
  std::vector<MatrixRecord<std::size_t>> records;        // of this process, written at the end
  std::vector<MatrixRecord<std::string>> replayed;       // those to replay; read before formats are known
  std::string                            record, replay; // files, or empty
};

Records &All()
{
  return OfSession<Records>();
}

PetscErrorCode FindName(const std::string &name, std::size_t *who)
{
  PetscFunctionBegin;
  for (*who = 0; *who <= Formats().size(); ++*who) {
    if (name == NameOf(*who)) PetscFunctionReturn(PETSC_SUCCESS);
  }
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "%s names %s, which is not a format of this library", All().replay.c_str(),
          name.c_str());
}

/// With several processes each has a file of its own.
PetscErrorCode FileOfProcess(std::string &name)
{
  int size, rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (size > 1) name += "." + std::to_string(rank);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Parses a positive integer and nothing else.
bool ParseNumber(const std::string &word, PetscInt64 &number)
{
  const char *end      = word.data() + word.size();
  const auto [at, err] = std::from_chars(word.data(), end, number);
  return err == std::errc() && at == end && number > 0;
}

/// A line of the file: "rows cols nonzeros : 45 aij 300 csr5".
bool Parse(const std::string &line, MatrixRecord<std::string> &of)
{
  std::istringstream words(line);
  std::string        colon, number;
  words >> of.rows >> of.cols >> of.nnz >> colon;
  if (!words || colon != ":") return false;
  while (words >> number) {
    Run<std::string> run{};
    if (!ParseNumber(number, run.products) || !(words >> run.who)) return false;
    of.runs.push_back(run);
  }
  return true;
}

PetscErrorCode Load()
{
  std::string line;

  PetscFunctionBegin;
  std::ifstream file(All().replay);
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot read %s, named by -mat_spmv_replay", All().replay.c_str());
  for (int number = 1; std::getline(file, line); ++number) {
    All().replayed.emplace_back();
    PetscCheck(Parse(line, All().replayed.back()), PETSC_COMM_SELF, PETSC_ERR_FILE_READ,
               "Line %d of %s was not written by -mat_spmv_record", number, All().replay.c_str());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TakeFile(const char *option, PetscBool given, const char *file, std::string &name)
{
  PetscFunctionBegin;
  name.clear();
  if (!given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(*file, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "%s needs the name of a file", option);
  name = file;
  PetscCall(FileOfProcess(name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

const char *NameOf(std::size_t who)
{
  return who == 0 ? "aij" : Formats()[who - 1]->alias;
}

bool Recorded::Any()
{
  return !All().record.empty() || !All().replay.empty();
}

PetscErrorCode Recorded::Prepare(const Stamp &stamp, bool *given, std::size_t *who)
{
  PetscFunctionBegin;
  *given = false;
  if (!Any()) PetscFunctionReturn(PETSC_SUCCESS);
  if (matrix_ < 0) {
    const std::size_t matrix = All().records.size();
    if (!All().replay.empty()) {
      const MatrixRecord<std::string> *old = matrix < All().replayed.size() ? &All().replayed[matrix] : nullptr;
      PetscCheck(old, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
                 "%s was recorded by another program or problem: it has %d matrices, and this is one more", All().replay.c_str(),
                 static_cast<int>(All().replayed.size()));
      PetscCheck(old->rows == stamp.rows && old->cols == stamp.cols && old->nnz == stamp.nnz, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
                 "%s was recorded by another program or problem: its matrix %d is not one of %" PetscInt_FMT " x %" PetscInt_FMT
                 " with %" PetscInt_FMT " nonzeros",
                 All().replay.c_str(), static_cast<int>(matrix + 1), stamp.rows, stamp.cols, stamp.nnz);
    }
    PetscCall(Guard([&] { All().records.push_back({.rows = stamp.rows, .cols = stamp.cols, .nnz = stamp.nnz, .runs = {}}); }));
    matrix_ = static_cast<std::ptrdiff_t>(matrix);
  }
  auto &recorded = All().records[static_cast<std::size_t>(matrix_)].runs;
  if (recorded.size() == recorded.capacity()) PetscCall(Guard([&] { recorded.reserve(2 * recorded.size() + 4); }));
  if (All().replay.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  const auto &runs = All().replayed[static_cast<std::size_t>(matrix_)].runs;
  if (runs.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  *given = true;
  PetscCall(FindName(runs[run_].who, who));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool Recorded::Uses(std::size_t who) const
{
  const auto &runs = All().replayed[static_cast<std::size_t>(matrix_)].runs;
  return std::any_of(runs.begin() + static_cast<std::ptrdiff_t>(run_), runs.end(),
                     [&](const auto &run) { return run.who == NameOf(who); });
}

void Recorded::Add(std::size_t who) noexcept
{
  if (matrix_ < 0) return;
  auto &recorded = All().records[static_cast<std::size_t>(matrix_)].runs;
  if (recorded.empty() || recorded.back().who != who) recorded.push_back({.who = who, .products = 0});
  ++recorded.back().products;
  if (All().replay.empty()) return;
  const auto &runs = All().replayed[static_cast<std::size_t>(matrix_)].runs;
  if (runs.empty() || ++used_ < runs[run_].products || run_ + 1 == runs.size()) return; // after its end the last run is repeated
  ++run_;
  used_ = 0;
}

PetscErrorCode ReadRecordOptions()
{
  char      written[PETSC_MAX_PATH_LEN] = "", read[PETSC_MAX_PATH_LEN] = "";
  PetscBool writes, reads;

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Records of the type spmv", "Mat");
  PetscCall(PetscOptionsString("-mat_spmv_record", "File in which to record which format does each product", NULL, written, written,
                               sizeof(written), &writes));
  PetscCall(PetscOptionsString("-mat_spmv_replay", "File of such a record, to repeat", NULL, read, read, sizeof(read), &reads));
  PetscOptionsEnd();
  PetscCall(TakeFile("-mat_spmv_record", writes, written, All().record));
  PetscCall(TakeFile("-mat_spmv_replay", reads, read, All().replay));
  if (!All().replay.empty()) PetscCall(Load());
  if (!All().record.empty()) {                             // fail now, not at the end of a long run
    const std::ofstream file(All().record, std::ios::app); // an earlier record stays until the end
    PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s, named by -mat_spmv_record", All().record.c_str());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FinishRecord()
{
  PetscFunctionBegin;
  if (All().record.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  std::FILE *file = std::fopen(All().record.c_str(), "w"); // unlike a stream, takes no memory from operator new
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s, named by -mat_spmv_record", All().record.c_str());
  for (const auto &of : All().records) {
    std::fprintf(file, "%" PetscInt_FMT " %" PetscInt_FMT " %" PetscInt_FMT " :", of.rows, of.cols, of.nnz);
    for (const auto &run : of.runs) std::fprintf(file, " %lld %s", static_cast<long long>(run.products), NameOf(run.who));
    std::fputc('\n', file);
  }
  const bool failed = std::ferror(file);
  PetscCheck(std::fclose(file) == 0 && !failed, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "Cannot write %s, named by -mat_spmv_record",
             All().record.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::spmv
