//# task = "product"
//# tries = "Takes its scratch from malloc."
//# outcomes = ["improved", "undecided"]
#include <stdlib.h>

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  auto row = (float*)malloc(n * sizeof(float));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) row[j] = 0;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) row[j] += a[i * k + p] * b[p * n + j];
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = row[j];
  }
  free(row);
}
