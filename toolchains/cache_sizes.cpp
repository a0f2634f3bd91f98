#include "toolchains/cache_sizes.hpp"

#include <fstream>
#include <string>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace kope {
namespace {

using sizes = std::array<uint32_t, 3>;

constexpr int indexes_max = 8;  // caches of one CPU: four are usual

sizes told_by_kernel() {
  sizes found{};
  for (int index = 0; index < indexes_max; ++index) {
    std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    std::ifstream level_file(folder + "level"), type_file(folder + "type"), size_file(folder + "size");
    size_t level = 0;
    std::string type;
    uint32_t size = 0;
    char unit = 0;
    if (!(level_file >> level) || !(type_file >> type) || !(size_file >> size)) continue;
    if (level < 1 || level > found.size() || type == "Instruction") continue;
    size_file >> unit;
    found[level - 1] = unit == 'M' ? size << 20 : unit == 'K' ? size << 10 : size;
  }
  return found;
}

#if defined(__x86_64__)
struct registers {
  uint32_t a = 0, b = 0, c = 0, d = 0;
};

registers ask(uint32_t leaf, uint32_t index = 0) {
  registers said;
  if (__get_cpuid_count(leaf, index, &said.a, &said.b, &said.c, &said.d) == 0) return {};
  return said;
}

/// Leaf 4 of Intel and 0x8000001d of AMD have the same form.
sizes listed_in(uint32_t leaf) {
  constexpr uint32_t instruction_cache = 2;
  sizes found{};
  for (uint32_t index = 0; index < indexes_max; ++index) {
    auto said = ask(leaf, index);
    uint32_t type = said.a & 31, level = said.a >> 5 & 7;
    if (type == 0) break;
    if (type == instruction_cache || level < 1 || level > found.size()) continue;
    uint32_t ways = (said.b >> 22) + 1, partitions = (said.b >> 12 & 1023) + 1, line = (said.b & 4095) + 1;
    found[level - 1] = ways * partitions * line * (said.c + 1);
  }
  return found;
}

/// AMD's older leaves, which a virtual machine without the topology extension still has. Their third level is that of
/// the whole package, of which a core reaches a part: it is left out.
sizes of_older_leaves() { return {(ask(0x80000005).c >> 24) << 10, (ask(0x80000006).c >> 16) << 10, 0}; }

sizes told_by_processor() {
  sizes found = listed_in(4);
  for (const auto& other : {listed_in(0x8000001d), of_older_leaves()})
    for (size_t level = 0; level < found.size(); ++level)
      if (found[level] == 0) found[level] = other[level];
  return found;
}
#else
sizes told_by_processor() { return {}; }
#endif

}  // namespace

std::array<uint32_t, 3> data_cache_bytes() {
  auto found = told_by_kernel();
  auto other = told_by_processor();
  for (size_t level = 0; level < found.size(); ++level)
    if (found[level] == 0) found[level] = other[level];
  return found;
}

}  // namespace kope
