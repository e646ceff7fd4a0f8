// Chooses what multiplies with a matrix, AIJ or a format, by the measured times of its own products. Independent of clocks and
// formats: the caller reports times.
#pragma once

#include "mat/tuning/account.hpp"
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
  int    parts       = 1; // of equal work, that its layout is made of, one after the other
};

inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max(); // products before a trial

/// What is known of a candidate for matrices with the same nonzero pattern; times in seconds.
struct Findings {
  Prediction   predicted;
  RecentMedian product, build, refresh;
  double       ratio      = 0;     // its time over its opponent's in the last trial; 0: never tried
  std::int64_t next_trial = 0;     // products of the pattern before it is tried again
  bool         no_memory  = false; // the last attempt to build its layout failed
};

/// The joint findings of matrices with the same nonzero pattern.
struct Pattern {
  std::vector<Findings> candidates; // the first is AIJ
  std::size_t           adopted  = kAij;
  std::int64_t          products = 0;
  Account               account;

  explicit Pattern(std::size_t candidates) : candidates(candidates) { }
};

/// What there is of a layout: the parts that were planned, those that are made, and of these, the first ones with current values.
struct Progress {
  int parts = 0, made = 0, current = 0;

  /// The parts that were built since then, and those that were refreshed if none was; none if the layout was begun anew.
  int BuiltSince(const Progress &then) const { return made > then.made ? made - then.made : 0; }
  int RefreshedSince(const Progress &then) const { return made == then.made ? current - then.current : 0; }
};

/// What matrices of one size share.
struct Family {
  RecentMedian life;             // products of each destroyed matrix
  double       reading  = 0;     // seconds that reading a whole pattern took the last time; 0: unknown
  bool         recorded = false; // some of their patterns are recorded
};

/// The choice for one matrix. The protocol of a product:
///   ValuesChanged() if they have; then, if WantsSearch(), Searched() or SetPattern(); if WantsPattern(), SetPattern(); if
/// WantsRecord(), Recorded(); Next(); while WantsPart(), Prepared() or CannotBeMade(); Multiplied().
///
/// A layout is made in parts of the matrix's rows, each of which is asked for by itself: the first ones gain while the rest cannot
/// be afforded yet. Rows without a part are multiplied from AIJ's arrays. Findings are those of the whole layout, as its parts
/// tell.
class Choice {
public:
  /// The most that an adopted format may take, over what it replaces. AIJ, which needs no memory, is adopted below 1.
  static constexpr double kAdopt = 0.97;

  /// What it finds out may cost `regret` times what the program has taken so far.
  Choice(std::shared_ptr<Budget> budget, std::shared_ptr<Family> family, std::size_t candidates, double regret);
  ~Choice();
  Choice(const Choice &)            = delete;
  Choice &operator=(const Choice &) = delete;

  void ValuesChanged();

  /// Whether to search the recorded patterns now, which reads the whole pattern; reports an unsuccessful search.
  bool WantsSearch(double start) const;
  void Searched(double seconds);

  /// Whether to make predictions now. `start`: seconds that this takes besides examining a sample of the pattern.
  bool WantsPattern(double start) const;

  /// Sets a pattern with predictions or, if it is recorded, with all findings of others.
  void SetPattern(std::shared_ptr<Pattern> pattern, bool recorded, double seconds);

  /// Whether to record this matrix's findings for others now; reports that it is done.
  bool WantsRecord() const;
  void Recorded(double seconds);

  /// The candidate that does the next product.
  std::size_t Next();

  /// Whether one more part of its layout is to be made current before that. Reports what there was of the layout, and is now.
  bool WantsPart() const;
  void Prepared(const Progress &before, const Progress &after, double seconds);

  /// Reports that there is no memory for its layout: AIJ does the product.
  void CannotBeMade(double seconds);

  /// Reports other time spent on its requests.
  void Spend(double seconds);

  /// Whether the product must be timed.
  bool Timed() const;

  /// Reports its time, and what of that was by the parts there are, unless the layout is whole.
  void Multiplied(double seconds = 0, double by_parts = 0);

  /// The parts of its layout that are current.
  int Current(std::size_t candidate) const { return layouts_[candidate].current; }

