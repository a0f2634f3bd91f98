#include "toolchains/artifact_screen.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

namespace kope {
namespace {

using std::string_view;

// A kernel has five segments and some twenty dynamic entries; these only bound the work on hostile files.
constexpr size_t segments_max = 64;
constexpr size_t dynamic_entries_max = 256;
constexpr uint64_t page_bytes = 4096;
constexpr size_t name_shown = 80;

struct refusal {
  std::string why;
};

[[noreturn]] void refuse(std::string why) { throw refusal{std::move(why)}; }

// What this machine's loader applies, with the one that calls a resolver.
#if defined(__x86_64__)
constexpr uint16_t machine = EM_X86_64;
constexpr uint32_t resolver_relocation = R_X86_64_IRELATIVE;
constexpr std::array<uint32_t, 8> plain_relocations{R_X86_64_RELATIVE, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT,
                                                    R_X86_64_64,       R_X86_64_DTPMOD64, R_X86_64_DTPOFF64,
                                                    R_X86_64_TPOFF64,  R_X86_64_NONE};
#elif defined(__aarch64__)
constexpr uint16_t machine = EM_AARCH64;
constexpr uint32_t resolver_relocation = R_AARCH64_IRELATIVE;
constexpr std::array<uint32_t, 9> plain_relocations{R_AARCH64_RELATIVE,  R_AARCH64_GLOB_DAT,   R_AARCH64_JUMP_SLOT,
                                                    R_AARCH64_ABS64,     R_AARCH64_TLS_DTPMOD, R_AARCH64_TLS_DTPREL,
                                                    R_AARCH64_TLS_TPREL, R_AARCH64_TLSDESC,    R_AARCH64_NONE};
#else
#error "which relocations this machine's loader applies goes here"
#endif

// Entries that are refused, and what they would do. All others that are not in `harmless` are refused by number.
struct dynamic_rule {
  int64_t tag;
  const char* what;
};
constexpr dynamic_rule refused_entries[] = {
    {DT_INIT, "runs code when it is loaded (.init)"},
    {DT_INIT_ARRAY, "runs code when it is loaded (.init_array)"},
    {DT_PREINIT_ARRAY, "runs code when it is loaded (.preinit_array)"},
    {DT_FINI, "runs code when it is unloaded (.fini)"},
    {DT_FINI_ARRAY, "runs code when it is unloaded (.fini_array)"},
    {DT_TEXTREL, "has its code changed while it is loaded (TEXTREL)"},
    {DT_RPATH, "chooses where libraries are looked for (RPATH)"},
    {DT_RUNPATH, "chooses where libraries are looked for (RUNPATH)"},
    {DT_AUDIT, "names a library that watches the loader (AUDIT)"},
    {DT_DEPAUDIT, "names a library that watches the loader (DEPAUDIT)"},
    {DT_FILTER, "stands in for another library (FILTER)"},
    {DT_AUXILIARY, "stands in for another library (AUXILIARY)"},
    {DT_SYMBOLIC, "changes how names are looked up (SYMBOLIC)"},
    {DT_REL, "uses relocations that this machine does not have (REL)"},
};
constexpr int64_t harmless_entries[] = {
    DT_NULL,   DT_NEEDED, DT_SONAME,  DT_HASH,    DT_GNU_HASH,  DT_STRTAB,     DT_SYMTAB,   DT_STRSZ,
    DT_SYMENT, DT_RELA,   DT_RELASZ,  DT_RELAENT, DT_RELACOUNT, DT_PLTGOT,     DT_PLTRELSZ, DT_PLTREL,
    DT_JMPREL, DT_FLAGS,  DT_FLAGS_1, DT_VERSYM,  DT_VERNEED,   DT_VERNEEDNUM,
};

class elf {
public:
  explicit elf(std::span<const std::byte> bytes) : bytes_(bytes) {}
  void screen();

private:
  template <class T>
  T at(uint64_t offset, const char* what) const {
    T value;
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) refuse(std::string("ends before its ") + what);
    memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

  void read_header();
  void read_segments();
  void accept(const Elf64_Phdr& segment);
  void read_dynamic();
  void check_relocations(uint64_t address, uint64_t bytes);
  void check_symbol(uint32_t index);
  void check_exports();
  std::string shown(string_view name) const;
  string_view text(uint64_t offset) const;
  uint64_t table(uint64_t address, uint64_t bytes, const char* what) const;
  bool has(int64_t tag) const { return dynamic_.count(tag) != 0; }
  uint64_t value(int64_t tag) const { return dynamic_.at(tag); }

