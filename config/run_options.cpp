#include "config/run_options.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "config/nearest_name.hpp"
#include "config/toml_reader.hpp"

namespace kope {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t attempts_max = 1'000'000;   // the graph's step folding is sized for a million
constexpr uint32_t tickets_max = 64;           // in flight past the coder: at most 64 a core
constexpr double seconds_max = 30 * 86'400.0;  // a month; "no limit" is not a budget
constexpr std::string_view timings[] = {"rotating", "resident"};
constexpr std::string_view log_levels[] = {"trace", "debug", "info", "warn", "error", "off"};

// Where a value was found: for the sentence that refuses it and for `config show`.
struct found {
  option_origin origin;
  std::string place;
  fs::path base;  // relative paths start here
};

[[noreturn]] void refuse(const found& at, const std::string& what) {
  throw bad_file(errc::invalid_input, at.place + ": " + what);
}

uint32_t whole(const std::string& text, uint32_t low, uint32_t high, const found& at) {
  uint32_t value = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || value < low || value > high)
    refuse(at, "'" + text.substr(0, 60) + "' is not a whole number from " + std::to_string(low) + " to " +
                   std::to_string(high));
  return value;
}

double number(const std::string& text, double low, double high, const found& at) {
  double value = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || !(value >= low && value <= high))
    refuse(at, "'" + text.substr(0, 60) + "' is not a number from " + std::to_string(static_cast<long>(low)) + " to " +
                   std::to_string(static_cast<long>(high)));
  return value;
}

// Names of policies and toolchains are checked by those who know them; here only that they are names.
std::string name(const std::string& text, const found& at) {
  bool good = !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-';
  });
  if (!good) refuse(at, "'" + text.substr(0, 60) + "' is not a name of letters, digits, _ and -");
  return text;
}

std::string timing(const std::string& text, const found& at) {
  if (std::find(std::begin(timings), std::end(timings), text) == std::end(timings))
    refuse(at, "'" + text.substr(0, 60) + "' is no way to time: " + listed(timings));
  return text;
}

std::string level(const std::string& text, const found& at) {
  if (std::find(std::begin(log_levels), std::end(log_levels), text) == std::end(log_levels))
    refuse(at, "'" + text.substr(0, 60) + "' is not a log level: " + listed(log_levels));
  return text;
}

template <class T>
void take(option<T>& option, T value, const found& at) {
  option = {std::move(value), at.origin, at.place};
}

std::string plain(double value) {
  char text[32];
  auto [end, failed] = std::to_chars(text, text + sizeof text, value);
  return failed == std::errc() ? std::string(text, end) : std::string();
}
std::string plain(uint32_t value) { return std::to_string(value); }
std::string plain(const std::string& value) { return value; }
std::string plain(const fs::path& value) { return value.string(); }

template <auto Member>
constexpr option_row row(std::string_view name, std::string_view built_in, std::string_view why) {
  return {name,
          built_in,
          why,
          [](const run_options& o) { return plain((o.*Member).value); },
          [](const run_options& o) { return (o.*Member).origin; },
          [](const run_options& o) { return (o.*Member).place; }};
}

constexpr option_row rows[] = {
    row<&run_options::data_dir>(
        "data_dir", "",
        "where the experience graph and results are kept; empty: $XDG_STATE_HOME/kope, else ~/.local/state/kope"),
    row<&run_options::attempts>("attempts", "40",
                                "at most this many attempts: about what two minutes on two cores allow"),
    row<&run_options::seconds>("seconds", "120",
                               "at most this many seconds of exploring: a first verified speed-up while you wait"),
    row<&run_options::seed>("seed", "0", "of all random numbers of an exploration; 0 draws one and records it"),
    row<&run_options::tickets>("tickets", "4", "attempts in flight at once: two keep a core busy while others compile"),
    row<&run_options::policy>("policy", "local_search",
                              "how the planner picks the next attempt: local_search, effects_model, or random as a "
                              "yardstick"),
    row<&run_options::stop_fraction>(
        "stop_fraction", "0.95",
        "over when the best reaches this fraction of the device's limit, which has an error "
        "too; 0: never"),
    row<&run_options::plateau>("plateau", "0",
                               "over after so many attempts in a row that beat nothing; 0: the budget alone ends it"),
    row<&run_options::toolchain>("toolchain", "cpp-gcc",
                                 "a description of config/toolchains: the compiler that every Debian has"),
    row<&run_options::timing>("timing", "rotating",
                              "rotating: data comes from afar; resident: from half of L2; results are never mixed"),
    row<&run_options::log_level>("log_level", "warn",
                                 "least severe log line on stderr: trace, debug, info, warn, error or off"),
};

// Every layer ends here, as text: one place decides what is valid.
void set(run_options& options, std::string_view key, const std::string& text, const found& at) {
  if (key == "data_dir") {
    if (text.empty()) return;  // the standard place
    fs::path path = text;
    take(options.data_dir, (path.is_absolute() ? path : at.base / path).lexically_normal(), at);
  } else if (key == "attempts") {
    take(options.attempts, whole(text, 1, attempts_max, at), at);
  } else if (key == "seconds") {
    take(options.seconds, number(text, 1, seconds_max, at), at);
  } else if (key == "seed") {
    take(options.seed, whole(text, 0, UINT32_MAX, at), at);
  } else if (key == "tickets") {
    take(options.tickets, whole(text, 1, tickets_max, at), at);
  } else if (key == "policy") {
    take(options.policy, name(text, at), at);
  } else if (key == "stop_fraction") {
    take(options.stop_fraction, number(text, 0, 1, at), at);
  } else if (key == "plateau") {
    take(options.plateau, whole(text, 0, attempts_max, at), at);
  } else if (key == "toolchain") {
    take(options.toolchain, name(text, at), at);
  } else if (key == "timing") {
    take(options.timing, timing(text, at), at);
  } else if (key == "log_level") {
    take(options.log_level, level(text, at), at);
  } else {
    check(false, "an option of the table that nobody sets");
  }
}

