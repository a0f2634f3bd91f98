// The table is made by another part of the program, which is not here.
static float *table;

void shifted(const float *x, float *y, int n) {
  for (int i = 0; i < n; ++i) y[i] = x[i] + table[i];
}
