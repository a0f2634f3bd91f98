float activation(float x);

void apply(const float *x, float *y, int n) {
  for (int i = 0; i < n; ++i) y[i] = activation(x[i]);
}
