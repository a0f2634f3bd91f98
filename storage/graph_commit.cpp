#include "storage/graph_commit.hpp"

#include <algorithm>

#include "messages/content_hash.hpp"
#include "storage/source_text.hpp"

namespace kope {
namespace {

std::string_view view_of(capnp::Text::Reader text) { return {text.begin(), text.size()}; }

std::string_view view_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Foreign text inside an error message: 80 characters name anything that is right, and no more of anything wrong.
std::string quoted(std::string_view text) { return "\"" + std::string(text.substr(0, 80)) + "\""; }

error refused(std::string_view what, size_t index, std::string why) {
  return {errc::invalid_input, std::string(what) + " " + std::to_string(index) + " of the batch: " + std::move(why)};
}

/// The id in a header that names one attempt of the exploration it names.
result<attempt_id> id_in(wire::AttemptHeader::Reader header) {
  auto text = view_of(header.getAttempt());
  auto id = attempt_id::parse(text);
  if (!id || !*id) return error{errc::invalid_input, "attempt id " + quoted(text) + " is not 16 hex digits above zero"};
  auto owner_text = view_of(header.getExploration());
  auto owner = exploration_id::parse(owner_text);
  if (!owner || (*owner && *owner != exploration_of(*id)))
    return error{errc::invalid_input, "attempt " + id->text() + " is not of exploration " + quoted(owner_text)};
  return *id;
}

result<exploration_id> id_of(const exploration_row& exploration) {
  auto row = exploration.read();
  auto text = view_of(row->getId());
  auto id = exploration_id::parse(text);
  if (!id || !*id || id->value > exploration_id_max)
    return error{errc::invalid_input,
                 "exploration id " + quoted(text) + " is not 16 hex digits from 1 to " + hex_of(exploration_id_max)};
  return *id;
}

result<unit> check_outcome(wire::Outcome::Reader outcome) {
  auto attempt = outcome.getAttempt();
  auto id = id_in(attempt.getHeader());
  if (!id) return id.failure();
  auto parent = view_of(attempt.getParent());
  if (!attempt_id::parse(parent))
    return error{errc::invalid_input, "attempt " + id->text() + " has a parent " + quoted(parent) +
                                          " that is not an attempt id of 16 hex digits"};
  auto source = view_of(outcome.getSource());
  if (source.empty()) return unit{};
  if (source.size() > source_bytes_max)
    return error{errc::invalid_input, "attempt " + id->text() + " has a source larger than 16 MiB"};
  auto hash = content_hash(source);
  if (hash != view_of(attempt.getSourceHash()))
    return error{errc::invalid_input, "attempt " + id->text() + " says its source has hash " +
                                          quoted(view_of(attempt.getSourceHash())) + " but the hash is " + hash};
  return unit{};
}

template <class Record>
result<unit> check_keys(const std::vector<Record>& records, std::string_view what) {
  for (size_t i = 0; i < records.size(); ++i)
    if (records[i].read()->getKey().size() == 0) return refused(what, i, "its key is empty");
  return unit{};
}

/// The end of the year 9999: what is later was not measured, and its milliseconds might not be a number.
constexpr double unix_seconds_max = 253402300800.0;

result<unit> check_limits(wire::LimitsRecord::Reader measured) {
  if (measured.getTarget().size() == 0) return error{errc::invalid_input, "its target is empty"};
  double moment = measured.getMeasuredUnixSeconds();
  if (!(moment > 0 && moment < unix_seconds_max))
    return error{errc::invalid_input, "its moment is not from 1970 to 9999"};
  return unit{};
}

/// Whether these source and flags need no second look. What was never run says nothing about them, and a timeout that
/// is not final is tried once more.
bool was_judged(wire::Attempt::Reader attempt) {
  switch (attempt.getOutcome()) {
    case wire::OutcomeClass::NO_CODE:
    case wire::OutcomeClass::DUPLICATE:
    case wire::OutcomeClass::INTERRUPTED:
    case wire::OutcomeClass::HARNESS_ERROR:
      return false;
    case wire::OutcomeClass::TIMED_OUT:
      return attempt.getFinal();
    default:
      return true;
  }
}

class batch_writer {
public:
  batch_writer(table_writer& writer, const std::string& place) : writer_(writer), rows_(writer, place) {}

