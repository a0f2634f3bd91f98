@0x942ff05a0a8205d0;
# What the planner asks for: one attempt, and the parameter space it was chosen from.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("kope::wire");

enum Phase { draft @0; repair @1; refine @2; }
enum ParameterClass { algorithmic @0; machineBound @1; }

struct Parameter {
  meaning @0 :Text;              # what it changes, unique within a family; experience is keyed by it
  value @1 :Float64;
  class @2 :ParameterClass;
}

struct AttemptHeader {           # travels with every message of an attempt
  attempt @0 :Text;              # attempt id, 16 hex digits: exploration number, then attempt number
  exploration @1 :Text;          # exploration id, 16 hex digits
  number @2 :UInt32;             # from 1 within the exploration
  incarnation @3 :UInt32;        # start of the program that made it; others are dropped
  generation @4 :UInt32;         # start of the planner that made it; others are dropped
  handedOut @5 :UInt32;          # how often a pool gave this work to a worker: twice at most
}

struct Plan {
  header @0 :AttemptHeader;
  task @1 :Text;                 # task name
  timedCase @2 :Text;            # name of the case that is optimised
  phase @3 :Phase;
  action @4 :Text;
  intent @5 :Text;
  parent @6 :Text;               # attempt id whose source this one changes; empty: the reference
  parameters @7 :List(Parameter);
  chosenBy @8 :Text;             # policy and its reason, e.g. "local_search:starting_point"
  incumbent @9 :Incumbent;       # best verified source when the plan was made; empty attempt: the reference
  seed @10 :UInt32;              # seed of the drawn shape and of the input sets
  toolchain @11 :Text;           # name of the toolchain description
  taskKey @12 :Text;             # the graph's keys, copied into the attempt
  targetKey @13 :Text;
  toolchainKey @14 :Text;
  check @15 :Text;
  injected @16 :List(Text);      # attempt ids whose experience this plan contains
}

struct Incumbent {
  attempt @0 :Text;
  source @1 :Text;
  flags @2 :List(Text);
}

struct ParameterRange {
  meaning @0 :Text;
  class @1 :ParameterClass;
  values @2 :List(Float64);      # ascending; a neighbour is one place up or down, or any other where `ordered` is false
  ordered @3 :Bool;
}
struct ProductLimit {            # a point is valid when the product of these parameters is at most `limit`
  meanings @0 :List(Text);
  limit @1 :Float64;
}
struct Point { parameters @0 :List(Parameter); }

struct ParameterSpace {          # a coder's answer to `describe`
  family @0 :Text;
  ranges @1 :List(ParameterRange);
  limits @2 :List(ProductLimit);
  startingPoints @3 :List(Point);
  listed @4 :List(Point);        # when there are any, no other point is valid: a recorded landscape knows these
}
