#include "toolchains/programs/runner/refused_memory.hpp"

#include <errno.h>
#include <stddef.h>

namespace {

uint32_t nowhere;
uint32_t* word = &nowhere;

void* noted(void* memory, size_t bytes) {
  if (__builtin_expect(memory == nullptr && bytes != 0, 0)) *word = 1;
  return memory;
}

bool is_power_of_two(size_t number) { return number != 0 && (number & (number - 1)) == 0; }

}  // namespace

namespace kope {

void note_refused_memory_in(uint32_t* where) { word = where; }
void note_refused_memory() { *word = 1; }

}  // namespace kope

// glibc exports its allocator under these names for exactly this; operator new ends here too.
extern "C" {

void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

void* malloc(size_t bytes) { return noted(__libc_malloc(bytes), bytes); }
void* calloc(size_t count, size_t bytes) { return noted(__libc_calloc(count, bytes), count != 0 ? bytes : 0); }
void* realloc(void* memory, size_t bytes) { return noted(__libc_realloc(memory, bytes), bytes); }
void* memalign(size_t alignment, size_t bytes) { return noted(__libc_memalign(alignment, bytes), bytes); }
void* aligned_alloc(size_t alignment, size_t bytes) {
  if (is_power_of_two(alignment)) return memalign(alignment, bytes);
  errno = EINVAL;
  return nullptr;
}
int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  if (!is_power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  void* made = memalign(alignment, bytes);
  if (made == nullptr) return ENOMEM;
  *memory = made;
  return 0;
}

}  // extern "C"
