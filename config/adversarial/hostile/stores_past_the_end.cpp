//# task = "product"
//# tries = "Loads and stores whole vectors: the last ones reach over the ends of its tensors."
//# outcomes = ["crashed"]
//# caught_by = ["guard_pages"]
typedef float vector __attribute__((vector_size(64), aligned(4), may_alias));

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)  // what goes over the end of a row is overwritten by the next one
    for (int64_t j = 0; j < n; j += 16) {
      vector sum = {};
      for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * *(const vector*)(b + p * n + j);
      *(vector*)(c + i * n + j) = sum;
    }
}
