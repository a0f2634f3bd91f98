#include "toolchains/cpp_compiler.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "messages/content_hash.hpp"
#include "toolchains/diagnostics.hpp"

namespace kope {
namespace {

// A candidate's flags: the search has a dozen switches; these bounds only stop nonsense before it reaches a command
// line.
constexpr size_t flags_max = 64;
constexpr size_t flag_bytes_max = 128;

// The unit is compiled by relative names from its own directory, so no path of this machine gets into the artifact.
constexpr const char* unit_file = "unit.cpp";
// Diagnostics name the candidate's own lines; the compiler reads this file to quote them.
constexpr const char* candidate_file = "candidate.cpp";
constexpr const char* c_candidate_file = "candidate.c";
constexpr const char* artifact_file = "artifact.so";

bool write_file(const std::filesystem::path& path, std::initializer_list<std::string_view> parts) {
  std::ofstream file(path, std::ios::binary);
  for (auto part : parts) file << part;
  file.close();
  if (!file.good()) return false;
  // Whatever our umask is: the compiler may be another user.
  using std::filesystem::perms;
  std::error_code failed;
  std::filesystem::permissions(path, perms::owner_read | perms::owner_write | perms::group_read | perms::others_read,
                               failed);
  return !failed;
}

// What the compiler left: it ran on hostile text, so its directory may hold anything, a link or a pipe for instance.
std::string read_artifact(const std::string& path, size_t bytes_max) {
  int fd = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  std::string bytes;
  struct stat about {};
  if (fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) {
    bytes.resize(std::min(static_cast<size_t>(about.st_size), bytes_max));
    size_t at = 0;
    for (ssize_t got; at < bytes.size() && (got = read(fd, bytes.data() + at, bytes.size() - at)) > 0;)
      at += static_cast<size_t>(got);
    bytes.resize(at);
  }
  if (fd >= 0) close(fd);
  return bytes;
}

void erase_all(std::string& text, const std::string& what) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos;) text.erase(at, what.size());
}

build failed_build(const std::string& diagnostics) {
  return build::build([&](wire::Build::Builder out) {
    out.setSucceeded(false);
    out.setDiagnostics(diagnostics);
  });
}

class cpp_compiler final : public compiler {
public:
  cpp_compiler(process_host& host, cpp_compiler_options options, std::string scratch, std::string program,
               std::string version)
    : host_(host),
      options_(std::move(options)),
      scratch_(std::move(scratch)),
      program_(std::move(program)),
      version_(std::move(version)) {}

  result<uint64_t> compile(compile_request request, std::function<void(result<build>)> done) override;
  void cancel(uint64_t ticket) override { host_.cancel(ticket); }
  std::string version() const override { return version_; }
  std::vector<std::string> base_flags() const override { return options_.base_flags; }

private:
  std::string objection(const compile_request& request) const;
  process_request command(const compile_request& request, const std::string& directory) const;

  process_host& host_;
  const cpp_compiler_options options_;
  const std::string scratch_;
  const std::string program_;
  const std::string version_;
  const kept_diagnostics kept_{scratch_ + "-diagnostics"};  // <data>/scratch/compile-diagnostics
};

// Why a request is not even tried, in the words of a diagnostic.
std::string cpp_compiler::objection(const compile_request& request) const {
  if (request.source.size() > source_bytes_max)
    return "error: the source has " + std::to_string(request.source.size()) + " bytes, at most " +
           std::to_string(source_bytes_max) + " are taken\n";
  if (request.language == source_language::c && options_.c_flags.empty())
    return "error: the toolchain " + options_.name + " has no c_flags, it cannot compile C\n";
  if (request.flags.size() > flags_max)
    return "error: " + std::to_string(request.flags.size()) + " flags, at most " + std::to_string(flags_max) +
           " are taken\n";
  for (const auto& flag : request.flags)
    if (!flag_allowed(options_.allowed_flags, flag))
      return "error: the flag '" + flag.substr(0, flag_bytes_max) + "' is not among the allowed flags of " +
             options_.name + "\n";
  return {};
}

