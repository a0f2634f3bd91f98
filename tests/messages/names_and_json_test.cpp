// Texts of enums, ids, hashes and JSON.
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "messages/content_hash.hpp"
#include "messages/enum_names.hpp"
#include "messages/ids.hpp"
#include "messages/json.hpp"
#include "messages/status.capnp.h"
#include "messages/task.capnp.h"
#include "tests/messages/sample_messages.hpp"

namespace kope {
namespace {

template <class E>
void expect_names_both_ways() {
  std::set<std::string> names;
  auto values = capnp::Schema::from<E>().getEnumerants();
  ASSERT_GT(values.size(), 0u);
  for (uint16_t i = 0; i < values.size(); ++i) {
    auto name = enum_name(static_cast<E>(i));
    EXPECT_TRUE(names.insert(name).second) << name;
    ASSERT_TRUE(enum_value<E>(name)) << name;
    EXPECT_EQ(static_cast<uint16_t>(*enum_value<E>(name)), i) << name;
  }
}

TEST(enum_names, go_both_ways_for_every_enum) {
  expect_names_both_ways<wire::OutcomeClass>();
  expect_names_both_ways<wire::Stage>();
  expect_names_both_ways<wire::Decision>();
  expect_names_both_ways<wire::TimingMode>();
  expect_names_both_ways<wire::Phase>();
  expect_names_both_ways<wire::ParameterClass>();
  expect_names_both_ways<wire::ElementType>();
  expect_names_both_ways<wire::TensorRole>();
  expect_names_both_ways<wire::CaseKind>();
  expect_names_both_ways<wire::FillKind>();
  expect_names_both_ways<wire::ExplorationState>();
}

TEST(enum_names, are_snake_case_and_exact) {
  EXPECT_EQ(enum_name(wire::OutcomeClass::CORRECT_NOT_FASTER), "correct_not_faster");
  EXPECT_EQ(enum_name(wire::ElementType::F32), "f32");
  EXPECT_EQ(enum_value<wire::OutcomeClass>("timed_out"), wire::OutcomeClass::TIMED_OUT);
  EXPECT_FALSE(enum_value<wire::OutcomeClass>("timedOut"));
  EXPECT_FALSE(enum_value<wire::OutcomeClass>("TIMED_OUT"));
  EXPECT_FALSE(enum_value<wire::OutcomeClass>(""));
}

TEST(enum_names, have_a_text_for_a_value_that_a_newer_writer_added) {
  EXPECT_EQ(enum_name(static_cast<wire::OutcomeClass>(999)), "unknown_999");
  EXPECT_FALSE(enum_value<wire::OutcomeClass>("unknown_999"));
}

// The words of design and command line: an outcome's text is public.
TEST(enum_names, list_the_outcomes_as_people_read_them) {
  std::string all;
  for (uint16_t i = 0; i < capnp::Schema::from<wire::OutcomeClass>().getEnumerants().size(); ++i)
    all += enum_name(static_cast<wire::OutcomeClass>(i)) + " ";
  EXPECT_EQ(
      all.rfind("improved correct_not_faster undecided no_code duplicate build_failed wrong_answer crashed timed_out "
                "out_of_memory sandbox_violation suspect interrupted harness_error ",
                0),
      0u)
      << all;
}

TEST(ids, are_sixteen_hex_digits_or_none) {
  EXPECT_EQ(make_attempt_id(exploration_id{1}, 42).text(), "000000010000002a");
  EXPECT_EQ(exploration_of(make_attempt_id(exploration_id{7}, 3)), exploration_id{7});
  EXPECT_LT(make_attempt_id(exploration_id{1}, 9), make_attempt_id(exploration_id{1}, 10));
  EXPECT_EQ(attempt_id{}.text(), "");
  EXPECT_FALSE(*attempt_id::parse(""));
  EXPECT_EQ(attempt_id::parse("000000010000002a"), make_attempt_id(exploration_id{1}, 42));
  EXPECT_EQ(attempt_id::parse("ffffffffffffffff")->value, UINT64_MAX);
  for (auto text :
       {"1", "000000010000002g", "0x00000010000002", "-000000010000002", " 00000010000002a", "000000010000002a0"})
    EXPECT_FALSE(attempt_id::parse(text)) << text;
}

TEST(content_hashes, are_sha_256) {
  EXPECT_EQ(content_hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(content_hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(content_hashes, of_fields_do_not_run_into_each_other) {
  auto of = [](std::vector<std::string_view> fields) { return content_hash_of(fields); };
  EXPECT_NE(of({"ab", "c"}), of({"a", "bc"}));
  EXPECT_NE(of({"ab"}), of({"ab", ""}));
  EXPECT_NE(of({}), of({""}));
  EXPECT_EQ(of({"ab", "c"}), of({"ab", "c"}));
}

TEST(json, has_snake_case_keys_enum_texts_and_null_for_what_is_not_finite) {
  auto work = sample_work();
  auto view = work.read();
  auto json = to_json(capnp::DynamicStruct::Reader(*view));
  EXPECT_EQ(json["plan"]["header"]["attempt"], "000000010000002a");
  EXPECT_EQ(json["plan"]["header"]["handed_out"], 0);
  EXPECT_EQ(json["plan"]["parameters"][0]["class"], "machine_bound");
  EXPECT_EQ(json["plan"]["parameters"][1]["value"], 0.0);
  EXPECT_EQ(json["candidate"]["flags"], (nlohmann::ordered_json{"-O3", "-ffast-math"}));
  EXPECT_EQ(json["build"]["artifact"], 13);  // its size: bytes are nothing to read
  EXPECT_EQ(json["build"]["succeeded"], true);
  EXPECT_EQ(json["verdict"]["outcome"], "timed_out");
  EXPECT_TRUE(json["verdict"]["worst_error"].is_null());
  EXPECT_TRUE(json["profile"]["promotion"]["low"].is_null());
  EXPECT_EQ(json["profile"]["promotion"]["decision"], "no_difference");
  EXPECT_EQ(json["profile"]["gain"]["ratio"], 0.0);  // never set: the schema's default
  EXPECT_EQ(nlohmann::ordered_json::parse(json.dump()), json);
}

TEST(json, keeps_the_order_of_the_schema) {
  auto status = parcel<wire::Status>::build([](wire::Status::Builder s) { s.setActor("gate"); });
  auto view = status.read();
  EXPECT_EQ(to_json(capnp::DynamicStruct::Reader(*view)).dump(), R"({"actor":"gate","counters":[],"lines":[]})");
}

}  // namespace
}  // namespace kope
