#include "actors/coder/candidate_of.hpp"

#include "actors/evaluation/normal_form.hpp"
#include "messages/content_hash.hpp"

namespace kope {

work work_of(wire::Plan::Reader plan) {
  return work::build([&](wire::Work::Builder made) { made.setPlan(plan); });
}

work candidate_of(wire::Plan::Reader plan, std::string_view source, const std::vector<std::string>& flags,
                  std::string_view coder, double code_seconds) {
  return work::build([&](wire::Work::Builder made) {
    made.setPlan(plan);
    auto candidate = made.initCandidate();
    candidate.setSource(std::string(source));
    candidate.setSourceHash(content_hash(source));
    candidate.setNormalHash(normal_hash(source, flags));
    auto list = candidate.initFlags(static_cast<unsigned>(flags.size()));
    for (unsigned i = 0; i < list.size(); ++i) list.set(i, flags[i]);
    candidate.setCoder(std::string(coder));
    candidate.setCodeSeconds(code_seconds);
  });
}

}  // namespace kope
