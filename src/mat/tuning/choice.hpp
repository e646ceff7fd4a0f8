// Chooses whether AIJ or a format multiplies with a matrix, by measured times of the matrix's own products. Independent of clocks
// and formats: the caller reports times.
#pragma once

#include "mat/tuning/account.hpp"
#include "mat/tuning/displacement.hpp"
#include "mat/tuning/recent_median.hpp"
#include "mat/tuning/why_aij.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace petscspmv {

/// Candidates by number: AIJ, then the formats in their order.
inline constexpr std::size_t kAij = 0;

/// What is expected of a candidate before it has multiplied, in units of a product by AIJ.
struct Prediction {
  double product = 1, build = 0, refresh = 0;
  double uncorrected = 1; // product, before corrections learned in this process
  int    parts       = 1; // of equal work, in which its layout would be made
};

inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max(); // as `next_trial`: there is no trial

/// What is known of a candidate for matrices with the same nonzero pattern; times in seconds.
struct Findings {
  Prediction   predicted;
  RecentMedian product, build, refresh;
  double       ratio      = 0;     // its time over its opponent's in the last trial; 0: never tried
  std::int64_t next_trial = 0;     // number of the pattern's products from which it may be tried again
  bool         no_memory  = false; // the last attempt to build its layout failed
};

/// The joint findings of matrices with the same nonzero pattern.
struct Pattern {
  std::vector<Findings> candidates; // the first is AIJ
  std::size_t           adopted  = kAij;
  bool                  relaxed  = false; // whether one of them was: findings count what layouts displace
  std::int64_t          products = 0;
  Account               account;

  explicit Pattern(std::size_t candidates) : candidates(candidates) { }
};

/// How many parts of a layout are planned, made, and current. The current ones, with the matrix's present values, come first.
struct Progress {
  int parts = 0, made = 0, current = 0;

  /// How many parts were built since `then` or, if none was, how many were refreshed; 0 if the layout was begun anew.
  int BuiltSince(const Progress &then) const { return made > then.made ? made - then.made : 0; }
  int RefreshedSince(const Progress &then) const { return made == then.made ? current - then.current : 0; }
};

/// What matrices share that have one role in a program (roles.hpp).
struct Role {
  RecentMedian              life;    // products that each destroyed matrix has done
  std::vector<RecentMedian> product; // measured over predicted times, by candidate

  explicit Role(std::size_t candidates) : product(candidates) { }
};

/// What matrices of one size share.
struct Family {
  RecentMedian life;             // products that each destroyed matrix has done
  double       reading  = 0;     // seconds that reading a whole pattern took the last time; 0: unknown
  bool         recorded = false; // some of their patterns are recorded
};

/// The choice for one matrix. The calls for a product, in this order:
///   ValuesChanged() if the values have changed; if WantsSearch(), Searched() or SetPattern(); if WantsPattern(), SetPattern(); if
///   WantsRecord(), Recorded(); Next(); while WantsPart(), Prepared() or CannotBeMade(); Multiplied().
///
/// A layout is made in parts of consecutive rows, and each part is decided on separately: the first parts already save time while
/// the rest cannot be afforded yet. Rows without a part are multiplied from AIJ's arrays. Findings are times of the whole layout,
/// extrapolated from those of its parts.
class Choice {
public:
  /// A format is adopted if its time over that of the candidate it replaces is below this; AIJ, which needs no memory, if below 1.
  static constexpr double kAdopt = 0.97;

  /// Finding the fastest candidate may cost what MayBeLost() by the program's time so far and the share `regret`.
  Choice(std::shared_ptr<Budget> budget, std::shared_ptr<Family> family, std::shared_ptr<Role> role, double regret);
  ~Choice();
  Choice(const Choice &)            = delete;
  Choice &operator=(const Choice &) = delete;

  void ValuesChanged();

  /// Whether to search the recorded patterns now, which reads the whole pattern. Searched() reports that nothing was found.
  bool WantsSearch(double start) const;
  void Searched(double seconds);

  /// Whether to make predictions now. `start`: seconds that predictions take besides examining a sample of the pattern.
  bool WantsPattern(double start);

  /// Sets the pattern: a new one with predictions or, if `recorded`, one with the findings of other matrices.
  void SetPattern(std::shared_ptr<Pattern> pattern, bool recorded, double seconds);

