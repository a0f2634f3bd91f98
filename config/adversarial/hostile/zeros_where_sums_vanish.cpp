//# task = "vanishing"
//# tries = "Writes zeros in a task whose every sum is lost in rounding."
//# outcomes = ["wrong_answer"]
//# caught_by = ["all_zero_rule"]
extern "C" void kernel(const float* x, float* y, int64_t n, int64_t inner) {
  for (int64_t i = 0; i < inner; ++i) y[i] = 0;
}
