#include "actors/verifier/verify_worker.hpp"

#include "actors/evaluation/verification.hpp"
#include "actors/outcome_of.hpp"
#include "actors/stage_worker.hpp"

namespace kope {
namespace {

stage_end verify(bank_registry& banks, const work& content, const cancel_flag& cancel) {
  auto view = content.read();
  auto failed = [&](const error& failure) {
    return outcome_of(
        *view, failure.code == errc::cancelled ? wire::OutcomeClass::INTERRUPTED : wire::OutcomeClass::HARNESS_ERROR,
        wire::Stage::VERIFY, failure.what);
  };
  auto bank = banks.bank(std::string_view(view->getPlan().getTask().cStr()));
  if (!bank) return failed(bank.failure());
  auto artifact = view->getBuild().getArtifact();
  verification_options options{.cpus = banks.tools().cpus, .draw = view->getPlan().getSeed()};
  auto judged = verify_artifact(*banks.tools().with_runner, **bank,
                                std::as_bytes(std::span(artifact.begin(), artifact.size())), options, cancel);
  if (!judged) return failed(judged.failure());
  auto verdict = judged->read();
  auto next = work::changed(*view, [&](wire::Work::Builder change) { change.setVerdict(*verdict); });
  if (verdict->getOutcome() == wire::OutcomeClass::CORRECT_NOT_FASTER) return next;
  return outcome_of(*next.read(), verdict->getOutcome(), wire::Stage::VERIFY,
                    std::string_view(verdict->getDetail().cStr()));
}

}  // namespace

worker_actor spawn_verify_worker(caf::actor_system& system, verify_worker_options options, stage_pool_actor pool) {
  return spawn_stage_worker(
      system, "verify_worker",
      on_device_thread(std::move(options.threads), wire::Stage::VERIFY,
                       [banks = std::move(options.banks)](const work& content, const cancel_flag& cancel) {
                         return verify(*banks, content, cancel);
                       }),
      std::move(pool));
}

}  // namespace kope
