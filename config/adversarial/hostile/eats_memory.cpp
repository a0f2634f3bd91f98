//# task = "product"
//# tries = "Touches memory until there is none left."
//# outcomes = ["out_of_memory", "crashed", "timed_out"]
//# caught_by = ["rlimit"]
#include <stdlib.h>
#include <string.h>

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (;;) {
    void* block = malloc(64 << 20);
    if (!block) __builtin_trap();
    memset(block, 1, 64 << 20);
  }
}