  std::span<const std::byte> bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> loaded_;
  Elf64_Phdr dynamic_segment_{};
  std::map<int64_t, uint64_t> dynamic_;
  std::vector<uint64_t> needed_;
  uint64_t symbols_ = 0, strings_ = 0, strings_bytes_ = 0;  // offsets in the file
  std::vector<bool> symbols_seen_;
};

void elf::read_header() {
  header_ = at<Elf64_Ehdr>(0, "header");
  if (memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0) refuse("is no ELF file");
  if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB ||
      header_.e_machine != machine)
    refuse("is for another machine");
  if (header_.e_type != ET_DYN) refuse("is no shared object");
  if (header_.e_phentsize != sizeof(Elf64_Phdr)) refuse("has program headers of another size");
  if (header_.e_phnum == 0 || header_.e_phnum > segments_max) refuse("has no or too many program headers");
}

// The loader maps them in order, a later one over an earlier one; kept apart, an address is one place in the file.
void elf::accept(const Elf64_Phdr& segment) {
  if ((segment.p_flags & PF_W) && (segment.p_flags & PF_X))
    refuse("has code that can be written (a segment with W and X)");
  if (segment.p_filesz > segment.p_memsz) refuse("has a segment that is larger in the file than in memory");
  if (segment.p_offset > bytes_.size() || bytes_.size() - segment.p_offset < segment.p_filesz)
    refuse("ends before one of its segments does");
  constexpr uint64_t address_max = uint64_t{1} << 40;  // far above any static storage, far below an overflow
  if (segment.p_vaddr > address_max || segment.p_memsz > address_max) refuse("has a segment out of reach");
  if (segment.p_vaddr % page_bytes != segment.p_offset % page_bytes) refuse("has a segment that no page can hold");
  if (!loaded_.empty()) {
    uint64_t end = loaded_.back().p_vaddr + loaded_.back().p_memsz;
    if (segment.p_vaddr / page_bytes < (end + page_bytes - 1) / page_bytes) refuse("has segments that overlap");
  }
  loaded_.push_back(segment);
}

void elf::read_segments() {
  bool stack = false;
  bool dynamic = false;
  for (size_t i = 0; i < header_.e_phnum; ++i) {
    if (header_.e_phoff > bytes_.size()) refuse("ends before its program headers");
    auto segment = at<Elf64_Phdr>(header_.e_phoff + i * sizeof(Elf64_Phdr), "program headers");
    switch (segment.p_type) {
      case PT_LOAD:
        accept(segment);
        break;
      case PT_DYNAMIC:
        if (dynamic) refuse("has two dynamic tables");
        dynamic = true;
        dynamic_segment_ = segment;
        break;
      case PT_GNU_STACK:
        stack = true;
        if (segment.p_flags & PF_X) refuse("asks for a stack that can be executed");
        break;
      case PT_NULL:
      case PT_NOTE:
      case PT_PHDR:
      case PT_TLS:
      case PT_GNU_EH_FRAME:
      case PT_GNU_RELRO:
      case PT_GNU_PROPERTY:
        break;
      default:
        refuse("has a program header that no kernel needs (type " + std::to_string(segment.p_type) + ")");
    }
  }
  // Without the entry the loader assumes the worst.
  if (!stack) refuse("asks for a stack that can be executed (no GNU_STACK)");
  if (!dynamic || loaded_.empty()) refuse("has no dynamic table");
}

// Offset in the file of a table that the loader reads and that nothing can change while it does: relocations are
// applied to writable segments, so one could rewrite a table that lies there.
uint64_t elf::table(uint64_t address, uint64_t bytes, const char* what) const {
  for (const auto& segment : loaded_) {
    if (address < segment.p_vaddr || address - segment.p_vaddr > segment.p_filesz) continue;
    if (segment.p_filesz - (address - segment.p_vaddr) < bytes) continue;
    if (segment.p_flags & PF_W) refuse(std::string("keeps its ") + what + " where it can be written");
    return segment.p_offset + (address - segment.p_vaddr);
  }
  refuse(std::string("has its ") + what + " outside of its segments");
}

void elf::read_dynamic() {
  const auto& where = dynamic_segment_;
  auto holds = [&](const Elf64_Phdr& segment) {
    return where.p_vaddr >= segment.p_vaddr && where.p_vaddr - segment.p_vaddr <= segment.p_filesz &&
           segment.p_filesz - (where.p_vaddr - segment.p_vaddr) >= where.p_filesz;
  };
  auto segment = std::find_if(loaded_.begin(), loaded_.end(), holds);
  if (segment == loaded_.end()) refuse("has its dynamic table outside of its segments");
  uint64_t offset = segment->p_offset + (where.p_vaddr - segment->p_vaddr);
  size_t entries = where.p_filesz / sizeof(Elf64_Dyn);
  if (entries > dynamic_entries_max) refuse("has too large a dynamic table");
  bool ended = false;
  for (size_t i = 0; i < entries && !ended; ++i) {
    auto entry = at<Elf64_Dyn>(offset + i * sizeof(Elf64_Dyn), "dynamic table");
    ended = entry.d_tag == DT_NULL;
    for (const auto& rule : refused_entries)
      if (rule.tag == entry.d_tag) refuse(rule.what);
    if (std::find(std::begin(harmless_entries), std::end(harmless_entries), entry.d_tag) == std::end(harmless_entries))
      refuse("has a dynamic entry that no kernel needs (tag " + std::to_string(entry.d_tag) + ")");
    if (entry.d_tag == DT_NEEDED)
      needed_.push_back(entry.d_un.d_val);
    else if (!ended && !dynamic_.emplace(entry.d_tag, entry.d_un.d_val).second)
      refuse("has a dynamic entry twice (tag " + std::to_string(entry.d_tag) + ")");
  }
  if (!ended) refuse("has a dynamic table without an end");
  for (int64_t tag : std::initializer_list<int64_t>{DT_SYMTAB, DT_STRTAB, DT_STRSZ, DT_GNU_HASH})
    if (!has(tag)) refuse("has no table of its names");
  if ((has(DT_SYMENT) && value(DT_SYMENT) != sizeof(Elf64_Sym)) ||
      (has(DT_RELAENT) && value(DT_RELAENT) != sizeof(Elf64_Rela)) || (has(DT_PLTREL) && value(DT_PLTREL) != DT_RELA))
    refuse("has tables of another shape");
  if (has(DT_FLAGS) && (value(DT_FLAGS) & ~uint64_t{DF_BIND_NOW | DF_STATIC_TLS}))
    refuse((value(DT_FLAGS) & DF_TEXTREL) ? "has its code changed while it is loaded (TEXTREL)"
                                          : "asks the loader for something special (FLAGS)");
  if (has(DT_FLAGS_1) && (value(DT_FLAGS_1) & ~uint64_t{DF_1_NOW | DF_1_NODELETE}))
    refuse("asks the loader for something special (FLAGS_1)");
  strings_bytes_ = value(DT_STRSZ);
  strings_ = table(value(DT_STRTAB), strings_bytes_, "names");
  symbols_ = table(value(DT_SYMTAB), sizeof(Elf64_Sym), "symbols");
}

string_view elf::text(uint64_t offset) const {
  if (offset >= strings_bytes_) refuse("has a name outside of its names");
  const char* first = reinterpret_cast<const char*>(bytes_.data() + strings_ + offset);
  size_t length = strnlen(first, strings_bytes_ - offset);
  if (length == strings_bytes_ - offset) refuse("has a name without an end");
  return {first, length};
}

std::string elf::shown(string_view name) const {
  std::string out;
  for (char c : name.substr(0, name_shown)) out += c > ' ' && c < 0x7f ? c : '?';
  return out;
}

void elf::check_symbol(uint32_t index) {
  if (index < symbols_seen_.size() && symbols_seen_[index]) return;
  table(value(DT_SYMTAB), (uint64_t{index} + 1) * sizeof(Elf64_Sym), "symbols");
  if (index >= symbols_seen_.size()) symbols_seen_.resize(index + 1);
  symbols_seen_[index] = true;
  auto symbol = at<Elf64_Sym>(symbols_ + uint64_t{index} * sizeof(Elf64_Sym), "symbols");
  if (ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC) refuse("runs code when it is loaded (an IFUNC resolver)");
  if (index == 0) return;
  auto name = text(symbol.st_name);
  if (symbol.st_shndx == SHN_UNDEF) {
    if (!import_allowed(name)) refuse("uses " + shown(name) + ", which no kernel needs");
    return;
  }
  if (ELF64_ST_BIND(symbol.st_info) == STB_GNU_UNIQUE) refuse("exports " + shown(name) + " to the whole process");
}

void elf::check_relocations(uint64_t address, uint64_t bytes) {
  if (bytes % sizeof(Elf64_Rela) != 0) refuse("has relocations of another size");
  uint64_t offset = bytes == 0 ? 0 : table(address, bytes, "relocations");
  const auto& dynamic = dynamic_segment_;
  for (uint64_t i = 0; i < bytes; i += sizeof(Elf64_Rela)) {
    auto one = at<Elf64_Rela>(offset + i, "relocations");
    auto type = static_cast<uint32_t>(ELF64_R_TYPE(one.r_info));
    if (type == resolver_relocation) refuse("runs code when it is loaded (an IRELATIVE relocation)");
    if (std::find(plain_relocations.begin(), plain_relocations.end(), type) == plain_relocations.end())
      refuse("has a relocation that no kernel needs (type " + std::to_string(type) + ")");
    auto writable = [&](const Elf64_Phdr& segment) {
      return (segment.p_flags & PF_W) && one.r_offset >= segment.p_vaddr && segment.p_memsz >= sizeof(uint64_t) &&
             one.r_offset - segment.p_vaddr <= segment.p_memsz - sizeof(uint64_t);
    };
    if (std::none_of(loaded_.begin(), loaded_.end(), writable)) refuse("has a relocation outside of its data");
    if (one.r_offset + sizeof(uint64_t) > dynamic.p_vaddr && one.r_offset < dynamic.p_vaddr + dynamic.p_filesz)
      refuse("has a relocation that changes its dynamic table");
    check_symbol(static_cast<uint32_t>(ELF64_R_SYM(one.r_info)));
  }
}

// What others can find in it: the chains of the hash table, as the loader walks them.
void elf::check_exports() {
  uint64_t address = value(DT_GNU_HASH);
  uint64_t offset = table(address, 16, "hash table");
  auto word = [&](uint64_t index) { return at<uint32_t>(offset + index * 4, "hash table"); };
  uint64_t buckets = word(0), first = word(1), bloom = word(2);
  uint64_t chains = 4 + bloom * 2 + buckets;
  table(address, chains * 4, "hash table");
  bool entry = false;
  size_t walked = 0;  // chains of an honest table are apart, so together they have at most one step a symbol
  for (uint64_t bucket = 0; bucket < buckets; ++bucket) {
    uint64_t index = word(4 + bloom * 2 + bucket);
    if (index == 0) continue;
    if (index < first) refuse("has a hash table that points before its names");
    for (;; ++index) {
      if (++walked > bytes_.size() / sizeof(Elf64_Sym)) refuse("has a hash table that never ends");
      check_symbol(static_cast<uint32_t>(index));
      auto symbol = at<Elf64_Sym>(symbols_ + index * sizeof(Elf64_Sym), "symbols");
      auto name = text(symbol.st_name);
      bool standard = ELF64_ST_BIND(symbol.st_info) == STB_WEAK &&
                      (name.starts_with("_ZSt") || name.starts_with("_ZNSt") || name.starts_with("_ZNKSt") ||
                       name.starts_with("_ZTISt") || name.starts_with("_ZTSSt") || name.starts_with("_ZTVSt"));
      if (name == "kope_entry") {
        entry = true;
      } else if (!standard) {
        // Templates of the C++ library ask for visibility in their own headers; loaded locally they meet nobody.
        refuse("exports " + shown(name) + "; only kope_entry may be seen from outside");
      }
      table(address, (chains + (index - first) + 1) * 4, "hash table");
      if (word(chains + (index - first)) & 1) break;
    }
  }
  if (!entry) refuse("has no entry (kope_entry)");
}

void elf::screen() {
  read_header();
  read_segments();
  read_dynamic();
  for (uint64_t name : needed_)
    if (!library_allowed(text(name))) refuse("needs the library " + shown(text(name)) + ", which no kernel needs");
  if (has(DT_RELA) != has(DT_RELASZ) || has(DT_JMPREL) != has(DT_PLTRELSZ)) refuse("has relocations without a size");
  if (has(DT_RELA)) check_relocations(value(DT_RELA), value(DT_RELASZ));
  if (has(DT_JMPREL)) check_relocations(value(DT_JMPREL), value(DT_PLTRELSZ));
  check_exports();
}

}  // namespace

std::optional<std::string> screen_artifact(std::span<const std::byte> artifact) {
  try {
    elf(artifact).screen();
  } catch (const refusal& found) {
    return found.why;
  }
  return std::nullopt;
}

}  // namespace kope
