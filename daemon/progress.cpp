#include "daemon/progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "daemon/commands/report.hpp"
#include "messages/enum_names.hpp"

namespace kope {

progress::progress(uint32_t attempts_max, double seconds_max, bool quiet)
  : attempts_max_(attempts_max), seconds_max_(seconds_max), quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

progress::~progress() { clear(); }

void progress::attempt(wire::Attempt::Reader attempt) {
  auto outcome = attempt.getOutcome();
  ++outcomes_[enum_name(outcome)];
  if (outcome == wire::OutcomeClass::INTERRUPTED || outcome == wire::OutcomeClass::DUPLICATE) return;
  ++attempts_;
  auto promotion = attempt.getPromotion();
  if (promotion.getAgainst() == "reference") reference_microseconds_ = promotion.getBaselineMicroseconds();
  bool improved = outcome == wire::OutcomeClass::IMPROVED;
  if (improved) best_microseconds_ = promotion.getCandidateMicroseconds();
  if (quiet_) return;
  if (terminal_ && !improved) return draw(seconds_);
  std::string line = "attempt " + std::to_string(attempt.getHeader().getNumber()) + ": " + enum_name(outcome);
  if (was_measured(promotion))
    line += ", " + microseconds_text(promotion.getCandidateMicroseconds()) + ", " + comparison_text(promotion) +
            " against " + (promotion.getAgainst() == "reference" ? "the reference" : "the incumbent");
  if (attempt.getParameters().size() > 0) line += " [" + parameters_text(attempt.getParameters()) + "]";
  if (attempt.getDiagnostics().size() > 0) {
    std::string why = attempt.getDiagnostics().cStr();
    line += ": " + why.substr(0, why.find('\n'));
  }
  note(line);
}

void progress::tick(double seconds) {
  seconds_ = seconds;
  if (terminal_ && !quiet_) draw(seconds);
}

void progress::note(const std::string& line) {
  if (quiet_) return;
  clear();
  std::cerr << line << '\n';
}

void progress::draw(double seconds) {
  double left = seconds_max_ > seconds ? seconds_max_ - seconds : 0;
  if (attempts_ > 0) {
    // the budget that runs out first, at the pace so far
    double pace = seconds / attempts_ * (attempts_max_ > attempts_ ? attempts_max_ - attempts_ : 0);
    if (pace < left) left = pace;
  }
  std::string line = "attempt " + std::to_string(attempts_) + "/" + std::to_string(attempts_max_);
  if (best_microseconds_ > 0) {
    line += "  best " + microseconds_text(best_microseconds_);
    if (reference_microseconds_ > 0) {
      char ratio[32];
      std::snprintf(ratio, sizeof ratio, " (about %.1fx)", reference_microseconds_ / best_microseconds_);
      line += ratio;
    }
  } else {
    line += "  nothing faster yet";
  }
  line += "  " + seconds_text(left) + " left";
  std::cerr << "\r\033[K" << line.substr(0, 78) << std::flush;
  drawn_ = true;
}

void progress::clear() {
  if (drawn_) std::cerr << "\r\033[K" << std::flush;
  drawn_ = false;
}

}  // namespace kope
