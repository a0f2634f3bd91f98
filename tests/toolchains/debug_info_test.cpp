#include "toolchains/debug_info.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace kope::testing {
namespace {

// As readelf prints it, shortened.
const std::string sample = R"( <0><b>: Abbrev Number: 1 (DW_TAG_compile_unit)
 <1><2d>: Abbrev Number: 2 (DW_TAG_base_type)
    <2e>   DW_AT_byte_size   : 4
    <2f>   DW_AT_encoding    : 4	(float)
    <30>   DW_AT_name        : (indirect string, offset: 0x2b): float
 <1><31>: Abbrev Number: 3 (DW_TAG_typedef)
    <32>   DW_AT_name        : real_t
    <33>   DW_AT_type        : <0x2d>
 <1><34>: Abbrev Number: 4 (DW_TAG_const_type)
    <35>   DW_AT_type        : <0x31>
 <1><36>: Abbrev Number: 5 (DW_TAG_pointer_type)
    <37>   DW_AT_byte_size   : 8
    <38>   DW_AT_type        : <0x34>
 <1><40>: Abbrev Number: 6 (DW_TAG_structure_type)
    <41>   DW_AT_name        : node
    <42>   DW_AT_byte_size   : 8
 <2><43>: Abbrev Number: 7 (DW_TAG_member)
    <44>   DW_AT_name        : next
    <45>   DW_AT_type        : <0x50>
 <2><46>: Abbrev Number: 0
 <1><50>: Abbrev Number: 5 (DW_TAG_pointer_type)
    <51>   DW_AT_type        : <0x40>
 <1><60>: Abbrev Number: 8 (DW_TAG_subprogram)
    <61>   DW_AT_external    : 1
    <62>   DW_AT_name        : walk
 <2><63>: Abbrev Number: 9 (DW_TAG_formal_parameter)
    <64>   DW_AT_name        : from
    <65>   DW_AT_type        : <0x50>
 <2><66>: Abbrev Number: 9 (DW_TAG_formal_parameter)
    <67>   DW_AT_name        : x
    <68>   DW_AT_type        : <0x36>
 <2><69>: Abbrev Number: 0
 <1><70>: Abbrev Number: 8 (DW_TAG_subprogram)
    <71>   DW_AT_name        : elsewhere
    <72>   DW_AT_declaration : 1
)";

TEST(debug_info, resolves_types_through_names_and_stops_at_a_type_that_holds_itself) {
  auto functions = parse_debug_info(sample);
  ASSERT_TRUE(functions) << functions.failure().what;
  ASSERT_EQ(functions->size(), 1u);
  auto& walk = functions->front();
  EXPECT_EQ(walk.name, "walk");
  EXPECT_TRUE(walk.external);
  EXPECT_EQ(walk.returns.kind, c_kind::nothing);
  ASSERT_EQ(walk.parameters.size(), 2u);
  EXPECT_EQ(walk.parameters[0].type.target->name, "struct node");
  auto& x = walk.parameters[1].type;
  EXPECT_EQ(x.kind, c_kind::pointer);
  EXPECT_EQ(x.target->name, "real_t");
  EXPECT_TRUE(x.target->constant);
  EXPECT_EQ(x.target->bytes, 4u);
}

TEST(debug_info, refuses_what_is_no_print_of_it) {
  EXPECT_FALSE(parse_debug_info(""));
  EXPECT_FALSE(parse_debug_info("readelf: Error: not an ELF file\n"));
}

RC_GTEST_PROP(debug_info, takes_any_text, (const std::string& text)) {
  (void)parse_debug_info(text);  // the sanitizers judge
}

RC_GTEST_PROP(debug_info, takes_any_damage, ()) {
  auto text = sample;
  for (auto& [at, c] : *rc::gen::container<std::vector<std::pair<size_t, char>>>(
           rc::gen::pair(rc::gen::inRange<size_t>(0, sample.size()), rc::gen::arbitrary<char>())))
    text[at] = c;
  (void)parse_debug_info(text);
}

}  // namespace
}  // namespace kope::testing
