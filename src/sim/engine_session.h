// The one shim of a simulation and its engine: the dump's objects go in, decisions come out, at once.
//
// Thread: one. Owns the engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/decision_sink.h"
#include "bayplan/messages.h"
#include "engine/engine.h"
#include "kube/object_converter.h"
#include "sim/plugin_server.h"

namespace bayplan::sim {

inline constexpr std::string_view kShim = "simulate";

// What a simulation's engine is made with, beside the rules that were chosen: no limits, all in this thread.
EngineOptions engine_options(Compat, const std::vector<std::string>& predicates, const CoschedulingOptions&,
                             const DaemonsetOptions&);

// One line of the decision log, taken apart (R-LOG-2). Keys hold neither spaces nor commas:
// the converter sees to that.
struct LogLine {
    enum class Kind : std::uint8_t {
        place,
        fail,
        wait,
        nominate,
        clear,
        release,
        reserve,
        unreserve,
        give_back,
        permit,
        reject
    };
    Kind kind = Kind::fail;
    std::string pod;
    std::string node;
    std::vector<std::string> victims;  // of a nomination, most important first; or of a reservation
    std::int32_t violations = 0;       // likewise
    std::string message;               // of a placement: its devices, or `-`; of give_back: the claim

    // The pod goes for the maximum of a queue.
    bool shrinks_a_queue() const { return kind == Kind::release && message.starts_with("preempted for "); }
};

// The engine's order to its shim, or its word on a pod that it does not try.
struct Order {
    enum class Kind : std::uint8_t { place, delete_victim, gated };
    Kind kind = Kind::place;
    std::string pod;
    std::string node;
    std::string text;
};

class EngineSession : private DecisionSink {
public:
    // `queues`: the text of a sound queues.yaml; empty: there is one leaf. `gives_claims_back`: a claim on devices that is
    // given back counts so from then on; else it is only said. `pods`: knows the objects of pods, for the plugin.
    EngineSession(const EngineOptions&, const std::string& queues, bool gives_claims_back, PluginHost,
                  const kube::ObjectConverter& pods);

    void send(const StateBody&);
    // Up to here the state is being stated; from here on the engine decides.
    void stated();
    void tick(std::int64_t now_ns);
    // True: at least one attempt was made. Its queries are answered at once: throws PluginFault, as send() and tick() do.
    bool attempt(std::uint64_t attempts_max = 1);

    // Since they were taken last, in order.
    std::vector<LogLine> take_lines() { return std::exchange(lines_, {}); }
    std::vector<Order> take_orders() { return std::exchange(orders_, {}); }

    Engine& engine() { return engine_; }
    const Engine& engine() const { return engine_; }
    // Why the pod is not tried, where its queues have no room for it; else empty.
    std::string queued(const std::string& pod) const;
    // Items that the engine rejected, as lines.
    const std::vector<std::string>& refused() const { return refused_; }

private:
    void hello_reply(ConnectionId, const HelloReply&) override {}
    bool state_applied(ConnectionId, std::uint64_t) override { return true; }
    void cut(ConnectionId, std::string_view why) override;
    bool decisions(ConnectionId, std::shared_ptr<const DecisionBatch>, std::size_t skip, std::uint64_t) override;
    void log_line(std::string_view line) override;
    void take(const Decision&);
    void take_decisions();
    void keep_question(const Decision&);
    void apply(const StateBody&);
    void answer_queries();

    std::vector<LogLine> lines_;
    std::vector<Order> orders_;
    std::vector<std::string> refused_;
    std::uint64_t received_ = 0;
    std::uint64_t acknowledged_ = 0;
    std::uint64_t sequence_ = 0;
    bool has_queues_ = false;
    const PluginHost plugin_;
    const kube::ObjectConverter& pods_;
    std::vector<PluginQuestion> questions_;  // since they were answered last
    Engine engine_;                          // last: it calls this object
};

}  // namespace bayplan::sim
