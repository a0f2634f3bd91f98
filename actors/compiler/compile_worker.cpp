#include "actors/compiler/compile_worker.hpp"

#include <caf/send.hpp>

#include "actors/actor_shell.hpp"
#include "actors/evaluation/kernel_shim.hpp"
#include "actors/outcome_of.hpp"
#include "messages/parcel_caf.hpp"

namespace kope {
namespace {

/// What the compiler said, as the next message. Runs on a tool thread.
void deliver(const worker_actor& to, const work& content, const result<build>& built) {
  auto view = content.read();
  auto ended = [&](wire::OutcomeClass result, std::string_view why) {
    caf::anon_send(to, finished_atom::value, outcome_of(*view, result, wire::Stage::COMPILE, why));
  };
  if (!built) {
    auto& failure = built.failure();
    return ended(failure.code == errc::timed_out   ? wire::OutcomeClass::TIMED_OUT
                 : failure.code == errc::cancelled ? wire::OutcomeClass::INTERRUPTED
                                                   : wire::OutcomeClass::HARNESS_ERROR,
                 failure.what);
  }
  auto made = built->read();
  auto next = work::changed(*view, [&](wire::Work::Builder change) { change.setBuild(*made); });
  if (made->getSucceeded())
    caf::anon_send(to, finished_atom::value, next);
  else
    caf::anon_send(to, finished_atom::value,
                   outcome_of(*next.read(), wire::OutcomeClass::BUILD_FAILED, wire::Stage::COMPILE,
                              std::string_view(made->getDiagnostics().cStr())));
}

end_early compile(const compile_worker_options& options, const work& content, const worker_actor& tell) {
  auto view = content.read();
  auto plan = view->getPlan();
  const task* of = options.find_task(std::string_view(plan.getTask().cStr()));
  if (!of) {
    deliver(tell, content, error{errc::not_found, std::string("there is no task ") + plan.getTask().cStr()});
    return [] {};
  }
  auto around = candidate_surrounding(*of->read());
  auto candidate = view->getCandidate();
  compile_request request{.source = candidate.getSource().cStr(),
                          .prologue = std::move(around.prologue),
                          .epilogue = std::move(around.epilogue),
                          .language = language_of(*of->read())};
  for (auto flag : candidate.getFlags()) request.flags.emplace_back(flag.cStr());
  auto started = options.tool->compile(std::move(request),
                                       [tell, content](result<build> built) { deliver(tell, content, built); });
  if (!started) {
    deliver(tell, content, started.failure());
    return [] {};
  }
  return [tool = options.tool, ticket = *started] { tool->cancel(ticket); };
}

}  // namespace

worker_actor spawn_compile_worker(caf::actor_system& system, compile_worker_options options, stage_pool_actor pool) {
  return spawn_stage_worker(
      system, "compile_worker",
      [options = std::move(options)](const work& content, const worker_actor& tell) {
        return compile(options, content, tell);
      },
      std::move(pool));
}

}  // namespace kope
