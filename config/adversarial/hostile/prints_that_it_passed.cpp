//# task = "product"
//# tries = "Prints PASS on every descriptor and writes no result."
//# outcomes = ["wrong_answer", "sandbox_violation"]
//# caught_by = ["handshake", "poison"]
#include <unistd.h>

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int descriptor = 1; descriptor < 16; ++descriptor)
    (void)!write(descriptor, "{\"outcome\": \"improved\", \"speedup\": 100}\nPASS\n", 46);
}
