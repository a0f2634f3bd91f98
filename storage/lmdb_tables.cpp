#include "storage/lmdb_tables.hpp"

#include <fcntl.h>
#include <lmdb.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "storage/graph_rows.hpp"
#include "storage/writer_lock.hpp"

namespace kope {
namespace {

// Reserved address space, not memory or disk: no store of ours comes near, so it is never resized under readers.
constexpr size_t map_bytes_wanted = size_t{1} << 40;
// Less would be full after days: an attempt with a source of 4 KiB takes about 5 KiB (docs/GRAPH_FORMAT.md).
constexpr size_t map_bytes_least = size_t{1} << 30;
// LMDB's 126 are too few for recall actors and command-line readers together; a slot is 64 bytes.
constexpr unsigned readers_max = 512;
// A killed reader pins pages until somebody looks; looking costs a file lock call for each slot in use.
constexpr uint64_t commits_per_reader_check = 256;
// Pages that a transaction took and gave back are never written, so a healthy file may end this much early.
constexpr size_t pages_missing_max = 256;
constexpr mdb_mode_t file_mode = 0640;

MDB_val val(std::string_view bytes) { return {bytes.size(), const_cast<char*>(bytes.data())}; }
std::string_view view(const MDB_val& bytes) { return {static_cast<const char*>(bytes.mv_data), bytes.mv_size}; }

struct environment {
  MDB_env* env = nullptr;
  std::array<MDB_dbi, table_count> dbi{};
  std::array<bool, table_count> there{};  // a reader of an older store may miss tables: they read as empty
  bool writable = false;
  std::string place;
  std::string data_file;
  uint64_t commits = 0;  // of the one writer

  ~environment() {
    if (env) mdb_env_close(env);
  }
};

/// LMDB's codes and errno values share one number space.
error lmdb_error(const std::string& place, const char* doing, int code) {
  auto text = place + " failed while " + doing + " (" + mdb_strerror(code) + ")";
  switch (code) {
    case MDB_MAP_FULL:
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EIO:  // LMDB's word for a page that was written only in part
      return {errc::disk_full, text + ": nothing was written, it goes on when there is room"};
    case MDB_READERS_FULL:
      return {errc::busy,
              text + ": all " + std::to_string(readers_max) + " reader slots are in use, close some readers"};
    case MDB_INVALID:
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_VERSION_MISMATCH:
    case MDB_INCOMPATIBLE:
      return {errc::invalid_input,
              text + ": this is not a database of ours or it is damaged, restore it or move it away"};
    case MDB_PANIC:
      return {errc::io, text + ": a write failed half-way, start the program again"};
    case MDB_MAP_RESIZED:
      return {errc::io, text + ": the store outgrew the address space that this process may use, raise `ulimit -v`"};
    default:
      return {errc::io, text};
  }
}

/// Aborts when it is dropped. Not for use by two threads.
class transaction {
public:
  transaction(std::shared_ptr<environment> env, MDB_txn* txn) : env_(std::move(env)), txn_(txn) {}
  ~transaction() {
    if (txn_) mdb_txn_abort(txn_);
  }
  transaction(const transaction&) = delete;
  transaction& operator=(const transaction&) = delete;

  static result<std::unique_ptr<transaction>> begin(std::shared_ptr<environment> env, unsigned flags) {
    MDB_txn* txn = nullptr;
    if (int code = mdb_txn_begin(env->env, nullptr, flags, &txn))
      return lmdb_error(env->place, flags & MDB_RDONLY ? "beginning to read" : "beginning to write", code);
    return std::make_unique<transaction>(std::move(env), txn);
  }

  result<std::optional<std::string_view>> get(table which, std::string_view key) const {
    if (!there(which)) return std::optional<std::string_view>();
    MDB_val k = val(key), v{};
    int code = mdb_get(txn_, dbi(which), &k, &v);
    if (code == MDB_NOTFOUND) return std::optional<std::string_view>();
    if (code) return failed("reading", which, key, code);
    return std::optional(view(v));
  }

  result<unit> scan(table which, const key_range& range, scan_order order, const row_visitor& visit) const {
    if (!there(which)) return unit{};
    MDB_cursor* raw = nullptr;
    if (int code = mdb_cursor_open(txn_, dbi(which), &raw)) return failed("scanning", which, range.first, code);
    std::unique_ptr<MDB_cursor, decltype(&mdb_cursor_close)> cursor(raw, mdb_cursor_close);
    bool up = order == scan_order::ascending;
    MDB_val k{}, v{};
    int code = up ? to_first(raw, range.first, k, v) : to_last(raw, range.last, k, v);
    while (code == 0) {
      auto key = view(k);
      bool outside = up ? !range.last.empty() && key > range.last : key < range.first;
      if (outside || !visit(key, view(v))) return unit{};
      code = mdb_cursor_get(raw, &k, &v, up ? MDB_NEXT : MDB_PREV);
    }
    if (code != MDB_NOTFOUND) return failed("scanning", which, range.first, code);
    return unit{};
  }

