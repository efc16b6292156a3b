// The naive oracle where drivers expect a scheduler.
//
// Thread: its owner's.
#pragma once

#include <string>

#include "measure/scheduler.h"
#include "oracle.h"

namespace bayplan::bench {

class OracleSide final : public measure::Scheduler {
public:
    explicit OracleSide(const EngineOptions& options = {}) : oracle_(options) {}

    void apply(const Input& input) override { oracle_.apply(input); }
    void run(std::uint64_t attempts_max) override { oracle_.run(attempts_max); }
    bool has_work() const override { return oracle_.has_work(); }
    std::uint64_t last_decision() const override {
        const auto& decisions = oracle_.decisions("shim-bench");
        return decisions.empty() ? 0 : decisions.back().number;
    }
    std::string digest() const { return oracle_.digest(); }

private:
    oracle::Oracle oracle_;
};

}  // namespace bayplan::bench
