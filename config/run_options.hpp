// The program's options: one table of them, their layers, and where each value came from.
// flags > environment (KOPE_*) > ./kope.toml > $XDG_CONFIG_HOME/kope/config.toml > /etc/kope/config.toml > built in.
// config/kope.toml lists them for people; a test compares the two. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "messages/result.hpp"

namespace kope {

enum class option_origin { flag, environment, project_file, user_file, system_file, built_in };
std::string_view origin_name(option_origin origin);  ///< "flag", "environment", "project file", ...

template <class T>
struct option {
  T value{};
  option_origin origin = option_origin::built_in;
  std::string place;  ///< for people: "--attempts", "KOPE_ATTEMPTS", "kope.toml:3"; empty when built in
};

struct run_options {
  option<std::filesystem::path> data_dir;  ///< absolute; built in: $XDG_STATE_HOME/kope, else ~/.local/state/kope
  option<uint32_t> attempts{40};
  option<double> seconds{120};
  option<uint32_t> seed{0};  ///< 0: random, and recorded
  option<uint32_t> tickets{4};
  option<std::string> policy{"local_search"};
  option<double> stop_fraction{0.95};  ///< of the device's limit; 0: never
  option<uint32_t> plateau{0};         ///< attempts in a row that beat nothing; 0: never
  option<std::string> toolchain{"cpp-gcc"};
  option<std::string> timing{"rotating"};  ///< a wire::TimingMode by name
  option<std::string> log_level{"warn"};
};

/// One row for each option: for flags of the command line, for `config show`, for the test of config/kope.toml.
struct option_row {
  std::string_view name;      ///< as in files; --data-dir and KOPE_DATA_DIR follow from it
  std::string_view built_in;  ///< as text
  std::string_view why;       ///< one line for --help and the file
  std::string (*text)(const run_options&);
  option_origin (*origin)(const run_options&);
  std::string (*place)(const run_options&);
};
std::span<const option_row> option_rows();
std::string flag_name(std::string_view option);         ///< data_dir -> --data-dir
std::string environment_name(std::string_view option);  ///< data_dir -> KOPE_DATA_DIR

/// What the layers are read from; a test gives its own.
struct option_sources {
  std::map<std::string, std::string> flags;        ///< by option name, e.g. {"data_dir", "/tmp/x"}
  std::map<std::string, std::string> environment;  ///< all of it
  std::filesystem::path working_directory;         ///< relative paths of flags and environment start here
  std::filesystem::path project_file;              ///< a file that does not exist is no layer
  std::filesystem::path user_file;
  std::filesystem::path system_file;
};
option_sources option_sources_of_process(std::map<std::string, std::string> flags);

/// errc::invalid_input is one sentence that names the flag, variable or file:line, what is wrong and what would be
/// right. A KOPE_ variable that is nearly an option's is refused as a mistyped one.
result<run_options> load_run_options(const option_sources& sources);

}  // namespace kope