  result<uint64_t> rows(table which) const {
    if (!there(which)) return uint64_t{0};
    MDB_stat stat{};
    if (int code = mdb_stat(txn_, dbi(which), &stat)) return failed("counting", which, {}, code);
    return uint64_t{stat.ms_entries};
  }

  uint64_t bytes_on_disk() const {
    struct stat file {};
    return ::stat(env_->data_file.c_str(), &file) == 0 ? static_cast<uint64_t>(file.st_size) : 0;
  }

  result<unit> put(table which, std::string_view key, std::string_view value) {
    MDB_val k = val(key), v = val(value);
    if (int code = mdb_put(txn_, dbi(which), &k, &v, 0)) return failed("writing", which, key, code);
    return unit{};
  }

  result<unit> erase(table which, std::string_view key) {
    MDB_val k = val(key);
    int code = mdb_del(txn_, dbi(which), &k, nullptr);
    if (code && code != MDB_NOTFOUND) return failed("erasing", which, key, code);
    return unit{};
  }

  result<unit> commit() {
    // Frees the transaction whether it succeeds or not.
    if (int code = mdb_txn_commit(std::exchange(txn_, nullptr))) return lmdb_error(env_->place, "committing", code);
    if (++env_->commits % commits_per_reader_check == 0) {
      int dead = 0;
      mdb_reader_check(env_->env, &dead);  // fails only where the lock file is gone, and then there is nobody to clear
    }
    return unit{};
  }

  MDB_txn* raw() { return txn_; }

private:
  static int to_first(MDB_cursor* cursor, const std::string& first, MDB_val& k, MDB_val& v) {
    if (first.empty()) return mdb_cursor_get(cursor, &k, &v, MDB_FIRST);
    k = val(first);
    return mdb_cursor_get(cursor, &k, &v, MDB_SET_RANGE);
  }
  static int to_last(MDB_cursor* cursor, const std::string& last, MDB_val& k, MDB_val& v) {
    if (last.empty()) return mdb_cursor_get(cursor, &k, &v, MDB_LAST);
    k = val(last);
    int code = mdb_cursor_get(cursor, &k, &v, MDB_SET_RANGE);  // the first at or above `last`
    if (code == MDB_NOTFOUND) return mdb_cursor_get(cursor, &k, &v, MDB_LAST);
    if (code == 0 && view(k) > last) return mdb_cursor_get(cursor, &k, &v, MDB_PREV);
    return code;
  }

  MDB_dbi dbi(table which) const { return env_->dbi[static_cast<size_t>(which)]; }
  bool there(table which) const { return env_->there[static_cast<size_t>(which)]; }
  error failed(const char* doing, table which, std::string_view key, int code) const {
    auto where = env_->place + ", table " + std::string(table_name(which)) + ", key " + graph_keys::shown(key);
    return lmdb_error(where, doing, code);
  }

