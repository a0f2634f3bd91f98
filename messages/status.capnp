@0xe48e51592d9a3cf1;
# What every actor answers to `status`.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("kope::wire");

struct Counter { name @0 :Text; value @1 :Float64; }
struct Status {
  actor @0 :Text;
  counters @1 :List(Counter);
  lines @2 :List(Text);          # for people
}
