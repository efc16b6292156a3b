// See simulation.h.
#include "sim/simulation.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "engine/engine.h"

namespace bayplan::sim {

namespace {

constexpr std::string_view kShim = "simulate";
constexpr ConnectionId kConnection = 1;
constexpr std::uint64_t kAttemptsAtATime = 256;

// One line of the decision log, taken apart (src/engine/RULES.md, section 7). Keys and names hold no spaces:
// the converter sees to that.
struct Attempt {
    bool placed = false;
    std::string pod;
    std::string node;
    std::string message;
};

std::string_view next_word(std::string_view& line) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
}

class Sink : public DecisionSink {
public:
    void hello_reply(ConnectionId, const HelloReply&) override {}
    bool state_applied(ConnectionId, std::uint64_t) override { return true; }
    void cut(ConnectionId, std::string_view why) override { refused.push_back("the engine cut: " + std::string(why)); }

    bool decisions(ConnectionId, std::shared_ptr<const DecisionBatch> batch, std::size_t, std::uint64_t) override {
        last = batch->first_sequence + batch->decisions.size() - 1;
        for (const Decision& decision : batch->decisions) {
            const DecisionKind kind = decision.kind;
            if (kind == DecisionKind::node_rejected || kind == DecisionKind::application_rejected ||
                kind == DecisionKind::ask_rejected || kind == DecisionKind::message_rejected) {
                refused.push_back(std::string(decision.name) + ": " + std::string(decision.text));
            }
        }
        return true;
    }

    void log_line(std::string_view line) override {
        next_word(line);  // number
        next_word(line);  // time
        const std::string_view kind = next_word(line);
        if (kind != "place" && kind != "fail") {
            return;
        }
        Attempt& attempt = attempts.emplace_back();
        attempt.placed = kind == "place";
        attempt.pod = next_word(line).substr(kShim.size() + 1);
        attempt.node = next_word(line);
        next_word(line);  // victims
        attempt.message = line;
    }

    std::vector<Attempt> attempts;
    std::vector<std::string> refused;
    std::uint64_t last = 0;

private:
    using Decision = bayplan::Decision;
};

EngineOptions engine_options(const SimulationOptions& options) {
    EngineOptions engine;
    engine.compat = options.compat;
    engine.preemption = PreemptionOptions::of(options.compat);
    engine.predicates = options.predicates;
    engine.executor = ExecutorKind::inline_;
    engine.path = BatchPath::inline_;
    // One shim states everything, and reads what it is told at once.
    constexpr std::uint32_t kNoLimit = std::numeric_limits<std::uint32_t>::max() / 4;
    engine.dictionary_max = kNoLimit;
    engine.nodes_max = kNoLimit;
    engine.applications_max = kNoLimit;
    engine.asks_max = kNoLimit;
    engine.specs_max = kNoLimit;
    engine.objects_max = kNoLimit;
    engine.credit_window = kNoLimit;
    engine.unacknowledged_max = kNoLimit;
    return engine;
}

}  // namespace

std::string_view to_string(Outcome outcome) {
    switch (outcome) {
    case Outcome::scheduled: return "scheduled";
    case Outcome::nominated: return "nominated";
    case Outcome::unschedulable: return "unschedulable";
    case Outcome::gated: return "gated";
    }
    return "";
}

struct Simulation::Parts {
    Parts(const kube::ClusterDump& from, const SimulationOptions& settings)
        : dump(from), options(settings), engine(engine_options(settings), sink) {}

    void send(const StateBody& body) {
        engine.apply(StateMessage{.connection = kConnection, .sequence = ++sequence, .body = body});
        take_decisions();
    }

    void take_decisions() {
        while (engine.flush() > 0) {
        }
        if (sink.last > acknowledged) {
            acknowledged = sink.last;
            engine.apply(Acknowledge{kConnection, acknowledged});
        }
    }

    struct Tried {
        std::uint32_t attempts = 0;
        std::string message;
    };

