#include "actors/evaluation/task_check.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "actors/evaluation/comparison.hpp"
#include "actors/evaluation/concrete_cases.hpp"
#include "actors/evaluation/element_types.hpp"
#include "actors/evaluation/verification.hpp"

namespace kope {

namespace {

/// A trivial answer that is wrong on one of these is wrong. Calibration of a case computes the first ones anyway.
constexpr uint64_t sets_looked_at = 3;
constexpr uint64_t draws_verified = 2;

using outputs_of_set = std::shared_ptr<const std::vector<expected_output>>;

template <class T>
void append(std::vector<std::byte>& bytes, double value) {
  T own = static_cast<T>(value);
  size_t at = bytes.size();
  bytes.resize(at + sizeof own);
  std::memcpy(bytes.data() + at, &own, sizeof own);
}

std::vector<std::byte> as_written(const std::vector<double>& values, wire::ElementType type) {
  std::vector<std::byte> bytes;
  bytes.reserve(values.size() * element_bytes(type));
  for (double value : values) {
    switch (type) {
      case wire::ElementType::F32:
        append<float>(bytes, value);
        break;
      case wire::ElementType::F64:
        append<double>(bytes, value);
        break;
      case wire::ElementType::I32:
        append<int32_t>(bytes, value);
        break;
      case wire::ElementType::I64:
        append<int64_t>(bytes, value);
        break;
    }
  }
  return bytes;
}

class examiner {
public:
  examiner(case_bank& bank, const concrete_case& c) : bank_(bank), case_(c) {
    auto view = bank.of().read();
    size_t input = 0;
    for (auto tensor : view->getTensors()) {
      if (tensor.getRole() == wire::TensorRole::OUTPUT) {
        types_.push_back(tensor.getElementType());
        continue;
      }
      auto kind = fill_of(*view, c, input++).kind;
      inputs_differ_ |= kind != wire::FillKind::CONSTANT && kind != wire::FillKind::RAMP;
    }
  }

  /// What can be written without looking at the inputs, or nothing.
  result<std::string> trivial_answer() {
    for (uint64_t set = 0; set < sets_looked_at; ++set) {
      auto expected = bank_.expected(case_, set);
      if (!expected) return expected.failure();
      sets_.push_back(*expected);
    }
    if (passes([](size_t) { return 0.0; })) return std::string("zeros pass");
    // A value that the first set alone could suggest, for all sets.
    if (passes([this](size_t output) {
          const auto& values = (*sets_[0])[output].values;
          return values.empty() ? 0.0 : values.front();
        }))
      return std::string("one value everywhere passes");
    if (inputs_differ_ && same_for_all_sets()) return std::string("the answer does not depend on the inputs");
    return std::string();
  }

private:
  bool is_right(size_t output, const std::vector<double>& written, const expected_output& wanted) const {
    auto how = wanted;
    how.zeros_may_pass = true;  // that rule is for tasks which should not have passed here
    auto got = as_written(written, types_[output]);
    return !compare_output(got, how, make_poison(types_[output], 1)).first_bad;
  }

  /// `value`: of an output, for all its elements and all sets.
  template <class Value>
  bool passes(Value&& value) const {
    for (auto& set : sets_)
      for (size_t o = 0; o < types_.size(); ++o)
        if (!is_right(o, std::vector<double>((*set)[o].values.size(), value(o)), (*set)[o])) return false;
    return true;
  }

  bool same_for_all_sets() const {
    for (size_t i = 1; i < sets_.size(); ++i)
      for (size_t o = 0; o < types_.size(); ++o)
        if (!is_right(o, (*sets_[0])[o].values, (*sets_[i])[o])) return false;
    return true;
  }

  case_bank& bank_;
  const concrete_case& case_;
  std::vector<wire::ElementType> types_;
  bool inputs_differ_ = false;
  std::vector<outputs_of_set> sets_;
};

}  // namespace

result<task_findings> check_task(runner& with, case_bank& bank, const std::vector<int>& cpus) {
  task_findings found;
  size_t visible = 0, visible_without = 0;
  for (auto& c : bank.listed_cases()) {
    auto trivial = examiner(bank, c).trivial_answer();
    if (!trivial) return trivial.failure();
    bool tells = trivial->empty();
    if (c.kind == wire::CaseKind::VISIBLE) {
      ++visible;
      visible_without += tells ? 0 : 1;
    }
    if (tells) continue;
    bool fatal = c.kind == wire::CaseKind::TIMED;
    found.cases.push_back({c.name, *trivial, fatal});
    if (fatal && found.why.empty()) found.why = "timed case " + c.name + " tells nothing: " + *trivial;
  }
  if (found.why.empty() && visible_without * 2 > visible)
    found.why = std::to_string(visible_without) + " of " + std::to_string(visible) + " visible cases tell nothing";
  auto baseline = std::as_bytes(std::span(bank.baseline()));
  for (uint64_t draw = 0; draw < draws_verified && found.why.empty(); ++draw) {
    auto verdict = verify_artifact(with, bank, baseline, {.cpus = cpus, .draw = draw}, nullptr);
    if (!verdict) return verdict.failure();
    auto view = verdict->read();
    if (view->getOutcome() != wire::OutcomeClass::CORRECT_NOT_FASTER)
      found.why =
          std::string("the reference in the task's type disagrees with itself in double: ") + view->getDetail().cStr();
  }
  return found;
}

}  // namespace kope
