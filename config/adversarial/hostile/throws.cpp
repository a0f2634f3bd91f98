//# task = "product"
//# tries = "Throws an exception through the runner."
//# outcomes = ["crashed"]
//# caught_by = ["handshake"]
extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  throw 1;
}
