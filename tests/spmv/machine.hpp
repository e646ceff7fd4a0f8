// A program on a machine whose clock is set by the test.
#pragma once

#include "mat/tuning/choice.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace petscspmv::spmv::test {

inline constexpr double kRegret   = 0.05;
inline constexpr double kRounding = 1e-9;

/// A format on this machine: what it takes, in units of a product by AIJ, and what is predicted.
struct Format {
  double product = 1, build = 0, refresh = 0;
  double predicted      = 0.5; // product
  double predicted_cost = 1;   // of build and refresh, over what they take
  bool   fits           = true;
  int    parts          = 1; // of its layout
  int    parts_that_fit = 8;
  double few            = 0; // what a product by a quarter of the parts or fewer takes less, extrapolated to the whole layout
  double displaces      = 0; // what its whole layout adds to a relaxation, over what that takes beside AIJ's products
};

/// A program: the time it has taken, and what of that AIJ would not have taken.
struct Program {
  explicit Program(bool in_rounds = false) : budget(std::make_shared<Budget>([this] { return seconds; }, in_rounds)) { }
  Program(const Program &) = delete;

  double                  seconds = 0, lost = 0;
  std::shared_ptr<Budget> budget;
};

/// A machine with a program that multiplies with one matrix after the other. A product by AIJ takes `slow` seconds.
class Machine {
public:
  explicit Machine(std::vector<Format> formats, std::shared_ptr<Program> program = std::make_shared<Program>()) :
    program_(std::move(program)), formats_(std::move(formats)), role_(std::make_shared<Role>(formats_.size() + 1))
  {
    NewMatrix(true);
  }

  /// A new matrix of another size, but of the same role.
  void NewSize()
  {
    family_ = std::make_shared<Family>();
    NewMatrix(true);
  }
  /// A new matrix of the same size, with another pattern or the same.
  void NewMatrix(bool other_pattern)
  {
    if (other_pattern) {
      known_ = nullptr;
      loss_ = of_pattern_ = 0;
    }
    choice_ = std::make_unique<Choice>(program_->budget, family_, role_, kRegret);
    made_.assign(formats_.size(), 0);
    since_ = by_aij_ = 0;
  }
  void ChangeValues()
  {
    choice_->ValuesChanged();
    since_ = 0;
  }
  /// The layout of a format is freed for another use.
  void Free(std::size_t format)
  {
    made_[format - 1] = 0;
    choice_->Replaced(format, {});
  }
  /// The program does something else.
  void Work(double products) { program_->seconds += products * slow; }

  /// Does a product and returns the candidate that did it.
  std::size_t Multiply()
  {
    const double before = time_;
    if (choice_->WantsSearch(0)) {
      if (known_) choice_->SetPattern(known_, true, Pass(reading));
      else choice_->Searched(Pass(reading));
    }
    if (choice_->WantsPattern(start * slow)) choice_->SetPattern(pattern_ = Predict(), false, Pass(look + std::exchange(start, 0)));
    if (choice_->WantsRecord()) {
      if (!known_) known_ = pattern_;
      choice_->Recorded(Pass(reading));
    }
    std::size_t candidate = choice_->Next();
    while (candidate != kAij && choice_->WantsPart()) {
      if (!Prepare(candidate)) candidate = kAij;
    }
    if (time_ > before) delayed.insert(since_);
    ++since_;
    double relaxes = relaxation;
    if (candidate == kAij) {
      choice_->Multiplied(Pass(stopped + (by_aij_++ < 6 ? cold : 1)));
    } else {
      const Format &f        = formats_[candidate - 1];
      const double  share    = static_cast<double>(choice_->Current(candidate)) / f.parts;
      const double  by_parts = Pass(stopped + share * (share > 0.25 ? f.product : f.product - f.few));
      choice_->Multiplied(by_parts + (share < 1 ? Pass((1 - share) * rest) : 0), share < 1 ? by_parts : 0);
      relaxes += relaxation * share * f.displaces;
    }
    for (std::size_t k = 0; k < made_.size(); ++k) {
      if (!choice_->Keeps(k + 1)) made_[k] = 0;
    }
    Count(time_ - before);
    ++products[candidate];
    Relax(relaxes);
    Work(beside);
    return candidate;
  }
  std::size_t Multiply(int n)
  {
    std::size_t candidate = kAij;
    while (n-- > 0) candidate = Multiply();
    return candidate;
  }

