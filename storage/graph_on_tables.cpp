#include "storage/graph_on_tables.hpp"

#include "storage/graph_commit.hpp"
#include "storage/graph_rows.hpp"

namespace kope {
namespace {

class table_snapshot final : public graph_snapshot {
public:
  table_snapshot(std::unique_ptr<table_reader> reader, std::string place)
    : reader_(std::move(reader)), place_(std::move(place)), rows_(*reader_, place_) {}

  result<unit> begin() {
    auto step = rows_.meta_number64(graph_keys::step_row, 0);
    if (!step) return step.failure();
    step_ = *step;
    return unit{};
  }

  uint64_t step() const override { return step_; }
  result<std::optional<attempt_record>> attempt(attempt_id id) const override { return rows_.attempt(id); }

  result<std::vector<attempt_record>> attempts_after(exploration_id exploration, uint64_t after_step,
                                                     size_t limit) const override {
    if (after_step == UINT64_MAX) return std::vector<attempt_record>();
    return along_timeline(exploration, after_step + 1, scan_order::ascending, limit);
  }
  result<std::vector<attempt_record>> newest_attempts(exploration_id exploration, size_t limit) const override {
    return along_timeline(exploration, 0, scan_order::descending, limit);
  }

  result<std::vector<open_row>> open_rows() const override {
    return all_of<open_row>(table::open, scan_order::ascending, SIZE_MAX);
  }
  result<std::optional<exploration_row>> exploration(exploration_id id) const override {
    return rows_.find<exploration_row>(table::explorations, graph_keys::of(id));
  }
  result<std::vector<exploration_row>> explorations(size_t limit) const override {
    return all_of<exploration_row>(table::explorations, scan_order::descending, limit);
  }
  result<std::optional<task_record>> task(std::string_view key) const override {
    return rows_.find<task_record>(table::tasks, graph_keys::of_text(key));
  }
  result<std::optional<target_record>> target(std::string_view key) const override {
    return rows_.find<target_record>(table::targets, graph_keys::of_text(key));
  }
  result<std::optional<toolchain_record>> toolchain(std::string_view key) const override {
    return rows_.find<toolchain_record>(table::toolchains, graph_keys::of_text(key));
  }
  result<std::vector<limits_record>> limits(std::string_view target_key, size_t limit) const override {
    std::string target = graph_keys::of_text(target_key);
    return in_range<limits_record>(table::limits,
                                   {target + graph_keys::number64(0), target + graph_keys::number64(UINT64_MAX)},
                                   scan_order::descending, limit);
  }
  result<std::optional<std::string>> source(std::string_view hash) const override { return rows_.source(hash); }
  result<std::optional<attempt_id>> attempt_by_normal_hash(exploration_id exploration,
                                                           std::string_view normal_hash) const override {
    return rows_.attempt_by_normal_hash(exploration, normal_hash);
  }

  result<std::vector<edge>> edges(attempt_id of, edge_kind kind, bool outgoing, size_t limit) const override {
    auto which = outgoing ? table::edges_from : table::edges_to;
    key_range range{graph_keys::of(graph_keys::edge_key{of, kind, 0, {}}),
                    graph_keys::of(graph_keys::edge_key{of, kind, UINT64_MAX, attempt_id{UINT64_MAX}})};
    std::vector<edge> found;
    if (limit == 0) return found;
    std::optional<error> bad;
    auto done = reader_->scan(which, range, scan_order::descending, [&](std::string_view key, std::string_view) {
      auto parts = graph_keys::to_edge_key(key);
      if (!parts) {
        bad = rows_.corrupt(which, key, "the key is not an edge of 25 bytes");
        return false;
      }
      found.push_back(outgoing ? edge{parts->end, parts->other_end, parts->step}
                               : edge{parts->other_end, parts->end, parts->step});
      return found.size() < limit;
    });
    if (!done) return done.failure();
    if (bad) return *bad;
    return found;
  }

  result<store_counts> counts() const override {
    store_counts all;
    const std::pair<table, uint64_t*> rows[] = {
        {table::attempts, &all.attempts}, {table::open, &all.open},   {table::explorations, &all.explorations},
        {table::sources, &all.sources},   {table::tasks, &all.tasks}, {table::edges_from, &all.edges}};
    for (auto [which, number] : rows) {
      auto count = reader_->rows(which);
      if (!count) return count.failure();
      *number = *count;
    }
    all.bytes_on_disk = reader_->bytes_on_disk();
    return all;
  }

private:
  result<std::vector<attempt_record>> along_timeline(exploration_id exploration, uint64_t from_step, scan_order order,
                                                     size_t limit) const {
    key_range range{graph_keys::of(graph_keys::timeline_key{exploration, from_step}),
                    graph_keys::of(graph_keys::timeline_key{exploration, UINT64_MAX})};
    std::vector<attempt_record> found;
    if (limit == 0) return found;
    std::optional<error> bad;
    auto done = reader_->scan(table::timeline, range, order, [&](std::string_view key, std::string_view value) {
      auto id = graph_keys::to_number64(value);
      if (!id) {
        bad = rows_.corrupt(table::timeline, key, "the value is not an attempt id of 8 bytes");
        return false;
      }
      auto attempt = rows_.attempt(attempt_id{*id});
      if (!attempt) {
        bad = attempt.failure();
        return false;
      }
      if (!*attempt) {
        bad = rows_.corrupt(table::timeline, key, "it names attempt " + hex_of(*id) + ", which is not there");
        return false;
      }
      found.push_back(std::move(**attempt));
      return found.size() < limit;
    });
    if (!done) return done.failure();
    if (bad) return *bad;
    return found;
  }

