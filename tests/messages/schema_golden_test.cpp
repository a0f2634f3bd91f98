// The schemas may only grow at their ends: what is on disk and on the wire keeps its names, numbers and types. The
// golden file has one line for each struct, field, enum and enumerant.
#include <capnp/schema-loader.h>
#include <capnp/schema.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "messages/graph.capnp.h"
#include "messages/plan.capnp.h"
#include "messages/status.capnp.h"
#include "messages/task.capnp.h"
#include "messages/work.capnp.h"

namespace kope {
namespace {

const char* const golden_file = "tests/data/schema_golden.txt";

// Everything that is reachable from what actors send and the store keeps.
class schema_lines {
public:
  void add(capnp::StructSchema schema) {
    auto name = short_name(schema.getProto().getDisplayName());
    if (!seen_.insert(name).second) return;
    lines_["struct " + name] = "id " + std::to_string(schema.getProto().getId());
    for (auto field : schema.getFields()) {
      auto proto = field.getProto();
      std::string what = text(field.getType());
      if (proto.isSlot() && proto.getSlot().getHadExplicitDefault()) what += " with a default";
      if (proto.getDiscriminantValue() != capnp::schema::Field::NO_DISCRIMINANT)
        what += " in union " + std::to_string(proto.getDiscriminantValue());
      auto ordinal = proto.getOrdinal().isExplicit() ? std::to_string(proto.getOrdinal().getExplicit()) : "implicit";
      lines_["field " + name + "." + proto.getName().cStr()] = "@" + ordinal + " " + what;
    }
  }

  void add(capnp::EnumSchema schema) {
    auto name = short_name(schema.getProto().getDisplayName());
    if (!seen_.insert(name).second) return;
    lines_["enum " + name] = "id " + std::to_string(schema.getProto().getId());
    for (auto value : schema.getEnumerants())
      lines_["enumerant " + name + "." + value.getProto().getName().cStr()] = "@" + std::to_string(value.getOrdinal());
  }

  const std::map<std::string, std::string>& lines() const { return lines_; }

private:
  static std::string short_name(capnp::Text::Reader display) {
    std::string name = display.cStr();
    return name.substr(name.find_last_of('/') + 1);
  }

  std::string text(capnp::Type type) {
    switch (type.which()) {
      case capnp::schema::Type::VOID:
        return "Void";
      case capnp::schema::Type::BOOL:
        return "Bool";
      case capnp::schema::Type::INT8:
        return "Int8";
      case capnp::schema::Type::INT16:
        return "Int16";
      case capnp::schema::Type::INT32:
        return "Int32";
      case capnp::schema::Type::INT64:
        return "Int64";
      case capnp::schema::Type::UINT8:
        return "UInt8";
      case capnp::schema::Type::UINT16:
        return "UInt16";
      case capnp::schema::Type::UINT32:
        return "UInt32";
      case capnp::schema::Type::UINT64:
        return "UInt64";
      case capnp::schema::Type::FLOAT32:
        return "Float32";
      case capnp::schema::Type::FLOAT64:
        return "Float64";
      case capnp::schema::Type::TEXT:
        return "Text";
      case capnp::schema::Type::DATA:
        return "Data";
      case capnp::schema::Type::LIST:
        return "List(" + text(type.asList().getElementType()) + ")";
      case capnp::schema::Type::ENUM: {
        add(type.asEnum());
        return short_name(type.asEnum().getProto().getDisplayName());
      }
      case capnp::schema::Type::STRUCT: {
        add(type.asStruct());
        return short_name(type.asStruct().getProto().getDisplayName());
      }
      default:
        return "a type that the golden file does not know";
    }
  }

