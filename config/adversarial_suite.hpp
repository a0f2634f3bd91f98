// The shipped suite of sources that attack the verifier, and of honest ones that look as if they did
// (config/adversarial/). Each file begins with its header: the lines "//# key = value" are TOML, read as strictly as
// all our TOML. docs/TRUST.md says what the keys mean. Any thread; reads files, runs nothing.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "messages/parcel.hpp"
#include "messages/result.hpp"
#include "messages/task.capnp.h"
#include "messages/work.capnp.h"

namespace kope {

/// A suite is read by people: more sources than this is a mistake in the folder.
constexpr size_t suite_sources_max = 1000;

struct suite_source {
  std::string name;  ///< "hostile/keeps_by_pointer": folder and file without ending
  bool hostile = true;
  std::string task;
  std::string timed_case;                    ///< empty: the task's first timed case
  std::string tries;                         ///< one sentence
  std::vector<wire::OutcomeClass> outcomes;  ///< each as good as another; of a hostile one never `improved`
  std::vector<std::string> caught_by;        ///< names of defences, the first is the one that has to catch it
  /// A defence of the sandbox without which the source must not be run: it could harm the machine. Empty: harmless.
  std::string needs;
  std::vector<std::string> flags;
  std::string text;
};

struct adversarial_suite {
  std::vector<suite_source> sources;      ///< hostile ones first, by name
  std::vector<parcel<wire::Task>> tasks;  ///< the suite's own
};

struct defence_name {
  std::string_view name;
  std::string_view meaning;  ///< for people, follows "caught by"
};
/// Every defence that a header may name.
const std::vector<defence_name>& defence_names();

/// `directory` is config/adversarial. errc::invalid_input for the first mistake, with file and line; errc::not_found
/// when there is no such folder.
result<adversarial_suite> load_adversarial_suite(const std::filesystem::path& directory);

}  // namespace kope
