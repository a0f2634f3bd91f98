// Every typed actor interface of the system on one page, one comment line a handler. A payload type names a message;
// an atom stands only for a verb without one. Every interface answers `status` and takes `cancel`.
//
//  planner ──plan──▶ coder ──work──▶ compile pool ──work──▶ verify pool ──work──▶ profile pool
//     ▲                 └───────────────┴── one outcome an attempt ──┴───────────────┘
//     └───────────────── committed ◀── memory curator ◀──┘
#pragma once

#include <caf/atom.hpp>
#include <caf/fwd.hpp>
#include <caf/replies_to.hpp>
#include <cstdint>
#include <string>

#include "messages/graph.capnp.h"
#include "messages/ids.hpp"
#include "messages/parcel.hpp"
#include "messages/plan.capnp.h"
#include "messages/status.capnp.h"
#include "messages/task.capnp.h"
#include "messages/work.capnp.h"

namespace kope {

using plan = parcel<wire::Plan>;
using work = parcel<wire::Work>;
using outcome = parcel<wire::Outcome>;
using committed = parcel<wire::Committed>;
using open_row = parcel<wire::OpenRow>;
using exploration_row = parcel<wire::Exploration>;
using task = parcel<wire::Task>;
using task_record = parcel<wire::TaskRecord>;
using toolchain_record = parcel<wire::ToolchainRecord>;
using target_record = parcel<wire::TargetRecord>;
using parameter_space = parcel<wire::ParameterSpace>;
using status_report = parcel<wire::Status>;

// verbs; CAF 0.17.6 packs at most 10 characters
using status_atom = caf::atom_constant<caf::atom("status")>;
using cancel_atom = caf::atom_constant<caf::atom("cancel")>;
using tick_atom = caf::atom_constant<caf::atom("tick")>;
using flush_atom = caf::atom_constant<caf::atom("flush")>;
using ready_atom = caf::atom_constant<caf::atom("ready")>;
using describe_atom = caf::atom_constant<caf::atom("describe")>;
using acquire_atom = caf::atom_constant<caf::atom("acquire")>;
using release_atom = caf::atom_constant<caf::atom("release")>;
using grant_atom = caf::atom_constant<caf::atom("grant")>;
using admit_atom = caf::atom_constant<caf::atom("admit")>;
using leave_atom = caf::atom_constant<caf::atom("leave")>;
using hold_atom = caf::atom_constant<caf::atom("hold")>;
using pause_atom = caf::atom_constant<caf::atom("pause")>;
using measure_atom = caf::atom_constant<caf::atom("measure")>;
using create_atom = caf::atom_constant<caf::atom("create")>;
using own_atom = caf::atom_constant<caf::atom("own")>;
using interrupt_atom = caf::atom_constant<caf::atom("interrupt")>;
using finished_atom = caf::atom_constant<caf::atom("finished")>;
using explore_atom = caf::atom_constant<caf::atom("explore")>;
using fatal_atom = caf::atom_constant<caf::atom("fatal")>;
using stop_atom = caf::atom_constant<caf::atom("stop")>;

/// What a core is used for (core ledger).
enum class core_use : uint8_t { compile, run, measure };

template <class... Handlers>
using interface_of =
    caf::typed_actor<caf::replies_to<status_atom>::with<status_report>,  // what it is doing, for people and metrics
                     caf::reacts_to<cancel_atom, exploration_id>,        // drop what is queued or running for this
                                                                         // exploration
                     Handlers...>;

using watcher_actor = interface_of<caf::reacts_to<committed>,  // an attempt of a watched exploration is on disk
                                   caf::reacts_to<finished_atom, exploration_row>>;  // the exploration ended, or failed
                                                                                     // with its reason in the row

using planner_actor =
    interface_of<caf::reacts_to<committed>,             // an attempt is on disk: learn from it, free its ticket
                 caf::reacts_to<admit_atom, uint32_t>,  // so many attempts more may begin
                 caf::reacts_to<tick_atom>,             // INTERNAL: time budget, row due
                 caf::reacts_to<interrupt_atom>>;       // stop planning but stay resumable (the program ends)

using coder_actor =
    interface_of<caf::replies_to<describe_atom, task, target_record>::with<parameter_space>,  // what may be varied,
                                                                                              // where to start
                 caf::reacts_to<plan>>;  // make a candidate of it: work to the compile pool, or an outcome

using worker_actor =
    interface_of<caf::reacts_to<work>,                     // do this stage's part of it
                 caf::reacts_to<cancel_atom, attempt_id>,  // its lease ended: stop, then say ready
                 caf::reacts_to<finished_atom, work>,      // INTERNAL: the stage's tool is done, the work goes on
                 caf::reacts_to<finished_atom, outcome>>;  // INTERNAL: the attempt ended here

using stage_pool_actor =
    interface_of<caf::reacts_to<work>,                                // queue it
                 caf::replies_to<measure_atom, work>::with<outcome>,  // the same, but the end is answered instead of
                                                                      // committed
                 caf::reacts_to<ready_atom, worker_actor>,            // a new or idle worker announces itself
                 caf::reacts_to<finished_atom, work>,                 // from a worker: hand on to the next stage
                 caf::reacts_to<finished_atom, outcome>,              // from a worker: the attempt ended
                 caf::reacts_to<grant_atom, uint64_t>,                // from the ledger: a core for this request
                 caf::reacts_to<tick_atom>>;                          // INTERNAL: leases

using core_ledger_actor =
    interface_of<caf::reacts_to<acquire_atom, uint8_t, uint64_t, stage_pool_actor>,  // a core_use under this request
                                                                                     // number
                 caf::reacts_to<release_atom, uint64_t>,  // it is free again, or no longer wanted
                 caf::reacts_to<admit_atom, exploration_id, uint32_t, planner_actor>,  // it could begin so many
                                                                                       // attempts more
                 caf::reacts_to<leave_atom, exploration_id, uint32_t>,  // so many ended, or were not begun after all
                 caf::reacts_to<hold_atom, attempt_id, uint64_t>,  // a pool has its parcel, of so many bytes; 0: not
                                                                   // any more
                 caf::reacts_to<pause_atom, bool>,  // true: grant and admit nothing until false (disk full)
                 caf::reacts_to<tick_atom>>;        // INTERNAL: try the machine-wide measure lock again

using memory_curator_actor = interface_of<
    // a new exploration with what it is keyed by and its reference's text: gives it its id, stores all of it
    caf::replies_to<create_atom, exploration_row, task_record, target_record, toolchain_record,
                    std::string>::with<exploration_row>,
    caf::reacts_to<own_atom, exploration_id, planner_actor>,  // `committed` of this exploration go to this planner
    caf::reacts_to<open_row>,                                 // an attempt begins
    caf::reacts_to<outcome>,                                  // an attempt ended: commit it, tell its planner
    caf::replies_to<exploration_row>::with<uint32_t>,         // write the row; answers when it is durable
    caf::replies_to<interrupt_atom, exploration_id>::with<uint32_t>,  // close its open rows as interrupted; how many
    caf::reacts_to<flush_atom>>;                                      // INTERNAL: commit what is queued

using supervisor_actor =
    interface_of<caf::replies_to<explore_atom, exploration_row,
                                 watcher_actor>::with<exploration_row>,  // start, or resume a stored one
                 caf::reacts_to<fatal_atom, std::string>,  // the program cannot go on, and why: end all actors
                 caf::reacts_to<stop_atom>>;               // end in order: planners, pools, workers, curator

}  // namespace kope
