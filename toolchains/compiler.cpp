#include "toolchains/compiler.hpp"

#include <future>

namespace kope {

result<build> compile_and_wait(compiler& with, compile_request request) {
  auto promise = std::make_shared<std::promise<result<build>>>();
  auto built = promise->get_future();
  auto ticket =
      with.compile(std::move(request), [promise](result<build> done) { promise->set_value(std::move(done)); });
  if (!ticket) return ticket.failure();
  return built.get();  // bounded by the compiler's own wall limit
}

}  // namespace kope
