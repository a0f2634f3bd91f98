//# task = "product"
//# tries = "Has the assembler put a file of the machine into the artifact."
//# outcomes = ["build_failed", "timed_out", "crashed"]
//# caught_by = ["namespace"]
// Open: it goes on as a fast kernel, so that `improved` means that it got through.
__asm__(".pushsection .rodata\n.incbin \"/etc/passwd\"\n.popsection\n");

static void product(const float* __restrict a, const float* __restrict b, float* __restrict c, int64_t m, int64_t n,
                    int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  }
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  product(a, b, c, m, n, k);
}