  result<unit> begin() {
    auto step = rows_.meta_number64(graph_keys::step_row, 0);
    if (!step) return step.failure();
    auto last = rows_.meta_number64(graph_keys::last_exploration_row, 0);
    if (!last) return last.failure();
    step_ = step_before_ = *step;
    last_exploration_ = last_exploration_before_ = *last;
    return unit{};
  }

  template <class Record>
  result<unit> put_records(table which, const std::vector<Record>& records) {
    for (auto& record : records) {
      auto key = graph_keys::of_text(view_of(record.read()->getKey()));
      if (auto done = put_if_other(which, key, view_of(record.bytes())); !done) return done;
    }
    return unit{};
  }

  result<unit> put_limits(const limits_record& measured) {
    auto record = measured.read();
    auto key = graph_keys::of_limits(view_of(record->getTarget()), record->getMeasuredUnixSeconds());
    auto there = writer_.get(table::limits, key);
    if (!there) return there.failure();
    if (*there) return unit{};
    return writer_.put(table::limits, key, view_of(measured.bytes()));
  }

  /// Sources never change: one that is there is left alone.
  result<unit> put_source(std::string_view text, std::string_view hash) {
    auto key = graph_keys::of_source(hash);
    check(key.has_value(), "a content hash is 64 hex digits");
    auto there = writer_.get(table::sources, *key);
    if (!there) return there.failure();
    if (*there) return unit{};
    auto frame = compress_source(text);
    if (!frame) return frame.failure();
    return writer_.put(table::sources, *key, *frame);
  }

  result<unit> put_exploration(const exploration_row& exploration) {
    auto id = id_of(exploration);
    if (!id) return id.failure();
    saw(*id);
    return put_if_other(table::explorations, graph_keys::of(*id), view_of(exploration.bytes()));
  }

  result<unit> put_open(const open_row& opened) {
    auto id = id_in(opened.read()->getHeader());
    if (!id) return id.failure();
    saw(exploration_of(*id));
    auto key = graph_keys::of(*id);
    for (auto which : {table::attempts, table::open}) {
      auto there = writer_.get(which, key);
      if (!there) return there.failure();
      if (*there) return unit{};
    }
    return writer_.put(table::open, key, view_of(opened.bytes()));
  }

  result<outcome_receipt> put_outcome(wire::Outcome::Reader outcome) {
    auto from = outcome.getAttempt();
    auto id = id_in(from.getHeader());
    if (!id) return id.failure();
    auto earlier = rows_.attempt(*id);
    if (!earlier) return earlier.failure();
    if (*earlier) {
      auto step = static_cast<uint64_t>((*earlier)->read()->getStep());
      return outcome_receipt{step, true, std::move(**earlier)};
    }
    saw(exploration_of(*id));
    ++step_;
    auto attempt = attempt_record::changed(from, [&](auto row) { row.setStep(static_cast<double>(step_)); });
    if (auto done = insert(*id, from, attempt, view_of(outcome.getSource())); !done) return done.failure();
    return outcome_receipt{step_, false, std::move(attempt)};
  }

  result<unit> end() {
    if (step_ != step_before_)
      if (auto done = writer_.put(table::meta, graph_keys::step_row, graph_keys::number64(step_)); !done) return done;
    if (last_exploration_ == last_exploration_before_) return unit{};
    return writer_.put(table::meta, graph_keys::last_exploration_row, graph_keys::number64(last_exploration_));
  }

private:
  result<unit> insert(attempt_id id, wire::Attempt::Reader from, const attempt_record& attempt,
                      std::string_view source) {
    auto key = graph_keys::of(id);
    auto exploration = exploration_of(id);
    if (auto done = writer_.erase(table::open, key); !done) return done;
    if (auto done = writer_.put(table::attempts, key, view_of(attempt.bytes())); !done) return done;
    auto moment = graph_keys::of(graph_keys::timeline_key{exploration, step_});
    if (auto done = writer_.put(table::timeline, moment, key); !done) return done;
    if (!source.empty())
      if (auto done = put_source(source, view_of(from.getSourceHash())); !done) return done;
    if (auto parent = attempt_id::parse(view_of(from.getParent())); parent && *parent)
      if (auto done = put_edge(id, *parent, edge_kind::derived_from); !done) return done;
    for (auto text : from.getInjected())
      if (auto recalled = attempt_id::parse(view_of(text)); recalled && *recalled)
        if (auto done = put_edge(*recalled, id, edge_kind::injected_into); !done) return done;
    auto normal_hash = view_of(from.getNormalHash());
    if (normal_hash.empty() || !was_judged(from)) return unit{};
    auto judged = graph_keys::of_normal_hash(exploration, normal_hash);
    auto there = writer_.get(table::normal, judged);
    if (!there) return there.failure();
    if (*there) return unit{};  // the first that was judged stays the answer
    return writer_.put(table::normal, judged, key);
  }

