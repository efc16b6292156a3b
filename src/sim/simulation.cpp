// See simulation.h.
#include "sim/simulation.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "sim/causes.h"
#include "sim/drain.h"
#include "sim/engine_session.h"
#include "sim/outcomes.h"
#include "sim/told_groups.h"

namespace bayplan::sim {
namespace {

constexpr std::uint64_t kAttemptsAtATime = 256;

// Pods of one priority never preempt each other: attempts need not be looked at one by one then.
bool of_one_priority(const kube::ClusterDump& dump) {
    std::int32_t low = std::numeric_limits<std::int32_t>::max();
    std::int32_t high = std::numeric_limits<std::int32_t>::min();
    for (const auto* const pods : {&dump.bound_pods(), &dump.pending_pods()}) {
        for (const kube::ClusterDump::Pod& pod : *pods) {
            low = std::min(low, pod.converted.ask.priority);
            high = std::max(high, pod.converted.ask.priority);
        }
    }
    return low >= high;
}

// An equal may have to go for a DaemonSet pod.
bool any_of_a_daemonset(const kube::ClusterDump& dump) {
    return std::ranges::any_of(dump.pending_pods(),
                               [](const kube::ClusterDump::Pod& pod) { return pod.converted.ask.daemonset; });
}

// One instant, but for the delays of reservations: nothing expires, and nobody is given up.
EngineOptions options_of(const SimulationOptions& options) {
    EngineOptions engine = engine_options(options.compat, options.predicates, options.coscheduling, options.daemonset);
    engine.preemption.daemonset.expiry_ns = 0;
    if (options.scheduler) {
        options.scheduler->apply(engine);
    }
    return engine;
}

void take_nomination(const PreemptionExplanation& preemption, SimulatedDecision& decision) {
    decision.outcome = Outcome::nominated;
    decision.nominated_node = preemption.nominated_node;
    for (const VictimChoice& choice : preemption.candidates) {
        if (choice.node == preemption.nominated_node) {
            decision.victims = choice.victims;
            decision.budget_violations = choice.budget_violations;
        }
    }
}

void take_its_node(Engine::OnItsNode&& found, SimulatedDecision& decision) {
    decision.node = std::move(found.node);
    decision.outcome = found.reserved ? Outcome::reserved : Outcome::scheduled;
    decision.nominated_node.clear();
    decision.message = found.reserved ? found.reserved->message : "";
    decision.victims = found.reserved ? found.reserved->chosen : std::vector<std::string>();
    decision.daemonset = std::move(found.reserved);
}

}  // namespace

struct Simulation::Parts {
    Parts(const kube::ClusterDump& from, const SimulationOptions& settings)
        : dump(from),
          options(settings),
          session(options_of(settings), settings.queues, false, settings.plugin, from.converter()),
          use(from),
          drain(from),
          attempts_at_a_time(
              settings.explain || !of_one_priority(from) || any_of_a_daemonset(from) ? 1 : kAttemptsAtATime) {}

    struct Tried {
        std::uint32_t attempts = 0;
        Outcome outcome = Outcome::gated;
        std::string message;
    };

    void know_group(const std::string& of, const std::optional<Explanation>& explained, ToldGroups& groups) {
        if (const kube::ConvertedPod* const pod = explained ? pending_pod(of) : nullptr) {
            groups.know(*pod, *explained);
        }
    }

    void tell_group(SimulatedDecision& decision, ToldGroups& groups) {
        if (const kube::ConvertedPod* const pod = options.explain ? pending_pod(decision.pod) : nullptr) {
            groups.tell(decision, *pod, [&] { return session.engine().explain(kShim, decision.pod, false); });
        }
    }

