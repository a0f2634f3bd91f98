#include "daemon/own_kernel/kernel_plan.hpp"

#include <algorithm>
#include <set>

#include "daemon/own_kernel/array_use.hpp"

namespace kope {
namespace {

error refuse(std::string what) { return {errc::invalid_input, std::move(what)}; }

std::optional<wire::ElementType> element_of(const c_type& type) {
  if (type.kind == c_kind::floating && type.bytes == 4) return wire::ElementType::F32;
  if (type.kind == c_kind::floating && type.bytes == 8) return wire::ElementType::F64;
  if (type.kind == c_kind::whole && type.is_signed && type.bytes == 4) return wire::ElementType::I32;
  if (type.kind == c_kind::whole && type.is_signed && type.bytes == 8) return wire::ElementType::I64;
  return std::nullopt;
}

const char* c_name(wire::ElementType type) {
  switch (type) {
    case wire::ElementType::F32:
      return "float";
    case wire::ElementType::F64:
      return "double";
    case wire::ElementType::I32:
      return "int32_t";
    default:
      return "int64_t";
  }
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (auto& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

/// What may not be a parameter's name in the adapter.
constexpr std::string_view taken[] = {
    "auto",     "break",  "case",     "char",     "const",  "continue", "default", "do",     "double", "else",
    "enum",     "extern", "float",    "for",      "goto",   "if",       "inline",  "int",    "long",   "register",
    "restrict", "return", "short",    "signed",   "sizeof", "static",   "struct",  "switch", "union",  "void",
    "typedef",  "while",  "volatile", "unsigned", "kernel", "real",     "memcpy",  "result"};

class planner_of_kernel {
public:
  planner_of_kernel(const c_function& function, const std::vector<c_token>& tokens, const plan_wishes& wishes)
    : function_(function), tokens_(tokens), wishes_(wishes), text_(find_definition(tokens, function.name)) {
    names_.insert(function.name);
    for (auto name : taken) names_.insert(std::string(name));
  }

  result<kernel_plan> run() {
    if (function_.variadic) return refuse(function_.name + " takes a variable number of arguments; a kernel does not");
    std::vector<std::string> arrays;
    for (auto& parameter : function_.parameters) collect_arrays(parameter.name, parameter.type, arrays);
    uses_ = find_array_use(tokens_, function_.name, arrays);
    std::string arguments;
    for (size_t i = 0; i < function_.parameters.size(); ++i) {
      auto& parameter = function_.parameters[i];
      if (parameter.name.empty()) return refuse("a parameter of " + function_.name + " has no name");
      auto argument = take_parameter(parameter, i);
      if (!argument) return argument.failure();
      arguments += (arguments.empty() ? "" : ", ") + *argument;
    }
    auto call = function_.name + "(" + arguments + ")";
    if (function_.returns.kind != c_kind::nothing) {
      auto type = element_of(function_.returns);
      if (!type) return refuse(function_.name + " returns neither a float, a double nor a signed whole number");
      names_.erase("result");
      plan_.tensors.push_back(
          {unique("result"), "the returned value", *type, tensor_use::output, {"1"}, "returned", ""});
      call = "*" + plan_.tensors.back().name + " = " + call;
    }
    if (auto resolved = resolve_extents(); !resolved) return resolved.failure();
    if (!plan_.unknown_extents.empty()) return plan_;
    if (auto sane = check_roles(); !sane) return sane.failure();
    choose_type();
    write_adapter(call);
    return plan_;
  }

private:
  static void collect_arrays(const std::string& name, const c_type& type, std::vector<std::string>& into) {
    if (type.kind == c_kind::pointer && type.target && type.target->kind == c_kind::structure) {
      for (auto& field : type.target->fields) collect_arrays(name + "." + field.name, field.type, into);
    } else if (type.kind == c_kind::structure) {
      for (auto& field : type.fields) collect_arrays(name + "." + field.name, field.type, into);
    } else if (type.kind == c_kind::pointer) {
      into.push_back(name);
    }
  }

  std::string unique(const std::string& wanted) {
    std::string name;
    for (char c : wanted)
      name += std::isalnum(static_cast<unsigned char>(c)) ? static_cast<char>(std::tolower(c)) : '_';
    if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0]))) name = "p" + name;
    name = name.substr(0, 40);
    auto free = name;
    for (int i = 2; names_.contains(free); ++i) free = name + "_" + std::to_string(i);
    names_.insert(free);
    return free;
  }