  std::shared_ptr<environment> env_;
  MDB_txn* txn_;
};

/// Both of the contract's transactions are one LMDB transaction.
template <class Contract>
class on_transaction : public Contract {
public:
  explicit on_transaction(std::unique_ptr<transaction> txn) : txn_(std::move(txn)) {}
  result<std::optional<std::string_view>> get(table which, std::string_view key) const override {
    return txn_->get(which, key);
  }
  result<unit> scan(table which, const key_range& range, scan_order order, const row_visitor& visit) const override {
    return txn_->scan(which, range, order, visit);
  }
  result<uint64_t> rows(table which) const override { return txn_->rows(which); }
  uint64_t bytes_on_disk() const override { return txn_->bytes_on_disk(); }

protected:
  std::unique_ptr<transaction> txn_;
};

class lmdb_reader final : public on_transaction<table_reader> {
public:
  using on_transaction::on_transaction;
  result<unit> keep_opened_tables() { return txn_->commit(); }
};

class lmdb_writer final : public on_transaction<table_writer> {
public:
  using on_transaction::on_transaction;
  result<unit> put(table which, std::string_view key, std::string_view value) override {
    return txn_->put(which, key, value);
  }
  result<unit> erase(table which, std::string_view key) override { return txn_->erase(which, key); }
  result<unit> commit() override { return txn_->commit(); }
};

/// Makes the lock file with all its blocks: it is written through memory, and a hole on a full disk would be a SIGBUS
/// in whatever process takes the next reader slot. Before LMDB opens it, because closing it drops our file locks.
/// errno's number space, 0 when done.
int allocate_lock_file(const std::string& directory) {
  int fd = ::open((directory + "/lock.mdb").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, file_mode);
  if (fd < 0) return errno;
  struct stat file {};
  int code = fstat(fd, &file) == 0 ? 0 : errno;
  constexpr off_t slot_bytes = 64, header_slots = 8;
  // The size of an existing one is agreed on by all that have it open.
  off_t size = file.st_size ? file.st_size : (readers_max + header_slots) * slot_bytes;
  if (code == 0) code = posix_fallocate(fd, 0, size);
  close(fd);
  return code;
}

int open_env(environment& made, const std::string& directory, unsigned flags, size_t map_bytes) {
  if (int code = mdb_env_create(&made.env)) return code;
  int code = mdb_env_set_mapsize(made.env, map_bytes);
  if (!code) code = mdb_env_set_maxreaders(made.env, readers_max);
  if (!code) code = mdb_env_set_maxdbs(made.env, table_count);
  if (!code) code = mdb_env_open(made.env, directory.c_str(), flags, file_mode);
  if (code) mdb_env_close(std::exchange(made.env, nullptr));
  return code;
}

/// The tables that are there, or all of them for a writer; nothing of a newer format is touched.
result<unit> open_tables(const std::shared_ptr<environment>& made) {
  auto open_all = [&](MDB_txn* txn, unsigned flags) {
    for (size_t i = 0; i < table_count; ++i) {
      int code = mdb_dbi_open(txn, table_name(static_cast<table>(i)).data(), flags, &made->dbi[i]);
      if (code && code != MDB_NOTFOUND) return code;
      made->there[i] = code == 0;
    }
    return 0;
  };
  {
    auto reading = transaction::begin(made, MDB_RDONLY);
    if (!reading) return reading.failure();
    MDB_txn* txn = (*reading)->raw();
    if (int code = open_all(txn, 0)) return lmdb_error(made->place, "opening its tables", code);
    lmdb_reader reader(std::move(*reading));
    if (auto right = graph_rows(reader, made->place).check_format(); !right) return right;
    if (!made->writable) {
      if (!made->there[static_cast<size_t>(table::meta)])
        return error{errc::not_found,
                     made->place + " holds no experience graph yet: a run that writes to it makes one"};
      return reader.keep_opened_tables();
    }
  }
  auto writing = transaction::begin(made, 0);
  if (!writing) return writing.failure();
  if (int code = open_all((*writing)->raw(), MDB_CREATE)) return lmdb_error(made->place, "making its tables", code);
  return (*writing)->commit();
}

/// A file that ends long before its last page would be a SIGBUS at some later read.
result<unit> check_length(const environment& made) {
  MDB_envinfo info{};
  MDB_stat stat{};
  struct stat file {};
  mdb_env_info(made.env, &info);
  mdb_env_stat(made.env, &stat);
  if (::stat(made.data_file.c_str(), &file) != 0)
    return error{errc::io, made.data_file + " cannot be looked at (" + std::strerror(errno) + ")"};
  size_t pages = static_cast<size_t>(file.st_size) / stat.ms_psize;
  if (pages + pages_missing_max >= info.me_last_pgno + 1) return unit{};
  return error{errc::invalid_input, made.data_file + " was cut off: it has " + std::to_string(pages) + " of " +
                                        std::to_string(info.me_last_pgno + 1) + " pages, restore it from a copy"};
}

result<std::shared_ptr<environment>> make_environment(const std::string& directory, table_access access) {
  auto made = std::make_shared<environment>();
  made->place = "store " + directory;
  made->data_file = directory + "/data.mdb";
  made->writable = access == table_access::write;
  if (made->writable)
    if (int code = allocate_lock_file(directory)) return lmdb_error(made->place, "making lock.mdb", code);
  unsigned flags = MDB_NOTLS | (made->writable ? 0 : MDB_RDONLY);  // NOTLS: readers belong to objects, not to threads
  int code = ENOMEM;
  size_t map_bytes = map_bytes_wanted;
  for (; code == ENOMEM && map_bytes >= map_bytes_least; map_bytes /= 2)
    code = open_env(*made, directory, flags, map_bytes);
  if (code == ENOMEM)
    return error{errc::io, made->place +
                               " needs 1 GiB of address space at least and this process may not have it: "
                               "raise `ulimit -v`"};
  if (code) return lmdb_error(made->place, "opening data.mdb", code);
  int dead = 0;
  mdb_reader_check(made->env, &dead);
  if (auto whole = check_length(*made); !whole) return whole.failure();
  if (auto opened = open_tables(made); !opened) return opened.failure();
  return made;
}

/// The environments of this process. A forked child has its own: what it inherited is its parent's.
class environment_registry {
public:
  static environment_registry& of_process() {
    static auto* all = new environment_registry;  // never destroyed: stores may be static too
    return *all;
  }

