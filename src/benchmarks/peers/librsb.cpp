// librsb (Martone, 2014): recursive sparse blocks.
#include "benchmarks/peers/peer.hpp"
#include "benchmarks/peers/scalar_letter.hpp"
#include "benchmarks/peers/shared_library.hpp"

#include <array>
#include <cctype>
#include <limits>

namespace petscspmv::benchmarks {

namespace {

// From its rsb.h. Debian's has indices of 32 bits.
using Index                   = int;
constexpr int  kThreadsOption = 9, kPlain = 'N', kTransposed = 'T';
constexpr int  kDefaultFlags = 0x2000 | 0x2 | 0x100 | 0x4000; // RSB_FLAG_DEFAULT_RSB_MATRIX_FLAGS
constexpr char kType         = kScalarLetter - 'a' + 'A';

class Librsb : public Peer {
public:
  Librsb();

  std::unique_ptr<PeerMatrix> Make(const CsrArrays &arrays) const override;
  std::string                 Version() const override { return "librsb"; } // it does not say at run time

  void Check(int error, const char *what) const
  {
    if (error == 0) return;
    std::array<char, 256> text{};
    describe_(error, text.data(), text.size());
    throw std::runtime_error(std::string("librsb: ") + what + ": " + text.data());
  }

  void *(*create)(const void *, const Index *, const Index *, Index, char, Index, Index, int, int, int, int *);
  int (*multiply)(int, const void *, const void *, const void *, Index, const void *, void *, Index);
  void *(*destroy)(void *);

private:
  int (*describe_)(int, char *, std::size_t);
};

class LibrsbMatrix : public PeerMatrix {
public:
  LibrsbMatrix(const Librsb &librsb, const CsrArrays &arrays) : librsb_(librsb), arrays_(arrays) { Create(); }
  ~LibrsbMatrix() override { librsb_.destroy(handle_); }

  void Multiply(const PetscScalar *x, PetscScalar *y, bool add) override { Run(kPlain, x, y, add); }
  void MultiplyTranspose(const PetscScalar *x, PetscScalar *y) override { Run(kTransposed, x, y, false); }

  /// It has no way to give it all values in CSR's order but to begin anew.
  void Refresh() override
  {
    handle_ = librsb_.destroy(handle_); // null
    Create();
  }

private:
  void Run(int operation, const PetscScalar *x, PetscScalar *y, bool add)
  {
    const PetscScalar alpha = 1, beta = add ? 1 : 0;
    librsb_.Check(librsb_.multiply(operation, &alpha, handle_, x, 1, &beta, y, 1), "rsb_spmv");
  }

  void Create()
  {
    const std::vector<Index> offsets(arrays_.offsets, arrays_.offsets + arrays_.rows + 1);
    const std::vector<Index> columns(arrays_.columns, arrays_.columns + offsets.back());
    const auto               rows = static_cast<Index>(arrays_.rows), cols = static_cast<Index>(arrays_.cols);
    int                      error    = 0;
    const Index              nonzeros = offsets.back();
    handle_ =
      librsb_.create(arrays_.values, offsets.data(), columns.data(), nonzeros, kType, rows, cols, 0, 0, kDefaultFlags, &error);
    librsb_.Check(error, "rsb_mtx_alloc_from_csr_const");
  }

  const Librsb &librsb_;
  CsrArrays     arrays_;
  void         *handle_ = nullptr;
};

Librsb::Librsb()
{
  int (*init)(void *), (*set_option)(int, const void *);
  const SharedLibrary library({"librsb.so.0", "librsb.so"},
                              "Debian has it in librsb0, which config/run-benchmark --peers installs");
  library.Find("rsb_lib_init", init);
  library.Find("rsb_lib_set_opt", set_option);
  library.Find("rsb_strerror_r", describe_);
  library.Find("rsb_mtx_alloc_from_csr_const", create);
  library.Find("rsb_spmv", multiply);
  library.Find("rsb_mtx_free", destroy);
  const int threads = 1; // a process, as with all types
  Check(init(nullptr), "rsb_lib_init");
  Check(set_option(kThreadsOption, &threads), "rsb_lib_set_opt");
}

std::unique_ptr<PeerMatrix> Librsb::Make(const CsrArrays &arrays) const
{
  constexpr PetscInt kMost = std::numeric_limits<Index>::max() / 2;
  const bool         fits  = arrays.offsets[arrays.rows] <= kMost && arrays.rows <= kMost && arrays.cols <= kMost;
  if (!fits) throw std::runtime_error("librsb: its indices of 32 bits do not suffice");
  return std::make_unique<LibrsbMatrix>(*this, arrays);
}

} // namespace

std::unique_ptr<Peer> OpenLibrsb()
{
  return std::make_unique<Librsb>();
}

} // namespace petscspmv::benchmarks
