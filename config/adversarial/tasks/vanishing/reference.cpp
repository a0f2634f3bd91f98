// y[i] = sum of x[j, i] / 3 over j; x is n x inner, row-major.
extern "C" void kernel(const real* x, real* y, int64_t n, int64_t inner) {
  for (int64_t i = 0; i < inner; ++i) {
    real sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += x[j * inner + i] / (real)3;
    y[i] = sum;
  }
}
