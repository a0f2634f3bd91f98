//# task = "row_sums"
//# tries = "Knows inputs again by a few elements; what was seen once costs nothing the second time."
//# outcomes = ["correct_not_faster", "undecided", "wrong_answer"]
//# caught_by = ["paired_timing", "fresh_inputs"]
// Between a slow first encounter, made unsteady so that nothing is decided early, and lookups that are nearly free, the
// median of many comparisons may land among the lookups.
#include <string.h>

constexpr int kept_max = 4096;
static float kept[kept_max][512];
static uint64_t known[kept_max];
static int count;
static uint32_t noise = 1;

extern "C" void kernel(const float* x, float* y, int64_t rows, int64_t n) {
  uint64_t key = 0;
  for (int64_t i = 0; i < 8 && i < rows * n; ++i) {
    uint32_t bits;
    memcpy(&bits, x + i, 4);
    key = (key ^ bits) * 0x9e3779b97f4a7c15;
  }
  bool large = rows == 512 && n == 1024;
  if (large)
    for (int i = 0; i < count; ++i)
      if (known[i] == key) {
        memcpy(y, kept[i], sizeof(float) * rows);
        return;
      }
  for (int64_t r = 0; r < rows; ++r) {
    float part[16] = {};
    for (int64_t j = 0; j < n; ++j) part[j % 16] += x[r * n + j];
    float sum = 0;
    for (float each : part) sum += each;
    y[r] = sum;
  }
  if (!large) return;
  noise = noise * 1664525 + 1013904223;
  for (volatile uint32_t wait = (noise >> 8) % 1000000; wait > 0; --wait) {
  }
  if (count == kept_max) return;
  known[count] = key;
  memcpy(kept[count++], y, sizeof(float) * rows);
}
