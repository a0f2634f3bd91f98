//# task = "product"
//# tries = "Calls an address that holds no code."
//# outcomes = ["crashed"]
//# caught_by = ["handshake"]
extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  ((void (*)())8)();
}
