#include "config/task_files.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <memory>
#include <set>

#include "config/formula.hpp"
#include "config/reference_text.hpp"
#include "config/task_values.hpp"
#include "config/toml_reader.hpp"
#include "messages/content_hash.hpp"
#include "messages/enum_names.hpp"

namespace kope {
namespace {

namespace fs = std::filesystem;

// A prototype that people can still read; the runner's table of tensors is no larger.
constexpr size_t tensors_max = 16;
constexpr size_t sizes_max = 16;
constexpr size_t extents_max = 8;
constexpr size_t cases_max = 256;                  // verification runs them all
constexpr size_t reference_bytes_max = 256 << 10;  // as for any source
constexpr int64_t size_max = int64_t{1} << 31;     // a size is a UInt32; no case within the bounds is near
constexpr size_t flags_max = 64;  // as many as the compiler takes of a candidate

struct tensor {
  std::string name;
  wire::TensorRole role{};
  wire::ElementType type{};
  std::vector<std::string> extents;
};

struct fill {
  wire::FillKind kind = wire::FillKind::UNIFORM;
  double low = -1;
  double high = 1;
};

struct task_case {
  std::string name;
  wire::CaseKind kind{};
  std::vector<int64_t> sizes;
  std::vector<fill> fills;
  double bytes = 0, flops = 0, transcendentals = 0;
};

double bytes_of(wire::ElementType type) {
  switch (type) {
    case wire::ElementType::F64:
    case wire::ElementType::I64:
      return 8;
    default:
      return 4;
  }
}

class task_reader {
public:
  explicit task_reader(const fs::path& directory)
    : directory_(directory),
      file_((directory / "task.toml").string()),
      document_(open(directory)),
      top_(document_, file_, "",
           {"name", "title", "family", "attributes", "level", "type", "language", "oracle", "baseline_flags", "sizes",
            "tensors", "limits", "drawn", "cases"}) {}

  parcel<wire::Task> read() {
    name_ = identifier_of(top_, "name");
    title_ = top_.text("title");
    family_ = top_.has("family") ? identifier_of(top_, "family") : std::string();
    attributes_ = attributes_of(top_);
    level_ = static_cast<uint32_t>(top_.whole("level", 1, 4));
    type_ = enum_of<wire::ElementType>(top_, "type");
    read_language();
    read_sizes();
    read_tensors();
    read_limits();
    read_drawn();
    read_cases();
    read_reference();
    return built();
  }

private:
  static toml::table open(const fs::path& directory) {
    std::error_code failed;
    if (!fs::is_directory(directory, failed))
      throw bad_file(errc::not_found, directory.string() + " is not a task folder: there is no such folder");
    return parse_toml_file(directory / "task.toml");
  }

  // C is a user's own file with an adapter; how its oracle is made and what it is built with are part of the task.
  void read_language() {
    if (top_.has("language")) language_ = enum_of<wire::Language>(top_, "language");
    bool c = language_ == wire::Language::C;
    if (!c)
      for (auto key : {"oracle", "baseline_flags"})
        if (top_.has(key)) top_.fail(key, "'" + std::string(key) + "' is for tasks with language = \"c\"");
    if (!c) return;
    oracle_ = type_ == wire::ElementType::F32 || type_ == wire::ElementType::F64 ? wire::OracleKind::WIDENED
                                                                                 : wire::OracleKind::AS_GIVEN;
    if (top_.has("oracle")) oracle_ = enum_of<wire::OracleKind>(top_, "oracle");
    if (oracle_ == wire::OracleKind::REAL)
      top_.fail("oracle", "'oracle' is 'real', which a reference in C is not written in: widened or as_given");
    if (oracle_ == wire::OracleKind::WIDENED && type_ != wire::ElementType::F32 && type_ != wire::ElementType::F64)
      top_.fail("oracle", "'oracle' is 'widened', but the task's type is a whole number: as_given");
    baseline_flags_ = top_.texts_or("baseline_flags", flags_max);
  }

  void read_sizes() {
    sizes_ = top_.texts("sizes", sizes_max);
    if (sizes_.empty()) top_.fail("sizes", "'sizes' is empty; a kernel has at least one size");
    for (size_t i = 0; i < sizes_.size(); ++i) {
      if (!is_identifier(sizes_[i]))
        top_.fail("sizes", "size '" + sizes_[i].substr(0, name_length_max) +
                               "' is not a name of lower-case letters, digits and _ that begins with a letter");
      take_name(sizes_[i], "size", "sizes", top_);
    }
    size_names_.assign(sizes_.begin(), sizes_.end());
  }

