#include "bench/peers.hpp"

#include <algorithm>

#include "actors/evaluation/kernel_shim.hpp"
#include "bench/peer_sources.hpp"
#include "config/toolchain_files.hpp"
#include "daemon/catalogue.hpp"

namespace kope::bench {
namespace {

// A runner can neither print nor exit: the answer comes back as an output, a text with its end.
constexpr size_t answer_bytes = 512;
constexpr double asking_seconds_max = 5;

std::string asking_source(const peer_library& library) {
  return std::string(library.head) + R"(
#include <string.h>
extern "C" __attribute__((visibility("default"))) void kope_entry(const void* const*, void* const* outputs,
                                                                  const int64_t* sizes) {
  char* text = (char*)outputs[0];
  memset(text, 0, sizes[0]);
  strncpy(text, about(), sizes[0] - 1);
}
)";
}

/// With the library's own flags beside the candidates'. A compiler is made for each: there are few.
result<build> compile_with(workplace& at, const peer_library& library, compile_request request) {
  auto description =
      load_toolchain(at.tools().share / "config" / "toolchains", at.tools().toolchain.read()->getName().cStr());
  if (!description) return description.failure();
  // What is kept from call to call is destroyed at the end, for which the C runtime's start files are needed.
  std::erase(description->base_flags, "-nostartfiles");
  if (!library.link.empty())
    description->base_flags.insert(description->base_flags.end(), {"-Wl,--no-as-needed", std::string(library.link)});
  auto linking = make_compiler(*at.tools().processes, *description, (at.tools().data / "scratch" / "peer").string());
  if (!linking) return linking.failure();
  return compile_and_wait(**linking, std::move(request));
}

/// What it says of itself; errc::tool_missing names the package when it cannot be compiled with or loaded.
result<std::string> ask(workplace& at, const peer_library& library) {
  auto built = compile_with(at, library, {.source = asking_source(library), .prologue = "#include <stdint.h>\n"});
  if (!built) return built.failure();
  auto view = built->read();
  std::string said = view->getDiagnostics().cStr();
  if (!view->getSucceeded())
    return error{errc::tool_missing, std::string(library.name) + " cannot be used: apt-get install " +
                                         std::string(library.package) + " (" + said.substr(0, said.find('\n')) + ")"};
  session_request request;
  request.artifact = std::as_bytes(std::span(bytes_of(*built)));
  request.layout.output_bytes = {answer_bytes};
  request.layout.sizes = {answer_bytes};
  request.cpus = {at.tools().cpus.front()};
  auto session = at.library_runner().open(request);
  if (!session) return session.failure();
  uint32_t slot = 0;
  auto report = (*session)->call({&slot, 1}, asking_seconds_max);
  if (!report) return report.failure();
  auto answer = (*session)->output(0, 0);
  std::string text(reinterpret_cast<const char*>(answer.data()), answer.size());
  text.resize(std::min(text.find('\0'), text.size()));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  if (report->end != batch_end::done || text.empty())
    return error{errc::internal, std::string(library.name) + " did not say what it is: " + (*session)->last_words()};
  return text;
}

const peer_library& library_named(std::string_view name) {
  auto all = peer_libraries();
  auto found = std::find_if(all.begin(), all.end(), [&](auto& each) { return each.name == name; });
  check(found != all.end(), "a peer's source names a library of the catalogue");
  return *found;
}

}  // namespace

result<std::vector<peer>> compile_peers(workplace& at, std::string_view task_name) {
  std::vector<peer> peers;
  for (auto& each : peer_sources()) {
    if (each.task != task_name) continue;
    auto& library = library_named(each.library);
    peer made{.library = std::string(each.library)};
    auto about = ask(at, library);
    if (!about && about.failure().code != errc::tool_missing) return about.failure();
    made.about = about ? *about : about.failure().what;
    if (about) {
      auto of = at.task_of(task_name).read();
      auto around = candidate_surrounding(*of);
      auto built = compile_with(at, library,
                                {.source = std::string(library.head) + std::string(each.source),
                                 .prologue = std::move(around.prologue),
                                 .epilogue = std::move(around.epilogue)});
      if (!built) return built.failure();
      auto view = built->read();
      if (!view->getSucceeded())
        return error{errc::internal, made.library + "'s " + std::string(task_name) +
                                         " does not compile: " + view->getDiagnostics().cStr()};
      made.artifact = std::move(*built);
    }
    peers.push_back(std::move(made));
  }
  return peers;
}

std::vector<std::string_view> tasks_with_peers() {
  std::vector<std::string_view> tasks;
  for (auto& each : peer_sources())
    if (std::find(tasks.begin(), tasks.end(), each.task) == tasks.end()) tasks.push_back(each.task);
  return tasks;
}

}  // namespace kope::bench