  result<std::shared_ptr<environment>> lease(const std::string& directory, table_access access) {
    struct stat place {};
    if (::stat(directory.c_str(), &place) != 0)
      return error{errc::io, "store " + directory + " cannot be looked at (" + std::strerror(errno) + ")"};
    identity key{getpid(), place.st_dev, place.st_ino};
    // Held while opening and closing too: the two must not overlap for one directory.
    std::lock_guard lock(mutex_);
    auto found = open_.find(key);
    if (found == open_.end()) {
      auto made = make_environment(directory, access);
      if (!made) return made.failure();
      found = open_.emplace(key, entry{std::move(*made), 0}).first;
    } else if (access == table_access::write && !found->second.env->writable) {
      return error{errc::busy, "store " + directory +
                                   " is open for reading in this process: close its readers before "
                                   "opening it for writing"};
    }
    ++found->second.leases;
    return std::shared_ptr<environment>(found->second.env.get(), [this, key](environment*) { give_back(key); });
  }

private:
  using identity = std::tuple<pid_t, dev_t, ino_t>;
  struct entry {
    std::shared_ptr<environment> env;
    size_t leases;
  };

  void give_back(const identity& key) {
    std::lock_guard lock(mutex_);
    auto found = open_.find(key);
    if (--found->second.leases == 0) open_.erase(found);
  }

  std::mutex mutex_;
  std::map<identity, entry> open_;
};

class open_tables_of_lmdb final : public lmdb_tables {
public:
  open_tables_of_lmdb(std::shared_ptr<environment> env, std::optional<writer_lock> lock)
    : lock_(std::move(lock)), env_(std::move(env)) {}

  result<std::unique_ptr<table_writer>> begin_write() override {
    if (!lock_) return error{errc::invalid_input, env_->place + " is open for reading: open it for writing first"};
    auto txn = transaction::begin(env_, 0);
    if (!txn) return txn.failure();
    return std::unique_ptr<table_writer>(std::make_unique<lmdb_writer>(std::move(*txn)));
  }
  result<std::unique_ptr<table_reader>> begin_read() const override {
    auto txn = transaction::begin(env_, MDB_RDONLY);
    if (!txn) return txn.failure();
    return std::unique_ptr<table_reader>(std::make_unique<lmdb_reader>(std::move(*txn)));
  }
  std::string place() const override { return env_->place; }
  uint32_t reader_slots() const override {
    MDB_envinfo info{};
    mdb_env_info(env_->env, &info);
    return info.me_numreaders;
  }

private:
  std::optional<writer_lock> lock_;  // let go after the environment
  std::shared_ptr<environment> env_;
};

/// So that a power cut after the first commit cannot lose the files' names.
void flush_directory(const std::string& directory) {
  int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

}  // namespace

result<std::unique_ptr<lmdb_tables>> open_lmdb_tables(const std::string& directory, table_access access) {
  std::optional<writer_lock> lock;
  if (access == table_access::write) {
    std::error_code failed;
    std::filesystem::create_directories(directory, failed);
    if (failed)
      return error{errc::io, "store " + directory + " cannot be made (" + failed.message() +
                                 "): name a directory that can be written"};
    auto taken = writer_lock::take(directory);
    if (!taken) return taken.failure();
    lock = std::move(*taken);
  } else if (struct stat file{}; ::stat((directory + "/data.mdb").c_str(), &file) != 0 || file.st_size == 0) {
    return error{errc::not_found, "there is no store in " + directory + ": a run that writes to it makes one"};
  }
  auto env = environment_registry::of_process().lease(directory, access);
  if (!env) return env.failure();
  if (lock) flush_directory(directory);
  return std::unique_ptr<lmdb_tables>(std::make_unique<open_tables_of_lmdb>(std::move(*env), std::move(lock)));
}

}  // namespace kope