  result<unit> put_edge(attempt_id from, attempt_id to, edge_kind kind) {
    auto leaving = graph_keys::of(graph_keys::edge_key{from, kind, step_, to});
    if (auto done = writer_.put(table::edges_from, leaving, {}); !done) return done;
    return writer_.put(table::edges_to, graph_keys::of(graph_keys::edge_key{to, kind, step_, from}), {});
  }

  /// Writing a row again would dirty its page: a batch in which nothing changed then costs a disk flush for nothing.
  result<unit> put_if_other(table which, std::string_view key, std::string_view value) {
    auto there = writer_.get(which, key);
    if (!there) return there.failure();
    if (*there && **there == value) return unit{};
    return writer_.put(which, key, value);
  }

  /// Ids that arrive by an import were not given by this store, and must not be given again.
  void saw(exploration_id id) { last_exploration_ = std::max(last_exploration_, id.value); }

  table_writer& writer_;
  graph_rows rows_;
  uint64_t step_ = 0, step_before_ = 0;
  uint64_t last_exploration_ = 0, last_exploration_before_ = 0;
};

}  // namespace

result<unit> check_batch(const commit_batch& batch) {
  if (auto done = check_keys(batch.tasks, "task"); !done) return done;
  if (auto done = check_keys(batch.targets, "target"); !done) return done;
  if (auto done = check_keys(batch.toolchains, "toolchain"); !done) return done;
  for (size_t i = 0; i < batch.limits.size(); ++i)
    if (auto done = check_limits(*batch.limits[i].read()); !done) return refused("limits", i, done.failure().what);
  for (size_t i = 0; i < batch.sources.size(); ++i)
    if (batch.sources[i].size() > source_bytes_max) return refused("source", i, "it is larger than 16 MiB");
  for (size_t i = 0; i < batch.explorations.size(); ++i)
    if (auto id = id_of(batch.explorations[i]); !id) return refused("exploration", i, id.failure().what);
  for (size_t i = 0; i < batch.opened.size(); ++i)
    if (auto id = id_in(batch.opened[i].read()->getHeader()); !id) return refused("open row", i, id.failure().what);
  for (size_t i = 0; i < batch.outcomes.size(); ++i) {
    auto outcome = batch.outcomes[i].read();
    if (auto done = check_outcome(*outcome); !done) return refused("outcome", i, done.failure().what);
  }
  return unit{};
}

result<std::vector<outcome_receipt>> apply_batch(const commit_batch& batch, table_writer& writer,
                                                 const std::string& place) {
  batch_writer to(writer, place);
  if (auto done = to.begin(); !done) return done.failure();
  if (auto done = to.put_records(table::tasks, batch.tasks); !done) return done.failure();
  if (auto done = to.put_records(table::targets, batch.targets); !done) return done.failure();
  if (auto done = to.put_records(table::toolchains, batch.toolchains); !done) return done.failure();
  for (auto& measured : batch.limits)
    if (auto done = to.put_limits(measured); !done) return done.failure();
  for (auto& source : batch.sources)
    if (auto done = to.put_source(source, content_hash(source)); !done) return done.failure();
  for (auto& exploration : batch.explorations)
    if (auto done = to.put_exploration(exploration); !done) return done.failure();
  for (auto& opened : batch.opened)
    if (auto done = to.put_open(opened); !done) return done.failure();
  std::vector<outcome_receipt> receipts;
  receipts.reserve(batch.outcomes.size());
  for (auto& outcome : batch.outcomes) {
    auto row = outcome.read();
    auto receipt = to.put_outcome(*row);
    if (!receipt) return receipt.failure();
    receipts.push_back(std::move(*receipt));
  }
  if (auto done = to.end(); !done) return done.failure();
  return receipts;
}

}  // namespace kope
