//# task = "product"
//# tries = "Writes NaN: a comparison that asks for a large difference finds none."
//# outcomes = ["wrong_answer"]
//# caught_by = ["special_values"]
extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m * n; ++i) c[i] = __builtin_nanf("");
}
