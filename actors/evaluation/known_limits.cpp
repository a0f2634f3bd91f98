#include "actors/evaluation/known_limits.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "messages/enum_names.hpp"

namespace kope {
namespace {

using wire::Resource;

struct best_rate {
  double rate = 0;
  double error = 0;
  double footprint = 0;
};

best_rate best_of(Resource which, const std::vector<limits_record>& records) {
  best_rate best;
  for (size_t i = 0; i < records.size() && i < limit_records_used; ++i) {
    auto view = records[i].read();
    for (auto limit : view->getLimits())
      if (limit.getResource() == which && limit.getPerSecond() > best.rate)
        best = {limit.getPerSecond(), limit.getError(), limit.getFootprintBytes()};
  }
  return best;
}

constexpr Resource levels[][2] = {
    {Resource::L1_READ_BANDWIDTH, Resource::L1_COPY_BANDWIDTH},
    {Resource::L2_READ_BANDWIDTH, Resource::L2_COPY_BANDWIDTH},
    {Resource::L3_READ_BANDWIDTH, Resource::L3_COPY_BANDWIDTH},
    {Resource::MEMORY_READ_BANDWIDTH, Resource::MEMORY_COPY_BANDWIDTH},
};

class least {
public:
  explicit least(const std::vector<limits_record>& records) : records_(records) {}

  /// `also`: a resource that may do the same work faster on some machines; only suspicion heeds it.
  void take(double amount, Resource by, Resource also = Resource::UNKNOWN, double slack = 1) {
    auto rate = best_of(by, records_);
    if (!(amount > 0) || !(rate.rate > 0)) return;
    double seconds = amount / rate.rate;
    if (seconds > found.seconds) {
      found.seconds = seconds;
      found.limited_by = by;
      found.rate = rate.rate;
    }
    double fastest = 0;
    for (auto each : {rate, best_of(also, records_)})
      fastest = std::max(fastest, each.rate * (1 + std::max(each.error, limit_error_min)));
    found.surely_seconds = std::max(found.surely_seconds, amount / (fastest * slack));
  }

  /// Reading or copying, whichever is quicker: a task says how many bytes move and not which way.
  void take_bytes(double amount, double footprint) {
    const Resource* chosen = nullptr;
    for (const auto& level : levels) {
      auto rate = best_of(level[0], records_);
      if (rate.rate > 0 && (chosen == nullptr || rate.footprint <= footprint)) chosen = level;
    }
    if (chosen == nullptr) return;
    bool reads = best_of(chosen[0], records_).rate >= best_of(chosen[1], records_).rate;
    take(amount, chosen[reads ? 0 : 1], chosen[reads ? 1 : 0]);
  }

  least_time found;

private:
  const std::vector<limits_record>& records_;
};

}  // namespace

case_work case_work_of(wire::Task::Reader of, size_t case_index) {
  auto described = of.getCases()[static_cast<unsigned>(case_index)];
  return {of.getElementType(), described.getBytesMin(), described.getFlops(), described.getTranscendentals()};
}

least_time least_time_of(const case_work& work, double footprint_bytes, const std::vector<limits_record>& records) {
  least of(records);
  of.take_bytes(work.bytes, footprint_bytes);
  switch (work.type) {
    case wire::ElementType::F32:
      of.take(work.flops, Resource::F32_MULTIPLY_ADD_PEAK, Resource::F32_MIXED_PEAK);
      of.take(work.transcendentals, Resource::F32_EXPONENTIAL_RATE, Resource::UNKNOWN, exponential_slack);
      break;
    case wire::ElementType::F64:
      of.take(work.flops, Resource::F64_MULTIPLY_ADD_PEAK, Resource::F64_MIXED_PEAK);
      of.take(work.transcendentals, Resource::F64_EXPONENTIAL_RATE, Resource::UNKNOWN, exponential_slack);
      break;
    case wire::ElementType::I32:
      of.take(work.flops, Resource::I32_ADD_PEAK);
      break;
    case wire::ElementType::I64:
      of.take(work.flops, Resource::I64_ADD_PEAK);
      break;
  }
  return of.found;
}

std::string suspicion_text(double seconds, const least_time& allowed) {
  auto resource = enum_name(allowed.limited_by);
  std::replace(resource.begin(), resource.end(), '_', ' ');
  char text[200];
  std::snprintf(text, sizeof text, "%.4g us is %.3g times as fast as the %s (%.4g G a second, measured) allows",
                seconds * 1e6, allowed.seconds / std::max(seconds, 1e-12), resource.c_str(), allowed.rate / 1e9);
  return text;
}

known_limits::known_limits(std::vector<limits_record> on_record, std::function<result<limits_record>()> measure)
  : records_(std::move(on_record)), measure_(std::move(measure)) {}

least_time known_limits::of(const case_work& work, double footprint_bytes) const {
  std::lock_guard hold(mutex_);
  return least_time_of(work, footprint_bytes, records_);
}

void known_limits::measure_again(clock::time_point now) {
  {
    std::lock_guard hold(mutex_);
    if (!measure_ || (measured_at_ && now - *measured_at_ < again_after)) return;
    measured_at_ = now;
  }
  auto measured = measure_();
  if (!measured) return;  // what is on record stays true
  std::lock_guard hold(mutex_);
  records_.insert(records_.begin(), *measured);
  fresh_.push_back(*measured);
  if (records_.size() > limit_records_used) records_.pop_back();
  if (fresh_.size() > limit_records_used) fresh_.erase(fresh_.begin());
}

std::string known_limits::suspicion(const case_work& work, double footprint_bytes, double seconds) {
  if (seconds >= of(work, footprint_bytes).surely_seconds) return "";
  measure_again();
  auto allowed = of(work, footprint_bytes);
  return seconds < allowed.surely_seconds ? suspicion_text(seconds, allowed) : "";
}

std::vector<limits_record> known_limits::take_fresh() {
  std::lock_guard hold(mutex_);
  return std::exchange(fresh_, {});
}

}  // namespace kope