  /// Whether to record this matrix's findings for other matrices now. Recorded() reports that they were recorded.
  bool WantsRecord() const;
  void Recorded(double seconds);

  /// The candidate that does the next product.
  std::size_t Next();

  /// Whether one more part of that candidate's layout is to be made current first. Prepared() reports its parts before and after.
  bool WantsPart() const;
  void Prepared(const Progress &before, const Progress &after, double seconds);

  /// Reports that there is no memory for that candidate's layout, so that AIJ does the product.
  void CannotBeMade(double seconds);

  /// Reports other time that the caller has spent for this choice.
  void Spend(double seconds);

  /// Whether so many seconds may be lost.
  bool MayLose(double seconds) const { return Allows(seconds, true); }

  /// Whether the matrix is expected to be destroyed before anything that is found out now could be of use.
  bool EndsSoon() const;

  /// Reports, after Multiplied(), what AIJ's products take from now on, as by another loop. Predictions may be wanted again.
  void SetAij(double seconds);

  /// Whether the product must be timed.
  bool Timed() const;

  /// Reports the seconds of the product and, unless the layout is whole, how many of them the rows with a part took.
  void Multiplied(double seconds = 0, double by_parts = 0);

  /// Reports relaxation with the matrix after the last product, by a loop with that number: what a layout makes it longer counts
  /// as time of the products by that layout. No number: by layouts of its own alone.
  void Relaxed(double seconds, std::optional<std::size_t> loop);

  /// Whether there was any, so that products by layouts may count longer than they are.
  bool IsRelaxed() const { return displacement_.IsPossible(); }

  /// How many parts of a candidate's layout are current.
  int Current(std::size_t candidate) const { return layouts_[candidate].current; }

  /// Reports that another use of a candidate's layout has replaced it by this one.
  void Replaced(std::size_t candidate, const Progress &layout);

  /// Whether the layout of a candidate is still needed.
  bool Keeps(std::size_t candidate) const { return candidate == kAij || layouts_[candidate].made > 0; }

  /// Why AIJ multiplies.
  WhyAij Why() const;

  const Pattern           &OfPattern() const { return *pattern_; }
  std::shared_ptr<Pattern> SharedPattern() const { return pattern_; }
  Role                    &OfRole() const { return *role_; }
  double                   AijSeconds() const { return Aij(); } // per product
  double                   Spent() const { return spent_; }     // seconds that this matrix has cost for analysis and layouts
  double                   Gained() const { return gained_; }   // seconds that its products have saved against AIJ

  /// The format whose trial ended with the last product; AIJ if no trial ended.
  std::size_t Tried() const { return tried_; }

private:
  /// First the challenger does a run of several products, of which the first few warm the caches. If the result is not clear,
  /// incumbent and challenger take turns, run by run.
  struct Trial {
    static constexpr int kRun = 6, kWarm = 3, kRuns = 6; // products per run; of these not counted, at its start; runs at most

    std::size_t               incumbent, challenger;
    int                       turn      = 0;
    int                       waited    = 0;     // products since it began that were not part of it
    bool                      promising = false; // the challenger was clearly faster in its first run
    double                    before    = 0;     // seconds of the incumbent's last products before it, the median
    double                    others    = 0;     // least seconds of these and of the incumbent's products since
    double                    last      = 0;     // seconds of the challenger's last product
    double                    best      = 0;     // least seconds of the challenger so far, for its whole layout
    std::array<double, kRuns> least{};           // least seconds of a counted product, by run

    int         Run() const { return turn / kRun; }
    std::size_t Candidate() const { return IsChallengers(Run()) ? challenger : incumbent; }
    bool        Begins() const { return turn % kRun == 0; }
    /// The order alternates between rounds, so that a machine that becomes slower favours neither.
    static bool IsChallengers(int run) { return (run % 2 == 0) != (run / 2 % 2 == 1); }
    double      Ratio(int round) const;
  };

