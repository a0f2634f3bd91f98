#include "actors/coder/schedule/families/elementwise_text.hpp"

#include "actors/coder/schedule/families/vector_functions.hpp"
#include "actors/coder/schedule/kernel_text.hpp"

namespace kope {
namespace {

constexpr std::string_view frame = R"(#include <stdint.h>

$vector_type$namespace {

enum : int64_t {
  lanes = $lanes$,  // floats in a vector
  vectors_together = $vectors_together$,
  inputs = $inputs$,
  axes = $axes$,
  short_row = 256,  // rows shorter than this are joined with their neighbours: a row costs some 20 steps of its own
};
$functions$
inline vec load(const float* from) { return *(const vec*)from; }

inline vec element($element_parameters$) { return $formula$; }

template <bool streams>
inline void put(float* to, vec v) {
$stream$  *(vec*)to = v;
}

// The elements from place i on; an input whose bit in `moving` is not set has one value for the whole row.
template <int moving>
inline vec elements(const float* const* from, int64_t i) {
  return element($element_arguments$);
}

// One row of n elements, at least a vector. The last vector may overlap with the one before it.
template <int moving, bool streams>
void row(const float* const* tensors, float* to, int64_t n) {
  const float* from[inputs];  // of its own, or each store might have changed it
  for (int64_t k = 0; k < inputs; ++k) from[k] = tensors[k];
  int64_t i = 0;
$align$  for (; i + vectors_together * lanes <= n; i += vectors_together * lanes) {
    vec v[vectors_together];
#pragma GCC unroll 8
    for (int64_t j = 0; j < vectors_together; ++j) {
      v[j] = elements<moving>(from, i + j * lanes);
$prefetch$    }
#pragma GCC unroll 8
    for (int64_t j = 0; j < vectors_together; ++j) put<streams>(to + i + j * lanes, v[j]);
  }
  for (; i + lanes <= n; i += lanes) put<streams>(to + i, elements<moving>(from, i));
  if (i < n) put<false>(to + n - lanes, elements<moving>(from, n - lanes));
}

// A row that is shorter than a vector.
void less_than_a_vector(const float* const* from, int moving, float* to, int64_t n) {
  float filled[inputs][lanes] = {};
  const float* at[inputs];
  for (int64_t k = 0; k < inputs; ++k) {
    for (int64_t i = 0; i < n; ++i) filled[k][i] = from[k][moving >> k & 1 ? i : 0];
    at[k] = filled[k];
  }
  const vec v = elements<(1 << inputs) - 1>(at, 0);
  for (int64_t i = 0; i < n; ++i) to[i] = v[i];
}

template <bool streams>
void row_of(const float* const* from, int moving, float* to, int64_t n) {
  if (n < lanes) return less_than_a_vector(from, moving, to, n);
  switch (moving) {
$rows$  }
}

alignas(64) float joined[inputs][5 * short_row];

// The output as `axes` axes, outermost first; a step of 0 where an input has one value along an axis.
struct shape {
  int64_t count = 0;
  int64_t length[axes + 1];  // one more than there can be, or GCC 12 warns of it
  int64_t step[inputs][axes + 1];
};

// `rows` short rows side by side as few long ones, for which inputs are brought into the output's order.
template <bool streams>
void short_rows(const float* const* from, const shape& of, float* to) {
  const int64_t rows = of.length[of.count - 2], n = of.length[of.count - 1];
  const int64_t together = rows < 4 * short_row / n + 1 ? rows : 4 * short_row / n + 1;
  for (int64_t r = 0; r < rows; r += together) {
    const int64_t some = r + together <= rows ? together : rows - r;
    const float* at[inputs];
    for (int64_t k = 0; k < inputs; ++k) {
      const int64_t down = of.step[k][of.count - 2], along = of.step[k][of.count - 1];
      const float* first = from[k] + r * down;
      at[k] = joined[k];
      if (down == 0 && r > 0) continue;  // as it was
      float* into = joined[k];
      if (along == 0)
        for (int64_t s = 0; s < some; ++s, into += n)
          for (int64_t i = 0; i < n; ++i) into[i] = first[s * down];
      else if (down == n)
        at[k] = first;
      else
        for (int64_t s = 0; s < some; ++s, into += n)
          for (int64_t i = 0; i < n; ++i) into[i] = first[s * down + i];
    }
    row_of<streams>(at, (1 << inputs) - 1, to + r * n, some * n);
  }
}

template <bool streams>
void all(const float* const* tensors, const shape& of, float* to) {
  const bool joins = of.count > 1 && of.length[of.count - 1] < short_row;
  const int64_t outer = of.count - (joins ? 2 : 1), n = of.length[of.count - 1];
  const int64_t step = joins ? of.length[of.count - 2] * n : n;
  int moving = 0;
  for (int64_t k = 0; k < inputs; ++k) moving |= (of.step[k][of.count - 1] != 0) << k;
  const float* from[inputs];
  for (int64_t k = 0; k < inputs; ++k) from[k] = tensors[k];
  int64_t place[axes] = {};
  while (true) {
    if (joins)
      short_rows<streams>(from, of, to);
    else
      row_of<streams>(from, moving, to, n);
    to += step;
    int64_t a = outer - 1;
    for (; a >= 0; --a) {
      for (int64_t k = 0; k < inputs; ++k) from[k] += of.step[k][a];
      if (++place[a] < of.length[a]) break;
      for (int64_t k = 0; k < inputs; ++k) from[k] -= of.length[a] * of.step[k][a];
      place[a] = 0;
    }
    if (a < 0) return;
  }
}

}  // namespace

extern "C" void kernel($parameters$) {
  const float* const tensors[inputs] = {$tensors$};
  const int64_t length[axes] = {$lengths$};
  const bool has[inputs][axes] = {$has$};
  // Axes of length 1 are left out, and neighbours along which every input goes on as the output does are one axis.
  shape of;
  int64_t next[inputs];  // the step of an input's next axis outwards
  for (int64_t k = 0; k < inputs; ++k) next[k] = 1;
  int64_t reversed[inputs + 1][axes + 1];
  for (int64_t a = axes - 1; a >= 0; --a) {
    if (length[a] == 1) continue;
    bool joins = of.count > 0;
    int64_t step[inputs];
    for (int64_t k = 0; k < inputs; ++k) {
      step[k] = has[k][a] ? next[k] : 0;
      if (of.count > 0 && step[k] != reversed[k][of.count - 1] * reversed[inputs][of.count - 1]) joins = false;
    }
    if (joins) {
      reversed[inputs][of.count - 1] *= length[a];
    } else {
      for (int64_t k = 0; k < inputs; ++k) reversed[k][of.count] = step[k];
      reversed[inputs][of.count++] = length[a];
    }
    for (int64_t k = 0; k < inputs; ++k)
      if (has[k][a]) next[k] *= length[a];
  }
  if (of.count == 0) {  // a single element
    for (int64_t k = 0; k < inputs; ++k) reversed[k][0] = 0;
    reversed[inputs][of.count++] = 1;
  }
  for (int64_t a = 0; a < of.count; ++a) {
    of.length[a] = reversed[inputs][of.count - 1 - a];
    for (int64_t k = 0; k < inputs; ++k) of.step[k][a] = reversed[k][of.count - 1 - a];
  }
$all$}
)";

// The first vector is written twice where it must be, so that all others begin where a vector may be streamed to.
constexpr std::string_view align = R"(  if (streams && (uintptr_t)to % sizeof(vec) != 0) {
    put<false>(to, elements<moving>(from, 0));
    i = (int64_t)((sizeof(vec) - (uintptr_t)to % sizeof(vec)) / sizeof(float));
  }
)";

