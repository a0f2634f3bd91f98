@0xc1493eac778b2b44;
# What moves down the pipeline: one Work for each attempt, each stage adding its part.

using Cxx = import "/capnp/c++.capnp";
using import "plan.capnp".Plan;
$Cxx.namespace("kope::wire");

enum Stage { code @0; compile @1; verify @2; profile @3; }

enum OutcomeClass {
  improved @0;                   # promoted over the incumbent (eval: faster than the reference)
  correctNotFaster @1;
  undecided @2;                  # correct; timing could not tell within its budget
  noCode @3;                     # the coder produced no candidate
  duplicate @4;                  # the same normalised source and flags were judged before
  buildFailed @5;
  wrongAnswer @6;
  crashed @7;
  timedOut @8;
  outOfMemory @9;
  sandboxViolation @10;
  suspect @11;                   # faster than the device's limits allow
  interrupted @12;               # the program or a worker ended first; tried once more
  harnessError @13;              # our fault, not the candidate's
}

struct Candidate {
  source @0 :Text;
  sourceHash @1 :Text;           # SHA-256 of the source as it is
  normalHash @2 :Text;           # SHA-256 of source without comments and white space, plus the flags
  flags @3 :List(Text);          # compiler flags that belong to the candidate
  coder @4 :Text;
  codeSeconds @5 :Float64;
}

struct Build {
  artifact @0 :Data;             # shared object
  artifactHash @1 :Text;
  diagnostics @2 :Text;          # UTF-8, capped
  compileSeconds @3 :Float64;
  succeeded @4 :Bool;
}

struct Verdict {
  outcome @0 :OutcomeClass;      # correctNotFaster when nothing was wrong: timing decides the rest
  detail @1 :Text;               # one line; names a visible case, says only "hidden case failed" of a hidden one
  casesRun @2 :UInt32;
  worstError @3 :Float64;        # largest error over its tolerance, 1 is the limit
  verifySeconds @4 :Float64;
  level @5 :Text;                # sandbox level
}

enum Decision { faster @0; slower @1; noDifference @2; undecided @3; }
enum TimingMode { rotating @0; resident @1; }

enum Resource {                  # what the device limits a kernel by, one thread
  unknown @0;
  f32MultiplyAddPeak @1;         # operations a second, a multiply-add counted as two
  f64MultiplyAddPeak @2;
  f32MixedPeak @3;               # the same with additions of their own beside the multiply-adds: above the peak on
  f64MixedPeak @4;               # machines that add elsewhere
  i32AddPeak @5;                 # additions and logic, one each
  i64AddPeak @6;
  f32ExponentialRate @7;         # evaluations of a vectorised polynomial a second
  f64ExponentialRate @8;
  l1ReadBandwidth @9;            # bytes a second
  l1CopyBandwidth @10;           # bytes read plus bytes written
  l2ReadBandwidth @11;
  l2CopyBandwidth @12;
  l3ReadBandwidth @13;
  l3CopyBandwidth @14;
  memoryReadBandwidth @15;
  memoryCopyBandwidth @16;
}

struct Comparison {              # paired ratio old time / new time: above 1 the candidate is faster
  ratio @0 :Float64;
  low @1 :Float64;               # 99 % interval of the median ratio
  high @2 :Float64;
  pairs @3 :UInt32;
  decision @4 :Decision;
  against @5 :Text;              # attempt id, or "reference"
  mode @6 :TimingMode;
  baselineMicroseconds @7 :Float64;   # medians, for people; never used to rank
  candidateMicroseconds @8 :Float64;
  fractionOfLimit @9 :Float64;   # least time that the device allows / candidate's; 0: not known
  limitedBy @10 :Resource;       # what gives that least time
}

struct Counters {                # of one call of the candidate, user space; never used to rank
  cycles @0 :Float64;
  instructions @1 :Float64;
  cacheMisses @2 :Float64;
}

struct Profile {
  promotion @0 :Comparison;      # to the incumbent of that moment
  gain @1 :Comparison;           # to the parent
  profileSeconds @2 :Float64;
  counters @3 :Counters;         # absent where the machine counts none
}

struct Work {
  plan @0 :Plan;
  candidate @1 :Candidate;
  build @2 :Build;
  verdict @3 :Verdict;
  profile @4 :Profile;
}