// Chosen by the user where the reference is built with flags of his own.
bool chooses_optimisation(std::string_view flag) {
  return flag.starts_with("-O") || flag.starts_with("-march=") || flag.starts_with("-mtune=") ||
         flag.starts_with("-mcpu=");
}

process_request cpp_compiler::command(const compile_request& request, const std::string& directory) const {
  process_request out;
  out.arguments = {program_};
  const auto& base = request.baseline ? options_.baseline_flags : options_.base_flags;
  bool c = request.language == source_language::c;
  bool own = request.baseline && !request.flags.empty();
  std::copy_if(base.begin(), base.end(), std::back_inserter(out.arguments), [&](const std::string& flag) {
    return !(c && flag.starts_with("-std=")) && !(own && chooses_optimisation(flag));
  });
  if (c) out.arguments.insert(out.arguments.end(), options_.c_flags.begin(), options_.c_flags.end());
  out.arguments.insert(out.arguments.end(), request.flags.begin(), request.flags.end());
  out.arguments.insert(out.arguments.end(), {"-o", artifact_file, unit_file});
  // The driver finds its assembler and linker in PATH. LC_ALL=C: one wording and ASCII quotes, so that the same error
  // has the same symptom everywhere. TMPDIR: relative, because a private root has the directory in another place.
  out.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TMPDIR=."};
  out.directory = directory;
  out.profile = sandbox_profile::compiler;
  out.limits.wall = std::chrono::seconds(options_.wall_seconds);
  out.limits.cpu_seconds = options_.cpu_seconds;
  out.limits.address_space_bytes = uint64_t{options_.memory_mebibytes} << 20;
  out.limits.file_bytes = uint64_t{options_.artifact_mebibytes} << 20;
  out.limits.processes = 16;  // driver, compiler, assembler, collect2, linker: at most 4 at a time
  out.limits.output_bytes = size_t{options_.kept_diagnostics_kibibytes} << 10;
  return out;
}

// What the ended tool means. `directory` still exists.
result<build> outcome_of(const process_report& report, const cpp_compiler_options& options,
                         const kept_diagnostics& kept, const std::string& directory) {
  std::string how = options.name + " (" + options.program + ")";
  if (report.end == process_end::cancelled) return error{errc::cancelled, how + " was cancelled"};
  if (report.end == process_end::timed_out)
    return error{errc::timed_out,
                 how + " did not end within its limit of " + std::to_string(options.wall_seconds) + " s"};
  bool well = report.end == process_end::exited && report.status == 0;
  // The driver reports a compiler killed by the CPU limit as an ordinary failure. The kernel counts the limit in ticks
  // and the report in run time, which differ on a busy machine; half of the limit and a kill leave no other reason.
  bool killed = report.output.find("Killed") != std::string::npos;
  if (!well && report.cpu_seconds >= (killed ? 0.5 : 0.95) * options.cpu_seconds)
    return error{errc::timed_out,
                 how + " used up its limit of " + std::to_string(options.cpu_seconds) + " s of CPU time"};

  std::string diagnostics = report.output;
  erase_all(diagnostics, directory + "/");
  if (size_t max = size_t{options.diagnostics_kibibytes} << 10; diagnostics.size() > max) {
    auto whole = kept.keep(diagnostics);
    diagnostics = shortened_diagnostics(diagnostics, max) + "\n[cut; " +
                  (whole.empty() ? std::string("the rest is lost") : "more is in compile-diagnostics/" + whole) + "]\n";
  }
  std::string artifact;
  if (well) {
    artifact = read_artifact(directory + "/" + artifact_file, parcel_bytes_max / 2 + 1);
    if (artifact.empty()) return error{errc::io, how + " ended well but left no artifact"};
    if (artifact.size() > parcel_bytes_max / 2) {
      well = false;
      diagnostics = "error: the artifact has " + std::to_string(artifact.size()) + " bytes, at most " +
                    std::to_string(parcel_bytes_max / 2) + " are taken\n";
    }
  } else if (report.end == process_end::signalled) {
    diagnostics += "error: the compiler was ended by signal " + std::to_string(report.status) + "\n";
  }
  return build::build([&](wire::Build::Builder out) {
    out.setSucceeded(well);
    out.setDiagnostics(diagnostics);
    out.setCompileSeconds(report.wall_seconds);
    if (!well) return;
    out.setArtifact({reinterpret_cast<const kj::byte*>(artifact.data()), artifact.size()});
    out.setArtifactHash(content_hash(artifact));
  });
}

