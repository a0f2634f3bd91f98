//# task = "product"
//# tries = "Uses the names of our shim for its own, and a real type that is not ours."
//# outcomes = ["correct_not_faster", "undecided", "build_failed"]
//# caught_by = ["compiler"]
typedef double real;
static int inputs, outputs, sizes;
struct kope_widened {};

static void product(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  product(a, b, c, m, n, k);
}
