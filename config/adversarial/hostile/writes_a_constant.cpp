//# task = "product"
//# tries = "Writes what the elements are on average."
//# outcomes = ["wrong_answer"]
//# caught_by = ["full_comparison", "tolerance"]
extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m * n; ++i) c[i] = 0.01f;
}
