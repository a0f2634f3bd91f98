#include "toolchains/c_source_reader.hpp"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "toolchains/debug_info.hpp"

namespace kope {
namespace {

// GCC and readelf come with g++, which every installation has; the file's functions are kept even when nothing calls
// them. Version 4 of the debug information keeps `restrict` and is what every readelf prints alike.
constexpr const char* compiler_program = "gcc";
constexpr const char* reader_program = "readelf";
// <stdio.h>, <math.h> and <complex.h> preprocessed are 100 KiB; their debug information prints as 1 MiB.
constexpr size_t output_bytes_max = size_t{16} << 20;
constexpr uint64_t file_bytes_max = uint64_t{32} << 20;

class workplace {
public:
  explicit workplace(const std::string& scratch) : path_(scratch + "/read-XXXXXX") {
    std::error_code failed;
    std::filesystem::create_directories(scratch, failed);
    path_ = std::filesystem::absolute(path_).string();
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~workplace() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  workplace(const workplace&) = delete;
  workplace& operator=(const workplace&) = delete;
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

result<process_report> run(process_host& host, const workplace& at, std::vector<std::string> arguments,
                           const char* package) {
  process_request request;
  request.arguments = std::move(arguments);
  request.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TMPDIR=."};
  request.directory = at.path();
  request.profile = sandbox_profile::compiler;
  request.limits.file_bytes = file_bytes_max;
  request.limits.processes = 16;
  request.limits.output_bytes = output_bytes_max;
  auto report = host.run(request);
  if (!report && report.failure().code == errc::tool_missing)
    return error{errc::tool_missing, request.arguments[0] + " is not installed: apt-get install " + package};
  return report;
}

bool ended_well(const process_report& report) { return report.end == process_end::exited && report.status == 0; }

/// The first error and the line of the file that it is about.
std::string first_error(const std::string& output) {
  std::istringstream lines(output);
  std::string first, line;
  while (std::getline(lines, line)) {
    if (first.empty() && !line.empty()) first = line;
    if (line.find("error:") != line.npos) return line;
  }
  return first;
}

}  // namespace

result<c_source> read_c_source(process_host& host, const std::string& scratch, const std::string& name,
                               const std::string& text) {
  workplace at(scratch);
  if (at.path().empty()) return error{errc::io, "no directory to read the file in can be made under " + scratch};
  {
    std::ofstream file(at.path() + "/unit.c", std::ios::binary);
    file << text << '\n';
    if (!file.flush()) return error{errc::io, "the file cannot be written to " + at.path()};
  }
  std::error_code failed;
  std::filesystem::permissions(at.path() + "/unit.c", std::filesystem::perms(0644), failed);
  auto compiled = run(
      host, at,
      {compiler_program, "-xc", "-std=gnu17", "-O0", "-g", "-gdwarf-4", "-fkeep-static-functions",
       "-fkeep-inline-functions", "-fmax-errors=3", "-w", "-fdiagnostics-color=never", "-c", "-o", "unit.o", "unit.c"},
      "gcc");
  if (!compiled) return compiled.failure();
  if (!ended_well(*compiled))
    return error{errc::invalid_input, name + " does not compile as C: " + first_error(compiled->output)};
  auto preprocessed = run(host, at, {compiler_program, "-xc", "-std=gnu17", "-E", "-P", "unit.c"}, "gcc");
  if (!preprocessed) return preprocessed.failure();
  auto printed = run(host, at, {reader_program, "--debug-dump=info", "unit.o"}, "binutils");
  if (!printed) return printed.failure();
  if (!ended_well(*preprocessed) || !ended_well(*printed) || preprocessed->output_cut || printed->output_cut)
    return error{errc::invalid_input, name + " is too large to be read as the file of one kernel"};
  auto functions = parse_debug_info(printed->output);
  if (!functions) return error{functions.failure().code, name + ": " + functions.failure().what};
  // what came from a system's header is not his
  std::erase_if(*functions, [&](const c_function& one) { return text.find(one.name) == text.npos; });
  return c_source{std::move(*functions), std::move(preprocessed->output)};
}

}  // namespace kope
