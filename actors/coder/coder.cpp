#include "actors/coder/coder.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <chrono>

#include "actors/actor_shell.hpp"
#include "actors/coder/candidate_of.hpp"
#include "actors/coder/flags/compiler_choices.hpp"
#include "actors/coder/schedule/family.hpp"
#include "actors/outcome_of.hpp"
#include "messages/parcel_caf.hpp"

namespace kope {

/// Where the texts of a coder come from that writes by parameters.
struct source_writer {
  const char* name;
  result<parameter_space> (*space)(wire::Task::Reader task, wire::TargetRecord::Reader target);
  result<generated_source> (*generate)(wire::Task::Reader task, capnp::List<wire::Parameter>::Reader parameters);
};

struct coder_state {
  static inline const char* name = "coder";

  coder_options options;
  coder_neighbours neighbours;
  std::string kind;
  source_writer writer{};  // not of `given`
  uint64_t candidates = 0, duplicates = 0, no_code = 0;
  // `given` only
  std::string source;
  std::vector<std::string> flags;
};

namespace {

using self_pointer = coder_actor::stateful_pointer<coder_state>;

status_report status_of(self_pointer self) {
  auto& state = self->state;
  return status_report::build([&](wire::Status::Builder status) {
    status.setActor(state.kind + " coder");
    std::pair<const char*, uint64_t> counts[] = {
        {"candidates", state.candidates}, {"duplicates", state.duplicates}, {"no_code", state.no_code}};
    auto counters = status.initCounters(std::size(counts));
    for (unsigned i = 0; i < std::size(counts); ++i) {
      counters[i].setName(counts[i].first);
      counters[i].setValue(static_cast<double>(counts[i].second));
    }
  });
}

/// The attempt of this exploration that judged the same text and flags, if there is one.
std::optional<attempt_id> judged_before(self_pointer self, wire::Work::Reader content) {
  auto& store = self->state.options.store;
  if (!store) return std::nullopt;
  auto snapshot = store->snapshot();
  if (!snapshot) return std::nullopt;
  auto id = id_of<exploration_id>(std::string_view(content.getPlan().getHeader().getExploration().cStr()));
  auto found = (*snapshot)->attempt_by_normal_hash(id, std::string_view(content.getCandidate().getNormalHash().cStr()));
  if (!found) {
    log::warn("coder", "duplicate-lookup-failed", found.failure().what);
    return std::nullopt;  // judged again rather than lost
  }
  return *found;
}

void no_code(self_pointer self, wire::Plan::Reader plan, const std::string& why) {
  ++self->state.no_code;
  self->send(self->state.neighbours.curator,
             outcome_of(*work_of(plan).read(), wire::OutcomeClass::NO_CODE, wire::Stage::CODE, why));
}

constexpr source_writer schedule_writer{
    "schedule",
    [](wire::Task::Reader task, wire::TargetRecord::Reader target) -> result<parameter_space> {
      auto from = family_of(task);
      if (!from) return from.failure();
      return (*from)->space(task, target);
    },
    [](wire::Task::Reader task, capnp::List<wire::Parameter>::Reader parameters) -> result<generated_source> {
      auto from = family_of(task);
      if (!from) return from.failure();
      return (*from)->generate(task, parameters);
    }};

constexpr source_writer flags_writer{"flags", compiler_choices_space, compiler_choices_source};

void write(self_pointer self, const plan& asked) {
  auto& state = self->state;
  auto view = asked.read();
  auto begun = std::chrono::steady_clock::now();
  const task* of = state.options.find_task(std::string_view(view->getTask().cStr()));
  if (!of) return no_code(self, *view, std::string("there is no task ") + view->getTask().cStr());
  auto described = of->read();
  auto generated = state.writer.generate(*described, view->getParameters());
  if (!generated) return no_code(self, *view, generated.failure().what);
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  auto made = candidate_of(*view, generated->source, generated->flags, state.writer.name, took.count());
  auto content = made.read();
  if (auto earlier = judged_before(self, *content)) {
    ++state.duplicates;
    self->send(state.neighbours.curator, outcome_of(*content, wire::OutcomeClass::DUPLICATE, wire::Stage::CODE,
                                                    "the same source and flags as attempt " + earlier->text()));
    return;
  }
  ++state.candidates;
  self->send(state.neighbours.compile_pool, made);
}

coder_actor::behavior_type writing_coder(self_pointer self, source_writer writer, coder_options options,
                                         coder_neighbours neighbours) {
  install_shell(self);
  self->state.options = std::move(options);
  self->state.neighbours = std::move(neighbours);
  self->state.kind = writer.name;
  self->state.writer = writer;
  return {
      [self](status_atom) { return status_of(self); },
      [](cancel_atom, exploration_id) {},  // nothing of it waits here: a plan is answered in the same handler
      [self](describe_atom, const task& of, const target_record& target) -> caf::result<parameter_space> {
        auto space = self->state.writer.space(*of.read(), *target.read());
        if (!space) return caf::make_error(caf::sec::invalid_argument, space.failure().what);
        return std::move(*space);
      },
      [self](const plan& asked) { write(self, asked); },
  };
}

coder_actor::behavior_type given_coder(self_pointer self, std::string source, std::vector<std::string> flags,
                                       coder_neighbours neighbours) {
  install_shell(self);
  self->state.neighbours = std::move(neighbours);
  self->state.kind = "given";
  self->state.source = std::move(source);
  self->state.flags = std::move(flags);
  return {
      [self](status_atom) { return status_of(self); },
      [](cancel_atom, exploration_id) {},
      [](describe_atom, const task&, const target_record&) -> caf::result<parameter_space> {
        return parameter_space::build([](wire::ParameterSpace::Builder space) { space.initStartingPoints(1); });
      },
      [self](const plan& asked) {
        auto view = asked.read();
        // Texts of messages end there for some of their readers: what is compiled would not be what is recorded.
        if (self->state.source.find('\0') != std::string::npos)
          return no_code(self, *view, "the source holds a zero byte; remove it");
        ++self->state.candidates;
        self->send(self->state.neighbours.compile_pool,
                   candidate_of(*view, self->state.source, self->state.flags, "given", 0));
      },
  };
}

}  // namespace

coder_actor spawn_schedule_coder(caf::actor_system& system, coder_options options, coder_neighbours neighbours) {
  return system.spawn(writing_coder, schedule_writer, std::move(options), std::move(neighbours));
}

coder_actor spawn_flags_coder(caf::actor_system& system, coder_options options, coder_neighbours neighbours) {
  return system.spawn(writing_coder, flags_writer, std::move(options), std::move(neighbours));
}

coder_actor spawn_given_coder(caf::actor_system& system, std::string source, std::vector<std::string> flags,
                              coder_neighbours neighbours) {
  return system.spawn(given_coder, std::move(source), std::move(flags), std::move(neighbours));
}

}  // namespace kope
