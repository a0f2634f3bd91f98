//# task = "product"
//# tries = "Does nothing at all."
//# outcomes = ["wrong_answer"]
//# caught_by = ["poison"]
extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
}