  /// All products take so many times as long from now on, and for AIJ it is known.
  void SetAij(double times)
  {
    slow *= times;
    choice_->SetAij(slow);
  }

  Format       &Of(std::size_t format) { return formats_[format - 1]; }
  double        Time() const { return time_; }
  double        Aij() const { return aij_; }
  const Choice &TheChoice() const { return *choice_; }

  double                     slow = 1, look = 0.05, reading = 0.5;
  double                     start      = 0; // what the process needs once, before it looks at the first pattern
  double                     beside     = 0; // what the program does for each product, in products by AIJ
  double                     stopped    = 0; // seconds, in each product
  double                     first_part = 1; // what the first part of all takes, over what it should
  double                     cold       = 1; // what the first six products by AIJ take
  double                     rest       = 1; // what the rows without a part take, in products by AIJ for as many
  double                     relaxation = 0; // after each product, in products by AIJ
  double                     relaxing   = 0; // seconds of all relaxation
  std::optional<std::size_t> loop       = 0; // that relaxes; none: layouts
  double                     excess     = 0; // of the loss over one of the two bounds, after the product where it was the largest
  int                        builds = 0, refreshes = 0;
  int                        parts_made = 0;
  std::array<int, 8>         products{}; // by candidate
  std::set<int>              delayed;    // products, since values changed, before which something else took time

private:
  void Relax(double seconds)
  {
    if (seconds == 0) return;
    Work(seconds);
    relaxing += seconds * slow;
    choice_->Relaxed(seconds * slow, loop);
  }
  double Pass(double seconds)
  {
    time_ += seconds * slow;
    program_->seconds += seconds * slow;
    return seconds * slow;
  }
  /// Compares the losses with the bounds after a product. A pattern's gains pay for its earlier losses alone.
  void Count(double seconds)
  {
    const double before = loss_;
    loss_               = std::max(0., loss_ + seconds - slow);
    program_->lost += loss_ - before;
    aij_ += slow;
    of_pattern_ += slow;
    excess = std::max({excess, program_->lost - MayBeLost(program_->seconds, kRegret), loss_ - of_pattern_});
  }
  std::shared_ptr<Pattern> Predict()
  {
    auto pattern = std::make_shared<Pattern>(formats_.size() + 1);
    for (std::size_t k = 0; k < formats_.size(); ++k) {
      const Format &f                      = formats_[k];
      pattern->candidates[k + 1].predicted = {
        .product = f.predicted, .build = f.build * f.predicted_cost, .refresh = f.refresh * f.predicted_cost, .parts = f.parts};
    }
    return pattern;
  }
  bool Prepare(std::size_t candidate)
  {
    const Format &f       = formats_[candidate - 1];
    int          &made    = made_[candidate - 1];
    const int     current = choice_->Current(candidate);
    const bool    built   = current == made;
    if (built && !f.fits) {
      choice_->CannotBeMade(Pass(0.1));
      return false;
    }
    if (built && made == f.parts_that_fit) {
      choice_->Prepared({f.parts, made, current}, {f.parts, made, current}, Pass(0.1));
      return true;
    }
    const Progress before{made > 0 ? f.parts : 0, made, current}, after{f.parts, made + built, current + 1};
    made = after.made;
    if (current == 0) ++(built ? builds : refreshes);
    parts_made += built;
    choice_->Prepared(before, after, Pass((built ? f.build : f.refresh) / f.parts * (built && parts_made == 1 ? first_part : 1)));
    return true;
  }

  std::shared_ptr<Program> program_;
  std::vector<Format>      formats_;
  std::vector<int>         made_; // parts
  std::shared_ptr<Family>  family_ = std::make_shared<Family>();
  std::shared_ptr<Role>    role_;
  std::shared_ptr<Pattern> pattern_, known_; // of the matrix; found by a lookup
  std::unique_ptr<Choice>  choice_;
  int                      since_  = 0;                // products since values changed
  int                      by_aij_ = 0;                // products by AIJ with this matrix
  double                   time_ = 0, aij_ = 0;        // of products
  double                   loss_ = 0, of_pattern_ = 0; // of this pattern: the loss, and what AIJ would have taken
};

} // namespace petscspmv::spmv::test