  const Findings &Of(std::size_t k) const { return pattern_->candidates[k]; }
  Findings       &Of(std::size_t k) { return pattern_->candidates[k]; }
  double          Aij() const { return Of(kAij).product.Value(); }
  double          Product(std::size_t k) const; // seconds, measured or predicted
  double          Surprise() const;
  double          Build(std::size_t k) const;
  double          Refresh(std::size_t k) const;
  int             PartsOf(std::size_t k) const { return layouts_[k].parts > 0 ? layouts_[k].parts : Of(k).predicted.parts; }
  bool            IsWhole(std::size_t k) const { return k == kAij || layouts_[k].current == PartsOf(k); }
  bool            IsStale(std::size_t k) const { return layouts_[k].current < layouts_[k].made; } // its next part has old values
  double          Share(std::size_t k, int parts) const { return static_cast<double>(parts) / PartsOf(k); }
  bool            IsRefused(std::size_t k) const { return here_ < asks_again_[k]; } // memory for more parts
  double          Preparation(std::size_t k) const;                                 // seconds to make the whole layout current
  double          NextPart(std::size_t k) const;                                    // seconds to make the next part current
  bool            NeedsWhole(std::size_t k) const;       // whether it multiplies only with its whole layout
  double          Mixed(std::size_t k, int parts) const; // seconds of a product: so many parts, other rows by AIJ
  double          NextStep(std::size_t k) const;         // seconds that the next part and its first product may cost
  double          Running(std::size_t k) const;          // seconds of a product, with its share of refreshes
  double          Gain(std::size_t k) const;             // seconds per product, over the adopted candidate
  double          Trying(std::size_t k) const;           // seconds that its layout and first product may cost
  double          Beginning(std::size_t k) const;        // likewise, with as few parts as it can begin with
  double          Value(std::size_t k) const;            // seconds per product, to compare candidates by
  bool            KnowsLife() const;                     // whether earlier matrices tell of the products to come
  double          Expected() const;                      // products to come
  double          ValuesLast() const;                    // products with the same values
  bool            Pays(std::size_t k) const;
  bool            NextPartPays(std::size_t k) const;
  bool            IsMeasuredFirst(std::size_t k) const; // whether to multiply with its parts before the next one is made
  double          GainOfNextPart(std::size_t k) const;  // seconds
  std::size_t     Usual() const { return Pays(pattern_->adopted) ? pattern_->adopted : kAij; }
  double          Reading() const;
  bool            IsTime() const { return budget_->IsTime(since_); }
  bool            Allows(double seconds, bool often = false) const;
  bool            MayBegin(double seconds, bool often = false) const { return IsTime() && Allows(seconds, often); }
  void            Lose(double seconds) { budget_->Lose(pattern_->account.Lose(seconds)); }
  double          Displaced(std::size_t k) const; // seconds that the whole layout would cost relaxation, as far as that is sure
  void            MeasuredInParts(double alone, double whole);
  void            Consider();
  void            Begin(std::size_t challenger);
  std::size_t     Turn();
  void            TakeTurn(double seconds, double alone);
  void            EndTrial(double ratio);
  void            GiveUp();
  void            DropUnused();

  std::shared_ptr<Budget>   budget_;
  std::shared_ptr<Family>   family_;
  std::shared_ptr<Role>     role_;
  std::shared_ptr<Pattern>  pattern_;
  double                    regret_;
  bool                      searched_ = false, looked_at_ = false, recorded_ = false; // steps done for the pattern
  std::vector<Progress>     layouts_;
  std::vector<std::int64_t> asks_again_; // by candidate: when more parts are asked for, after there was no memory
  RecentMedian              rest_;       // seconds of a product from AIJ's arrays, extrapolated from the rows without a part
  Displacement              displacement_;
  std::optional<Trial>      trial_;
  bool                      recheck_      = false; // AIJ is compared next: relaxation has begun since
  bool                      waits_        = false; // a trial waits: this product is not one of its turns
  bool                      unaffordable_ = false; // whether the last step that would pay costs too much now
  std::size_t               next_ = kAij, tried_ = kAij;
  std::size_t               last_       = kAij; // who did the last product, with so many parts
  int                       last_parts_ = 0;
  RecentMedian              same_;     // seconds of a product by that candidate, for its whole layout, from so many parts
  std::vector<int>          measured_; // the most parts from which that is sure, by candidate
  std::int64_t              here_ = 0, since_ = 0, check_ = 0; // products: of this matrix, with these values; the next Consider()
  double                    predicted_from_ = 0;               // seconds of a product by AIJ when predictions were made
  double                    period_         = 0;               // products between changes of values; 0: never changed
  double                    gained_ = 0, spent_ = 0;           // seconds
};

} // namespace petscspmv
