// The shim of the soak: states a cluster, keeps so many pods running, loses nodes, and has books of its own that the
// engine's are compared with.
//
// Thread: main. Owns the engine, its sink and the books.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/engine.h"

namespace bayplan::bench {

class SoakShim final : private DecisionSink {
public:
    struct Options {
        std::uint32_t nodes = 100'000;
        std::uint32_t pods = 1'000'000;
        std::uint32_t classes = 100;
    };

    SoakShim(const Options&, const EngineOptions&);

    void register_cluster();
    // Turns without an end of pods, until as many run as are wanted.
    void fill();
    // Pods come, are decided, the oldest end; a node is replaced.
    void turn();

    // Appends the differences between the books and the engine's counters, in sentences.
    void compare(std::vector<std::string>& differences) const;
    const Engine& engine() const { return engine_; }
    std::uint64_t turns() const { return turns_; }
    std::uint64_t decided() const { return decided_; }
    std::size_t running() const { return places_.size(); }
    std::uint64_t lost_with_nodes() const { return lost_; }

private:
    void hello_reply(ConnectionId, const HelloReply&) override {}
    bool decisions(ConnectionId, std::shared_ptr<const DecisionBatch>, std::size_t skip, std::uint64_t) override;
    bool state_applied(ConnectionId, std::uint64_t) override { return true; }
    void cut(ConnectionId, std::string_view) override { ++faults_; }
    void log_line(std::string_view) override {}

    void send(const StateBody&);
    void add_nodes(std::uint32_t count);
    void replace_a_node();
    void ask();
    void decide();
    void end_oldest();

    const Options options_;
    Engine engine_;
    std::uint64_t sequence_ = 0;
    std::uint64_t last_decision_ = 0;
    std::uint64_t next_pod_ = 0;
    std::uint64_t turns_ = 0;
    std::uint64_t decided_ = 0;
    std::uint64_t lost_ = 0;
    std::uint64_t faults_ = 0;
    DictId next_id_;
    std::deque<DictId> nodes_;                             // oldest first
    std::deque<std::string> by_age_;                       // keys of pods that were placed, some gone with their node
    std::unordered_map<std::string, std::string> places_;  // of pods that run: their node
};

}  // namespace bayplan::bench