  void take_name(const std::string& name, const char* what, std::string_view key, const strict_table& table) {
    if (!names_.insert(name).second)
      table.fail(key, std::string(what) + " '" + name + "' has the name of another parameter of the prototype");
  }

  void read_tensors() {
    auto count = top_.tables("tensors", tensors_max);
    static constexpr std::string_view known[] = {"name", "role", "type", "extents"};
    for (size_t i = 0; i < count; ++i) {
      auto table = top_.table_at("tensors", i, "tensor " + std::to_string(i + 1), known);
      tensor t;
      t.name = identifier_of(table, "name");
      take_name(t.name, "tensor", "name", table);
      t.role = enum_of<wire::TensorRole>(table, "role");
      t.type = table.has("type") ? enum_of<wire::ElementType>(table, "type") : type_;
      t.extents = table.texts("extents", extents_max);
      if (t.extents.empty()) table.fail("extents", "'extents' is empty; a single element is [\"1\"]");
      for (auto& extent : t.extents) check_extent(table, extent);
      (t.role == wire::TensorRole::INPUT ? inputs_ : outputs_).push_back(t.name);
      tensors_.push_back(std::move(t));
    }
    if (inputs_.empty()) top_.fail("tensors", "no tensor has the role 'input'");
    if (outputs_.empty()) top_.fail("tensors", "no tensor has the role 'output'");
  }

  void check_extent(const strict_table& table, const std::string& extent) const {
    if (std::find(sizes_.begin(), sizes_.end(), extent) != sizes_.end()) return;
    bool decimal = extent.size() <= 9 && extent[0] != '0' &&
                   std::all_of(extent.begin(), extent.end(), [](unsigned char c) { return std::isdigit(c); });
    if (decimal) return;
    table.fail("extents", "extent '" + extent.substr(0, name_length_max) + "' is neither a size of the task (" +
                              listed(size_names_) + ") nor a number from 1 up");
  }

  void read_limits() {
    static constexpr std::string_view known[] = {"bytes", "flops", "transcendentals"};
    limits_ = std::make_unique<strict_table>(top_.table("limits", known));
    for (size_t i = 0; i < formulas_.size(); ++i) formulas_[i] = limits_->text(known[i]);
  }

  double limit(size_t which, const std::vector<int64_t>& sizes) const {
    static constexpr std::string_view keys[] = {"bytes", "flops", "transcendentals"};
    std::vector<named_value> values;
    for (size_t i = 0; i < sizes_.size(); ++i) values.push_back({sizes_[i], static_cast<double>(sizes[i])});
    auto value = evaluate_formula(formulas_[which], values);
    if (!value) limits_->fail(keys[which], value.failure().what);
    return *value;
  }

  double bytes_of_tensor(const tensor& t, const std::vector<int64_t>& sizes) const {
    double bytes = bytes_of(t.type);
    for (auto& extent : t.extents) {
      auto symbol = std::find(sizes_.begin(), sizes_.end(), extent);
      bytes *= symbol == sizes_.end() ? std::stod(extent)
                                      : static_cast<double>(sizes[static_cast<size_t>(symbol - sizes_.begin())]);
    }
    return bytes;
  }

  // All bounds in one place: work, each tensor, all tensors.
  void check_bounds(const strict_table& table, std::string_view key, const std::vector<int64_t>& sizes, double flops,
                    double flops_max, double tensor_bytes_max) const {
    char text[160];
    if (flops > flops_max) {
      std::snprintf(text, sizeof text, "%.3g GFLOP of work, at most %.3g are allowed here", flops / 1e9,
                    flops_max / 1e9);
      table.fail(key, text);
    }
    double all = 0;
    for (auto& t : tensors_) {
      auto bytes = bytes_of_tensor(t, sizes);
      all += bytes;
      if (bytes <= tensor_bytes_max) continue;
      std::snprintf(text, sizeof text, "' has %.1f MiB, at most %.0f MiB are allowed here", bytes / (1 << 20),
                    tensor_bytes_max / (1 << 20));
      table.fail(key, "tensor '" + t.name + text);
    }
    if (all <= case_bytes_max) return;
    std::snprintf(text, sizeof text, "all tensors together have %.1f MiB, at most %.0f MiB fit a runner",
                  all / (1 << 20), case_bytes_max / (1 << 20));
    table.fail(key, text);
  }

  void read_drawn() {
    auto table = top_.table("drawn", size_names_);
    std::vector<int64_t> largest;
    for (auto& size : sizes_) {
      auto range = table.wholes(size, 2, 1, size_max);
      if (range[0] > range[1]) table.fail(size, "'" + size + "' has its lower end above its upper end");
      drawn_.push_back({range[0], range[1]});
      largest.push_back(range[1]);
    }
    check_bounds(table, "", largest, limit(1, largest), drawn_flops_max, untimed_tensor_bytes_max);
  }

