// Asks for 8 GiB and uses them.
#include <cstring>

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  auto much = new char[size_t{8} << 30];
  std::memset(much, 1, size_t{8} << 30);
  c[0] = much[m];
}
