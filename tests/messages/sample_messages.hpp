// Messages with something in every kind of field, for tests of encoding.
#pragma once

#include <cstring>
#include <limits>

#include "messages/graph.capnp.h"
#include "messages/parcel.hpp"
#include "messages/work.capnp.h"

namespace kope {

inline parcel<wire::Work> sample_work() {
  return parcel<wire::Work>::build([](wire::Work::Builder work) {
    auto plan = work.initPlan();
    auto header = plan.initHeader();
    header.setAttempt("000000010000002a");
    header.setExploration("0000000000000001");
    header.setNumber(42);
    header.setIncarnation(7);
    plan.setTask("matmul");
    plan.setPhase(wire::Phase::REFINE);
    auto parameters = plan.initParameters(2);
    parameters[0].setMeaning("depth_block");
    parameters[0].setValue(256);
    parameters[0].setClass(wire::ParameterClass::MACHINE_BOUND);
    parameters[1].setMeaning("pack_a");
    auto candidate = work.initCandidate();
    candidate.setSource("extern \"C\" void kernel() {}\n");
    auto flags = candidate.initFlags(2);
    flags.set(0, "-O3");
    flags.set(1, "-ffast-math");
    auto build = work.initBuild();
    auto artifact = build.initArtifact(13);
    std::memset(artifact.begin(), 0xa5, artifact.size());
    build.setSucceeded(true);
    auto verdict = work.initVerdict();
    verdict.setOutcome(wire::OutcomeClass::TIMED_OUT);
    verdict.setWorstError(std::numeric_limits<double>::quiet_NaN());
    auto promotion = work.initProfile().initPromotion();
    promotion.setRatio(1.25);
    promotion.setLow(-std::numeric_limits<double>::infinity());
    promotion.setDecision(wire::Decision::NO_DIFFERENCE);
  });
}

}  // namespace kope
