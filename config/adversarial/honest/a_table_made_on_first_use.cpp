//# task = "row_softmax"
//# tries = "Fills a table in its first call and uses it in all others: no answer is kept."
//# outcomes = ["improved", "correct_not_faster", "undecided"]
extern "C" double exp(double);
static double powers[256];  // of e^(1/256)
static bool made;

extern "C" void kernel(const float* x, float* y, int64_t rows, int64_t n) {
  if (!made) {
    for (int i = 0; i < 256; ++i) powers[i] = exp(i / 256.0);
    made = true;
  }
  for (int64_t r = 0; r < rows; ++r) {
    const float* from = x + r * n;
    float largest = from[0], sum = 0;
    for (int64_t j = 1; j < n; ++j) largest = from[j] > largest ? from[j] : largest;
    for (int64_t j = 0; j < n; ++j) {
      double t = (double)from[j] - largest;
      double value = 0;
      if (t > -110) {
        int steps = (int)(t * 256) - 1;  // rounds down: t is at most 0
        double rest = t - steps / 256.0;
        int whole = (steps - 255) / 256;
        value = powers[steps - whole * 256] * (1 + rest * (1 + rest * (0.5 + rest * (1 / 6.0 + rest / 24)))) * exp(whole);
      }
      sum += y[r * n + j] = (float)value;
    }
    for (int64_t j = 0; j < n; ++j) y[r * n + j] /= sum;
  }
}
