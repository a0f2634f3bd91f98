// Records for the storage tests, right unless a test breaks one on purpose.
#pragma once

#include <string>

#include "messages/content_hash.hpp"
#include "storage/graph_store.hpp"

namespace kope::testing {

constexpr exploration_id exploration_one{1};
inline attempt_id attempt_of_one(uint32_t number) { return make_attempt_id(exploration_one, number); }

inline void fill_header(wire::AttemptHeader::Builder header, attempt_id id) {
  header.setAttempt(id.text());
  header.setExploration(exploration_of(id).text());
  header.setNumber(static_cast<uint32_t>(id.value));
  header.setIncarnation(1);
  header.setGeneration(1);
}

inline std::string source_of(attempt_id id) {
  return "extern \"C\" void kernel(const float* a, float* c) { c[0] = a[" + std::to_string(id.value) + "]; }\n";
}

/// A correct attempt with its source; `change` gets the builder of the outcome.
template <class Change>
outcome make_outcome(attempt_id id, Change&& change) {
  return outcome::build([&](wire::Outcome::Builder root) {
    auto source = source_of(id);
    root.setSource(source);
    auto attempt = root.initAttempt();
    fill_header(attempt.initHeader(), id);
    attempt.setTask("task");
    attempt.setPhase(wire::Phase::DRAFT);
    attempt.setSourceHash(content_hash(source));
    attempt.setNormalHash(content_hash("normal " + source));
    attempt.setOutcome(wire::OutcomeClass::IMPROVED);
    attempt.setStage(wire::Stage::PROFILE);
    attempt.setFinal(true);
    change(root);
  });
}
inline outcome make_outcome(attempt_id id) {
  return make_outcome(id, [](wire::Outcome::Builder) {});
}

inline open_row make_open(attempt_id id, std::string_view action = "start") {
  return open_row::build([&](wire::OpenRow::Builder row) {
    fill_header(row.initHeader(), id);
    row.initPlan().setAction(std::string(action));
  });
}

inline exploration_row make_exploration(exploration_id id, uint32_t spent = 0) {
  return exploration_row::build([&](wire::Exploration::Builder row) {
    row.setId(id.text());
    row.setSpentAttempts(spent);
  });
}

inline task_record make_task(std::string_view key, std::string_view name) {
  return task_record::build([&](wire::TaskRecord::Builder row) {
    row.setKey(std::string(key));
    row.setName(std::string(name));
  });
}

inline limits_record make_limits(std::string_view target, double unix_seconds, double f32_peak = 1e11) {
  return limits_record::build([&](wire::LimitsRecord::Builder row) {
    row.setTarget(std::string(target));
    row.setMeasuredUnixSeconds(unix_seconds);
    auto limit = row.initLimits(1)[0];
    limit.setResource(wire::Resource::F32_MULTIPLY_ADD_PEAK);
    limit.setPerSecond(f32_peak);
  });
}

inline std::string hash_of(const attempt_record& record) { return record.read()->getSourceHash().cStr(); }
inline std::string id_of(const attempt_record& record) { return record.read()->getHeader().getAttempt().cStr(); }

inline commit_batch batch_of(std::vector<outcome> outcomes) {
  commit_batch batch;
  batch.outcomes = std::move(outcomes);
  return batch;
}

}  // namespace kope::testing