  /// What is passed for a parameter that is no structure; `source` in his terms.
  result<std::string> take_value(const std::string& source, const c_type& type) {
    auto plain = source.substr(source.rfind('.') == source.npos ? 0 : source.rfind('.') + 1);
    auto wanted = source.find('.') == source.npos ? source : unique_field(plain) ? plain : source;
    if (type.kind == c_kind::whole && type.bytes >= 4) {
      plan_.sizes.push_back({unique(wanted), source, false});
      return "(" + (type.name.empty() ? std::string("int64_t") : type.name) + ")" + plan_.sizes.back().name;
    }
    if (type.kind == c_kind::floating) {
      auto element = element_of(type);
      if (!element) return refuse("parameter '" + source + "' of " + function_.name + " is a long double");
      plan_.tensors.push_back({unique(wanted), source, *element, tensor_use::input, {"1"}, "one number", ""});
      return "*" + plan_.tensors.back().name;
    }
    if (type.kind == c_kind::pointer) return take_array(source, wanted, type);
    return refuse("parameter '" + source + "' of " + function_.name +
                  (type.name.empty() ? "" : " (" + type.name + ")") +
                  " is neither a number, an array nor a structure of them");
  }

  bool unique_field(const std::string& name) const {
    int count = 0;
    for (auto& parameter : function_.parameters) {
      auto& type =
          parameter.type.kind == c_kind::pointer && parameter.type.target ? *parameter.type.target : parameter.type;
      for (auto& field : type.fields) count += field.name == name;
      count += parameter.name == name;
    }
    return count == 1;
  }

  result<std::string> take_array(const std::string& source, const std::string& wanted, const c_type& type) {
    std::vector<std::string> inner;
    const c_type* element = type.target.get();
    bool constant = false;
    while (element && element->kind == c_kind::array) {
      constant |= element->constant;
      element = element->target.get();
    }
    auto found = element ? element_of(*element) : std::nullopt;
    if (!found)
      return refuse("parameter '" + source + "' of " + function_.name + " points to " +
                    (!element                           ? std::string("void")
                     : element->kind == c_kind::pointer ? std::string("pointers")
                     : element->name.empty()            ? std::string("something")
                                                        : element->name) +
                    "; tensors are of float, double, int32_t or int64_t");
    constant |= element->constant;
    auto& use = uses_[source];
    auto role = constant || (use.reads && !use.writes) ? tensor_use::input
                : use.reads                            ? tensor_use::in_and_out
                                                       : tensor_use::output;
    std::string note;
    if (role == tensor_use::in_and_out)
      note = use.unknown ? "it is handed to code that is not here, so it may be read" : "it is read as well as written";
    bool asked = std::find(wishes_.in_and_out.begin(), wishes_.in_and_out.end(), source) != wishes_.in_and_out.end();
    if (role == tensor_use::output && asked) {
      role = tensor_use::in_and_out;
      note = "not every element is written";
    }
    plan_.tensors.push_back({unique(wanted), source, *found, role, {}, "", note});
    types_[source] = &type;
    if (type.target->kind == c_kind::array) return "(void*)" + plan_.tensors.back().name;
    // const is cast away where an array is read alone though his prototype does not say so
    bool cast = role == tensor_use::input && !constant;
    auto spelled = element->name.empty() ? std::string(c_name(*found)) : element->name;
    bool other = spelled != c_name(*found);
    if (!cast && !other) return plan_.tensors.back().name;
    return "(" + std::string(constant ? "const " : "") + spelled + "*)" + plan_.tensors.back().name;
  }

