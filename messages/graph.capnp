@0x9a6d6f0301f465bb;
# What the experience graph holds. docs/GRAPH_FORMAT.md says under which keys.

using Cxx = import "/capnp/c++.capnp";
using P = import "plan.capnp";
using W = import "work.capnp";
using T = import "task.capnp";
$Cxx.namespace("kope::wire");

struct TargetRecord {
  key @0 :Text;                  # SHA-256 of the fields below
  vendor @1 :Text;
  model @2 :Text;                # CPU family and model numbers, no clock, no host name
  isa @3 :List(Text);            # the vector extensions in use
  l1dBytes @4 :UInt32;
  l2Bytes @5 :UInt32;
  l3Bytes @6 :UInt32;
  cores @7 :UInt32;              # cores used
  threads @8 :UInt32;
  mode @9 :W.TimingMode;
}

struct MeasuredLimit {
  resource @0 :W.Resource;
  perSecond @1 :Float64;         # the best of the batches: a disturbed one reads low, none reads high
  error @2 :Float64;             # relative: how far the middle of the batches is below the best
  batches @3 :UInt32;
  footprintBytes @4 :Float64;    # of a bandwidth: the memory that was gone through
}

struct LimitsRecord {            # insert-only: what one device gave on one day
  target @0 :Text;               # target key
  measuredUnixSeconds @1 :Float64;
  quick @2 :Bool;                # few batches, before an exploration
  limits @3 :List(MeasuredLimit);
  toolchain @4 :Text;            # toolchain key: it compiled the kernels that measured
}

struct ToolchainRecord {
  key @0 :Text;
  name @1 :Text;                 # name of the description, e.g. cpp-gcc
  compiler @2 :Text;             # first line of the compiler's own version report
  language @3 :Text;
}

struct TaskRecord {
  key @0 :Text;
  name @1 :Text;
  family @2 :Text;
  elementType @3 :T.ElementType;
  check @4 :Text;
  referenceHash @5 :Text;        # its text is a source
}

struct Attempt {                 # insert-only
  header @0 :P.AttemptHeader;
  task @1 :Text;                 # task key
  target @2 :Text;
  toolchain @3 :Text;
  timedCase @4 :Text;
  phase @5 :P.Phase;
  action @6 :Text;
  intent @7 :Text;
  parent @8 :Text;
  parameters @9 :List(P.Parameter);
  chosenBy @10 :Text;
  sourceHash @11 :Text;
  normalHash @12 :Text;
  flags @13 :List(Text);
  check @14 :Text;
  outcome @15 :W.OutcomeClass;
  stage @16 :W.Stage;
  final @17 :Bool;               # false: retryable, tried once more
  diagnostics @18 :Text;         # first lines of what went wrong
  promotion @19 :W.Comparison;
  gain @20 :W.Comparison;
  level @21 :Text;               # sandbox level
  step @22 :Float64;             # logical clock of its commit, set by the store
  codeSeconds @23 :Float64;
  compileSeconds @24 :Float64;
  verifySeconds @25 :Float64;
  profileSeconds @26 :Float64;
  incumbent @27 :Text;           # attempt id it was compared with, empty: the reference
  injected @28 :List(Text);      # attempt ids whose experience its plan contained
  counters @29 :W.Counters;      # absent where the machine counts none
}

struct Outcome {                 # from wherever an attempt ended to the curator
  attempt @0 :Attempt;
  source @1 :Text;               # empty when there was no code
}

struct OpenRow {                 # an attempt that was begun and has no outcome yet
  header @0 :P.AttemptHeader;
  plan @1 :P.Plan;
  reservedTokens @2 :Float64;
}

enum ExplorationState { running @0; finished @1; cancelled @2; failed @3; }

struct ExplorationSpec {
  task @0 :Text;                 # task name
  timedCase @1 :Text;
  attempts @2 :UInt32;
  seconds @3 :Float64;
  seed @4 :UInt32;
  tickets @5 :UInt32;
  policy @6 :Text;
  toolchain @7 :Text;            # name of the description
  coder @8 :Text;
  taskKey @9 :Text;
  targetKey @10 :Text;
  toolchainKey @11 :Text;
  check @12 :Text;
  sizes @13 :List(UInt32);       # of the timed case, in the task's order: near cases recall each other's parameters
  startingPoints @14 :Bool = true;   # false: the family's starting points are not tried
  stopFraction @15 :Float64;     # over when the incumbent reaches this fraction of the device's limit; 0: never
  plateau @16 :UInt32;           # over after so many attempts in a row that beat nothing; 0: never
}

struct Exploration {             # the mutable row
  id @0 :Text;
  spec @1 :ExplorationSpec;
  state @2 :ExplorationState;
  startedUnixSeconds @3 :Float64;
  spentSeconds @4 :Float64;
  spentAttempts @5 :UInt32;
  nextNumber @6 :UInt32;
  randomState @7 :Text;
  policySnapshot @8 :Data;       # at most 64 KiB
  coveredStep @9 :Float64;       # outcomes up to this step are in the snapshot
  incumbent @10 :Text;           # attempt id, empty: the reference
  speedup @11 :W.Comparison;     # the winner against the reference, measured at the end
  stopReason @12 :Text;
}

struct Committed {               # curator to the owning planner: this is on disk
  header @0 :P.AttemptHeader;
  step @1 :Float64;
  attempt @2 :Attempt;           # the attempt that won, which is the first one committed
  duplicate @3 :Bool;            # a later outcome of the same attempt was dropped
}
