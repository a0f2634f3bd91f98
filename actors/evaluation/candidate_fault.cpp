#include "actors/evaluation/candidate_fault.hpp"

#include <csignal>
#include <cstdio>
#include <cstring>

namespace kope {

namespace {

constexpr size_t last_words_shown = 200;  ///< one line in a report

std::string one_line(std::string_view text) {
  std::string line;
  for (char c : text.substr(0, last_words_shown)) line += c == '\n' || c == '\r' ? ' ' : c;
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

// The process's own words, believed for the choice between two ways of dying only. `bad_alloc` alone would miss those
// that write through a null pointer, the flag alone those whose allocator is not the C library's.
bool out_of_memory(const batch_report& report, std::string_view last_words) {
  return report.refused_memory || last_words.find("bad_alloc") != std::string_view::npos;
}

}  // namespace

std::optional<fault> fault_of(const batch_report& report, double deadline_seconds, std::string_view last_words) {
  std::string said = one_line(last_words);
  if (!said.empty()) said = " (" + said + ")";
  char seconds[64];
  switch (report.end) {
    case batch_end::done:
      return std::nullopt;
    case batch_end::timed_out:
      std::snprintf(seconds, sizeof seconds, "did not return within %.1f s", deadline_seconds);
      return fault{wire::OutcomeClass::TIMED_OUT, seconds, report.cpu_seconds < deadline_seconds / 2};
    case batch_end::exited:
      if (out_of_memory(report, last_words))
        return fault{wire::OutcomeClass::OUT_OF_MEMORY,
                     "was refused memory and called exit(" + std::to_string(report.status) + ")" + said};
      return fault{wire::OutcomeClass::CRASHED, "called exit(" + std::to_string(report.status) + ")" + said};
    case batch_end::crashed:
      break;
  }
  const char* name = strsignal(report.status);
  std::string detail =
      "died of signal " + std::to_string(report.status) + (name ? std::string(", ") + name : "") + said;
  if (report.status == SIGSYS) {
    std::string call = report.refused_call.empty() ? "a system call" : report.refused_call;
    return fault{wire::OutcomeClass::SANDBOX_VIOLATION, "was ended for calling " + call + said};
  }
  if (report.status == SIGXCPU) return fault{wire::OutcomeClass::TIMED_OUT, detail};
  if (out_of_memory(report, last_words))
    return fault{wire::OutcomeClass::OUT_OF_MEMORY, "was refused memory and " + detail};
  return fault{wire::OutcomeClass::CRASHED, detail};
}

std::optional<fault> fault_of_loading(const error& failure) {
  // The runner's contract: an artifact that dies or hangs while loading is invalid input.
  if (failure.code == errc::forbidden) return fault{wire::OutcomeClass::SANDBOX_VIOLATION, one_line(failure.what)};
  if (failure.code == errc::out_of_memory) return fault{wire::OutcomeClass::OUT_OF_MEMORY, one_line(failure.what)};
  if (failure.code == errc::timed_out) return fault{wire::OutcomeClass::TIMED_OUT, one_line(failure.what)};
  if (failure.code == errc::invalid_input) return fault{wire::OutcomeClass::CRASHED, one_line(failure.what)};
  return std::nullopt;
}

}  // namespace kope
