// The prototype says const, the code writes: the output is the input.
float normalise(const float *x, int n) {
  float *out = (float *)x;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i];
  for (int i = 0; i < n; ++i) out[i] = x[i] / sum;
  return sum;
}