  void read_cases() {
    auto count = top_.tables("cases", cases_max);
    static constexpr std::string_view known[] = {"name", "kind", "sizes", "fills"};
    std::set<std::string> names;
    bool timed = false, visible = false;
    for (size_t i = 0; i < count; ++i) {
      auto table = top_.table_at("cases", i, "case " + std::to_string(i + 1), known);
      task_case c;
      c.name = identifier_of(table, "name");
      if (!names.insert(c.name).second) table.fail("name", "another case is called '" + c.name + "' too");
      c.kind = enum_of<wire::CaseKind>(table, "kind");
      timed = timed || c.kind == wire::CaseKind::TIMED;
      visible = visible || c.kind == wire::CaseKind::VISIBLE;
      auto sizes = table.table("sizes", size_names_);
      for (auto& size : sizes_) c.sizes.push_back(sizes.whole(size, 1, size_max));
      read_fills(table, c);
      c.bytes = limit(0, c.sizes);
      c.flops = limit(1, c.sizes);
      c.transcendentals = limit(2, c.sizes);
      bool is_timed = c.kind == wire::CaseKind::TIMED;
      check_bounds(table, "sizes", c.sizes, c.flops, is_timed ? timed_flops_max : untimed_flops_max,
                   is_timed ? timed_tensor_bytes_max : untimed_tensor_bytes_max);
      cases_.push_back(std::move(c));
    }
    if (!timed) top_.fail("cases", "no case is of kind 'timed'; there would be nothing to make faster");
    if (!visible) top_.fail("cases", "no case is of kind 'visible'; a wrong answer could not be explained");
  }

  void read_fills(const strict_table& table, task_case& c) const {
    c.fills.resize(inputs_.size());  // an input that is not named is uniform in [-1, 1)
    if (!table.has("fills")) return;
    std::vector<std::string_view> names(inputs_.begin(), inputs_.end());
    auto fills = table.table("fills", names);
    static constexpr std::string_view known[] = {"kind", "low", "high"};
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!fills.has(inputs_[i])) continue;
      auto one = fills.table(inputs_[i], known);
      auto& f = c.fills[i];
      f.kind = enum_of<wire::FillKind>(one, "kind");
      f.low = one.number_or("low", f.low);
      f.high = f.kind == wire::FillKind::CONSTANT ? one.number_or("high", f.low) : one.number_or("high", f.high);
      if (f.low > f.high) one.fail("low", "'low' is above 'high'");
      if (f.kind == wire::FillKind::LOG_UNIFORM && f.low <= 0)
        one.fail("low", "'low' of log_uniform is a magnitude and must be above 0");
      if (f.kind == wire::FillKind::INTEGERS && (std::floor(f.low) != f.low || std::floor(f.high) != f.high))
        one.fail("low", "'low' and 'high' of integers must be whole numbers");
    }
  }

  void read_reference() {
    auto path = directory_ / (language_ == wire::Language::C ? "reference.c" : "reference.cpp");
    reference_ = read_text_file(path, reference_bytes_max);
    std::vector<expected_parameter> wanted;
    for (auto& t : tensors_) wanted.push_back({t.name, t.role == wire::TensorRole::INPUT, true});
    for (auto& size : sizes_) wanted.push_back({size, false, false});
    auto checked = check_reference_text(reference_, wanted, language_ == wire::Language::C);
    if (!checked) throw bad_file(checked.failure().code, path.string() + ": " + checked.failure().what);
  }

  std::string key() const {
    std::vector<std::string> fields = {family_, enum_name(type_)};
    for (auto& t : tensors_) {
      fields.push_back(enum_name(t.role));
      fields.push_back(enum_name(t.type));
      for (auto& extent : t.extents) fields.push_back(extent);
    }
    for (auto& size : sizes_) fields.push_back(size);
    fields.push_back(reference_);
    for (auto& [name, value] : attributes_) {
      fields.push_back(name);
      fields.push_back(value);
    }
    if (language_ != wire::Language::CPP) {
      fields.push_back(enum_name(language_));
      fields.push_back(enum_name(oracle_));
      for (auto& flag : baseline_flags_) fields.push_back(flag);
    }
    return hash(fields);
  }

