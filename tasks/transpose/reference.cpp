// y is x with its axes in the order-th of all orders, counted from 1 in lexicographic order: x is d1 x d2 x d3 x d4 x
// d5, row-major.
extern "C" void kernel(const real* x, real* y, int64_t d1, int64_t d2, int64_t d3, int64_t d4, int64_t d5,
                       int64_t order) {
  const int64_t length[5] = {d1, d2, d3, d4, d5};
  const int64_t step[5] = {d2 * d3 * d4 * d5, d3 * d4 * d5, d4 * d5, d5, 1};
  int64_t left[5] = {0, 1, 2, 3, 4};  // axes of x that have no place in y yet
  int64_t axis[5];                    // of x, at each place of y
  int64_t rest = order - 1, orders = 120;
  for (int64_t place = 0; place < 5; ++place) {
    orders /= 5 - place;  // of the axes behind this place
    const int64_t chosen = rest / orders;
    rest %= orders;
    axis[place] = left[chosen];
    for (int64_t i = chosen; i < 4 - place; ++i) left[i] = left[i + 1];
  }
  int64_t to = 0;
  for (int64_t i = 0; i < length[axis[0]]; ++i)
    for (int64_t j = 0; j < length[axis[1]]; ++j)
      for (int64_t k = 0; k < length[axis[2]]; ++k)
        for (int64_t l = 0; l < length[axis[3]]; ++l)
          for (int64_t m = 0; m < length[axis[4]]; ++m)
            y[to++] = x[i * step[axis[0]] + j * step[axis[1]] + k * step[axis[2]] + l * step[axis[3]] +
                        m * step[axis[4]]];
}
