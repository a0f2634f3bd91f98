// Judging one source by the pipeline that judges every attempt: what `eval` and `doctor --adversarial` share. Main
// thread; one judgement at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "daemon/tool_box.hpp"
#include "messages/actors.hpp"
#include "messages/result.hpp"
#include "storage/graph_store.hpp"

namespace kope {

struct source_to_judge {
  std::string text;
  std::vector<std::string> flags;
  std::string timed_case;
};

struct judgement {
  attempt_record attempt;  ///< empty when a signal came first
  int signal = 0;
};

/// One exploration of one attempt with the coder `given`, in an actor system of its own: 2 ms beside what the compiler
/// and the runner take. errc::internal when the program could not go on or nothing was judged.
result<judgement> judge_source(tool_box& tools, const task& of, source_to_judge source,
                               std::shared_ptr<graph_store> store);

}  // namespace kope
