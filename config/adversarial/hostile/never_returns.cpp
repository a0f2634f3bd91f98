//# task = "product"
//# tries = "Loops for ever."
//# outcomes = ["timed_out"]
//# caught_by = ["deadline"]
extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (volatile uint64_t turns = 0;; ++turns) {
  }
}