    void hand_out(LogLine&& line, ExplainedAttempt&& explained, ToldGroups& groups, const OnDecision& on_decision) {
        const Outcome outcome = outcome_of(line.kind);
        Tried& tried = before[line.pod];
        ++tried.attempts;
        const Outcome last = std::exchange(tried.outcome, outcome);
        if (outcome == Outcome::unschedulable && last == outcome && tried.message == line.message) {
            return;
        }
        SimulatedDecision decision;
        decision.outcome = outcome;
        decision.pod = std::move(line.pod);
        (outcome == Outcome::nominated ? decision.nominated_node : decision.node) = std::move(line.node);
        if (outcome == Outcome::unschedulable || outcome == Outcome::rejected) {
            decision.node.clear();
        }
        if (outcome == Outcome::scheduled) {
            decision.devices = line.message == "-" ? "" : std::move(line.message);
        } else {
            if (outcome == Outcome::waiting) {
                line.message = "waits for its pod group: " + line.message;
            }
            decision.message = line.message;
            tried.message = std::move(line.message);
        }
        decision.victims = std::move(line.victims);
        decision.budget_violations = line.violations;
        decision.attempt = tried.attempts;
        if (explained.whole && explained.whole->ends != AttemptEnd::in_a_verdict) {
            decision.outcome = outcome_of(*explained.whole);
        }
        tell_group(decision, groups);
        decision.explanation = std::move(explained.whole);
        explain(decision, explained.all);
        if (outcome == Outcome::reserved && explained.on_its_node) {
            decision.daemonset = std::move(explained.on_its_node->reserved);
        }
        if (outcome == Outcome::scheduled) {
            use.place(decision.pod, decision.node);
            drain.placed(decision.pod);
        }
        told_ns = now_ns;
        on_decision(decision);
    }

    // Causes of the verdicts, and changes that would let the pod fit.
    void explain(SimulatedDecision& decision, const std::optional<Explanation>& all) {
        if (!decision.explanation) {
            return;
        }
        const std::vector<NodeExplanation>& nodes = decision.explanation->nodes;
        if (const kube::ConvertedPod* const pod = pending_pod(decision.pod)) {
            Causes causes(dump, use, *pod);
            for (const NodeExplanation& node : nodes) {
                for (const PredicateFailure& failure : node.failures) {
                    std::vector<std::string>& of_node = decision.causes[node.node];
                    for (std::string& cause : causes.of(node.node, failure)) {
                        of_node.push_back(std::move(cause));
                    }
                    of_node.insert(of_node.end(), failure.causes.begin(), failure.causes.end());
                }
            }
            if (!has_node(decision) && all && !all->without_nodes) {
                decision.nearest = causes.nearest(all->nodes);
            }
        }
    }

    static bool has_node(const SimulatedDecision& decision) {
        return decision.outcome == Outcome::scheduled || decision.outcome == Outcome::nominated;
    }

    const kube::ConvertedPod* pending_pod(const std::string& key) {
        if (by_key.empty()) {
            for (const kube::ClusterDump::Pod& pod : dump.pending_pods()) {
                by_key.emplace(pod.converted.key, &pod.converted);
            }
        }
        const auto found = by_key.find(key);
        return found == by_key.end() ? nullptr : found->second;
    }

    // Nobody waits for pods that are told to go: they are gone.
    void let_go(const std::vector<std::string>& keys) {
        for (const std::string& key : keys) {
            const ReleaseItem release{.key = key, .message = {}};
            session.send(ReleasesMessage{std::span(&release, 1)});
            use.gone(key);
        }
    }

    // The pods for which a nomination of the dump waits.
    void let_go_for_nominations() {
        std::map<Text, std::int32_t> nominations;
        for (const kube::ClusterDump::Pod& pod : dump.pending_pods()) {
            const AskItem& ask = pod.converted.ask;
            if (ask.nominated_node != 0) {
                const auto [at, fresh] = nominations.try_emplace(ask.nominated_node, ask.priority);
                at->second = std::max(at->second, ask.priority);
            }
        }
        std::vector<std::string> keys;
        for (const kube::ClusterDump::Pod& pod : dump.bound_pods()) {
            const AskItem& ask = pod.converted.ask;
            const auto found = nominations.find(ask.node);
            if (ask.terminating && found != nominations.end() && ask.priority < found->second) {
                keys.push_back(pod.converted.key);
            }
        }
        let_go(keys);
    }

