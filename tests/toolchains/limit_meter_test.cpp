#include "toolchains/limit_meter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "messages/enum_names.hpp"
#include "tests/support/fake_runner.hpp"
#include "tests/toolchains/scratch_directory.hpp"
#include "tests/toolchains/toolchain_test_options.hpp"
#include "toolchains/cache_sizes.hpp"
#include "toolchains/cpp_compiler.hpp"
#include "toolchains/device.hpp"
#include "toolchains/host_runner.hpp"
#include "toolchains/limit_kernels.hpp"

namespace kope::testing {
namespace {

using wire::Resource;

std::vector<Resource> all_resources() {
  std::vector<Resource> all;
  for (auto value : capnp::Schema::from<Resource>().getEnumerants())
    if (value.getOrdinal() != 0) all.push_back(static_cast<Resource>(value.getOrdinal()));
  return all;
}

parcel<wire::TargetRecord> target_with_caches(uint32_t l1, uint32_t l2, uint32_t l3) {
  return parcel<wire::TargetRecord>::build([&](wire::TargetRecord::Builder to) {
    to.setKey(std::string(64, 't'));
    to.setL1dBytes(l1);
    to.setL2Bytes(l2);
    to.setL3Bytes(l3);
  });
}

/// Answers every source with an artifact of this name.
class naming_compiler final : public compiler {
public:
  explicit naming_compiler(bool works = true) : works_(works) {}
  result<uint64_t> compile(compile_request, std::function<void(result<build>)> done) override {
    done(build::build([&](wire::Build::Builder made) {
      std::string name = "limits";
      made.setArtifact(kj::arrayPtr(reinterpret_cast<const kj::byte*>(name.data()), name.size()));
      made.setSucceeded(works_);
      if (!works_) made.setDiagnostics("no such instruction");
    }));
    return uint64_t{1};
  }
  void cancel(uint64_t) override {}
  std::string version() const override { return "fake 1"; }
  std::vector<std::string> base_flags() const override { return {}; }

private:
  bool works_;
};

/// Kernels with vectors of 32 bytes, four exponentials at once; a batch takes as long as the test says.
class limits_by_a_fake_clock : public ::testing::Test {
protected:
  limits_by_a_fake_clock() {
    with.add("limits", {[](const void* const*, void* const* out, const int64_t*) {
                          const int64_t told[] = {32, 4};
                          std::memcpy(out[0], told, sizeof told);
                        },
                        [this](size_t calls) {
                          batch_report report;
                          size_t n = batches++;
                          double slower = n < slow_batches.size() ? slow_batches[n] : 1;
                          report.seconds = 1e-3 * static_cast<double>(calls) * slower;
                          return report;
                        }});
  }
  parcel<wire::MeasuredLimit> measured(Resource what, limit_effort effort = {5, 0.01}) {
    auto meter = limit_meter::open(tool, with);
    EXPECT_TRUE(meter.ok());
    auto found = meter->measure(what, *target_with_caches(32 << 10, 1 << 20, 32 << 20).read(), 0, effort);
    EXPECT_TRUE(found.ok()) << (found ? "" : found.failure().what);
    return *found;
  }

