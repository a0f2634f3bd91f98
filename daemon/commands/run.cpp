// kope run: makes one task faster on this machine, in the foreground.

#include <fstream>
#include <iostream>
#include <random>

#include "daemon/catalogue.hpp"
#include "daemon/commands/commands.hpp"
#include "daemon/commands/own_task.hpp"
#include "daemon/commands/report.hpp"
#include "daemon/device_limits.hpp"
#include "daemon/exploring.hpp"
#include "daemon/progress.hpp"
#include "messages/enum_names.hpp"
#include "messages/json.hpp"
#include "storage/lmdb_graph_store.hpp"

namespace kope {
namespace {

// What a report can show; longer explorations are read with `kope show`.
constexpr size_t reported_max = 10'000;

struct winner {
  attempt_record attempt;
  std::filesystem::path source;
};

/// The incumbent's attempt, its source written to winners/<exploration>/kernel.cpp, of a user's own file kernel.c.
result<std::optional<winner>> keep_winner(const graph_store& store, const run_options& options,
                                          wire::Exploration::Reader row) {
  auto id = attempt_id::parse(std::string_view(row.getIncumbent().cStr())).value_or(attempt_id{});
  if (!id) return std::optional<winner>();
  auto snapshot = store.snapshot();
  if (!snapshot) return snapshot.failure();
  auto attempt = (*snapshot)->attempt(id);
  if (!attempt) return attempt.failure();
  if (!*attempt) return error{errc::internal, "the incumbent " + id.text() + " is not in the graph"};
  auto source = (*snapshot)->source(std::string_view((*attempt)->read()->getSourceHash().cStr()));
  if (!source) return source.failure();
  if (!*source) return error{errc::internal, "the source of attempt " + id.text() + " is not in the graph"};
  auto folder = options.data_dir.value / "winners" / row.getId().cStr();
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  auto path = folder / (row.getSpec().getCoder() == "flags" ? "kernel.c" : "kernel.cpp");
  std::ofstream file(path, std::ios::binary);
  file << **source;
  file.close();
  if (!file) return error{errc::io, "the winning source cannot be written to " + path.string()};
  return std::optional<winner>(winner{**attempt, path});
}

/// Attempts whose time the device does not allow, for people.
struct suspects {
  json list = json::array();
  std::string text;
};

suspects suspects_of(const graph_store& store, wire::Exploration::Reader row) {
  suspects found;
  auto snapshot = store.snapshot();
  if (!snapshot) return found;
  auto id = exploration_id::parse(std::string_view(row.getId().cStr())).value_or(exploration_id{});
  auto attempts = (*snapshot)->newest_attempts(id, reported_max);
  if (!attempts) return found;
  for (auto at = attempts->rbegin(); at != attempts->rend(); ++at) {
    auto attempt = at->read();
    if (attempt->getOutcome() != wire::OutcomeClass::SUSPECT) continue;
    found.list.push_back(
        {{"attempt", attempt->getHeader().getAttempt().cStr()}, {"reason", attempt->getDiagnostics().cStr()}});
    found.text += "  attempt " + std::to_string(attempt->getHeader().getNumber()) + "  " +
                  attempt->getDiagnostics().cStr() + '\n';
  }
  if (!found.text.empty()) found.text = "suspect, not believed and not learned from:\n" + found.text;
  return found;
}

/// The promotions that led to the winner, oldest first, for people.
result<std::string> account(const graph_store& store, wire::Exploration::Reader row) {
  auto snapshot = store.snapshot();
  if (!snapshot) return snapshot.failure();
  auto id = exploration_id::parse(std::string_view(row.getId().cStr())).value_or(exploration_id{});
  auto attempts = (*snapshot)->newest_attempts(id, reported_max);
  if (!attempts) return attempts.failure();
  std::map<std::string, int> outcomes;
  std::string path;
  for (auto at = attempts->rbegin(); at != attempts->rend(); ++at) {
    auto attempt = at->read();
    ++outcomes[enum_name(attempt->getOutcome())];
    if (attempt->getOutcome() != wire::OutcomeClass::IMPROVED) continue;
    auto promotion = attempt->getPromotion();
    path += "  attempt " + std::to_string(attempt->getHeader().getNumber()) + "  " +
            microseconds_text(promotion.getCandidateMicroseconds()) + "  " + comparison_text(promotion) + " against " +
            (promotion.getAgainst() == "reference" ? "the reference" : "the best until then") + "\n    " +
            parameters_text(attempt->getParameters()) + "  (" + attempt->getChosenBy().cStr() + ")\n";
  }
  std::string text = "how it was found:\n" + path + "outcomes:";
  for (auto& [name, count] : outcomes) text += " " + std::to_string(count) + " " + name + ",";
  text.back() = '\n';
  return text;
}

/// What was searched for a user's own file, and what won.
std::string flags_text(wire::Attempt::Reader winner) {
  std::string flags;
  for (auto flag : winner.getFlags()) flags += std::string(" ") + flag.cStr();
  return "searched were compiler flags and pragmas before the loops, whose text is as it was; the winner has" + flags +
         "\n";
}

int report(const run_arguments& arguments, const run_options& options, const graph_store& store,
           const exploration_row& last) {
  auto row = last.read();
  auto spec = row->getSpec();
  auto found = keep_winner(store, options, *row);
  if (!found) return report_error(found.failure());
  auto speedup = row->getSpeedup();
  bool faster = *found && was_measured(speedup) && speedup.getDecision() == wire::Decision::FASTER;
  bool failed = row->getState() == wire::ExplorationState::FAILED;

  auto suspicious = suspects_of(store, *row);

  if (arguments.shared.json) {
    json document;
    document["task"] = spec.getTask().cStr();
    document["case"] = spec.getTimedCase().cStr();
    document["exploration"] = row->getId().cStr();
    document["attempts"] = row->getSpentAttempts();
    document["seconds"] = row->getSpentSeconds();
    document["coder"] = spec.getCoder().cStr();
    document["seed"] = spec.getSeed();
    document["stop_reason"] = row->getStopReason().cStr();
    document["suspect"] = suspicious.list;
    document["best"] = nullptr;
    if (*found) {
      json best;
      best["speedup"] = was_measured(speedup) ? number_or_null(speedup.getRatio()) : json(nullptr);
      best["interval"] = interval_of(speedup);
      best["decision"] = enum_name(speedup.getDecision());
      best["microseconds"] = speedup.getCandidateMicroseconds();
      best["reference_microseconds"] = speedup.getBaselineMicroseconds();
      put_fraction(best, speedup);
      best["attempt"] = row->getIncumbent().cStr();
      best["source"] = (*found)->source.string();
      document["best"] = best;
    }
    print_json(document);
  } else if (!*found) {
    std::cout << spec.getTask().cStr() << ": nothing beat the reference in " << row->getSpentAttempts() << " attempts\n"
              << suspicious.text;
  } else {
    std::cout << spec.getTask().cStr() << " (" << spec.getTimedCase().cStr() << "): " << comparison_text(speedup)
              << " faster than the reference\n"
              << "  reference " << microseconds_text(speedup.getBaselineMicroseconds()) << ", winner "
              << microseconds_text(speedup.getCandidateMicroseconds())
              << (fraction_text(speedup).empty() ? "" : " (" + fraction_text(speedup) + ")")
              << "; verified on every case, re-measured in fresh processes\n"
              << "  source " << (*found)->source.string() << '\n'
              << row->getSpentAttempts() << " attempts in " << seconds_text(row->getSpentSeconds()) << ", stopped by "
              << row->getStopReason().cStr() << '\n';
    if (spec.getCoder() == "flags") std::cout << flags_text(*(*found)->attempt.read());
    if (auto text = account(store, *row)) std::cout << *text;
    std::cout << suspicious.text << "more: kope show " << row->getId().cStr() << '\n';
  }
  if (failed) {
    std::cerr << "kope: exploration " << row->getId().cStr() << " failed: " << row->getStopReason().cStr() << '\n';
    return exit_failed;
  }
  return faster ? exit_done : exit_no_improvement;
}

/// Before anything is stored: an exploration with a policy that is not there could never be resumed.
result<unit> check_policy(const std::string& name) {
  std::string known;
  for (auto& each : policy_names()) {
    if (each == name) return unit{};
    known += (known.empty() ? "" : ", ") + each;
  }
  return error{errc::invalid_input, "there is no policy \"" + name + "\"; known: " + known};
}

uint32_t drawn_seed() {
  uint32_t seed = 0;
  while (seed == 0) seed = std::random_device{}();
  return seed;
}

struct task_to_run {
  task of;
  std::string timed_case;
};

result<task_to_run> named_task(const run_options& options, const run_arguments& arguments) {
  for (auto* text : {&arguments.own.function, &arguments.own.flags, &arguments.own.name})
    if (!text->empty() || !arguments.own.extents.empty() || !arguments.own.multiples.empty())
      return error{errc::invalid_input,
                   "--function, --flags, --extent, --multiple and --name are for a file in C, and " + arguments.task +
                       " is a task"};
  auto of = task_named(arguments.task);
  if (!of) return of.failure();
  auto timed = timed_case_of(*of, arguments.timed_cases.empty() ? "" : arguments.timed_cases.front());
  if (!timed) return timed.failure();
  if (auto kept = keep_task(options, arguments.task, *of); !kept) return kept.failure();
  return task_to_run{*of, *timed};
}

/// A user's own file: what was inferred is said before anything is searched.
result<task_to_run> own_task(const run_options& options, const run_arguments& arguments) {
  auto made = own_kernel_of(options, arguments.task, arguments.timed_cases, arguments.own, "");
  if (!made) return made.failure();
  auto timed = timed_case_of(made->of, "");
  if (!timed) return timed.failure();
  std::cerr << "searched are compiler flags and pragmas before the loops; the text of the loops stays as it is\n";
  return task_to_run{made->of, *timed};
}

}  // namespace

int run_command(const run_arguments& arguments) {
  auto options = options_of(arguments.shared);
  if (!options) return report_error(options.failure());
  if (auto known = check_policy(options->policy.value); !known) return report_error(known.failure());
  if (arguments.timed_cases.size() > 1 && !is_c_file(arguments.task))
    return report_error({errc::invalid_input, "--case is given twice; a task is optimised on one case at a time"});
  auto named = is_c_file(arguments.task) ? own_task(*options, arguments) : named_task(*options, arguments);
  if (!named) return report_error(named.failure());
  auto [of, timed] = *named;
  bool own = of.read()->getLanguage() == wire::Language::C;

  auto opened = open_lmdb_graph_store(graph_directory(*options).string(), store_access::write);
  if (!opened) return report_error(opened.failure());
  std::shared_ptr<graph_store> store = std::move(*opened);
  // Input sets must not be guessable from a recorded seed: a candidate could know them.
  auto tools = open_tool_box(*options, {of}, std::random_device{}());
  if (!tools) return report_error(tools.failure());

  if (auto fits = check_timing(**tools, of, timed); !fits) return report_error(fits.failure());
  if (!know_limits(**tools, *store, *options))
    std::cerr << "no limits of this machine are on record, so results are not shown as a fraction of them "
                 "(kope doctor --measure)\n";

  exploration_wish wish{.timed_case = timed,
                        .attempts = options->attempts.value,
                        .seconds = options->seconds.value,
                        .seed = options->seed.value,
                        .tickets = options->tickets.value,
                        .policy = options->policy.value,
                        .coder = own ? "flags" : "schedule",
                        .starting_points = arguments.starting_points,
                        .stop_fraction = options->stop_fraction.value,
                        .plateau = options->plateau.value};
  auto wanted = new_row(**tools, of, wish);
  std::optional<exploration_row> resumed;
  if (!arguments.start_new) {
    auto found = unfinished(*store, wanted);
    if (!found) return report_error(found.failure());
    resumed = *found;
  }
  if (!resumed && wish.seed == 0) {
    wish.seed = drawn_seed();
    wanted = new_row(**tools, of, wish);
  }

  progress shown(wish.attempts, wish.seconds, false);
  if (resumed)
    shown.note(std::string("resuming exploration ") + resumed->read()->getId().cStr() +
               " of the same task and options (--new starts another)");
  shown.note(std::string(of.read()->getName().cStr()) + " (" + timed + ") on " +
             (*tools)->target.read()->getModel().cStr() + ", " + (*tools)->toolchain.read()->getCompiler().cStr() +
             ", at most " + std::to_string(wish.attempts) + " attempts and " + seconds_text(wish.seconds));
  followed end;
  {
    runtime running(**tools, store, {.coder = wish.coder, .disk_full_max = disk_full_max});
    running.explore(resumed ? *resumed : wanted);
    end = follow(
        running, [&](const committed& attempt) { shown.attempt(attempt.read()->getAttempt()); },
        [&](double seconds) { shown.tick(seconds); });
  }
  if (!end.fatal.empty() && !end.signal)
    return report_error({errc::internal, end.fatal + "; run the same command again to resume"});
  if (end.signal && (!end.last || end.last.read()->getState() == wire::ExplorationState::RUNNING)) {
    std::cerr << "kope: stopped; run the same command again to resume\n";
    return 128 + end.signal;
  }
  if (auto kept = keep_fresh_limits(**tools, *store); !kept) shown.note(kept.failure().what);
  return report(arguments, *options, *store, end.last);
}

}  // namespace kope
