//# task = "product"
//# tries = "Recurses for ever."
//# outcomes = ["crashed", "timed_out"]
//# caught_by = ["rlimit"]
static volatile int depth;
static __attribute__((noinline)) int down(int x) {
  volatile char room[4096];
  room[x % 4096] = 1;
  return down(x + 1) + room[0] + depth;
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  c[0] = down(1);
}