  result<std::string> take_parameter(const c_field& parameter, size_t index) {
    places_[parameter.name] = index;
    bool pointer = parameter.type.kind == c_kind::pointer && parameter.type.target &&
                   parameter.type.target->kind == c_kind::structure;
    if (!pointer && parameter.type.kind != c_kind::structure) return take_value(parameter.name, parameter.type);
    auto& type = pointer ? *parameter.type.target : parameter.type;
    if (type.name.empty())
      return refuse("the structure of parameter '" + parameter.name + "' has no name that an adapter could use");
    if (type.fields.empty())
      return refuse("the structure of parameter '" + parameter.name + "' (" + type.name +
                    ") is not defined in the file");
    auto local = "kope_" + parameter.name;
    before_ += "  " + type.name + " " + local + " = {0};\n";
    for (auto& field : type.fields) {
      auto value = take_value(parameter.name + "." + field.name, field.type);
      if (!value) return value.failure();
      before_ += "  " + local + "." + field.name + " = " + *value + ";\n";
    }
    return (pointer ? "&" : "") + local;
  }

  // ---- extents

  std::string task_name_of(const std::string& source) {
    for (auto& size : plan_.sizes)
      if (size.source == source || size.name == source) {
        size.in_extents = true;
        return size.name;
      }
    return {};
  }

  /// In the task's names; `add` says whether it was one product of sizes.
  result<bool> add_extents(planned_tensor& tensor, const size_formula& formula) {
    auto factors = formula.factors();
    if (!factors) return false;
    for (auto& factor : *factors) {
      if (std::isdigit(static_cast<unsigned char>(factor[0]))) {
        tensor.extents.push_back(factor);
        continue;
      }
      auto name = task_name_of(factor);
      if (name.empty())
        return refuse("the extent of '" + tensor.source + "' is " + formula.text() + ", and '" + factor +
                      "' is no whole-number parameter of " + function_.name + "; give it as --extent " + tensor.source +
                      "=FORMULA");
      tensor.extents.push_back(name);
    }
    return true;
  }

  /// A loop that leaves a border out reaches (n - 2) * m + m - 1 of n * m: the largest product is the array's extent
  /// where the sum stays below it.
  static size_formula rounded_up(const size_formula& seen) {
    if (seen.factors()) return seen;
    size_formula largest;
    size_t degree = 0;
    for (auto& [names, coefficient] : seen.terms())
      if (names.size() > degree && coefficient == 1) {
        degree = names.size();
        largest = size_formula::of(1);
        for (auto& name : names) largest = largest * size_formula::of(name);
      }
    if (degree == 0) return seen;
    for (double scale : {3.0, 1000.0}) {
      std::map<std::string, double> values;
      for (auto& name : seen.names()) values[name] = scale + static_cast<double>(values.size());
      if (seen.value(values) > largest.value(values)) return seen;
    }
    return largest;
  }