std::vector<std::string_view> option_names() {
  std::vector<std::string_view> names;
  for (auto& row : rows) names.push_back(row.name);
  return names;
}

std::string home_of(const std::map<std::string, std::string>& environment) {
  auto home = environment.find("HOME");
  return home == environment.end() ? std::string() : home->second;
}

// The XDG specification: a relative path in these variables is to be ignored.
fs::path xdg(const std::map<std::string, std::string>& environment, const char* variable, const char* below_home) {
  if (auto found = environment.find(variable); found != environment.end() && fs::path(found->second).is_absolute())
    return found->second;
  auto home = home_of(environment);
  return home.empty() ? fs::path() : fs::path(home) / below_home;
}

void read_file(run_options& options, const fs::path& path, option_origin origin, const std::string& home) {
  std::error_code failed;
  if (path.empty() || !fs::exists(path, failed)) return;
  auto document = parse_toml_file(path);
  auto names = option_names();
  strict_table table(document, path.string(), "", names);
  auto base = fs::absolute(path).parent_path();
  for (auto key : names) {
    auto node = document.get(key);
    if (!node) continue;
    found at{origin, path.string() + ":" + std::to_string(node->source().begin.line) + ": '" + std::string(key) + "'",
             base};
    std::string text;
    bool is_text = key == "data_dir" || key == "policy" || key == "toolchain" || key == "timing" || key == "log_level";
    if (is_text) {
      if (auto value = node->value_exact<std::string>(); value && value->empty() && key == "data_dir") continue;
      text = table.text(key);
      if (text.starts_with("~/") && key == "data_dir" && !home.empty()) text = home + text.substr(1);
    } else if (key == "seconds" || key == "stop_fraction") {
      text = plain(table.number(key));
    } else {
      text = std::to_string(table.whole(key, 0, UINT32_MAX));
    }
    set(options, key, text, at);
  }
}

void read_environment(run_options& options, const option_sources& sources) {
  std::vector<std::string> variables;
  for (auto& row : rows) variables.push_back(environment_name(row.name));
  std::vector<std::string_view> known(variables.begin(), variables.end());
  for (auto& [variable, value] : sources.environment) {
    auto index = std::find(known.begin(), known.end(), variable) - known.begin();
    if (index < static_cast<ptrdiff_t>(known.size())) {
      // Set to nothing is how a shell unsets for one command.
      if (!value.empty())
        set(options, rows[index].name, value, {option_origin::environment, variable, sources.working_directory});
    } else if (variable.starts_with("KOPE_")) {
      // Tests and packagers have KOPE_ variables of their own; only a near miss is certainly a mistake.
      auto near = nearest_name(variable, known);
      if (edit_distance(variable, near) <= 2)
        throw bad_file(errc::invalid_input, variable + " is not an option; the nearest one is " + std::string(near));
    }
  }
}

}  // namespace

std::string_view origin_name(option_origin origin) {
  static constexpr std::string_view names[] = {"flag",      "environment", "project file",
                                               "user file", "system file", "built in"};
  return names[static_cast<size_t>(origin)];
}

std::span<const option_row> option_rows() { return rows; }

std::string flag_name(std::string_view option) {
  std::string flag = "--" + std::string(option);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string environment_name(std::string_view option) {
  std::string variable = "KOPE_" + std::string(option);
  std::transform(variable.begin(), variable.end(), variable.begin(), [](unsigned char c) { return std::toupper(c); });
  return variable;
}

option_sources option_sources_of_process(std::map<std::string, std::string> flags) {
  option_sources sources;
  sources.flags = std::move(flags);
  for (char** entry = environ; entry && *entry; ++entry) {
    std::string_view text = *entry;
    if (auto equals = text.find('='); equals != std::string_view::npos)
      sources.environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  std::error_code failed;
  sources.working_directory = fs::current_path(failed);
  sources.project_file = "kope.toml";
  if (auto config = xdg(sources.environment, "XDG_CONFIG_HOME", ".config"); !config.empty())
    sources.user_file = config / "kope" / "config.toml";
  sources.system_file = "/etc/kope/config.toml";
  return sources;
}

result<run_options> load_run_options(const option_sources& sources) {
  return read_strictly<run_options>("the options", [&] {
    run_options options;
    auto home = home_of(sources.environment);
    read_file(options, sources.system_file, option_origin::system_file, home);
    read_file(options, sources.user_file, option_origin::user_file, home);
    read_file(options, sources.project_file, option_origin::project_file, home);
    read_environment(options, sources);
    for (auto& [key, text] : sources.flags) {
      auto names = option_names();
      if (std::find(names.begin(), names.end(), key) == names.end())
        throw bad_file(errc::invalid_input,
                       flag_name(key) + " is not an option; the nearest one is " + flag_name(nearest_name(key, names)));
      if (key == "data_dir" && text.empty()) throw bad_file(errc::invalid_input, "--data-dir: the path is empty");
      set(options, key, text, {option_origin::flag, flag_name(key), sources.working_directory});
    }
    if (options.data_dir.value.empty()) {
      auto state = xdg(sources.environment, "XDG_STATE_HOME", ".local/state");
      if (state.empty())
        throw bad_file(
            errc::invalid_input,
            "there is no place for data: neither HOME nor XDG_STATE_HOME is set; give --data-dir or set one");
      options.data_dir.value = state / "kope";
    }
    return options;
  });
}

}  // namespace kope
