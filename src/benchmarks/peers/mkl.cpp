// Intel's MKL: its sparse matrices that are inspected once (mkl_sparse_*).
#include "benchmarks/peers/peer.hpp"
#include "benchmarks/peers/scalar_letter.hpp"
#include "benchmarks/peers/shared_library.hpp"

#include <array>

namespace petscspmv::benchmarks {

namespace {

// From MKL's reference, as are the functions' parameters.
enum Status { kSuccess = 0, kNotSupported = 6 };
enum Operation { kPlain = 10, kTransposed = 11 };
enum Layout { kColumnMajor = 102 };
enum Layer { kLp64 = 0, kIlp64 = 1, kSequential = 1 };

struct Description {
  int type = 20; // general
  int fill = 0, diagonal = 0;
};

// As many as make any preparation worth while.
constexpr PetscInt kProducts = 1000;

using Handle = void *;

class Mkl : public Peer {
public:
  Mkl();

  std::unique_ptr<PeerMatrix> Make(const CsrArrays &arrays) const override;
  std::string                 Version() const override;

  int (*create)(Handle *, int, PetscInt, PetscInt, const PetscInt *, const PetscInt *, const PetscInt *, const PetscScalar *);
  int (*update)(Handle, PetscInt, const PetscInt *, const PetscInt *, const PetscScalar *);
  int (*multiply)(int, PetscScalar, Handle, Description, const PetscScalar *, PetscScalar, PetscScalar *);
  int (*multiply_many)(int, PetscScalar, Handle, Description, int, const PetscScalar *, PetscInt, PetscInt, PetscScalar,
                       PetscScalar *, PetscInt);
  int (*hint)(Handle, int, Description, PetscInt);
  int (*hint_many)(Handle, int, Description, int, PetscInt, PetscInt);
  int (*optimize)(Handle);
  int (*destroy)(Handle);

private:
  void (*version_)(char *, int);
};

void Check(int status, const char *what)
{
  if (status == kSuccess) return;
  throw std::runtime_error(std::string("MKL: ") + what + " ended with status " + std::to_string(status));
}

/// A handle that MKL has inspected for products of one kind.
class Inspected {
public:
  Inspected(const Mkl &mkl, const CsrArrays &arrays, Operation operation) : mkl_(mkl), arrays_(arrays), operation_(operation)
  {
    Create();
  }
  Inspected(const Inspected &)            = delete;
  Inspected &operator=(const Inspected &) = delete;
  ~Inspected()
  {
    if (handle_) mkl_.destroy(handle_);
  }

  void Multiply(const PetscScalar *x, PetscScalar *y, PetscScalar beta)
  {
    Check(mkl_.multiply(operation_, 1, handle_, {}, x, beta, y), "mkl_sparse_mv");
  }

  void MultiplyMany(const PetscScalar *x, PetscInt ldx, PetscScalar *y, PetscInt ldy, PetscInt vectors)
  {
    Check(mkl_.multiply_many(operation_, 1, handle_, {}, kColumnMajor, x, vectors, ldx, 0, y, ldy), "mkl_sparse_mm");
  }

  /// Prepares for so many vectors at once.
  void Expect(PetscInt vectors)
  {
    const int hinted = mkl_.hint_many(handle_, operation_, {}, kColumnMajor, vectors, kProducts);
    if (hinted != kNotSupported) Check(hinted, "mkl_sparse_set_mm_hint");
    Check(mkl_.optimize(handle_), "mkl_sparse_optimize");
  }

  void Refresh()
  {
    const int status = mkl_.update(handle_, arrays_.offsets[arrays_.rows], nullptr, nullptr, arrays_.values);
    if (status == kSuccess) return;
    mkl_.destroy(handle_);
    handle_ = nullptr; // should the next line fail
    Create();
  }

private:
  void Create()
  {
    const PetscInt *offsets = arrays_.offsets;
    const PetscInt  rows = arrays_.rows, cols = arrays_.cols;
    const int       created = mkl_.create(&handle_, 0, rows, cols, offsets, offsets + 1, arrays_.columns, arrays_.values);
    Check(created, "mkl_sparse_create_csr");
    const int hinted = mkl_.hint(handle_, operation_, {}, kProducts);
    if (hinted != kNotSupported) Check(hinted, "mkl_sparse_set_mv_hint");
    Check(mkl_.optimize(handle_), "mkl_sparse_optimize");
  }

  const Mkl &mkl_;
  CsrArrays  arrays_;
  Operation  operation_;
  Handle     handle_ = nullptr;
};

class MklMatrix : public PeerMatrix {
public:
  MklMatrix(const Mkl &mkl, const CsrArrays &arrays) : mkl_(mkl), arrays_(arrays), plain_(mkl, arrays, kPlain) { }

  void Multiply(const PetscScalar *x, PetscScalar *y, bool add) override { plain_.Multiply(x, y, add ? 1 : 0); }

  bool MultiplyMany(const PetscScalar *x, PetscInt ldx, PetscScalar *y, PetscInt ldy, PetscInt vectors) override
  {
    if (!many_) {
      many_ = std::make_unique<Inspected>(mkl_, arrays_, kPlain);
      many_->Expect(vectors);
    }
    many_->MultiplyMany(x, ldx, y, ldy, vectors);
    return true;
  }

  void MultiplyTranspose(const PetscScalar *x, PetscScalar *y) override
  {
    if (!transposed_) transposed_ = std::make_unique<Inspected>(mkl_, arrays_, kTransposed);
    transposed_->Multiply(x, y, 0);
  }

  void Refresh() override
  {
    plain_.Refresh();
    transposed_.reset();
    many_.reset();
  }

private:
  const Mkl                 &mkl_;
  CsrArrays                  arrays_;
  Inspected                  plain_;
  std::unique_ptr<Inspected> transposed_, many_; // made when first needed: who has no such products does not pay for it
};

Mkl::Mkl()
{
  int (*set_interface)(int), (*set_threading)(int);
  const SharedLibrary library({"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1", "libmkl_rt.so"},
                              "config/run-benchmark --peers gets MKL; one that is there is found by LD_LIBRARY_PATH");
  const std::string   sparse = std::string("mkl_sparse_") + kScalarLetter + "_";
  library.Find("MKL_Set_Interface_Layer", set_interface);
  library.Find("MKL_Set_Threading_Layer", set_threading);
  library.Find("MKL_Get_Version_String", version_);
  library.Find((sparse + "create_csr").c_str(), create);
  library.Find((sparse + "update_values").c_str(), update);
  library.Find((sparse + "mv").c_str(), multiply);
  library.Find((sparse + "mm").c_str(), multiply_many);
  library.Find("mkl_sparse_set_mv_hint", hint);
  library.Find("mkl_sparse_set_mm_hint", hint_many);
  library.Find("mkl_sparse_optimize", optimize);
  library.Find("mkl_sparse_destroy", destroy);
  set_interface(sizeof(PetscInt) == 8 ? kIlp64 : kLp64);
  set_threading(kSequential);
}

std::unique_ptr<PeerMatrix> Mkl::Make(const CsrArrays &arrays) const
{
  return std::make_unique<MklMatrix>(*this, arrays);
}

std::string Mkl::Version() const
{
  std::array<char, 256> text{};
  version_(text.data(), static_cast<int>(text.size()) - 1);
  const std::string line = text.data();
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

} // namespace

std::unique_ptr<Peer> OpenMkl()
{
  return std::make_unique<Mkl>();
}

} // namespace petscspmv::benchmarks
