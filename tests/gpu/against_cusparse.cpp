// Products of all formats on the GPU, compared with cuSPARSE, which is called directly: without PETSc.
//
//   against_cusparse ROUNDS [FORMAT_OPTION=NUMBER...] FAMILY...     families of matrices as in spmvbench, e.g. stencil7:100
//
// Formats are measured with their defaults and, for each option given (csr5_sigma=16), with that option.
//
// Prints a line for each matrix and kernel, with tabs between the columns named in the first line. Rounds are interleaved.
// bandwidth_share: the least traffic of a CSR product (values, 32-bit columns, row pointers, x and y once) over its time, as a
// share of the copy bandwidth in the same rounds. over_cusparse: the time of the fastest cuSPARSE algorithm over the kernel's.
// error: the largest error against long double, over its bound. first_us: building a layout from host arrays, or copying these for
// cuSPARSE, with one thread for each processor, and the first product.
#include "benchmarks/statistics.hpp"
#include "mat/arithmetic/load.hpp"
#include "mat/exec/device.hpp"
#include "mat/exec/kokkos_start.hpp"
#include "mat/exec/settings.hpp"
#include "mat/format/methods.hpp"
#include "matio/families.hpp"
#include "measured_formats.hpp"
#include "reference/accuracy.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace petscspmv {
namespace {

using Space = DeviceExec::memory_space;

void Check(cusparseStatus_t status)
{
  if (status != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error(std::string("cuSPARSE: ") + cusparseGetErrorString(status));
}

struct Matrix : matio::GeneratedRows<double, std::int32_t> {
  std::int32_t rows, cols;

  explicit Matrix(const std::string &name) : Matrix(matio::MakeFamily(name)) { }

  explicit Matrix(const matio::RowSource &source) :
    GeneratedRows(matio::Generate<double, std::int32_t>(source, 0, source.rows)), rows(static_cast<std::int32_t>(source.rows)),
    cols(static_cast<std::int32_t>(source.cols))
  {
  }

  Csr<double, std::int32_t> Lend() const { return {rows, cols, row_ptr.data(), col_idx.data(), val.data()}; }
  std::size_t               Traffic() const
  {
    return (row_ptr.size() + col_idx.size()) * sizeof(std::int32_t) +
           (val.size() + static_cast<std::size_t>(rows) + static_cast<std::size_t>(cols)) * sizeof(double);
  }
};

/// On the stream of all other kernels.
cusparseHandle_t Handle()
{
  static const cusparseHandle_t handle = [] {
    cusparseHandle_t created;
    Check(cusparseCreate(&created));
    Check(cusparseSetStream(created, KokkosDevice().cuda_stream()));
    return created;
  }();
  return handle;
}

/// y = A x by cuSPARSE.
class CuSparse {
public:
  CuSparse(const Matrix &a, cusparseSpMVAlg_t algorithm, double *x, double *y) : algorithm_(algorithm)
  {
    const Csr<double, std::int32_t> there = upload_.Take(DeviceExec(Execution()), a.Lend(), true);
    std::size_t                     bytes = 0;
    Check(cusparseCreateCsr(&a_, a.rows, a.cols, static_cast<std::int64_t>(a.val.size()), const_cast<std::int32_t *>(there.row_ptr),
                            const_cast<std::int32_t *>(there.col_idx), const_cast<double *>(there.val), CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    Check(cusparseCreateDnVec(&x_, a.cols, x, CUDA_R_64F));
    Check(cusparseCreateDnVec(&y_, a.rows, y, CUDA_R_64F));
    Check(cusparseSpMV_bufferSize(Handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, a_, x_, &zero_, y_, CUDA_R_64F, algorithm_,
                                  &bytes));
    buffer_.Allocate(bytes + 1);
#if CUDART_VERSION >= 12040
    Check(cusparseSpMV_preprocess(Handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, a_, x_, &zero_, y_, CUDA_R_64F, algorithm_,
                                  buffer_.data()));
#endif
  }
  CuSparse(const CuSparse &)            = delete;
  CuSparse &operator=(const CuSparse &) = delete;
  ~CuSparse()
  {
    cusparseDestroySpMat(a_);
    cusparseDestroyDnVec(x_);
    cusparseDestroyDnVec(y_);
  }

  void Mult()
  {
    Check(
      cusparseSpMV(Handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, a_, x_, &zero_, y_, CUDA_R_64F, algorithm_, buffer_.data()));
  }

private:
  cusparseSpMVAlg_t                        algorithm_;
  Upload<double, std::int32_t, DeviceExec> upload_;
  Array<char, Space>                       buffer_;
  cusparseSpMatDescr_t                     a_ = nullptr;
  cusparseDnVecDescr_t                     x_ = nullptr, y_ = nullptr;
  double                                   one_ = 1, zero_ = 0;
};

using Info = FormatInfo<double, std::int32_t>;

/// A format with its device functions.
template <class F>
const Info &OnThisDevice()
{
  static constexpr auto methods = MethodsOf<F, double, std::int32_t, DeviceExec>();
  static const Info     format  = [] {
    Info info   = InfoOf<F, double, std::int32_t>();
    info.device = &methods;
    return info;
  }();
  return format;
}

double Seconds(const std::function<void()> &f)
{
  Kokkos::fence();
  const auto start = std::chrono::steady_clock::now();
  f();
  Kokkos::fence();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Kernel {
  std::string           name;
  std::function<void()> mult;
  double                first = 0, error = 0;
  int                   repeats = 1;
  std::vector<double>   seconds{};
};

struct CopyWords {
  const double *from;
  double       *to;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = Load(from + i); }
};

class Comparison {
public:
  Comparison(const std::string &name, const std::vector<std::string> &variants) :
    a_(name), variants_(variants), x_(static_cast<std::size_t>(a_.cols)), y_(static_cast<std::size_t>(a_.rows)),
    from_(a_.Traffic() / 2), to_(a_.Traffic() / 2)
  {
    for (std::int64_t i = 0; i < a_.cols; ++i) x_host_.push_back(2 * matio::RandomAt(i, -1) - 1);
    exec_.CopyIn(x_.data(), x_host_.data(), x_host_.size());
    Expect();
    AddCuSparse("cusparse_csr_alg1", CUSPARSE_SPMV_CSR_ALG1);
    AddCuSparse("cusparse_csr_alg2", CUSPARSE_SPMV_CSR_ALG2);
    AddFormats(MeasuredFormats());
    if (kernels_.size() != 2 + MeasuredFormats::count + variants.size()) throw std::invalid_argument("an option of no format");
    Kernel copy{"copy", [this] {
                  exec_.ForThreads(
                    "Copy", static_cast<std::int64_t>(from_.size() / sizeof(double)),
                    CopyWords{reinterpret_cast<const double *>(from_.data()), reinterpret_cast<double *>(to_.data())});
                }};
    copy.first = Seconds(copy.mult);
    kernels_.push_back(copy);
  }

  void Measure(int rounds)
  {
    constexpr double kEnough = 2e-3; // seconds of each kernel in each round
    for (Kernel &kernel : kernels_) kernel.repeats = std::max(1, static_cast<int>(kEnough / Seconds(kernel.mult)));
    for (int round = 0; round < rounds; ++round) {
      for (Kernel &kernel : kernels_) {
        kernel.mult();
        kernel.seconds.push_back(Seconds([&] {
                                   for (int i = 0; i < kernel.repeats; ++i) kernel.mult();
                                 }) /
                                 kernel.repeats);
      }
    }
  }

  void Print(const std::string &name) const
  {
    const auto   median  = [](const Kernel &kernel) { return benchmarks::SpreadOf(kernel.seconds).median; };
    const double fastest = std::min(median(kernels_[0]), median(kernels_[1])), copy = median(kernels_.back());
    for (const Kernel &kernel : kernels_) {
      const benchmarks::Spread time = benchmarks::SpreadOf(kernel.seconds);
      std::printf("%s\t%s\t%zu\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\n", name.c_str(), kernel.name.c_str(), a_.val.size(),
                  1e6 * time.median, 1e6 * time.lower, 1e6 * time.upper, copy / time.median, fastest / time.median, kernel.error,
                  1e6 * kernel.first);
    }
    std::fflush(stdout);
  }

  bool Right() const
  {
    return std::all_of(kernels_.begin(), kernels_.end(), [](const Kernel &kernel) { return kernel.error <= 1; });
  }

private:
  void AddCuSparse(const char *name, cusparseSpMVAlg_t algorithm)
  {
    std::shared_ptr<CuSparse> cusparse;
    Add(
      name, [&] { cusparse = std::make_shared<CuSparse>(a_, algorithm, x_.data(), y_.data()); },
      [&] { return [cusparse] { cusparse->Mult(); }; });
  }

  template <class... F>
  void AddFormats(FormatList<F...>)
  {
    (AddFormat(OnThisDevice<F>()), ...);
  }

  void AddFormat(const Info &format)
  {
    struct Made {
      AnyLayout<double, std::int32_t> layout;
      Workspace                       workspace;
      Execution                       execution; // on Kokkos' own stream
    };
    OptionValues defaults;
    for (const OptionSpec &option : format.options) defaults.push_back(option.initial);
    const auto add = [&](const std::string &name, const OptionValues &options) {
      const auto made = std::make_shared<Made>();
      const auto make = [&] {
        made->layout = {format, Place::Device};
        made->layout.Build(made->execution, a_.Lend(), options);
        made->workspace           = made->layout.MakeWorkspace(false);
        made->execution.workspace = made->workspace.data();
      };
      Add(name, make, [&] { return [this, made] { made->layout.Apply(made->execution, Op::N, x_.data(), {.y = y_.data()}); }; });
    };
    add(format.alias, defaults);
    for (const std::string &variant : variants_) {
      for (std::size_t k = 0; k < defaults.size(); ++k) {
        const std::string begin = std::string(format.alias) + "_" + format.options[k].key + "=";
        if (!variant.starts_with(begin)) continue;
        OptionValues options = defaults;
        options[k]           = std::stoll(variant.substr(begin.size()));
        if (options[k] < format.options[k].lower || options[k] > format.options[k].upper) throw std::invalid_argument(variant);
        add(variant, options);
      }
    }
  }

  template <class Make, class MultOf>
  void Add(const std::string &name, const Make &make, const MultOf &mult_of)
  {
    Kernel kernel{name, {}};
    kernel.first = Seconds([&] {
      make();
      kernel.mult = mult_of();
      kernel.mult();
    });
    kernel.error = Error();
    kernels_.push_back(std::move(kernel));
  }

  /// The product in long double.
  void Expect()
  {
    for (std::size_t row = 0; row < y_.size(); ++row) {
      Sum<double> sum;
      for (std::int32_t k = a_.row_ptr[row]; k < a_.row_ptr[row + 1]; ++k)
        sum.Add(a_.val[static_cast<std::size_t>(k)], x_host_[static_cast<std::size_t>(a_.col_idx[static_cast<std::size_t>(k)])]);
      expected_.push_back(sum.value);
      bound_.push_back(sum.Bound());
    }
  }

  /// The largest error of y over its bound. Overwrites y.
  double Error()
  {
    std::vector<double> y(y_.size());
    double              largest = 0;
    exec_.CopyOut(y.data(), y_.data(), y.size());
    for (std::size_t row = 0; row < y.size(); ++row) {
      const long double error = std::abs(y[row] - expected_[row]);
      if (!(error <= 0))
        largest =
          std::max(largest, std::isnan(error) ? std::numeric_limits<double>::infinity() : static_cast<double>(error / bound_[row]));
    }
    std::fill(y.begin(), y.end(), std::numeric_limits<double>::quiet_NaN());
    exec_.CopyIn(y_.data(), y.data(), y.size());
    return largest;
  }

  DeviceExec               exec_{Execution()};
  Matrix                   a_;
  std::vector<std::string> variants_;
  std::vector<double>      x_host_;
  std::vector<long double> expected_, bound_;
  Array<double, Space>     x_, y_;
  Array<char, Space>       from_, to_;
  std::vector<Kernel>      kernels_;
};

} // namespace
} // namespace petscspmv

int main(int argc, char **argv)
{
  const int rounds = argc > 2 ? std::atoi(argv[1]) : 0;
  bool      right  = true;
  if (rounds < 1) {
    std::fprintf(stderr, "usage: against_cusparse ROUNDS [FORMAT_OPTION=NUMBER...] FAMILY...\n");
    return 2;
  }
  try {
    if (!petscspmv::StartKokkos()) throw std::runtime_error(std::string("Kokkos does not start: ") + petscspmv::WhyNoKokkos());
    std::vector<std::string> variants, families;
    for (int i = 2; i < argc; ++i) (std::string(argv[i]).find('=') != std::string::npos ? variants : families).push_back(argv[i]);
    petscspmv::SetUploadThreads(static_cast<int>(std::thread::hardware_concurrency()));
    petscspmv::Comparison("stencil5:10", {}); // loads all device code
    std::printf("matrix\tkernel\tnonzeros\tmedian_us\tlower_us\tupper_us\tbandwidth_share\tover_cusparse\terror\tfirst_us\n");
    for (const std::string &family : families) {
      petscspmv::Comparison comparison(family, variants);
      comparison.Measure(rounds);
      comparison.Print(family);
      right = right && comparison.Right();
    }
  } catch (const std::exception &e) {
    std::fprintf(stderr, "against_cusparse: %s\n", e.what());
    return 1;
  }
  return right ? 0 : 1;
}