constexpr std::string_view all_streaming = R"(#ifdef $has_vectors$
  if ((uintptr_t)$output$ % sizeof(float) == 0) {
    all<true>(tensors, of, $output$);
    __builtin_ia32_sfence();  // in $output$ before anyone hears that it is
    return;
  }
#endif
)";

std::string joined_by_commas(const std::vector<std::string>& parts) {
  std::string text;
  for (auto& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string prefetch(const elementwise_operator& of, const elementwise_choice& choice) {
  if (choice.prefetch_bytes == 0) return {};
  std::string text;
  for (size_t k = 0; k < of.inputs.size(); ++k) {
    const std::string input = std::to_string(k);
    text += "      if (moving & " + std::to_string(1 << k) + (choice.lanes < 16 ? " && j * lanes % 16 == 0" : "") +
            ") __builtin_prefetch(from[" + input + "] + i + j * lanes + " + std::to_string(choice.prefetch_bytes / 4) +
            ");\n";
  }
  return text;
}

}  // namespace

std::string elementwise_text(const elementwise_operator& of, const elementwise_choice& choice) {
  std::vector<std::string> parameters, element_parameters, element_arguments, tensors, lengths, has;
  size_t input = 0;
  for (bool is_output : of.output_at)
    parameters.push_back(is_output ? "float* " + of.output + "_" : "const float* " + of.inputs[input++] + "_");
  for (auto& size : of.sizes) parameters.push_back("int64_t " + size + "_");
  for (size_t k = 0; k < of.inputs.size(); ++k) {
    const std::string number = std::to_string(k), bit = std::to_string(1 << k);
    element_parameters.push_back("vec " + of.inputs[k] + "_");
    element_arguments.push_back("moving & " + bit + " ? load(from[" + number + "] + i) : from[" + number +
                                "][0] - vec{}");
    tensors.push_back(of.inputs[k] + "_");
    std::string row;
    for (bool one : of.has_axis[k]) row += std::string(row.empty() ? "" : ", ") + (one ? "true" : "false");
    has.push_back("{" + row + "}");
  }
  for (auto& extent : of.extents) lengths.push_back(extent + "_");
  std::string rows;
  for (int moving = 0; moving < 1 << of.inputs.size(); ++moving)
    rows += "    case " + std::to_string(moving) + ":\n      return row<" + std::to_string(moving) +
            ", streams>(from, to, n);\n";
  const std::string output = of.output + "_";
  auto with_stores = [&](std::string_view text) {
    return filled(
        text,
        {{"has_vectors", vectors_macro(choice.lanes)}, {"builtin", streaming_store(choice.lanes)}, {"output", output}});
  };
  return filled(
      frame,
      {{"vector_type", vector_type(choice.lanes)},
       {"lanes", std::to_string(choice.lanes)},
       {"vectors_together", std::to_string(choice.vectors_together)},
       {"inputs", std::to_string(of.inputs.size())},
       {"axes", std::to_string(of.extents.size())},
       {"functions",
        vector_functions_text(
            choice.lanes,
            {.number = of.formula.number, .exp = of.formula.exp, .tanh = of.formula.tanh, .erf = of.formula.erf})},
       {"element_parameters", joined_by_commas(element_parameters)},
       {"formula", of.formula.text},
       {"element_arguments", joined_by_commas(element_arguments)},
       {"stream", choice.streaming ? streaming_store(choice.lanes) : ""},
       {"align", std::string(choice.streaming ? align : "")},
       {"prefetch", prefetch(of, choice)},
       {"rows", rows},
       {"parameters", joined_by_commas(parameters)},
       {"tensors", joined_by_commas(tensors)},
       {"lengths", joined_by_commas(lengths)},
       {"has", joined_by_commas(has)},
       {"all", (choice.streaming ? with_stores(all_streaming) : "") + "  all<false>(tensors, of, " + output + ");\n"}});
}

}  // namespace kope
