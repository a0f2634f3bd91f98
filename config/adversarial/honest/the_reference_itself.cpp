//# task = "product"
//# tries = "Is the reference with other names: neither faster nor slower."
//# outcomes = ["correct_not_faster", "undecided"]
extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column) {
      float total = 0;
      for (int64_t at = 0; at < k; ++at) total += a[row * k + at] * b[at * n + column];
      c[row * n + column] = total;
    }
}
