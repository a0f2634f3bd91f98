// The table of operators, for people and as JSON. Pure.
#include "bench/operators.hpp"
#include "bench/text_table.hpp"
#include "daemon/device_limits.hpp"
#include "messages/enum_names.hpp"

namespace kope::bench {
namespace {

std::string joined(const std::vector<std::string>& flags) {
  std::string all;
  for (const auto& flag : flags) all += (all.empty() ? "" : " ") + flag;
  return all;
}

std::string factor_text(const std::optional<comparison>& compared) {
  if (!compared) return "-";
  auto view = compared->read();
  return short_number(view->getRatio()) + " [" + short_number(view->getLow()) + ", " + short_number(view->getHigh()) +
         "]";
}

json comparison_json(const std::optional<comparison>& compared) {
  if (!compared) return nullptr;
  auto view = compared->read();
  json one;
  one["ratio"] = number_or_null(view->getRatio());
  one["interval"] = interval_of(*view);
  one["pairs"] = view->getPairs();
  one["decision"] = enum_name(view->getDecision());
  one["old_microseconds"] = number_or_null(view->getBaselineMicroseconds());
  one["new_microseconds"] = number_or_null(view->getCandidateMicroseconds());
  return one;
}

std::string peer_text(const operator_result& of) {
  return of.best_peer ? factor_text(against_best_peer(of)) + " " + of.peers[*of.best_peer].library : "-";
}

std::string limit_text(const operator_result& of) {
  if (!of.speedup || of.least.seconds <= 0) return "-";
  return number_text(100 * of.least.seconds * 1e6 / winner_microseconds(of), 0) + " %";
}

std::string pairs_text(const operator_result& of) {
  std::string all;
  for (const auto& compared : {of.speedup, of.against_flags, against_best_peer(of)})
    all += (all.empty() ? "" : "/") + (compared ? std::to_string(compared->read()->getPairs()) : "-");
  return all;
}

std::string notes_text(const operator_result& of) {
  std::string text = of.task + ":\n";
  double seconds = winner_microseconds(of) / 1e6;
  if (seconds > 0) {
    text += "  winner: " + of.winner_parameters + "\n  winner: " + short_number(of.flops / seconds / 1e9) +
            " GFLOP/s, " + short_number(of.bytes / seconds / 1e9) + " GB/s at the least traffic\n";
  }
  if (of.least.seconds > 0)
    text += "  " + label_of(of.least.limited_by) + " of CPU " + std::to_string(of.cpu) + ": " +
            short_number(of.least.rate / 1e9) + " G a second, so at least " + short_number(of.least.seconds * 1e6) +
            " us, at most " + short_number(reference_microseconds(of) / (of.least.seconds * 1e6)) + "x the reference\n";
  text += "  explored: " + std::to_string(of.attempts) + " attempts in " + seconds_text(of.explored_seconds) +
          ", stopped by " + of.stop_reason + ", seed " + std::to_string(of.seed) + "; its own figure " +
          comparison_text(*of.as_explored.read()) + '\n';
  for (size_t i = 0; i < of.peers.size(); ++i) {
    const auto& each = of.peers[i];
    text += "  peer: " + each.about;
    if (each.against) text += ": " + factor_text(each.against);
    if (!each.refused.empty()) text += ": refused, " + each.refused;
    text += of.best_peer == i ? " (the best)\n" : "\n";
  }
  for (size_t i = 0; i < of.flags.size(); ++i) {
    const auto& tried = of.flags[i];
    text += "  flags: " + joined(tried.flags) + ": " +
            (tried.refused.empty() ? factor_text(tried.against_reference) : "refused, " + tried.refused) +
            (of.best_flags == i ? " (the best)\n" : "\n");
  }
  return text + "  load: " + short_number(of.load_before) + " before, " + short_number(of.load_after) + " after\n";
}

}  // namespace

std::string operators_text(const std::vector<operator_result>& all) {
  text_table table({"operator", "case", "reference us", "winner us", "speed-up", "flags alone", "winner / flags",
                    "winner / best peer", "of limit", "pairs"});
  for (const auto& of : all) {
    std::optional<comparison> flags;
    if (of.best_flags) flags = of.flags[*of.best_flags].against_reference;
    table.add({of.task, of.timed_case, number_text(reference_microseconds(of), 1),
               of.speedup ? number_text(winner_microseconds(of), 1) : "-", factor_text(of.speedup), factor_text(flags),
               factor_text(of.against_flags), peer_text(of), limit_text(of), pairs_text(of)});
  }
  std::string text = table.text() + "(brackets: 99 % interval of the median paired ratio)\n\n";
  for (const auto& of : all) text += notes_text(of);
  return text;
}

json operators_json(const std::vector<operator_result>& all) {
  json rows = json::array();
  for (const auto& of : all) {
    json one;
    one["task"] = of.task;
    one["case"] = of.timed_case;
    one["reference_microseconds"] = number_or_null(reference_microseconds(of));
    one["winner_microseconds"] = of.speedup ? number_or_null(winner_microseconds(of)) : json(nullptr);
    one["speedup"] = comparison_json(of.speedup);
    one["winner_over_flags"] = comparison_json(of.against_flags);
    one["winner_over_best_peer"] = comparison_json(against_best_peer(of));
    one["best_peer"] = of.best_peer ? json(of.peers[*of.best_peer].library) : json(nullptr);
    one["peers"] = json::array();
    for (const auto& peer : of.peers)
      one["peers"].push_back({{"library", peer.library},
                              {"about", peer.about},
                              {"winner_over_peer", comparison_json(peer.against)},
                              {"refused", peer.refused}});
    one["best_flags"] = of.best_flags ? json(joined(of.flags[*of.best_flags].flags)) : json(nullptr);
    one["flags"] = json::array();
    for (const auto& tried : of.flags) {
      json each;
      each["flags"] = joined(tried.flags);
      each["over_reference"] = tried.refused.empty() ? comparison_json(tried.against_reference) : json(nullptr);
      each["refused"] = tried.refused;
      one["flags"].push_back(std::move(each));
    }
    one["least_microseconds"] = of.least.seconds > 0 ? json(of.least.seconds * 1e6) : json(nullptr);
    one["limited_by"] = of.least.seconds > 0 ? json(enum_name(of.least.limited_by)) : json(nullptr);
    one["flops"] = of.flops;
    one["bytes"] = of.bytes;
    one["cpu"] = of.cpu;
    one["exploration"] = {{"attempts", of.attempts},
                          {"seconds", of.explored_seconds},
                          {"seed", of.seed},
                          {"stop_reason", of.stop_reason},
                          {"speedup", comparison_json(of.as_explored)}};
    one["winner_parameters"] = of.winner_parameters;
    one["winner_source"] = of.winner_source;
    one["load"] = json::array({of.load_before, of.load_after});
    rows.push_back(std::move(one));
  }
  return rows;
}

}  // namespace kope::bench