result<uint64_t> cpp_compiler::compile(compile_request request, std::function<void(result<build>)> done) {
  if (auto why = objection(request); !why.empty()) {
    done(failed_build(why));
    return uint64_t{0};
  }
  if (host_.sandbox().level < options_.weakest)
    return error{errc::io, "candidates cannot be compiled here, the sandbox is too weak: " + describe(host_.sandbox())};
  std::string directory = scratch_ + "/compile-XXXXXX";
  if (mkdtemp(directory.data()) == nullptr)
    return error{errc::io, "no directory to compile in can be made under " + scratch_};
  auto remove = [directory] {
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
  };
  std::filesystem::path path(directory);
  const char* candidate = request.language == source_language::c ? c_candidate_file : candidate_file;
  bool written =
      write_file(path / candidate, {request.source}) &&
      write_file(path / unit_file, {"#line 1 \"prologue.cpp\"\n", request.prologue, "\n#line 1 \"", candidate, "\"\n",
                                    request.source, "\n#line 1 \"epilogue.cpp\"\n", request.epilogue, "\n"});
  if (!written) {
    remove();
    return error{errc::io, "the source cannot be written to " + directory};
  }
  auto handle = host_.start(command(request, directory), [this_options = options_, this_kept = kept_, directory, remove,
                                                          done](process_report report) {
    auto outcome = outcome_of(report, this_options, this_kept, directory);
    remove();
    done(std::move(outcome));
  });
  if (!handle) {
    remove();
    return handle.failure();
  }
  return handle->id;
}

}  // namespace

bool flag_allowed(const std::vector<std::string>& allowed, const std::string& flag) {
  // A name without a dash would be an input file, and @file reads flags from one.
  if (flag.size() < 2 || flag.size() > flag_bytes_max || flag[0] != '-') return false;
  if (std::any_of(flag.begin(), flag.end(), [](unsigned char c) { return c <= ' ' || c >= 0x7f; })) return false;
  return std::any_of(allowed.begin(), allowed.end(), [&](const std::string& entry) {
    if (entry.ends_with('*')) return flag.starts_with(std::string_view(entry).substr(0, entry.size() - 1));
    return flag == entry;
  });
}

result<std::unique_ptr<compiler>> make_cpp_compiler(process_host& host, cpp_compiler_options options,
                                                    std::string scratch) {
  std::error_code failed;
  std::filesystem::create_directories(scratch, failed);
  scratch = std::filesystem::absolute(scratch).string();
  process_request ask;
  ask.arguments = {options.program, options.version_flag};
  ask.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C"};
  auto report = host.run(ask);
  if (!report && report.failure().code == errc::tool_missing)
    return error{errc::tool_missing, options.program + " is not installed: apt-get install " + options.package +
                                         " (toolchain " + options.name + ")"};
  if (!report) return report.failure();
  if (report->end != process_end::exited || report->status != 0)
    return error{errc::io, options.program + " " + options.version_flag + " failed: " + report->output};
  std::string version = report->output.substr(0, report->output.find('\n'));
  std::string program = options.program;
  return std::unique_ptr<compiler>(std::make_unique<cpp_compiler>(host, std::move(options), std::move(scratch),
                                                                  std::move(program), std::move(version)));
}

}  // namespace kope
