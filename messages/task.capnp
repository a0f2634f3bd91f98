@0x8074e5e5c9f54a73;
# What is optimised: one operator with its prototype, its cases and its reference.
# Built once by config/ from a task file; every room below reads it and nobody writes it.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("kope::wire");

enum ElementType { f32 @0; f64 @1; i32 @2; i64 @3; }
enum TensorRole { input @0; output @1; }
enum Language { cpp @0; c @1; }   # of the reference and of every candidate
enum OracleKind {
  real @0;                       # the reference is written in terms of `real`
  widened @1;                    # a user's function: compiled once more with `float` meaning double
  asGiven @2;                    # a user's function that does not survive that: its own result, without reordering
}
enum CaseKind { visible @0; hidden @1; timed @2; }

struct Tensor {
  name @0 :Text;
  role @1 :TensorRole;
  elementType @2 :ElementType;
  extents @3 :List(Text);        # each a size symbol of the task or a decimal number; the product is the element count
}

struct Fill {                    # how the values of one input tensor are drawn, see actors/evaluation/input_values.hpp
  kind @0 :FillKind;
  low @1 :Float64;
  high @2 :Float64;
}
enum FillKind {
  uniform @0;                    # uniform in [low, high)
  logUniform @1;                 # magnitudes from low to high on a log scale, random sign
  cancelling @2;                 # uniform values followed by their negatives, so that sums nearly vanish
  constant @3;                   # low everywhere
  ramp @4;                       # from low to high over the index
  integers @5;                   # whole numbers in [low, high]
  special @6;                    # uniform with one value in 64 replaced by +inf, -inf, NaN, -0.0 or a denormal
}

struct Case {
  name @0 :Text;
  kind @1 :CaseKind;
  sizes @2 :List(UInt32);        # in the order of Task.sizes
  fills @3 :List(Fill);          # one for each input tensor, in their order
  bytesMin @4 :Float64;          # least traffic, arithmetic and transcendental evaluations of the case: the roofline's terms
  flops @5 :Float64;
  transcendentals @6 :Float64;
}

struct Attribute {               # of the operator, what its family has to know beside the prototype
  name @0 :Text;
  value @1 :Text;
}

struct SizeRange { low @0 :UInt32; high @1 :UInt32; }

struct Task {
  name @0 :Text;
  title @1 :Text;
  family @2 :Text;               # operator family that the schedule coder knows, empty when none
  level @3 :UInt32;              # 1 to 4, as in the operator list
  elementType @4 :ElementType;   # what `real` stands for in the reference when it is the baseline
  sizes @5 :List(Text);          # size symbols, in prototype order
  tensors @6 :List(Tensor);      # in prototype order, before the sizes
  cases @7 :List(Case);
  drawn @8 :List(SizeRange);     # one for each size: every verification draws one more shape from these ranges
  reference @9 :Text;            # C++ source that defines `kernel` in terms of `real`
  key @10 :Text;                 # the graph's task key: SHA-256 of family, roles, types and reference
  check @11 :Text;               # SHA-256 of cases, tolerances and the verifier's version: what a verdict rested on
  language @12 :Language;
  oracle @13 :OracleKind;
  baselineFlags @14 :List(Text); # the user's own, instead of the toolchain's; empty: the toolchain's
  attributes @15 :List(Attribute);  # in order of names; the family says which it knows
}