    // Evicts what may go now from nodes that are drained. False: nothing went.
    bool drain_on() {
        const std::vector<Drain::Eviction> evictions = drain.next();
        for (const Drain::Eviction& eviction : evictions) {
            let_go({eviction.pod->key});
            if (eviction.replacement == nullptr) {
                continue;
            }
            const AskItem ask = dump.ask_of(*eviction.replacement);
            use.add(*eviction.replacement);
            session.send(AsksMessage{std::span(&ask, 1)});
        }
        for (const PodBudget& budget : drain.take_changed_budgets()) {
            const ObjectItem item{budget, false};
            session.send(ObjectsMessage{std::span(&item, 1)});
        }
        return !evictions.empty();
    }

    // False: nothing can be tried now.
    bool step(const OnDecision& on_decision) {
        ExplainedAttempt explained;
        if (options.explain) {
            explained = explain_next(session.engine(), options.full);
            explained.all = all_failures(session.engine(), explained.whole, explained.pod);
        }
        if (!session.attempt(attempts_at_a_time)) {
            return false;
        }
        hand_out_lines(std::move(explained), on_decision);
        return true;
    }

    // Groups that cannot be tried are told so at an instant's begin and at its end.
    void tick(std::int64_t at_ns, const OnDecision& on_decision) {
        now_ns = at_ns;
        session.tick(at_ns);
        hand_out_lines({}, on_decision);
    }

    void hand_out_lines(ExplainedAttempt&& explained, const OnDecision& on_decision) {
        session.take_orders();
        ToldGroups groups;
        know_group(explained.pod, explained.whole, groups);
        std::vector<LogLine> lines = session.take_lines();
        const LogLine* const attempted = line_of_attempt(lines, explained.pod);
        for (LogLine& line : lines) {
            if (line.kind == LogLine::Kind::clear || line.kind == LogLine::Kind::release) {
                let_go(line.shrinks_a_queue() ? std::vector{line.pod} : std::vector<std::string>());
                continue;  // else the pod is tried again
            }
            const std::vector<std::string> victims = line.victims;
            hand_out(std::move(line), &line == attempted ? std::move(explained) : ExplainedAttempt(), groups,
                     on_decision);
            let_go(victims);
        }
    }

    // Groups may hold nodes, give them up, and hold them again without end. Pods that a plugin refuses are tried again
    // without end, too: here until each was once more since anything was decided otherwise.
    bool ends_before(std::int64_t next_ns) const {
        constexpr std::int64_t kPatienceNs = 600'000'000'000;
        const std::int64_t each_once = told_ns + options_of(options).backoff_max_ns;
        return next_ns == std::numeric_limits<std::int64_t>::max() || session.engine().counters().on_permit > 0 ||
               (options.plugin.server != nullptr && next_ns > std::min(each_once, kPatienceNs));
    }

    void hand_out_queued(const OnDecision& on_decision) {
        for (const std::string_view pod : dump.pending()) {
            SimulatedDecision decision;
            decision.pod = pod;
            decision.outcome = Outcome::queued;
            decision.message = session.queued(decision.pod);
            if (!decision.message.empty()) {
                on_decision(decision);
            }
        }
    }

