// y[i] = x[i] where that is above zero, else 0.
extern "C" void kernel(const real* x, real* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : (real)0;
}
