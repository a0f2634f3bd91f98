#include "daemon/judging.hpp"

#include "daemon/exploring.hpp"

namespace kope {
namespace {

// One attempt of a bounded pipeline: the stages' leases end it long before.
constexpr double judging_seconds_max = 600;

}  // namespace

result<judgement> judge_source(tool_box& tools, const task& of, source_to_judge source,
                               std::shared_ptr<graph_store> store) {
  auto given = std::make_shared<given_source>(given_source{std::move(source.text), std::move(source.flags)});
  auto row = new_row(tools, of,
                     {.timed_case = source.timed_case,
                      .attempts = 1,
                      .seconds = judging_seconds_max,
                      .seed = 1,
                      .tickets = 1,
                      .policy = "local_search",
                      .coder = "given"});
  judgement judged;
  followed end;
  {
    runtime running(tools, std::move(store), {.given = given, .measure_winner = false, .disk_full_max = disk_full_max});
    running.explore(row);
    end = follow(
        running,
        [&](const committed& attempt) { judged.attempt = attempt_record::copy_of(attempt.read()->getAttempt()); },
        [](double) {});
  }
  if (!end.fatal.empty()) return error{errc::internal, end.fatal};
  judged.signal = end.signal;
  if (!judged.attempt && !end.signal)
    return error{errc::internal, std::string("the source was not judged: ") + end.last.read()->getStopReason().cStr()};
  return judged;
}

}  // namespace kope