  /// The brackets of an array parameter as it is written; an empty formula where they are empty.
  std::vector<std::optional<size_formula>> declared(const std::string& source) const {
    std::vector<std::optional<size_formula>> all;
    auto at = places_.find(source);
    if (at == places_.end() || at->second >= text_.parameters.size()) return all;
    auto& tokens = text_.parameters[at->second];
    bool grouped = false;  // T (*name)[n]: the first extent is not written
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].text == "(") grouped = true;
      if (tokens[i].text != "[") continue;
      auto close = closing(tokens, i);
      size_t begin = i + 1;
      while (begin < close && (tokens[begin].text == "static" || tokens[begin].text == "restrict" ||
                               tokens[begin].text == "__restrict" || tokens[begin].text == "__restrict__" ||
                               tokens[begin].text == "const"))
        ++begin;
      if (grouped && all.empty()) all.emplace_back();
      all.push_back(parse_size_formula(tokens, begin, close));
      i = close;
    }
    return all;
  }

  result<unit> resolve_extents() {
    for (auto& tensor : plan_.tensors) {
      if (!tensor.extents.empty()) continue;
      if (auto given = wishes_.extents.find(tensor.source); given != wishes_.extents.end()) {
        auto formula = parse_size_formula(given->second);
        if (!formula) return refuse("--extent " + tensor.source + "=" + given->second + " is no product of sizes");
        auto added = add_extents(tensor, *formula);
        if (!added) return added.failure();
        if (!*added)
          return refuse("--extent " + tensor.source + "=" + given->second +
                        " is not one product of sizes and numbers, the only form that a task can have");
        tensor.how_known = "given by --extent";
        continue;
      }
      auto brackets = declared(tensor.source);
      auto& use = uses_[tensor.source];
      auto first = brackets.size() > 1 ? use.first_extent : use.elements;
      bool seen = false;
      if (brackets.empty()) brackets.emplace_back();
      bool known = true;
      for (size_t i = 0; i < brackets.size() && known; ++i) {
        auto formula = brackets[i];
        if (!formula && i == 0 && first) {
          formula = rounded_up(*first);
          seen = true;
        }
        if (!formula) {
          known = false;
          break;
        }
        auto added = add_extents(tensor, *formula);
        if (!added) return added.failure();
        known = *added;
      }
      if (known) {
        tensor.how_known = seen ? "seen in " + tensor.source + "[" + use.shown_by + "]" : "declared";
      } else {
        tensor.extents.clear();
        plan_.unknown_extents.push_back(tensor.source);
      }
    }
    for (auto& [name, formula] : wishes_.extents)
      if (std::none_of(plan_.tensors.begin(), plan_.tensors.end(), [&](auto& tensor) { return tensor.source == name; }))
        return refuse("--extent " + name + "=" + formula + ": " + function_.name + " has no array '" + name + "'");
    return unit{};
  }

  // ---- the rest

  result<unit> check_roles() const {
    bool output = false, input = false;
    for (auto& tensor : plan_.tensors) {
      output |= tensor.use != tensor_use::input;
      input |= tensor.use != tensor_use::output;
    }
    if (!output) return refuse(function_.name + " writes no array and returns nothing; there is no result to check");
    if (!input) return refuse(function_.name + " reads no array and no number; its result depends on nothing");
    if (plan_.sizes.empty()) return refuse(function_.name + " has no whole-number parameter that could be a size");
    // a pointer to an input without its const is a way to write to it
    auto body = text_.body;
    for (size_t i = 0; i + 4 < body.size(); ++i) {
      if (body[i].text != "(" || body[i + 1].kind != token_kind::word) continue;
      size_t star = i + 1;
      while (star < body.size() && body[star].kind == token_kind::word) ++star;
      if (star + 2 >= body.size() || body[star].text != "*" || body[star + 1].text != ")") continue;
      bool keeps = std::any_of(body.begin() + static_cast<ptrdiff_t>(i), body.begin() + static_cast<ptrdiff_t>(star),
                               [](auto& token) { return token.text == "const"; });
      for (auto& tensor : plan_.tensors)
        if (!keeps && tensor.use == tensor_use::input && tensor.source == body[star + 2].text &&
            constant_in_prototype(tensor.source))
          return refuse(
              function_.name + " casts the const away from '" + tensor.source +
              "': an output that aliases an input cannot be judged; make it a parameter of its own, not const");
    }
    return unit{};
  }

  bool constant_in_prototype(const std::string& source) const {
    auto at = types_.find(source);
    return at != types_.end() && at->second->target && at->second->target->constant;
  }

  void choose_type() {
    auto has = [&](wire::ElementType type, bool scalars) {
      return std::any_of(plan_.tensors.begin(), plan_.tensors.end(), [&](auto& tensor) {
        return tensor.type == type && (scalars || tensor.extents != std::vector<std::string>{"1"});
      });
    };
    for (bool scalars : {false, true})
      for (auto type : {wire::ElementType::F32, wire::ElementType::F64, wire::ElementType::I32, wire::ElementType::I64})
        if (has(type, scalars)) {
          plan_.type = type;
          return;
        }
  }

  void write_adapter(const std::string& call) {
    // in and out: the input comes right before its output
    std::vector<planned_tensor> all;
    std::string copies;
    for (auto& tensor : plan_.tensors) {
      if (tensor.use == tensor_use::in_and_out) {
        auto input = tensor;
        input.name = unique(tensor.name + "_in");
        input.use = tensor_use::input;
        std::string count = "sizeof *" + tensor.name;
        for (auto& extent : tensor.extents) count += " * (size_t)" + extent;
        copies += "  memcpy(" + tensor.name + ", " + input.name + ", " + count + ");\n";
        all.push_back(std::move(input));
      }
      all.push_back(tensor);
    }
    std::vector<std::string> parameters;
    for (auto& tensor : all)
      parameters.push_back((tensor.use == tensor_use::input ? "const " : "") + std::string(c_name(tensor.type)) + "* " +
                           tensor.name);
    for (auto& size : plan_.sizes) parameters.push_back("int64_t " + size.name);
    plan_.adapter = "#include <stdint.h>\n#include <string.h>\nvoid kernel(" + joined(parameters) + ") {\n" + copies +
                    before_ + "  " + call + ";\n}\n";
    plan_.tensors = std::move(all);
  }

  const c_function& function_;
  const std::vector<c_token>& tokens_;
  const plan_wishes& wishes_;
  function_text text_;
  kernel_plan plan_;
  std::set<std::string> names_;
  std::map<std::string, array_use> uses_;
  std::map<std::string, const c_type*> types_;
  std::map<std::string, size_t> places_;
  std::string before_;
};

