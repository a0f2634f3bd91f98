//# task = "product"
//# tries = "Makes thousands of errors, each with a long text."
//# outcomes = ["build_failed", "timed_out"]
//# caught_by = ["compiler_limits"]
#define E1(x) undeclared_name_number_##x + undeclared_function_number_##x(1, 2, 3, "a long text in each of them");
#define E10(x) E1(x##0) E1(x##1) E1(x##2) E1(x##3) E1(x##4) E1(x##5) E1(x##6) E1(x##7) E1(x##8) E1(x##9)
#define E100(x) E10(x##0) E10(x##1) E10(x##2) E10(x##3) E10(x##4) E10(x##5) E10(x##6) E10(x##7) E10(x##8) E10(x##9)
void errors() {
  E100(1) E100(2) E100(3) E100(4) E100(5) E100(6) E100(7) E100(8) E100(9)
}

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
