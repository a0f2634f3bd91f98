// Writes where nothing is.
extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  *static_cast<volatile float*>(nullptr) = 1;
}
