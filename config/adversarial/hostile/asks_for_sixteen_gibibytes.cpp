//# task = "product"
//# tries = "Maps sixteen gibibytes and writes into each page."
//# outcomes = ["out_of_memory", "crashed", "timed_out"]
//# caught_by = ["rlimit"]
#include <sys/mman.h>

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  auto all = (char*)mmap(0, 16ull << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  for (uint64_t at = 0; at < 16ull << 30; at += 4096) all[at] = 1;
}
