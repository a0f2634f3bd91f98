#include "daemon/own_kernel/task_text.hpp"

#include <algorithm>
#include <array>

#include "actors/evaluation/own_part.hpp"
#include "messages/enum_names.hpp"

namespace kope {
namespace {

// Elements of a tensor when nobody says how large the timed case is: 256 a side, as a line 256 Ki, which is 1 MiB of
// float: past the second cache and quick to run.
constexpr int64_t side_default = 256;
constexpr int64_t line_default = int64_t{1} << 18;

// Sizes of the generated cases: one element, primes, one below and above a power of two. Small, because nobody said
// how much work there is in an element: a cube of 48 is 0.1 ms, and every candidate runs all of them.
constexpr std::array<int64_t, 8> sides{17, 1, 33, 7, 48, 2, 31, 13};
constexpr std::array<int64_t, 8> lines{1000, 1, 257, 31, 4096, 2, 1023, 127};
constexpr std::pair<int64_t, int64_t> drawn_side{3, 40}, drawn_line{3, 2000};
constexpr unsigned visible_cases = 8, hidden_cases = 3;

error refuse(std::string what) { return {errc::invalid_input, std::move(what)}; }

/// Text as a TOML basic string.
std::string toml_string(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

std::string list(const std::vector<std::string>& texts) {
  std::string all;
  for (auto& text : texts) all += (all.empty() ? "" : ", ") + toml_string(text);
  return "[" + all + "]";
}

class writer {
public:
  writer(const kernel_plan& plan, const task_wishes& wishes) : plan_(plan), wishes_(wishes) {
    for (auto& size : plan.sizes) {
      side_.push_back(false);
      for (auto& tensor : plan.tensors) {
        auto symbols = std::count_if(tensor.extents.begin(), tensor.extents.end(),
                                     [](auto& extent) { return !std::isdigit(static_cast<unsigned char>(extent[0])); });
        bool uses = std::find(tensor.extents.begin(), tensor.extents.end(), size.name) != tensor.extents.end();
        if (uses && symbols >= 2) side_.back() = true;
      }
    }
  }

  result<task_texts> run(const std::string& source) {
    if (auto read = read_cases(); !read) return read.failure();
    head();
    tensors();
    limits();
    drawn();
    cases();
    out_.reference = reference(source);
    return std::move(out_);
  }

private:
  result<unit> read_cases() {
    auto wanted = wishes_.cases;
    if (wanted.empty()) wanted.emplace_back();
    for (auto& one : wanted) {
      std::vector<int64_t> values;
      size_t named = 0;
      for (size_t i = 0; i < plan_.sizes.size(); ++i) {
        auto& size = plan_.sizes[i];
        auto at = one.find(size.source);
        if (at == one.end()) at = one.find(size.name);
        if (at != one.end()) {
          ++named;
          values.push_back(at->second);
        } else if (!size.in_extents) {
          return refuse("'" + size.source +
                        "' is in no array's extent, so its value cannot be chosen for you; give it " + "with --case " +
                        size.source + "=VALUE");
        } else {
          values.push_back(multiple(i, side_[i] ? side_default : line_default));
          if (timed_.empty())
            chosen_ += (chosen_.empty() ? "" : ",") + size.source + "=" + std::to_string(values.back());
        }
        if (values.back() < 1 || values.back() > INT32_MAX)
          return refuse("--case " + size.source + "=" + std::to_string(values.back()) + " is not a size from 1 up");
      }
      if (named < one.size()) {
        std::string known;
        for (auto& size : plan_.sizes) known += (known.empty() ? "" : ", ") + size.source;
        for (auto& [name, value] : one)
          if (std::none_of(plan_.sizes.begin(), plan_.sizes.end(),
                           [&, &key = name](auto& size) { return size.source == key || size.name == key; }))
            return refuse("--case " + name + "=" + std::to_string(value) + ": there is no size '" + name +
                          "'; the sizes are " + known);
      }
      timed_.push_back(std::move(values));
    }
    if (!chosen_.empty()) out_.remarks.push_back("timed with " + chosen_ + ", because --case did not say otherwise");
    return unit{};
  }

  int64_t multiple(size_t size, int64_t value) const {
    auto at = wishes_.multiples.find(plan_.sizes[size].source);
    if (at == wishes_.multiples.end()) at = wishes_.multiples.find(plan_.sizes[size].name);
    if (at == wishes_.multiples.end() || at->second < 2) return value;
    return (value + at->second - 1) / at->second * at->second;
  }

  void head() {
    std::vector<std::string> sizes;
    for (auto& size : plan_.sizes) sizes.push_back(size.name);
    bool floating = plan_.type == wire::ElementType::F32 || plan_.type == wire::ElementType::F64;
    auto& text = out_.task;
    text = "# Made from a C file; edit what is not right and see `kope task check`. docs/TASKS.md has every key.\n";
    text += "name = " + toml_string(wishes_.name) + "\ntitle = " + toml_string(wishes_.title) +
            "\nlevel = 2\ntype = " + toml_string(enum_name(plan_.type)) +
            "\nlanguage = \"c\"\noracle = " + toml_string(floating && !wishes_.as_given ? "widened" : "as_given") +
            "\n";
    if (!wishes_.baseline_flags.empty()) text += "baseline_flags = " + list(wishes_.baseline_flags) + "\n";
    text += "sizes = " + list(sizes) + "\n";
  }

  void tensors() {
    for (auto& tensor : plan_.tensors) {
      std::string role = tensor.use == tensor_use::input ? "input" : "output";
      auto& text = out_.task;
      text += "\n[[tensors]]\nname = " + toml_string(tensor.name) + "\nrole = " + toml_string(role) + "\n";
      if (tensor.type != plan_.type) text += "type = " + toml_string(enum_name(tensor.type)) + "\n";
      text += "extents = " + list(tensor.extents) + "  # " + tensor.how_known + "\n";
      if (tensor.extents == std::vector<std::string>{"1"} && tensor.how_known != "declared") continue;
      std::string product;
      for (auto& extent : tensor.extents) product += (product.empty() ? "" : " * ") + extent;
      if (tensor.use == tensor_use::in_and_out)
        out_.remarks.push_back(tensor.source + " (" + product + ", " + tensor.how_known +
                               ") goes in and out: " + tensor.note + "; the copy is in both times");
      else if (tensor.note.empty())
        out_.remarks.push_back(tensor.source + " is an " + role + " of " + product + " (" + tensor.how_known + ")");
    }
  }

  void limits() {
    std::string bytes;
    for (auto& tensor : plan_.tensors) {
      bool wide = tensor.type == wire::ElementType::F64 || tensor.type == wire::ElementType::I64;
      bytes += (bytes.empty() ? "" : " + ") + std::string(wide ? "8" : "4");
      for (auto& extent : tensor.extents) bytes += " * " + extent;
    }
    out_.task +=
        "\n# The least work that no algorithm can do without. Arithmetic is not known here: put it in if you do,\n"
        "# results are then also shown as a fraction of what the machine can compute.\n[limits]\nbytes = " +
        toml_string(bytes) + "\nflops = \"0\"\ntranscendentals = \"0\"\n";
  }

  void drawn() {
    out_.task += "\n[drawn]\n";
    for (size_t i = 0; i < plan_.sizes.size(); ++i) {
      auto [low, high] = side_[i] ? drawn_side : drawn_line;
      if (!plan_.sizes[i].in_extents || multiple(i, 3) != 3) low = high = fixed(i, high);
      out_.task += plan_.sizes[i].name + " = [" + std::to_string(low) + ", " + std::to_string(high) + "]\n";
    }
  }

  /// A value that has to be kept: given, or a multiple.
  int64_t fixed(size_t size, int64_t value) const {
    return plan_.sizes[size].in_extents ? multiple(size, value) : timed_[0][size];
  }

  void cases() {
    for (unsigned number = 0; number < visible_cases + hidden_cases; ++number) {
      std::vector<int64_t> values;
      for (size_t i = 0; i < plan_.sizes.size(); ++i) {
        // each size walks through the list with its own step, so that no two shapes are alike
        auto& from = side_[i] ? sides : lines;
        values.push_back(fixed(i, from[(number * (1 + 2 * (i % 4)) + i) % from.size()]));
      }
      bool hidden = number >= visible_cases;
      auto kind = hidden ? "hidden" : "visible";
      one_case(std::string(kind) + "_" + std::to_string(hidden ? number - visible_cases + 1 : number + 1), kind, values,
               number % 3);
    }
    for (size_t i = 0; i < timed_.size(); ++i) one_case("timed_" + std::to_string(i + 1), "timed", timed_[i], 0);
  }

  void one_case(const std::string& name, const std::string& kind, const std::vector<int64_t>& values, unsigned fill) {
    std::string sizes;
    for (size_t i = 0; i < values.size(); ++i)
      sizes += (i ? ", " : "") + plan_.sizes[i].name + " = " + std::to_string(values[i]);
    out_.task +=
        "\n[[cases]]\nname = " + toml_string(name) + "\nkind = " + toml_string(kind) + "\nsizes = { " + sizes + " }\n";
    for (auto& tensor : plan_.tensors) {
      if (tensor.use != tensor_use::input) continue;
      bool whole = tensor.type == wire::ElementType::I32 || tensor.type == wire::ElementType::I64;
      // positive values: where a root or a logarithm would make NaN of all others
      std::string how = whole       ? "kind = \"integers\", low = -100, high = 100"
                        : fill == 1 ? "kind = \"uniform\", low = 0.1, high = 1"
                        : fill == 2 ? "kind = \"log_uniform\", low = 1e-2, high = 1e2"
                                    : "";
      if (!how.empty()) out_.task += "fills." + tensor.name + " = { " + how + " }\n";
    }
  }

  std::string reference(const std::string& source) const {
    auto tokens = split_c(source);
    bool own = std::any_of(tokens.begin(), tokens.end(), [](auto& token) { return token.text == "kernel"; });
    auto adapter = plan_.adapter;
    std::string text = own ? "#define kernel kope_own_kernel  // your own use of the word\n" : "";
    text += std::string(own_part_begins) + source + (source.ends_with('\n') ? "" : "\n") + std::string(own_part_ends);
    if (!own) return text + adapter;
    text += "#undef kernel\n";
    // only where his function itself is called kernel
    auto call = adapter.find(" kernel(", adapter.find("void kernel(") + 12);
    if (call != adapter.npos) adapter.insert(call + 1, "kope_own_");
    return text + adapter;
  }

  const kernel_plan& plan_;
  const task_wishes& wishes_;
  std::vector<bool> side_;  // of each size: in a tensor of two extents or more
  std::vector<std::vector<int64_t>> timed_;
  std::string chosen_;
  task_texts out_;
};

}  // namespace

result<task_texts> task_texts_of(const kernel_plan& plan, const task_wishes& wishes, const std::string& source) {
  return writer(plan, wishes).run(source);
}

}  // namespace kope
