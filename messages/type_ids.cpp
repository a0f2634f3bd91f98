// In a file of its own: what CAF generates for each type is half of what a program with actors takes to compile.
#include "messages/type_ids.hpp"

#include <capnp/schema.h>

#include "messages/actors.hpp"
#include "messages/parcel_caf.hpp"

namespace kope {
namespace {

template <class T>
void add_parcel(caf::actor_system_config& config) {
  config.add_message_type<parcel<T>>("kope." + hex_of(capnp::typeId<T>()));
}

}  // namespace

void add_message_types(caf::actor_system_config& config) {
  add_parcel<wire::Plan>(config);
  add_parcel<wire::Work>(config);
  add_parcel<wire::Outcome>(config);
  add_parcel<wire::Committed>(config);
  add_parcel<wire::OpenRow>(config);
  add_parcel<wire::Exploration>(config);
  add_parcel<wire::Task>(config);
  add_parcel<wire::TaskRecord>(config);
  add_parcel<wire::TargetRecord>(config);
  add_parcel<wire::ToolchainRecord>(config);
  add_parcel<wire::ParameterSpace>(config);
  add_parcel<wire::Status>(config);
  config.add_message_type<exploration_id>("kope.exploration_id");
  config.add_message_type<attempt_id>("kope.attempt_id");
}

}  // namespace kope