  naming_compiler tool;
  fake_runner with;
  size_t batches = 0;
  std::vector<double> slow_batches;  // factors, in the order of the batches: the first two are the warm-up
};

TEST_F(limits_by_a_fake_clock, a_rate_is_the_work_of_a_call_over_its_time) {
  // 200,000 steps of twelve multiply-adds of eight elements, two operations each, in a millisecond
  EXPECT_NEAR(measured(Resource::F32_MULTIPLY_ADD_PEAK).read()->getPerSecond(), 200'000 * 12 * 8 * 2 / 1e-3, 1e6);
  EXPECT_NEAR(measured(Resource::F64_MULTIPLY_ADD_PEAK).read()->getPerSecond(), 200'000 * 12 * 4 * 2 / 1e-3, 1e6);
  EXPECT_NEAR(measured(Resource::F32_EXPONENTIAL_RATE).read()->getPerSecond(), 40'000 * 4 * 8 / 1e-3, 1e6);
  // 32 MiB a call, whatever the level
  EXPECT_NEAR(measured(Resource::L2_READ_BANDWIDTH).read()->getPerSecond(), (32 << 20) / 1e-3, 1e9);
}

TEST_F(limits_by_a_fake_clock, the_best_batch_counts_and_the_middle_one_gives_the_error) {
  slow_batches = {9, 1, 1.25, 1.25, 1, 2, 1.25};
  auto found = measured(Resource::F32_MULTIPLY_ADD_PEAK);
  auto view = found.read();
  EXPECT_NEAR(view->getPerSecond(), 200'000 * 12 * 8 * 2 / 1e-3, 1e6);
  EXPECT_NEAR(view->getError(), 0.2, 1e-9) << "the middle one is at 1 / 1.25";
  EXPECT_EQ(view->getBatches(), 5u);
  EXPECT_EQ(batches, 7u);
}

TEST_F(limits_by_a_fake_clock, a_bandwidth_names_the_memory_it_was_measured_in) {
  EXPECT_EQ(measured(Resource::L1_READ_BANDWIDTH).read()->getFootprintBytes(), 16 << 10);
  EXPECT_EQ(measured(Resource::L2_COPY_BANDWIDTH).read()->getFootprintBytes(), 512 << 10);
  EXPECT_EQ(measured(Resource::L3_READ_BANDWIDTH).read()->getFootprintBytes(), 16 << 20);
  EXPECT_GT(measured(Resource::MEMORY_READ_BANDWIDTH).read()->getFootprintBytes(), 60e6);
  EXPECT_EQ(measured(Resource::F32_MULTIPLY_ADD_PEAK).read()->getFootprintBytes(), 0);
}

TEST_F(limits_by_a_fake_clock, a_record_has_every_resource_once) {
  auto meter = limit_meter::open(tool, with);
  ASSERT_TRUE(meter.ok());
  auto record = meter->measure_all(*target_with_caches(0, 0, 0).read(), 0, true);
  ASSERT_TRUE(record.ok());
  auto view = record->read();
  std::vector<Resource> found;
  for (auto limit : view->getLimits()) found.push_back(limit.getResource());
  EXPECT_EQ(found, all_resources());
  EXPECT_TRUE(view->getQuick());
  EXPECT_STREQ(view->getTarget().cStr(), std::string(64, 't').c_str());
}

TEST_F(limits_by_a_fake_clock, a_kernel_that_fails_is_an_error_that_names_its_resource) {
  with.add("limits", {[](const void* const*, void* const*, const int64_t*) {
                        throw batch_report{.end = batch_end::crashed, .status = 4};
                      },
                      nullptr});
  auto meter = limit_meter::open(tool, with);
  auto record = meter->measure_all(*target_with_caches(0, 0, 0).read(), 0, true);
  ASSERT_FALSE(record.ok());
  EXPECT_NE(record.failure().what.find("f32_multiply_add_peak"), std::string::npos) << record.failure().what;
}

TEST(limit_meter, kernels_that_do_not_compile_are_an_error_with_the_compilers_words) {
  naming_compiler broken(false);
  fake_runner with;
  auto meter = limit_meter::open(broken, with);
  ASSERT_FALSE(meter.ok());
  EXPECT_NE(meter.failure().what.find("no such instruction"), std::string::npos);
}

TEST(limit_meter, memory_of_unknown_caches_grows_with_the_level) {
  auto target = target_with_caches(0, 0, 0);
  auto view = target.read();
  auto of = [&](Resource which) { return footprint_of(which, *view); };
  EXPECT_LT(of(Resource::L1_READ_BANDWIDTH), of(Resource::L2_READ_BANDWIDTH));
  EXPECT_LT(of(Resource::L2_READ_BANDWIDTH), of(Resource::L3_READ_BANDWIDTH));
  EXPECT_LT(of(Resource::L3_READ_BANDWIDTH), of(Resource::MEMORY_READ_BANDWIDTH));
  auto large = target_with_caches(48 << 10, 2 << 20, 512 << 20);
  auto large_view = large.read();
  EXPECT_LT(footprint_of(Resource::L3_READ_BANDWIDTH, *large_view),
            footprint_of(Resource::MEMORY_READ_BANDWIDTH, *large_view));
  EXPECT_GE(footprint_of(Resource::L3_READ_BANDWIDTH, *large_view), size_t{8} << 20) << "beyond the second level";
}

TEST(limit_meter, measures_every_resource_of_this_machine) {
  scratch_directory scratch;
  process_host host(scratch.path() + "/children");
  auto tool = make_cpp_compiler(host, gcc_options(), scratch.path() + "/compile");
  ASSERT_TRUE(tool.ok());
  auto runner = make_host_runner(host, runner_options());
  auto target = detect_target(1);
  ASSERT_TRUE(target.ok());
  auto meter = limit_meter::open(**tool, *runner);
  ASSERT_TRUE(meter.ok()) << (meter ? "" : meter.failure().what);
  auto view = target->read();
  auto record = meter->measure_all(*view, usable_cpus().front(), true);
  ASSERT_TRUE(record.ok()) << (record ? "" : record.failure().what);
  auto limits = record->read();
  for (auto limit : limits->getLimits()) {
    // The slowest core in use evaluates more than this, and none will do a thousandth of the upper bound soon.
    EXPECT_GT(limit.getPerSecond(), 1e7) << enum_name(limit.getResource());
    EXPECT_LT(limit.getPerSecond(), 1e15) << enum_name(limit.getResource());
    EXPECT_GE(limit.getError(), 0);
    EXPECT_LT(limit.getError(), 1);
  }
}

TEST(cache_sizes, grow_with_the_level_where_they_are_known) {
  auto bytes = data_cache_bytes();
  uint32_t before = 0;
  for (uint32_t level : bytes) {
    if (level == 0) continue;
    EXPECT_GT(level, before);
    EXPECT_EQ(level % 1024, 0u);
    before = level;
  }
}

}  // namespace
}  // namespace kope::testing
