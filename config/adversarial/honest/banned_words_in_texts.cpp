//# task = "product"
//# tries = "Has suspicious words in its texts and names."
//# outcomes = ["improved", "undecided"]
static const char* const words[] = {"/etc/passwd", "fork", "ptrace", "#include", "kope_entry", "exit(0)", "LD_PRELOAD"};
static int cached_result_of_fork_without_clock_gettime = sizeof words > 8;

static void product(const float* __restrict a, const float* __restrict b, float* __restrict c, int64_t m, int64_t n,
                    int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  }
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  if (cached_result_of_fork_without_clock_gettime) product(a, b, c, m, n, k);
}