    const kube::ClusterDump& dump;
    SimulationOptions options;
    EngineSession session;
    ClusterUse use;
    Drain drain;
    std::uint64_t attempts_at_a_time;
    std::int64_t now_ns = 0;
    std::int64_t told_ns = 0;  // when a decision was handed out last
    std::unordered_map<std::string, Tried> before;
    std::unordered_map<std::string_view, const kube::ConvertedPod*> by_key;  // once it is asked for
};

Simulation::Simulation(const kube::ClusterDump& dump, const SimulationOptions& options)
    : parts_(std::make_unique<Parts>(dump, options)) {
    const auto send = [this](const StateBody& body) { parts_->session.send(body); };
    dump.send_state(send);
    dump.send_asks(send);
    parts_->session.stated();
}

Simulation::~Simulation() = default;

std::optional<SimulatedDecision> Simulation::judge(std::string_view pod) {
    std::optional<Explanation> explanation = parts_->session.engine().explain(kShim, pod, parts_->options.full);
    if (!explanation) {
        return std::nullopt;
    }
    SimulatedDecision decision;
    decision.pod = pod;
    decision.node = explanation->node;
    decision.message = explanation->message;
    decision.outcome = outcome_of(*explanation);
    for (const NodeExplanation& one : explanation->nodes) {
        decision.devices = one.node == decision.node ? one.devices : decision.devices;
    }
    if (explanation->preemption && !explanation->preemption->nominated_node.empty()) {
        take_nomination(*explanation->preemption, decision);
    }
    if (std::optional<Engine::OnItsNode> found = parts_->session.engine().explain_on_its_node(kShim, pod)) {
        take_its_node(std::move(*found), decision);
        explanation->preemption.reset();
    }
    if (parts_->options.explain) {
        decision.group = explanation->group ? std::make_shared<const GroupExplanation>(*explanation->group) : nullptr;
        decision.first_of_group = true;
        const std::optional<Explanation> all = all_failures(parts_->session.engine(), explanation, pod);
        decision.explanation = std::move(explanation);
        parts_->explain(decision, all);
    } else {
        decision.daemonset.reset();
    }
    return decision;
}

bool Simulation::run(const OnDecision& on_decision, const std::function<bool()>& go_on) {
    parts_->let_go_for_nominations();
    parts_->drain_on();
    std::int64_t now = 0;
    for (;;) {
        parts_->tick(now, on_decision);
        while (parts_->step(on_decision)) {
            if (go_on && !go_on()) {
                return false;
            }
        }
        parts_->tick(now, on_decision);
        if (parts_->session.engine().has_work()) {
            continue;
        }
        if (parts_->drain_on()) {
            continue;
        }
        const std::int64_t next = parts_->session.engine().next_timer_ns();
        if (parts_->ends_before(next)) {
            break;
        }
        now = next;
    }
    parts_->hand_out_queued(on_decision);
    ToldGroups groups;
    for (const std::string_view pod : parts_->dump.gated()) {
        if (std::optional<SimulatedDecision> decision = judge(pod)) {
            parts_->know_group(decision->pod, decision->explanation, groups);
            parts_->tell_group(*decision, groups);
            on_decision(*decision);
        }
    }
    return true;
}

std::vector<std::string> Simulation::drained() const { return parts_->drain.lines(); }

FitReport Simulation::fit(const kube::ConvertedPod& pod, std::size_t at_most) {
    constexpr std::size_t kAtATime = 256;
    FitReport report;
    report.pod = pod.key;
    if (!parts_->dump.has_application(pod.application.application)) {
        parts_->session.send(ApplicationsMessage{.add = std::span(&pod.application, 1), .remove = {}});
    }
    for (std::size_t number = 0; report.message.empty() && number < at_most;) {
        std::vector<std::string> keys;
        for (; keys.size() < kAtATime && number < at_most; ++number) {
            keys.push_back(fmt::format("{}+{}", pod.key, number + 1));
        }
        std::vector<AskItem> asks;
        for (const std::string& key : keys) {
            AskItem& ask = asks.emplace_back(parts_->dump.ask_of(pod));
            ask.key = key;
            ask.never_preempts = true;
        }
        parts_->session.send(AsksMessage{asks});
        while (report.message.empty() && parts_->session.attempt(1)) {
            parts_->session.take_orders();
            for (const LogLine& line : parts_->session.take_lines()) {
                if (!line.pod.starts_with(pod.key + "+")) {
                    continue;  // of the dump, tried again
                }
                if (line.kind == LogLine::Kind::place) {
                    ++report.fit;
                    ++report.by_node[line.node];
                } else {
                    report.message = line.message;
                }
            }
        }
        if (report.message.empty() && report.fit < number) {
            report.message = "it is not tried: its queue has no room, or its group is not whole";
        }
    }
    report.more = report.message.empty();
    return report;
}

UseReport Simulation::use() const { return parts_->use.report(); }

std::vector<QueueReport> Simulation::queues() const { return parts_->session.engine().queues(); }

const std::vector<std::string>& Simulation::refused() const { return parts_->session.refused(); }

}  // namespace bayplan::sim