  /// Whether the layout of a candidate is still needed.
  bool Keeps(std::size_t candidate) const { return candidate == kAij || layouts_[candidate].made > 0; }

  /// Why AIJ multiplies.
  WhyAij Why() const;

  const Pattern           &OfPattern() const { return *pattern_; }
  std::shared_ptr<Pattern> SharedPattern() const { return pattern_; }
  double                   AijSeconds() const { return Aij(); } // per product
  double                   Spent() const { return spent_; }     // seconds, by this matrix, on analysis and layouts
  double                   Gained() const { return gained_; }   // seconds, by its products

  /// The format whose trial ended with the last product; AIJ if there was none.
  std::size_t Tried() const { return tried_; }

private:
  /// The challenger does a run of several products, the first few of which warm the caches. If that leaves doubts, both take turns.
  struct Trial {
    static constexpr int kRun = 6, kWarm = 3, kRuns = 6; // products per run; uncounted ones; runs

    std::size_t               incumbent, challenger;
    int                       turn      = 0;
    int                       waited    = 0;     // products
    bool                      promising = false; // the challenger, after its first run
    double                    last      = 0;     // seconds of the challenger's last product
    double                    best      = 0;     // of the challenger's so far, by all of its layout
    std::array<double, kRuns> least{};           // seconds, over the counted products of a run

    int         Run() const { return turn / kRun; }
    std::size_t Candidate() const { return IsChallengers(Run()) ? challenger : incumbent; }
    bool        Begins() const { return turn % kRun == 0; }
    /// The order alternates between rounds: if the machine becomes slower, both suffer.
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
  bool            IsStale(std::size_t k) const { return layouts_[k].current < layouts_[k].made; } // the next part
  double          Share(std::size_t k, int parts) const { return static_cast<double>(parts) / PartsOf(k); }
  double          Preparation(std::size_t k) const;      // seconds until all of it can multiply
  double          NextPart(std::size_t k) const;         // seconds until the next part of it can
  bool            NeedsWhole(std::size_t k) const;       // to multiply at all
  double          Mixed(std::size_t k, int parts) const; // seconds, with so many parts
  double          NextStep(std::size_t k) const;         // seconds that the next part may cost, with its first product
  double          Running(std::size_t k) const;          // per product, with its share of refreshes
  double          Gain(std::size_t k) const;             // per product
  double          Trying(std::size_t k) const;           // seconds that its first product may cost, with preparations
  double          Beginning(std::size_t k) const;        // likewise, with as few parts as it needs
  double          Value(std::size_t k) const;            // per product
  double          Expected() const;                      // products
  double          ValuesLast() const;                    // in products
  bool            Pays(std::size_t k) const;
  bool            NextPartPays(std::size_t k) const;
  std::size_t     Usual() const { return Pays(pattern_->adopted) ? pattern_->adopted : kAij; }
  double          Reading() const;
  bool            Allows(double seconds, bool often = false) const;
  void            Lose(double seconds) { budget_->Lose(pattern_->account.Lose(seconds)); }
  void            Consider();
  std::size_t     Turn();
  void            TakeTurn(double seconds, double whole);
  void            EndTrial(double ratio);
  void            GiveUp();
  void            DropUnused();

  std::shared_ptr<Budget>  budget_;
  std::shared_ptr<Family>  family_;
  std::shared_ptr<Pattern> pattern_;
  double                   regret_;
  bool                     searched_ = false, looked_at_ = false, recorded_ = false; // the pattern
  std::vector<Progress>    layouts_;
  std::vector<bool>        no_memory_; // for more parts
  RecentMedian             rest_;      // seconds of a product by rows that have no part, as if there were none
  std::optional<Trial>     trial_;
  bool                     waits_        = false; // whether a trial waits: this product is none of its turns
  bool                     unaffordable_ = false; // the last candidate that would have paid
  std::size_t              next_ = kAij, tried_ = kAij;
  std::int64_t             here_ = 0, since_ = 0, check_ = 0; // products: of this matrix, with these values, of the pattern
  double                   period_ = 0;                       // products between changes of values; 0: never changed
  double                   gained_ = 0, spent_ = 0;           // seconds
};

} // namespace petscspmv
