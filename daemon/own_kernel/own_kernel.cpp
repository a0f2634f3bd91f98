#include "daemon/own_kernel/own_kernel.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <random>

#include "actors/evaluation/bank_registry.hpp"
#include "actors/evaluation/verification.hpp"
#include "config/share.hpp"
#include "config/task_files.hpp"
#include "config/toolchain_files.hpp"
#include "daemon/own_kernel/build_flags.hpp"
#include "daemon/own_kernel/inlined_source.hpp"
#include "daemon/own_kernel/kernel_plan.hpp"
#include "daemon/own_kernel/task_text.hpp"
#include "messages/content_hash.hpp"
#include "toolchains/c_source_reader.hpp"

namespace kope {
namespace {

namespace fs = std::filesystem;

error refuse(std::string what) { return {errc::invalid_input, std::move(what)}; }

/// "N=1024,M=512" as names and values.
result<std::map<std::string, int64_t>> values_of(const std::string& flag, const std::string& text) {
  std::map<std::string, int64_t> values;
  for (size_t at = 0; at <= text.size();) {
    auto comma = std::min(text.find(',', at), text.size());
    auto part = text.substr(at, comma - at);
    auto equals = part.find('=');
    int64_t value = 0;
    auto begin = part.data() + std::min(equals == part.npos ? part.size() : equals + 1, part.size());
    auto [end, failed] = std::from_chars(begin, part.data() + part.size(), value);
    if (equals == part.npos || equals == 0 || failed != std::errc() || end != part.data() + part.size())
      return refuse(flag + " '" + text.substr(0, 80) + "' is not like N=1024,M=512");
    if (!values.emplace(part.substr(0, equals), value).second)
      return refuse(flag + " '" + text.substr(0, 80) + "' names " + part.substr(0, equals) + " twice");
    at = comma + 1;
  }
  return values;
}

std::string lower(const std::string& text) {
  std::string out;
  for (char c : text) out += std::isalnum(static_cast<unsigned char>(c)) ? static_cast<char>(std::tolower(c)) : '_';
  if (out.empty() || !std::isalpha(static_cast<unsigned char>(out[0]))) out = "k" + out;
  return out;
}

std::string task_name(const std::string& file, const std::string& function) {
  auto stem = lower(fs::path(file).stem().string()), own = lower(function);
  return (stem == own ? own : stem + "_" + own).substr(0, 60);
}

result<unit> write(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) return error{errc::io, path.string() + " cannot be written"};
  return unit{};
}

/// The names that the linker did not find, of its report.
std::vector<std::string> undefined_names(const std::string& report) {
  std::vector<std::string> names;
  constexpr std::string_view words = "undefined reference to `";
  for (size_t at = 0; (at = report.find(words, at)) != report.npos;) {
    at += words.size();
    auto name = report.substr(at, report.find('\'', at) - at);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

/// What a trial of the task has found.
struct trial {
  std::vector<std::string> written_in_part;  ///< names of outputs, of the task
  bool oracle_differs = false;               ///< the widened oracle is not what his function computes
  std::optional<error> failure;
};

class maker {
public:
  maker(const run_options& options, const own_kernel_wishes& wishes) : options_(options), wishes_(wishes) {}

  result<own_kernel> run() {
    auto share = share_directory();
    if (!share) return share.failure();
    auto description = load_toolchain(*share / "config" / "toolchains", options_.toolchain.value);
    if (!description) return description.failure();
    auto flags = sort_build_flags(wishes_.flags, description->allowed_flags, description->name);
    if (!flags) return flags.failure();
    include_places places;
    for (auto& directory : flags->directories) places.directories.emplace_back(directory);
    places.definitions = flags->definitions;
    auto source = inlined_source(wishes_.file, places);
    if (!source) return source.failure();
    if (!flags->ignored.empty()) {
      std::string all;
      for (auto& flag : flags->ignored) all += (all.empty() ? "" : " ") + flag;
      remarks_.push_back("of your flags these have no meaning here: " + all);
    }
    task_wishes_.baseline_flags = flags->baseline;
    if (auto read = read_numbers(); !read) return read.failure();

    auto tools = open_tool_box(options_, {}, 1);
    if (!tools) return tools.failure();
    tools_ = std::move(*tools);
    auto file = fs::path(wishes_.file).filename().string();
    auto read = read_c_source(*tools_->processes, (tools_->data / "scratch" / "compile").string(), file, *source);
    if (!read) return read.failure();
    auto tokens = split_c(read->preprocessed);
    auto function = choose_function(read->functions, tokens, wishes_.function, file);
    if (!function) return function.failure();
    task_wishes_.name = wishes_.name.empty() ? task_name(wishes_.file, function->name) : lower(wishes_.name);
    task_wishes_.title = function->name + " of " + file;
    return settle(*function, tokens, *source);
  }

private:
  result<unit> read_numbers() {
    for (auto& text : wishes_.cases) {
      auto values = values_of("--case", text);
      if (!values) return values.failure();
      task_wishes_.cases.push_back(std::move(*values));
    }
    for (auto& text : wishes_.multiples) {
      auto values = values_of("--multiple", text);
      if (!values) return values.failure();
      for (auto& [name, value] : *values) task_wishes_.multiples[name] = value;
    }
    for (auto& text : wishes_.extents) {
      auto equals = text.find('=');
      if (equals == text.npos || equals == 0) return refuse("--extent '" + text.substr(0, 80) + "' is not like A=N*M");
      plan_wishes_.extents[text.substr(0, equals)] = text.substr(equals + 1);
    }
    return unit{};
  }

  /// Plans, writes and tries until nothing more is learnt: every round learns of an output or of the oracle.
  result<own_kernel> settle(const c_function& function, const std::vector<c_token>& tokens, const std::string& source) {
    for (;;) {
      auto plan = plan_kernel(function, tokens, plan_wishes_);
      if (!plan) return plan.failure();
      if (!plan->unknown_extents.empty()) {
        if (auto asked = ask_extent(*plan); !asked) return asked.failure();
        continue;
      }
      auto texts = task_texts_of(*plan, task_wishes_, source);
      if (!texts) return texts.failure();
      auto folder = keep(*texts);
      if (!folder) return folder.failure();
      auto of = load_task(*folder);
      if (!of) return of.failure();
      auto found = try_out(*of, *plan, function);
      if (found.failure) return *found.failure;
      if (!found.written_in_part.empty()) {
        plan_wishes_.in_and_out.insert(plan_wishes_.in_and_out.end(), found.written_in_part.begin(),
                                       found.written_in_part.end());
        continue;
      }
      if (found.oracle_differs) {
        task_wishes_.as_given = true;
        remarks_.push_back(
            "what is right is your function's own result, compiled without reordering: in double it computes something "
            "else (a union, an intrinsic, or a very long sum)");
        continue;
      }
      own_kernel made{*folder, *of, remarks_};
      made.remarks.insert(made.remarks.end(), texts->remarks.begin(), texts->remarks.end());
      return made;
    }
  }

  result<unit> ask_extent(const kernel_plan& plan) {
    auto& array = plan.unknown_extents.front();
    std::string sizes;
    for (auto& size : plan.sizes)
      sizes += (sizes.empty() ? "" : ", ") + (size.source.find('.') == std::string::npos ? size.source : size.name);
    if (wishes_.ask) {
      auto answer = wishes_.ask("how many elements has '" + array + "'? (a product of " + sizes + ") ");
      if (answer && !answer->empty()) {
        plan_wishes_.extents[array] = *answer;
        return unit{};
      }
    }
    return refuse("how many elements '" + array + "' has is not to be seen in the code; say it with --extent " + array +
                  "=FORMULA, a product of " + (sizes.empty() ? "numbers" : sizes));
  }

  result<fs::path> keep(const task_texts& texts) {
    fs::path folder = wishes_.folder;
    if (folder.empty()) {
      std::string_view fields[] = {texts.reference, texts.task};
      folder = options_.data_dir.value / "tasks" / (task_wishes_.name + "-" + content_hash_of(fields).substr(0, 8));
    }
    if (!last_folder_.empty() && last_folder_ != folder) {  // of an earlier round
      std::error_code ignored;
      fs::remove_all(last_folder_, ignored);
    }
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) return error{errc::io, folder.string() + " cannot be made: " + failed.message()};
    if (auto done = write(folder / "task.toml", texts.task); !done) return done.failure();
    if (auto done = write(folder / "reference.c", texts.reference); !done) return done.failure();
    if (wishes_.folder.empty()) last_folder_ = folder;
    return folder;
  }

  trial try_out(const task& of, const kernel_plan& plan, const c_function& function) {
    trial found;
    bool widened = of.read()->getOracle() == wire::OracleKind::WIDENED;
    bank_registry banks(
        {of}, {.with_compiler = tools_->tool.get(), .with_runner = tools_->with_runner.get(), .cpus = tools_->cpus},
        std::random_device{}());
    auto bank = banks.bank(task_wishes_.name);
    if (!bank) {
      auto& what = bank.failure().what;
      auto names = undefined_names(what);
      if (!names.empty()) {
        std::string all;
        for (auto& name : names) all += (all.empty() ? "" : ", ") + name;
        found.failure = refuse(wishes_.file + " uses " + all +
                               ", which it does not define: kope takes one file with the headers that it includes; put "
                               "the definition into it");
      } else if (widened && bank.failure().code == errc::invalid_input) {
        found.oracle_differs = true;  // does not survive float as double; as given it may
      } else {
        found.failure = bank.failure();
      }
      return found;
    }
    for (auto& c : (*bank)->listed_cases()) {
      auto expected = (*bank)->expected(c, 0);
      if (expected) continue;
      auto& what = expected.failure().what;
      auto name = unwritten_output(what, of);
      auto of_name =
          std::find_if(plan.tensors.begin(), plan.tensors.end(), [&](auto& tensor) { return tensor.name == name; });
      if (of_name != plan.tensors.end()) {
        auto& output = of_name->source;
        bool again = std::find(plan_wishes_.in_and_out.begin(), plan_wishes_.in_and_out.end(), output) !=
                     plan_wishes_.in_and_out.end();
        if (!again) {
          found.written_in_part.push_back(output);
          return found;
        }
      }
      if (widened && what.find("as oracle") != what.npos)
        found.oracle_differs = true;  // as given it may do
      else
        found.failure = crash_sentence(what, c, plan, function).value_or(expected.failure());
      return found;
    }
    auto judged = verify_artifact(*tools_->with_runner, **bank, std::as_bytes(std::span((*bank)->baseline())),
                                  {.cpus = tools_->cpus, .draw = 0}, nullptr);
    if (!judged) {
      found.failure = crash_sentence(judged.failure().what, {}, plan, function).value_or(judged.failure());
      return found;
    }
    auto view = judged->read();
    if (view->getOutcome() == wire::OutcomeClass::CORRECT_NOT_FASTER) return found;
    if (widened && view->getOutcome() == wire::OutcomeClass::WRONG_ANSWER) {
      found.oracle_differs = true;
      return found;
    }
    found.failure = refuse(function.name + " does not give the same result twice: " + view->getDetail().cStr());
    return found;
  }

  /// "it left element 3 of output 0 unwritten" as the output's name.
  static std::string unwritten_output(const std::string& what, const task& of) {
    auto at = what.find(" of output ");
    if (what.find("unwritten") == what.npos || at == what.npos) return {};
    size_t number = static_cast<size_t>(std::strtoul(what.c_str() + at + 11, nullptr, 10)), outputs = 0;
    auto view = of.read();
    for (auto tensor : view->getTensors())
      if (tensor.getRole() == wire::TensorRole::OUTPUT && outputs++ == number) return tensor.getName().cStr();
    return {};
  }

  std::optional<error> crash_sentence(const std::string& what, const concrete_case& c, const kernel_plan& plan,
                                      const c_function& function) const {
    bool crashed = what.find("died of signal") != what.npos || what.find("it crashed") != what.npos;
    bool slow = what.find("longer than 30 s") != what.npos;
    if (!crashed && !slow) return std::nullopt;
    std::string sizes, arrays;
    for (size_t i = 0; i < plan.sizes.size() && i < c.sizes.size(); ++i)
      sizes += (sizes.empty() ? "" : ", ") + plan.sizes[i].source + " = " + std::to_string(c.sizes[i]);
    for (auto& tensor : plan.tensors) {
      std::string product;
      for (auto& extent : tensor.extents) product += (product.empty() ? "" : " * ") + extent;
      if (tensor.how_known != "one number" && tensor.how_known != "returned")
        arrays += (arrays.empty() ? "" : ", ") + tensor.source + ": " + product;
    }
    auto where = function.name + (sizes.empty() ? "" : " with " + sizes);
    if (!crashed) return refuse(where + " takes longer than 30 s; choose smaller sizes with --case");
    return refuse(
        where + " crashes: it goes beyond an array (" + arrays +
        "; correct one with --extent NAME=FORMULA), writes to one that it declares const, uses a pointer that "
        "nothing has set, or needs sizes of a kind (--multiple N=8)");
  }

  const run_options& options_;
  const own_kernel_wishes& wishes_;
  plan_wishes plan_wishes_;
  task_wishes task_wishes_;
  std::unique_ptr<tool_box> tools_;
  std::vector<std::string> remarks_;
  fs::path last_folder_;
};

}  // namespace

result<own_kernel> make_own_kernel(const run_options& options, const own_kernel_wishes& wishes) {
  return maker(options, wishes).run();
}

bool is_c_file(const std::string& argument) { return argument.size() > 2 && argument.ends_with(".c"); }

}  // namespace kope