  template <class Record>
  result<std::vector<Record>> all_of(table which, scan_order order, size_t limit) const {
    return in_range<Record>(which, {}, order, limit);
  }

  template <class Record>
  result<std::vector<Record>> in_range(table which, const key_range& range, scan_order order, size_t limit) const {
    std::vector<Record> found;
    if (limit == 0) return found;
    std::optional<error> bad;
    auto done = reader_->scan(which, range, order, [&](std::string_view key, std::string_view value) {
      auto record = rows_.decode<Record>(which, key, value);
      if (!record) {
        bad = record.failure();
        return false;
      }
      found.push_back(std::move(*record));
      return found.size() < limit;
    });
    if (!done) return done.failure();
    if (bad) return *bad;
    return found;
  }

  std::unique_ptr<table_reader> reader_;
  std::string place_;
  graph_rows rows_;
  uint64_t step_ = 0;
};

class graph_on_tables final : public graph_store {
public:
  graph_on_tables(std::shared_ptr<tables> tables, store_access access)
    : tables_(std::move(tables)), place_(tables_->place()), access_(access) {}

  result<unit> open() {
    if (access_ == store_access::write) return count_up();
    auto reader = tables_->begin_read();
    if (!reader) return reader.failure();
    graph_rows rows(**reader, place_);
    auto version = rows.meta_number32(graph_keys::format_row, 0);
    if (!version) return version.failure();
    if (*version == 0)
      return error{errc::not_found, place_ + " holds no experience graph yet: a run that writes to it makes one"};
    return rows.check_format();
  }

  result<std::vector<outcome_receipt>> commit(const commit_batch& batch) override {
    if (access_ != store_access::write) return read_only();
    if (batch.empty()) return std::vector<outcome_receipt>();
    if (auto right = check_batch(batch); !right) return right.failure();
    auto writer = tables_->begin_write();
    if (!writer) return writer.failure();
    auto receipts = apply_batch(batch, **writer, place_);
    if (!receipts) return receipts;
    if (auto done = (*writer)->commit(); !done) return done.failure();
    return receipts;
  }

  result<std::unique_ptr<graph_snapshot>> snapshot() const override {
    auto reader = tables_->begin_read();
    if (!reader) return reader.failure();
    auto made = std::make_unique<table_snapshot>(std::move(*reader), place_);
    if (auto done = made->begin(); !done) return done.failure();
    return std::unique_ptr<graph_snapshot>(std::move(made));
  }

  uint32_t incarnation() const override { return incarnation_; }

  result<exploration_id> new_exploration_id() override {
    if (access_ != store_access::write) return read_only();
    auto writer = tables_->begin_write();
    if (!writer) return writer.failure();
    auto last = graph_rows(**writer, place_).meta_number64(graph_keys::last_exploration_row, 0);
    if (!last) return last.failure();
    if (*last >= exploration_id_max)
      return error{errc::invalid_input, place_ + " has given all its exploration ids: start another store"};
    exploration_id next{*last + 1};
    auto done = (*writer)->put(table::meta, graph_keys::last_exploration_row, graph_keys::of(next));
    if (done) done = (*writer)->commit();
    if (!done) return done.failure();
    return next;
  }

private:
  error read_only() const { return {errc::invalid_input, place_ + " is open for reading: open it for writing first"}; }

  result<unit> count_up() {
    auto writer = tables_->begin_write();
    if (!writer) return writer.failure();
    graph_rows rows(**writer, place_);
    if (auto right = rows.check_format(); !right) return right;
    auto before = rows.meta_number32(graph_keys::incarnation_row, 0);
    if (!before) return before.failure();
    incarnation_ = *before + 1;
    auto done = (*writer)->put(table::meta, graph_keys::format_row, graph_keys::number32(graph_format_version));
    if (done) done = (*writer)->put(table::meta, graph_keys::incarnation_row, graph_keys::number32(incarnation_));
    if (done) done = (*writer)->commit();
    return done;
  }

  std::shared_ptr<tables> tables_;
  std::string place_;
  store_access access_;
  uint32_t incarnation_ = 0;
};

}  // namespace

result<std::unique_ptr<graph_store>> open_graph_on_tables(std::shared_ptr<tables> tables, store_access access) {
  auto store = std::make_unique<graph_on_tables>(std::move(tables), access);
  if (auto done = store->open(); !done) return done.failure();
  return std::unique_ptr<graph_store>(std::move(store));
}

}  // namespace kope
