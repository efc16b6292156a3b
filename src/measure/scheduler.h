// The scheduler that drivers put a load on: the engine, or in tests the naive oracle.
//
// Thread: its owner's.
#pragma once

#include <cstdint>

#include "bayplan/messages.h"
#include "engine/engine.h"
#include "measure/engine_driver.h"

namespace bayplan::measure {

class Scheduler {
public:
    virtual ~Scheduler() = default;
    virtual void apply(const Input&) = 0;
    // Attempts, at most so many. As with the daemon, decisions may come out a little later: all have when no work is left.
    virtual void run(std::uint64_t attempts_max) = 0;
    // Returns when all decisions came out.
    virtual void settle() {}
    virtual bool has_work() const = 0;
    virtual std::uint64_t last_decision() const = 0;
};

class EngineScheduler final : public Scheduler {
public:
    explicit EngineScheduler(const EngineOptions& options) : engine_(options, sink_) {}

    void apply(const Input& input) override { engine_.apply(input); }
    void run(std::uint64_t attempts_max) override {
        engine_.run(attempts_max);
        engine_.flush(engine_.has_work());
        if (!engine_.has_work()) {
            engine_.settle();
        }
    }
    void settle() override { engine_.settle(); }
    bool has_work() const override { return engine_.has_work(); }
    std::uint64_t last_decision() const override { return sink_.last_decision(); }
    const Engine& engine() const { return engine_; }
    const BatchSink& sink() const { return sink_; }
    void forget_decisions() { sink_.clear(); }

private:
    BatchSink sink_;
    Engine engine_;
};

}  // namespace bayplan::measure
