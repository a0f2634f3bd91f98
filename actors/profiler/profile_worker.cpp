#include "actors/profiler/profile_worker.hpp"

#include "actors/profiler/profiling.hpp"
#include "actors/stage_worker.hpp"

namespace kope {

worker_actor spawn_profile_worker(caf::actor_system& system, profile_worker_options options, stage_pool_actor pool) {
  auto threads = options.threads;
  return spawn_stage_worker(
      system, "profile_worker",
      on_device_thread(std::move(threads), wire::Stage::PROFILE,
                       [options = std::move(options)](const work& content, const cancel_flag& cancel) {
                         auto view = content.read();
                         return profiled(options.judging, *view, cancel);
                       }),
      std::move(pool));
}

}  // namespace kope
