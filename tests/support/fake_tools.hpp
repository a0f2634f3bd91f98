// A compiler and judges for scenarios of whole explorations: they answer at once, and wrongly where a scenario says so.
// Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "actors/evaluation/known_limits.hpp"
#include "actors/outcome_of.hpp"
#include "actors/stage_worker.hpp"
#include "toolchains/compiler.hpp"

namespace kope::testing {

class fake_compiler final : public compiler {
public:
  enum class answer { artifact, failed_build, never, death };

  /// What the n-th compile (from 1) of this source does; nothing: an artifact.
  std::function<answer(uint64_t n, const std::string& source)> behaviour;

  result<uint64_t> compile(compile_request request, std::function<void(result<build>)> done) override {
    uint64_t ticket;
    answer does;
    {
      std::lock_guard hold(mutex_);
      ticket = ++compiles_;
      does = behaviour ? behaviour(ticket, request.source) : answer::artifact;
      if (does == answer::never) {
        waiting_[ticket] = std::move(done);
        return ticket;
      }
    }
    if (does == answer::death) throw std::runtime_error("this compile kills its worker");
    done(build::build([&](wire::Build::Builder made) {
      made.setSucceeded(does == answer::artifact);
      if (does == answer::failed_build) made.setDiagnostics("an error that this test wants");
    }));
    return ticket;
  }

  /// A cancelled compile answers, as the contract says.
  void cancel(uint64_t ticket) override {
    std::function<void(result<build>)> done;
    {
      std::lock_guard hold(mutex_);
      auto waits = waiting_.find(ticket);
      if (waits == waiting_.end()) return;
      done = std::move(waits->second);
      waiting_.erase(waits);
      ++cancelled_;
    }
    done(error{errc::cancelled, "cancelled"});
  }

  std::string version() const override { return "fake 1"; }
  std::vector<std::string> base_flags() const override { return {}; }

  uint64_t compiles() const {
    std::lock_guard hold(mutex_);
    return compiles_;
  }
  uint64_t cancelled() const {
    std::lock_guard hold(mutex_);
    return cancelled_;
  }

private:
  mutable std::mutex mutex_;
  uint64_t compiles_ = 0, cancelled_ = 0;
  std::map<uint64_t, std::function<void(result<build>)>> waiting_;
};

/// Everything is right; how long it takes is a function of the source alone. Outlives the starts of the program, as a
/// machine does.
class fake_bench {
public:
  enum class verification { right, runner_death, worker_death };

  /// What the n-th verification (from 1) does; nothing: all is right. Called on worker and device threads, one at a
  /// time.
  std::function<verification(uint64_t n, const work&)> behaviour;

  /// A worker that dies, dies in its own handler; a runner that dies is seen by whoever judges it.
  begin_stage verifying(std::shared_ptr<device_threads> threads) {
    return [this, threads = std::move(threads)](const work& content, const worker_actor& tell) {
      verification does = verification::right;
      {
        std::lock_guard hold(mutex_);
        ++verifications_;
        if (behaviour) does = behaviour(verifications_, content);
      }
      if (does == verification::worker_death) throw std::runtime_error("this verification kills its worker");
      auto judge = [this, does](const work& w, const cancel_flag&) {
        if (does == verification::right) return verify(w);
        return stage_end(outcome_of(*w.read(), wire::OutcomeClass::CRASHED, wire::Stage::VERIFY, "killed by signal 9"));
      };
      return on_device_thread(threads, wire::Stage::VERIFY, judge)(content, tell);
    };
  }
  begin_stage profiling(std::shared_ptr<device_threads> threads) {
    return on_device_thread(std::move(threads), wire::Stage::PROFILE,
                            [this](const work& w, const cancel_flag&) { return profile(w); });
  }

  stage_end verify(const work& content) {
    auto view = content.read();
    auto header = view->getPlan().getHeader();
    {
      std::lock_guard hold(mutex_);
      sources_[header.getAttempt().cStr()].insert(view->getCandidate().getSourceHash().cStr());
    }
    return work::changed(*view, [](wire::Work::Builder change) {
      auto verdict = change.initVerdict();
      verdict.setOutcome(wire::OutcomeClass::CORRECT_NOT_FASTER);
      verdict.setLevel("fake");
    });
  }

  stage_end profile(const work& content) {
    auto view = content.read();
    auto plan = view->getPlan();
    std::string attempt = plan.getHeader().getAttempt().cStr();
    bool of_winner = plan.getHeader().getNumber() == 0;
    double mine = microseconds(view->getCandidate().getSourceHash().cStr(), of_winner);
    std::string against = "reference";
    double old = reference_microseconds;
    std::lock_guard hold(mutex_);
    auto& incumbent = incumbents_[plan.getHeader().getExploration().cStr()];
    if (!of_winner && !incumbent.attempt.empty()) {
      against = incumbent.attempt;
      old = incumbent.microseconds;
    }
    bool faster = old / mine > 1.03;
    std::string why_suspect = limits ? limits->suspicion({.flops = 1}, 0, mine / 1e6) : "";
    if (faster && !of_winner && why_suspect.empty()) incumbent = {attempt, mine};
    auto measured = work::changed(*view, [&](wire::Work::Builder change) {
      auto promotion = change.initProfile().initPromotion();
      promotion.setRatio(old / mine);
      promotion.setLow(old / mine);
      promotion.setHigh(old / mine);
      promotion.setPairs(8);
      promotion.setDecision(faster ? wire::Decision::FASTER : wire::Decision::SLOWER);
      promotion.setAgainst(against);
      promotion.setBaselineMicroseconds(old);
      promotion.setCandidateMicroseconds(mine);
    });
    if (!why_suspect.empty())
      return outcome_of(*measured.read(), wire::OutcomeClass::SUSPECT, wire::Stage::PROFILE, why_suspect);
    return outcome_of(*measured.read(), faster ? wire::OutcomeClass::IMPROVED : wire::OutcomeClass::CORRECT_NOT_FASTER,
                      wire::Stage::PROFILE, "");
  }

  /// Of an operation; nothing: no time is suspect.
  std::shared_ptr<known_limits> limits;
  /// How long a source takes, and whether it is measured as the winner; nothing: microseconds_of.
  std::function<double(const std::string& source_hash, bool of_winner)> answers;
  double microseconds(const std::string& source_hash, bool of_winner) const {
    return answers ? answers(source_hash, of_winner) : microseconds_of(source_hash);
  }

  static constexpr double reference_microseconds = 1000;
  /// 100 to 355, from the source's hash.
  static double microseconds_of(const std::string& source_hash) {
    return 100 + static_cast<double>(std::stoul(source_hash.substr(0, 2), nullptr, 16));
  }

  /// Different sources that were verified under one attempt; above 1 a number was used twice.
  size_t sources_of_one_number_max() const {
    std::lock_guard hold(mutex_);
    size_t most = 0;
    for (auto& [attempt, sources] : sources_) most = std::max(most, sources.size());
    return most;
  }

private:
  mutable std::mutex mutex_;
  uint64_t verifications_ = 0;
  std::map<std::string, std::set<std::string>> sources_;  // by attempt id
  struct best {
    std::string attempt;
    double microseconds = 0;
  };
  std::map<std::string, best> incumbents_;  // by exploration
};

}  // namespace kope::testing
