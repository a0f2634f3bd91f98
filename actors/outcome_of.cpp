#include "actors/outcome_of.hpp"

#include <string>

namespace kope {
namespace {

void fill_from_plan(wire::Attempt::Builder attempt, wire::Plan::Reader plan) {
  attempt.setHeader(plan.getHeader());
  attempt.setTask(plan.getTaskKey());
  attempt.setTarget(plan.getTargetKey());
  attempt.setToolchain(plan.getToolchainKey());
  attempt.setCheck(plan.getCheck());
  attempt.setTimedCase(plan.getTimedCase());
  attempt.setPhase(plan.getPhase());
  attempt.setAction(plan.getAction());
  attempt.setIntent(plan.getIntent());
  attempt.setParent(plan.getParent());
  attempt.setParameters(plan.getParameters());
  attempt.setChosenBy(plan.getChosenBy());
  attempt.setInjected(plan.getInjected());
}

bool settled(wire::OutcomeClass result) {
  return result != wire::OutcomeClass::INTERRUPTED && result != wire::OutcomeClass::HARNESS_ERROR;
}

}  // namespace

std::string_view cut_text(std::string_view text, size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

outcome outcome_of(wire::Work::Reader work, wire::OutcomeClass result, wire::Stage stage,
                   std::string_view diagnostics) {
  return outcome::build([&](wire::Outcome::Builder made) {
    auto attempt = made.initAttempt();
    fill_from_plan(attempt, work.getPlan());
    auto candidate = work.getCandidate();
    attempt.setSourceHash(candidate.getSourceHash());
    attempt.setNormalHash(candidate.getNormalHash());
    attempt.setFlags(candidate.getFlags());
    attempt.setCodeSeconds(candidate.getCodeSeconds());
    attempt.setOutcome(result);
    attempt.setStage(stage);
    attempt.setFinal(settled(result));
    attempt.setDiagnostics(std::string(cut_text(diagnostics, diagnostics_bytes_max)));
    if (work.hasProfile()) {
      auto profile = work.getProfile();
      attempt.setPromotion(profile.getPromotion());
      attempt.setGain(profile.getGain());
      attempt.setIncumbent(profile.getPromotion().getAgainst() == "reference" ? ""
                                                                              : profile.getPromotion().getAgainst());
      attempt.setProfileSeconds(profile.getProfileSeconds());
      if (profile.hasCounters()) attempt.setCounters(profile.getCounters());
    }
    attempt.setLevel(work.getVerdict().getLevel());
    attempt.setCompileSeconds(work.getBuild().getCompileSeconds());
    attempt.setVerifySeconds(work.getVerdict().getVerifySeconds());
    made.setSource(candidate.getSource());
  });
}

outcome interrupted_outcome(wire::OpenRow::Reader row) {
  return outcome::build([&](wire::Outcome::Builder made) {
    auto attempt = made.initAttempt();
    fill_from_plan(attempt, row.getPlan());
    attempt.setHeader(row.getHeader());
    attempt.setOutcome(wire::OutcomeClass::INTERRUPTED);
    attempt.setStage(wire::Stage::CODE);
    attempt.setFinal(false);
    attempt.setDiagnostics("ended before its outcome was committed");
  });
}

}  // namespace kope
