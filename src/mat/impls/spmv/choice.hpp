// Chooses what multiplies with a matrix, AIJ or a format, by what its own products have taken. Knows no clock and no format: the
// caller reports times.
#pragma once

#include "mat/impls/spmv/account.hpp"
#include "mat/impls/spmv/recent_median.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace petscspmv::spmv {

/// Candidates by number: AIJ, and after it the formats in their order.
inline constexpr std::size_t kAij = 0;

/// What is expected of a candidate that has not multiplied yet, in products of AIJ.
struct Prediction {
  double product = 1, build = 0, refresh = 0;
  double uncorrected = 1; // product, before what this process has learned of the format
};

/// What is known of a candidate with matrices of one pattern; times in seconds.
struct Known {
  Prediction   predicted;
  RecentMedian product, build, refresh;
  double       ratio      = 0;     // of its time to that of what it was tried against, in the last trial; 0: never tried
  std::int64_t next_trial = 0;     // products of the pattern until which it is not tried
  bool         no_memory  = false; // for its layout, the last time
};

/// What matrices of one pattern have found out, together.
struct Pattern {
  std::vector<Known> candidates; // the first is AIJ
  std::size_t        adopted  = kAij;
  std::int64_t       products = 0;
  RecentMedian       life; // products of each of the matrices that are gone

  explicit Pattern(std::size_t candidates) : candidates(candidates) { }
};

/// What matrices of one size have in common.
struct Family {
  Account account;
  double  reading  = 0;     // seconds that it took last time to read all of a pattern; 0: never done
  bool    recorded = false; // some of their patterns can be found
};

/// The choice for one matrix. A product is asked for like this:
///   ValuesChanged() if they have; then, if WantsSearch(), Searched() or SetPattern(); if WantsPattern(), SetPattern(); if
///   WantsRecord(), Recorded(); Next(); Prepared() or CannotBeMade() unless IsCurrent(); Multiplied().
class Choice {
public:
  Choice(std::shared_ptr<Family> family, std::size_t candidates, double regret);
  ~Choice();
  Choice(const Choice &)            = delete;
  Choice &operator=(const Choice &) = delete;

  void ValuesChanged();

  /// Whether to look now among the patterns that are recorded, which takes reading all of it; done without finding it.
  bool WantsSearch(double start) const;
  void Searched(double seconds);

  /// Whether to make predictions now. `start`: seconds that this takes beside a look at a sample of the pattern.
  bool WantsPattern(double start) const;

  /// A pattern with predictions, or, if it is recorded, with all that others have found.
  void SetPattern(std::shared_ptr<Pattern> pattern, bool recorded, double seconds);

  /// Whether to record now what this matrix has found, for others; done.
  bool WantsRecord() const;
  void Recorded(double seconds);

  /// What does the next product.
  std::size_t Next();

  /// Its layout was made current.
  void Prepared(bool built, double seconds);

  /// There is no memory for its layout: AIJ does the product.
  void CannotBeMade(double seconds);

  /// Time that was spent otherwise for what it asked.
  void Spend(double seconds);

  /// Whether the time of the product is asked for.
  bool Timed() const;
  void Multiplied(double seconds = 0);

  bool IsCurrent(std::size_t candidate) const { return layouts_[candidate] == State::Current; }

  /// Whether the layout of a candidate is still of use.
  bool Keeps(std::size_t candidate) const { return layouts_[candidate] != State::None; }

  const Pattern           &OfPattern() const { return *pattern_; }
  std::shared_ptr<Pattern> SharedPattern() const { return pattern_; }
  double                   AijSeconds() const { return Aij(); } // of a product
  double                   Spent() const { return spent_; }     // seconds, by this matrix, on looks and preparations
  double                   Gained() const { return gained_; }   // seconds, by its products

  /// The format whose trial ended with the last product; AIJ if none did.
  std::size_t Tried() const { return tried_; }

private:
  enum class State { None, Stale, Current };

  /// Two candidates take turns in runs of some products: the first few of a run bring its data to the caches.
  struct Trial {
    static constexpr int kRun = 6, kWarm = 3, kRuns = 6; // products of a run; those that count for nothing; runs

    std::size_t               incumbent, challenger;
    int                       turn   = 0;
    int                       waited = 0; // products
    double                    last   = 0; // seconds of the challenger's last product
    std::array<double, kRuns> least{};    // seconds, of the products of a run that count

    int         Run() const { return turn / kRun; }
    std::size_t Who() const { return IsChallengers(Run()) ? challenger : incumbent; }
    bool        Begins() const { return turn % kRun == 0; }
    /// In every second round the other one begins: where a machine gets slower, both lose.
    static bool IsChallengers(int run) { return (run % 2 == 0) != (run / 2 % 2 == 1); }
    double      Ratio(int round) const;
  };

  const Known &Of(std::size_t k) const { return pattern_->candidates[k]; }
  Known       &Of(std::size_t k) { return pattern_->candidates[k]; }
  double       Aij() const { return Of(kAij).product.Value(); }
  double       Product(std::size_t k) const; // seconds, as measured or predicted
  double       Surprise() const;
  double       Build(std::size_t k) const;
  double       Refresh(std::size_t k) const;
  double       Preparation(std::size_t k) const; // until it can multiply
  double       Cost(std::size_t k) const;        // of a product, with its share of preparations
  double       ValuesLast() const;               // products
  double       MatrixLasts() const;
  bool         Pays(std::size_t k) const;
  std::size_t  Usual() const { return Pays(pattern_->adopted) ? pattern_->adopted : kAij; }
  double       Reading() const;
  bool         Allows(double seconds) const { return regret_ > 0 && family_->account.Allows(seconds, regret_); }
  void         Consider();
  std::size_t  Turn();
  void         TakeTurn(double seconds);
  void         EndTrial(double ratio);
  void         GiveUp();
  void         DropUnused();

  std::shared_ptr<Family>  family_;
  std::shared_ptr<Pattern> pattern_;
  double                   regret_;
  bool                     searched_ = false, looked_at_ = false, recorded_ = false; // the pattern
  std::vector<State>       layouts_;
  std::optional<Trial>     trial_;
  bool                     waits_ = false; // a trial: this product is none of its turns
  std::size_t              next_ = kAij, tried_ = kAij;
  std::int64_t             here_ = 0, since_ = 0, check_ = 0; // products: of this matrix, with these values, of the pattern
  double                   period_ = 0;                       // products from one change of values to the next; 0: they never did
  double                   gained_ = 0, spent_ = 0;           // seconds
};

} // namespace petscspmv::spmv