    void hand_out(Attempt&& attempt, std::optional<Explanation>&& explanation, const OnDecision& on_decision) {
        Tried& tried = before[attempt.pod];
        ++tried.attempts;
        if (!attempt.placed && tried.attempts > 1 && tried.message == attempt.message) {
            return;
        }
        Decision decision;
        decision.outcome = attempt.placed ? Outcome::scheduled : Outcome::unschedulable;
        decision.pod = std::move(attempt.pod);
        if (attempt.placed) {
            decision.node = std::move(attempt.node);
        } else {
            decision.message = attempt.message;
            tried.message = std::move(attempt.message);
        }
        decision.attempt = tried.attempts;
        decision.explanation = std::move(explanation);
        on_decision(decision);
    }

    // False: nothing can be tried now.
    bool step(const OnDecision& on_decision) {
        std::optional<Explanation> explanation;
        if (options.explain) {
            if (const auto next = engine.next_ask()) {
                explanation = engine.explain(next->shim, next->key, options.full);
            }
        }
        if (engine.run(options.explain ? 1 : kAttemptsAtATime) == 0) {
            return false;
        }
        take_decisions();
        for (Attempt& attempt : std::exchange(sink.attempts, {})) {
            hand_out(std::move(attempt), std::exchange(explanation, std::nullopt), on_decision);
        }
        return true;
    }

    const kube::ClusterDump& dump;
    SimulationOptions options;
    Sink sink;
    Engine engine;
    std::uint64_t sequence = 0;
    std::uint64_t acknowledged = 0;
    std::unordered_map<std::string, Tried> before;
};

Simulation::Simulation(const kube::ClusterDump& dump, const SimulationOptions& options)
    : parts_(std::make_unique<Parts>(dump, options)) {
    parts_->engine.apply(Connect{.connection = kConnection, .shim = kShim, .shim_instance = 1});
    parts_->send(ResyncBeginMessage{});
    const auto send = [this](const StateBody& body) { parts_->send(body); };
    dump.send_state(send);
    dump.send_asks(send);
    parts_->send(ResyncEndMessage{});
}

Simulation::~Simulation() = default;

namespace {

void tell_nomination(const PreemptionExplanation& preemption, Decision& decision) {
    decision.outcome = Outcome::nominated;
    decision.nominated_node = preemption.nominated_node;
    for (const VictimChoice& candidate : preemption.candidates) {
        if (candidate.node == preemption.nominated_node) {
            decision.victims = candidate.victims;
            decision.budget_violations = candidate.budget_violations;
        }
    }
}

}  // namespace

std::optional<Decision> Simulation::judge(std::string_view pod) {
    std::optional<Explanation> explanation = parts_->engine.explain(kShim, pod, parts_->options.full);
    if (!explanation) {
        return std::nullopt;
    }
    Decision decision;
    decision.pod = pod;
    decision.node = explanation->node;
    decision.message = explanation->message;
    decision.outcome = explanation->state == "gated" ? Outcome::gated
                       : decision.node.empty()       ? Outcome::unschedulable
                                                     : Outcome::scheduled;
    if (explanation->preemption && !explanation->preemption->nominated_node.empty()) {
        tell_nomination(*explanation->preemption, decision);
    }
    if (parts_->options.explain) {
        decision.explanation = std::move(explanation);
    }
    return decision;
}

void Simulation::run(const OnDecision& on_decision) {
    for (;;) {
        while (parts_->step(on_decision)) {
        }
        const std::int64_t next = parts_->engine.next_timer_ns();
        if (next == std::numeric_limits<std::int64_t>::max()) {
            break;
        }
        parts_->engine.apply(Tick{next});
    }
    for (const std::string_view pod : parts_->dump.gated()) {
        if (const std::optional<Decision> decision = judge(pod)) {
            on_decision(*decision);
        }
    }
}

const std::vector<std::string>& Simulation::refused() const {
    return parts_->sink.refused;
}

}  // namespace bayplan::sim
