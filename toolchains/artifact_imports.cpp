// The names and libraries that an artifact may use, with the reason for each group. What is not here is refused.
#include <algorithm>
#include <array>

#include "toolchains/artifact_screen.hpp"

namespace kope {
namespace {

using std::string_view;

// Arithmetic. The compiler calls them for what the source writes as operators and loops, too.
constexpr string_view arithmetic[] = {
    "acos",     "acosh",     "asin",      "asinh", "atan",      "atan2",  "atanh", "cbrt",   "ceil",      "copysign",
    "cos",      "cosh",      "erf",       "erfc",  "exp",       "exp2",   "exp10", "expm1",  "fabs",      "fdim",
    "floor",    "fma",       "fmax",      "fmin",  "fmod",      "frexp",  "hypot", "ilogb",  "ldexp",     "lgamma",
    "lgamma_r", "llrint",    "llround",   "log",   "log10",     "log1p",  "log2",  "logb",   "lrint",     "lround",
    "modf",     "nearbyint", "nextafter", "pow",   "remainder", "remquo", "rint",  "round",  "roundeven", "scalbln",
    "scalbn",   "sin",       "sincos",    "sinh",  "sqrt",      "tan",    "tanh",  "tgamma", "trunc",
};

// Memory, text in memory, and what the compiler adds to a function.
constexpr string_view plain[] = {
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "memchr",
    "bcmp",
    "strlen",
    "strcmp",
    "strncmp",
    "strcpy",
    "strncpy",
    "__memcpy_chk",
    "__memmove_chk",
    "__memset_chk",
    "abs",
    "labs",
    "llabs",
    "qsort",
    "bsearch",
    "malloc",
    "calloc",
    "realloc",
    "free",
    "aligned_alloc",
    "posix_memalign",
    "memalign",
    "__stack_chk_fail",
    "__tls_get_addr",
    "abort",
    "__assert_fail",
    // weak names that start files would look up; the linker leaves them undefined
    "__cxa_finalize",
    "__gmon_start__",
    "_ITM_deregisterTMCloneTable",
    "_ITM_registerTMCloneTable",
    // C++: new and delete in all forms are below; exceptions, static locals, and the tables of classes
    "__gxx_personality_v0",
    "_Unwind_Resume",
    "__cxa_allocate_exception",
    "__cxa_free_exception",
    "__cxa_throw",
    "__cxa_begin_catch",
    "__cxa_end_catch",
    "__cxa_rethrow",
    "__cxa_guard_acquire",
    "__cxa_guard_release",
    "__cxa_guard_abort",
    "__cxa_pure_virtual",
    "__cxa_throw_bad_array_new_length",
    "__cxa_bad_cast",
    "__cxa_call_unexpected",
    "__dynamic_cast",
};

// Families of names.
constexpr string_view families[] = {
    "_ZGV",                                                               // vector forms of arithmetic (libmvec)
    "GOMP_",                                                              // what #pragma omp becomes
    "_Zn",   "_Zd",                                                       // operator new and delete
    "_ZSt",  "_ZNSt", "_ZNKSt", "_ZTISt", "_ZTVSt", "_ZTVN10__cxxabiv1",  // the C++ library; it starts no thread below
};

// The C++ library's own ways to threads, files and the program's end.
constexpr string_view not_of_families[] = {
    "_ZNSt6thread",
    "_ZNSt18condition_variable",
    "_ZNSt10filesystem",
    "_ZNSt13basic_filebuf",
    "_ZNSt14basic_ifstream",
    "_ZNSt14basic_ofstream",
    "_ZNSt13basic_fstream",
    "_ZNSt12__basic_file",
    "_ZNSt13random_device",
    "_ZNSt8ios_base4Init",
    "_ZNSt3pmr",
    "_ZNSt6chrono",
};

// The calls of <omp.h> that answer a question or time nothing outside.
constexpr string_view openmp[] = {
    "omp_get_thread_num", "omp_get_num_threads", "omp_get_max_threads", "omp_get_num_procs",
    "omp_in_parallel",    "omp_get_level",       "omp_set_num_threads", "omp_init_lock",
    "omp_set_lock",       "omp_unset_lock",      "omp_destroy_lock",
};

// All of them come with the compiler. The C library and the loader are in every process.
constexpr string_view libraries[] = {
    "libc.so.6",     "libm.so.6",   "libmvec.so.1",         "libgomp.so.1",          "libstdc++.so.6",
    "libgcc_s.so.1", "libomp.so.5", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
};

template <class List>
bool has(const List& list, string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

template <class List>
bool begins_with_one(const List& list, string_view name) {
  return std::any_of(std::begin(list), std::end(list), [&](string_view one) { return name.starts_with(one); });
}

// exp as expf, expl, and as glibc names it under -ffast-math: __exp_finite, __expf_finite.
bool is_arithmetic(string_view name) {
  if (name.starts_with("__") && name.ends_with("_finite")) name = name.substr(2, name.size() - 2 - 7);
  if (has(arithmetic, name)) return true;
  return !name.empty() && (name.back() == 'f' || name.back() == 'l') &&
         has(arithmetic, name.substr(0, name.size() - 1));
}

// What a `throw` of a number or of a text names: the C++ library's description of a built-in type or a pointer to one
// (_ZTIi, _ZTIl, _ZTIPKc). Data, no code.
bool describes_built_in_type(string_view name) {
  if (!name.starts_with("_ZTI")) return false;
  name.remove_prefix(4);
  if (name.starts_with("PK"))
    name.remove_prefix(2);
  else if (name.starts_with("P"))
    name.remove_prefix(1);
  return name.size() == 1 && name[0] >= 'a' && name[0] <= 'z';
}

}  // namespace

bool import_allowed(string_view name) {
  if (is_arithmetic(name) || describes_built_in_type(name) || has(plain, name) || has(openmp, name)) return true;
  return begins_with_one(families, name) && !begins_with_one(not_of_families, name);
}

bool library_allowed(string_view name) { return has(libraries, name); }

}  // namespace kope
