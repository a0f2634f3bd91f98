#include "daemon/catalogue.hpp"

#include <array>
#include <filesystem>

#include "actors/planner/policies/effects_model.hpp"
#include "actors/planner/policies/local_search.hpp"
#include "actors/planner/policies/random_search.hpp"
#include "toolchains/cpp_compiler.hpp"
#include "toolchains/host_runner.hpp"

namespace kope {
namespace {

struct policy_entry {
  std::string_view name;
  std::unique_ptr<policy> (*make)(parameter_space);
};
constexpr std::array policies{
    policy_entry{"effects_model", make_effects_model},
    policy_entry{"local_search", make_local_search},
    policy_entry{"random", make_random_search},
};

}  // namespace

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (auto& entry : policies) names.emplace_back(entry.name);
  return names;
}

result<std::unique_ptr<policy>> make_policy(std::string_view name, parameter_space space) {
  std::string known;
  for (auto& entry : policies) {
    if (entry.name == name) return entry.make(std::move(space));
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  return error{errc::not_found, "there is no policy \"" + std::string(name) + "\"; known: " + known};
}

result<std::unique_ptr<compiler>> make_compiler(process_host& host, const cpp_compiler_options& description,
                                                const std::string& scratch) {
  return make_cpp_compiler(host, description, scratch);
}

result<std::unique_ptr<runner>> make_runner(process_host& host, host_runner_options options) {
  std::error_code failed;
  auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) return error{errc::io, "/proc/self/exe cannot be read: " + failed.message() + "; is /proc mounted?"};
  auto program = self.parent_path() / "kope-runner";
  if (!std::filesystem::exists(program))
    return error{errc::tool_missing, "kope-runner is not beside " + self.string() + "; build it with ./dev build"};
  options.program = program.string();
  return make_host_runner(host, options);
}

}  // namespace kope
