#include <math.h>

typedef double real_t;

void row_norms(int rows, int cols, real_t a[rows][cols], real_t norms[rows]) {
  for (int i = 0; i < rows; ++i) {
    real_t sum = 0;
    for (int j = 0; j < cols; ++j) sum += a[i][j] * a[i][j];
    norms[i] = sqrt(sum);
  }
}
