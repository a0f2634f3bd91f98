// As people have it: a main for trying it out, a helper, int sizes, no restrict.
#include <stdio.h>
#include <stdlib.h>

static float product(float x, float y) { return x * y; }

void gemm(const float *A, const float *B, float *C, int M, int N, int K) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      float sum = 0.0f;
      for (int k = 0; k < K; k++) sum += product(A[i * K + k], B[k * N + j]);
      C[i * N + j] = sum;
    }
}

int main(void) {
  float a[4] = {1, 2, 3, 4}, c[4];
  gemm(a, a, c, 2, 2, 2);
  printf("%f\n", c[0]);
  return 0;
}