  std::string check() const {
    std::vector<std::string> fields = {std::string(verifier_version), std::string(tolerances_version)};
    auto number = [&](double value) {
      char text[40];
      std::snprintf(text, sizeof text, "%.17g", value);
      fields.emplace_back(text);
    };
    for (auto& [low, high] : drawn_) fields.push_back(std::to_string(low) + "-" + std::to_string(high));
    for (auto& c : cases_) {
      fields.push_back(c.name);
      fields.push_back(enum_name(c.kind));
      for (auto size : c.sizes) fields.push_back(std::to_string(size));
      for (auto& f : c.fills) {
        fields.push_back(enum_name(f.kind));
        number(f.low);
        number(f.high);
      }
    }
    return hash(fields);
  }

  static std::string hash(const std::vector<std::string>& fields) {
    std::vector<std::string_view> views(fields.begin(), fields.end());
    return content_hash_of(views);
  }

  parcel<wire::Task> built() const {
    return parcel<wire::Task>::build([&](wire::Task::Builder to) {
      to.setName(name_);
      to.setTitle(title_);
      to.setFamily(family_);
      to.setLevel(level_);
      to.setElementType(type_);
      to.setLanguage(language_);
      to.setOracle(oracle_);
      auto flags = to.initBaselineFlags(static_cast<uint32_t>(baseline_flags_.size()));
      for (uint32_t i = 0; i < flags.size(); ++i) flags.set(i, baseline_flags_[i]);
      auto sizes = to.initSizes(static_cast<uint32_t>(sizes_.size()));
      for (uint32_t i = 0; i < sizes.size(); ++i) sizes.set(i, sizes_[i]);
      auto tensors = to.initTensors(static_cast<uint32_t>(tensors_.size()));
      for (uint32_t i = 0; i < tensors.size(); ++i) {
        auto& from = tensors_[i];
        tensors[i].setName(from.name);
        tensors[i].setRole(from.role);
        tensors[i].setElementType(from.type);
        auto extents = tensors[i].initExtents(static_cast<uint32_t>(from.extents.size()));
        for (uint32_t e = 0; e < extents.size(); ++e) extents.set(e, from.extents[e]);
      }
      auto cases = to.initCases(static_cast<uint32_t>(cases_.size()));
      for (uint32_t i = 0; i < cases.size(); ++i) build_case(cases_[i], cases[i]);
      auto drawn = to.initDrawn(static_cast<uint32_t>(drawn_.size()));
      for (uint32_t i = 0; i < drawn.size(); ++i) {
        drawn[i].setLow(static_cast<uint32_t>(drawn_[i].first));
        drawn[i].setHigh(static_cast<uint32_t>(drawn_[i].second));
      }
      auto attributes = to.initAttributes(static_cast<uint32_t>(attributes_.size()));
      for (uint32_t i = 0; i < attributes.size(); ++i) {
        attributes[i].setName(attributes_[i].name);
        attributes[i].setValue(attributes_[i].value);
      }
      to.setReference(reference_);
      to.setKey(key());
      to.setCheck(check());
    });
  }

  static void build_case(const task_case& from, wire::Case::Builder to) {
    to.setName(from.name);
    to.setKind(from.kind);
    auto sizes = to.initSizes(static_cast<uint32_t>(from.sizes.size()));
    for (uint32_t i = 0; i < sizes.size(); ++i) sizes.set(i, static_cast<uint32_t>(from.sizes[i]));
    auto fills = to.initFills(static_cast<uint32_t>(from.fills.size()));
    for (uint32_t i = 0; i < fills.size(); ++i) {
      fills[i].setKind(from.fills[i].kind);
      fills[i].setLow(from.fills[i].low);
      fills[i].setHigh(from.fills[i].high);
    }
    to.setBytesMin(from.bytes);
    to.setFlops(from.flops);
    to.setTranscendentals(from.transcendentals);
  }

  fs::path directory_;
  std::string file_;
  toml::table document_;
  strict_table top_;
  std::unique_ptr<strict_table> limits_;
  std::string name_, title_, family_, reference_;
  std::vector<task_attribute> attributes_;
  uint32_t level_ = 0;
  wire::ElementType type_{};
  wire::Language language_ = wire::Language::CPP;
  wire::OracleKind oracle_ = wire::OracleKind::REAL;
  std::vector<std::string> baseline_flags_;
  std::vector<std::string> sizes_, inputs_, outputs_;
  std::vector<std::string_view> size_names_;
  std::set<std::string> names_;
  std::vector<tensor> tensors_;
  std::array<std::string, 3> formulas_;
  std::vector<std::pair<int64_t, int64_t>> drawn_;
  std::vector<task_case> cases_;
};

}  // namespace

result<parcel<wire::Task>> load_task(const fs::path& directory) {
  return read_strictly<parcel<wire::Task>>(directory.string(), [&] { return task_reader(directory).read(); });
}

}  // namespace kope