  std::map<std::string, std::string> lines_;  // "field plan.capnp:Plan.task" -> "@1 Text"
  std::set<std::string> seen_;
};

std::map<std::string, std::string> current() {
  schema_lines all;
  all.add(capnp::Schema::from<wire::Task>());
  all.add(capnp::Schema::from<wire::Plan>());
  all.add(capnp::Schema::from<wire::ParameterSpace>());
  all.add(capnp::Schema::from<wire::Work>());
  all.add(capnp::Schema::from<wire::TargetRecord>());
  all.add(capnp::Schema::from<wire::LimitsRecord>());
  all.add(capnp::Schema::from<wire::ToolchainRecord>());
  all.add(capnp::Schema::from<wire::TaskRecord>());
  all.add(capnp::Schema::from<wire::Outcome>());
  all.add(capnp::Schema::from<wire::OpenRow>());
  all.add(capnp::Schema::from<wire::Exploration>());
  all.add(capnp::Schema::from<wire::Committed>());
  all.add(capnp::Schema::from<wire::Status>());
  return all.lines();
}

struct schema_changes {
  std::vector<std::string> broken;  // lines that changed or went: never allowed
  std::vector<std::string> added;   // lines that came: allowed, and to be written down
};

schema_changes changes(const std::map<std::string, std::string>& before,
                       const std::map<std::string, std::string>& now) {
  schema_changes found;
  for (auto& [name, what] : before) {
    auto other = now.find(name);
    if (other == now.end())
      found.broken.push_back(name + " " + what + " is gone (removed or renamed)");
    else if (other->second != what)
      found.broken.push_back(name + " was " + what + " and is " + other->second);
  }
  for (auto& [name, what] : now)
    if (!before.count(name)) found.added.push_back(name + " " + what);
  return found;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (auto& line : lines) text += "  " + line + "\n";
  return text;
}

std::map<std::string, std::string> read_golden() {
  std::map<std::string, std::string> lines;
  std::ifstream in(golden_file);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    auto space = line.find(' ', line.find(' ') + 1);
    lines[line.substr(0, space)] = line.substr(space + 1);
  }
  return lines;
}

TEST(schema, only_grows_at_its_ends) {
  auto now = current();
  if (std::getenv("KOPE_WRITE_GOLDEN")) {
    std::ofstream out(golden_file);
    out << "# Written by messages_tests with KOPE_WRITE_GOLDEN=1. What is here is on disks and on the wire.\n";
    for (auto& [name, what] : now) out << name << " " << what << "\n";
  }
  auto found = changes(read_golden(), now);
  EXPECT_TRUE(found.broken.empty()) << "These changes break every store and peer that exists; undo them. A name, "
                                       "number or type is for ever: append a\n"
                                       "new field with the next free number instead, and leave the old one.\n"
                                    << joined(found.broken);
  EXPECT_TRUE(found.added.empty())
      << "These lines are new. If they were appended with the next free number, write them down with\n"
         "  KOPE_WRITE_GOLDEN=1 build/release/tests/messages_tests --gtest_filter=schema.only_grows_at_its_ends\n"
         "and commit "
      << golden_file << ".\n"
      << joined(found.added);
}

TEST(schema_changes_check, tells_a_rename_a_renumbering_and_a_retyping_from_an_addition) {
  const std::map<std::string, std::string> before = {{"field a.capnp:A.x", "@0 Text"},
                                                     {"field a.capnp:A.y", "@1 UInt32"}};
  EXPECT_TRUE(changes(before, before).broken.empty());
  auto grown = before;
  grown["field a.capnp:A.z"] = "@2 Bool";
  EXPECT_TRUE(changes(before, grown).broken.empty());
  EXPECT_EQ(changes(before, grown).added.size(), 1u);
  auto renamed = before;
  renamed.erase("field a.capnp:A.x");
  renamed["field a.capnp:A.w"] = "@0 Text";
  EXPECT_EQ(changes(before, renamed).broken.size(), 1u);
  auto renumbered = before;
  renumbered["field a.capnp:A.y"] = "@2 UInt32";
  EXPECT_EQ(changes(before, renumbered).broken.size(), 1u);
  auto retyped = before;
  retyped["field a.capnp:A.y"] = "@1 Float64";
  EXPECT_EQ(changes(before, retyped).broken.size(), 1u);
}

// People read these in JSON, where 64-bit integers would become strings (design: ids are hex text).
TEST(schema, has_no_64_bit_integer) {
  for (auto& [name, what] : current()) {
    EXPECT_EQ(what.find("Int64"), std::string::npos) << name << " is " << what;
    EXPECT_EQ(what.find("a type that"), std::string::npos) << name << " is " << what;
  }
}

TEST(schema, has_each_number_once_in_a_struct) {
  std::set<std::string> used;
  for (auto& [name, what] : current()) {
    if (name.rfind("field ", 0) != 0 && name.rfind("enumerant ", 0) != 0) continue;
    auto owner = name.substr(0, name.find_last_of('.'));
    EXPECT_TRUE(used.insert(owner + what.substr(0, what.find(' '))).second) << name << " " << what;
  }
}

}  // namespace
}  // namespace kope