bool takes_an_array(const c_type& type) {
  if (type.kind == c_kind::structure)
    return std::any_of(type.fields.begin(), type.fields.end(), [](auto& f) { return f.type.kind == c_kind::pointer; });
  return type.kind == c_kind::pointer && type.target &&
         (type.target->kind != c_kind::structure || takes_an_array(*type.target));
}

}  // namespace

result<kernel_plan> plan_kernel(const c_function& function, const std::vector<c_token>& tokens,
                                const plan_wishes& wishes) {
  return planner_of_kernel(function, tokens, wishes).run();
}

result<c_function> choose_function(const std::vector<c_function>& functions, const std::vector<c_token>& tokens,
                                   const std::string& name, const std::string& file) {
  std::vector<std::string> known;
  std::vector<const c_function*> fit;
  for (auto& one : functions) {
    if (one.name == name) return one;
    if (one.name == "main") continue;
    known.push_back(one.name);
    bool array = std::any_of(one.parameters.begin(), one.parameters.end(),
                             [](auto& parameter) { return takes_an_array(parameter.type); });
    bool called = false;
    for (auto& other : functions) {
      if (other.name == one.name || other.name == "main") continue;
      auto body = find_definition(tokens, other.name).body;
      called |= std::any_of(body.begin(), body.end(), [&](auto& token) { return token.text == one.name; });
    }
    if (array && !called) fit.push_back(&one);
  }
  if (known.empty()) return error{errc::not_found, file + " defines no function"};
  if (!name.empty())
    return error{errc::not_found, file + " defines no function '" + name + "'; it defines " + joined(known)};
  if (fit.size() == 1) return *fit.front();
  return error{errc::invalid_input, file + " defines " + joined(known) + "; say which one with --function NAME"};
}

}  // namespace kope
