//# task = "row_softmax"
//# tries = "Reads constants from a static table."
//# outcomes = ["improved", "correct_not_faster", "undecided"]
extern "C" float expf(float);
static const float table[4] = {1, 0.5f, 0.25f, 0.125f};

extern "C" void kernel(const float* x, float* y, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) {
    const float* from = x + r * n;
    float largest = from[0], sum = 0;
    for (int64_t j = 1; j < n; ++j) largest = from[j] > largest ? from[j] : largest;
    for (int64_t j = 0; j < n; ++j) sum += y[r * n + j] = expf(from[j] - largest) * table[0];
    for (int64_t j = 0; j < n; ++j) y[r * n + j] /= sum * table[0];
  }
}
