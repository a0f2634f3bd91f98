#include "toolchains/device.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "messages/content_hash.hpp"
#include "toolchains/cache_sizes.hpp"

namespace kope {
namespace {

std::map<std::string, std::string> first_processor() {
  std::map<std::string, std::string> fields;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !(line.empty() && !fields.empty());) {
    size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string name = line.substr(0, colon);
    name.erase(name.find_last_not_of(" \t") + 1);
    fields[name] = colon + 2 <= line.size() ? line.substr(colon + 2) : "";
  }
  return fields;
}

// The extensions that change what a kernel's inner loop can be; the kernel lists those that it lets programs use.
bool counts(const std::string& flag) {
  static constexpr std::array others{"sse4_2", "fma",     "fma4",    "f16c", "bmi2",
                                     "asimd",  "asimdhp", "asimddp", "bf16", "i8mm"};
  if (flag.starts_with("avx") || flag.starts_with("amx") || flag.starts_with("sve")) return true;
  return std::any_of(others.begin(), others.end(), [&](const char* other) { return flag == other; });
}

std::vector<std::string> extensions(const std::string& flags) {
  std::vector<std::string> out;
  std::istringstream words(flags);
  for (std::string word; words >> word;)
    if (counts(word)) out.push_back(word);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

std::vector<int> usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

result<parcel<wire::TargetRecord>> detect_target(uint32_t threads, wire::TimingMode mode) {
  if (threads == 0) return error{errc::invalid_input, "a target needs at least one thread"};
  auto fields = first_processor();
  if (fields.empty()) return error{errc::io, "/proc/cpuinfo cannot be read: is /proc mounted?"};
  auto first_of = [&](const char* x86, const char* arm) { return fields.count(x86) ? fields[x86] : fields[arm]; };
  std::string vendor = first_of("vendor_id", "CPU implementer");
  std::string model = fields.count("cpu family") ? "family " + fields["cpu family"] + " model " + fields["model"]
                                                 : "part " + fields["CPU part"] + " variant " + fields["CPU variant"];
  auto isa = extensions(first_of("flags", "Features"));
  auto caches = data_cache_bytes();
  auto cores = static_cast<uint32_t>(std::min<size_t>(threads, usable_cpus().size()));

  std::vector<std::string> parts{vendor, model};
  parts.insert(parts.end(), isa.begin(), isa.end());
  parts.push_back("|");  // ends the list of extensions, whose length varies
  for (uint32_t number : {caches[0], caches[1], caches[2], cores, threads, static_cast<uint32_t>(mode)})
    parts.push_back(std::to_string(number));
  std::vector<std::string_view> views(parts.begin(), parts.end());
  return parcel<wire::TargetRecord>::build([&](wire::TargetRecord::Builder out) {
    out.setKey(content_hash_of(views));
    out.setVendor(vendor);
    out.setModel(model);
    auto list = out.initIsa(static_cast<unsigned>(isa.size()));
    for (size_t i = 0; i < isa.size(); ++i) list.set(static_cast<unsigned>(i), isa[i]);
    out.setL1dBytes(caches[0]);
    out.setL2Bytes(caches[1]);
    out.setL3Bytes(caches[2]);
    out.setCores(cores);
    out.setThreads(threads);
    out.setMode(mode);
  });
}

}  // namespace kope
