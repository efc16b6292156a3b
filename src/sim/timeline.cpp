// See timeline.h.
#include "sim/timeline.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sim/engine_session.h"
#include "sim/told_groups.h"

namespace bayplan::sim {

namespace {

// The timeline begins a second after everything of which a file gives the time.
std::int64_t base_ms(const kube::ClusterDump& dump, const std::vector<Event>& events) {
    std::int64_t latest = 0;
    const auto see = [&latest](const kube::ConvertedPod& pod) {
        latest = std::max({latest, pod.ask.started_ms, pod.ask.created_s * 1'000});
    };
    for (const auto* const pods : {&dump.bound_pods(), &dump.pending_pods()}) {
        for (const kube::ClusterDump::Pod& pod : *pods) {
            see(pod.converted);
        }
    }
    for (const Event& event : events) {
        const auto* const object = std::get_if<kube::ConvertedObject>(&event.what);
        if (const auto* const pod = object == nullptr ? nullptr : std::get_if<kube::ConvertedPod>(object)) {
            see(*pod);
        }
    }
    return latest + 1'000;
}

EngineOptions options_of(const TimelineOptions& options) {
    EngineOptions engine = engine_options(options.compat, options.predicates, options.coscheduling, options.daemonset);
    engine.backoff_early = false;
    return engine;
}

// Why an attempt ended the nomination that the pod had (R-PREEMPT-26, R-PREEMPT-27).
constexpr std::string_view kEndOfFormer = "preemption ";

// "simulate/ns/a was nominated": there is but one shim here.
std::string without_shim(std::string message) {
    if (message.starts_with(std::string(kShim) + "/")) {
        message.erase(0, kShim.size() + 1);
    }
    return message;
}

}  // namespace

struct Timeline::Parts {
    Parts(kube::ClusterDump& dump, std::vector<Event> what_happens, const TimelineOptions& settings)
        : options(settings),
          events(std::move(what_happens)),
          session(options_of(settings), settings.queues, true, settings.plugin, dump.converter()),
          cluster(dump, base_ms(dump, events), [this](const StateBody& body) { session.send(body); }) {
        const auto send = [this](const StateBody& body) { session.send(body); };
        dump.send_state(send);
        dump.send_asks(send);
        session.stated();
    }

    bool ends_by_itself() {
        return std::exchange(circling, false) && options.until_ms == kNever && next_event >= events.size() &&
               cluster.next_end_ms() == kNever;
    }

    // Groups may fail and be tried again without end, and so may pods that a plugin refuses.
    bool is_over(std::int64_t at_ms) const {
        constexpr std::int64_t kAfterLastEventMs = 3'600'000;
        constexpr std::int64_t kWithPluginMs = 60'000;
        const std::int64_t since_ms = at_ms - (events.empty() ? 0 : events.back().at_ms);
        return options.until_ms != kNever ? at_ms > options.until_ms
                                          : (since_ms > kAfterLastEventMs && !session.engine().groups().empty()) ||
                                                (since_ms > kWithPluginMs && options.plugin.server != nullptr);
    }

    std::int64_t next_instant() {
        const std::int64_t event = next_event < events.size() ? events[next_event].at_ms : kNever;
        return std::min({event, cluster.next_end_ms(), instant_of(session.engine().next_timer_ns())});
    }

    void instant(std::int64_t at_ms) {
        now_ms = at_ms;
        // Groups and pods have the time at which they came. The first instant is that of the cluster itself.
        if (options.coscheduling.mode != Coscheduling::off && now_ms > 0) {
            session.tick(now_ms * kNsPerMs - 1);
        }
        cluster.end_graces(now_ms);
        for (; next_event < events.size() && events[next_event].at_ms <= now_ms; ++next_event) {
            happen(events[next_event]);
            take_answers();
        }
        cluster.state_terminations();  // before the tick tells of groups
        // Backoffs end, and victims that outstay their grace are given up.
        session.tick(now_ms * kNsPerMs);
        take_answers();
        tell_gated();
        do {
            while (attempt()) {
            }
            // Changes of groups by attempts are told in the same instant, and may lead to others.
            session.tick(now_ms * kNsPerMs);
            take_answers();
        } while (options.coscheduling.mode != Coscheduling::off && session.engine().has_work());
    }

    // False: nothing can be tried now.
    bool attempt() {
        ExplainedAttempt explained =
            options.explain ? explain_next(session.engine(), options.full) : ExplainedAttempt();
        if (!session.attempt()) {
            return false;
        }
        take_answers(std::move(explained));
        return true;
    }

    void tell_changes() {
        const LiveCluster::Changes changes = cluster.take_changes();
        if (on_changes) {
            on_changes(now_ms, cluster, changes);
        }
    }

    void happen(const Event& event) {
        cleared_in_vain.clear();
        if (const auto* const removal = std::get_if<Removal>(&event.what)) {
            cluster.remove(now_ms, *removal, event.place);
        } else {
            cluster.apply(now_ms, std::get<kube::ConvertedObject>(event.what), event.place);
        }
    }

    // What was decided is told before it is carried out.
    void take_answers(ExplainedAttempt&& explained = {}) {
        tell(session.take_lines(), std::move(explained));
        for (const Order& order : session.take_orders()) {
            carry_out(order);
        }
    }

    // The log has an attempt before what became of the pod's former nomination; to a reader the nomination ends
    // first, so that what the attempt's line says of nominations holds from there on.
    void tell(std::vector<LogLine> lines, ExplainedAttempt&& explained) {
        for (std::size_t index = 1; index < lines.size(); ++index) {
            const LogLine& attempt = lines[index - 1];
            const bool attempted = attempt.kind == LogLine::Kind::fail || attempt.kind == LogLine::Kind::nominate;
            const LogLine& next = lines[index];
            const bool former = next.kind == LogLine::Kind::clear && next.message.starts_with(kEndOfFormer);
            if (attempted && former && next.pod == attempt.pod) {
                std::swap(lines[index - 1], lines[index]);
                ++index;
            }
        }
        ToldGroups groups;
        if (const LiveCluster::Pod* const pod = explained.whole ? cluster.find(explained.pod) : nullptr) {
            groups.know(pod->made, *explained.whole);
        }
        const LogLine* const attempted = line_of_attempt(lines, explained.pod);
        for (LogLine& line : lines) {
            tell(std::move(line), &line == attempted ? std::move(explained) : ExplainedAttempt(), groups);
        }
    }

    // The pod's group, and what was explained of the attempt, if this line tells of it.
    Explained behind(const LiveCluster::Pod& pod, const std::string& key, ExplainedAttempt&& attempt,
                     ToldGroups& groups) {
        Explained explained;
        if (!options.explain) {
            return explained;
        }
        if (!pod.made.ask.foreign) {
            groups.tell(explained, pod.made, [&] { return session.engine().explain(kShim, key, false); });
        }
        explained.explanation = std::move(attempt.whole);
        take_engines_causes(explained);
        return explained;
    }

    Explained behind_gates(const LiveCluster::Pod& pod, const std::string& key, ToldGroups& groups) {
        ExplainedAttempt now;
        if (options.explain) {
            now.whole = session.engine().explain(kShim, key, options.full);
        }
        if (now.whole) {
            groups.know(pod.made, *now.whole);
        }
        return behind(pod, key, std::move(now), groups);
    }

    void tell(LogLine&& line, ExplainedAttempt&& explained, ToldGroups& groups) {
        LiveCluster::Pod* const pod = cluster.find(line.pod);
        if (pod == nullptr || (line.kind == LogLine::Kind::release && !line.shrinks_a_queue())) {
            return;  // with its node; the event says so
        }
        TimelineDecision decision;
        decision.at_ms = now_ms;
        decision.pod = std::move(line.pod);
        decision.group = group_of(*pod);
        switch (line.kind) {
            case LogLine::Kind::place:
                decision.outcome = TimelineOutcome::scheduled;
                decision.node = std::move(line.node);
                decision.devices = line.message == "-" ? "" : line.message;
                ++summary.placed;
                break;
            case LogLine::Kind::nominate:
                decision.outcome = TimelineOutcome::nominated;
                pod->nominated_node = std::move(line.node);
                decision.victims = std::move(line.victims);
                count_victims(decision.victims);
                ++summary.preemptions;
                break;
            case LogLine::Kind::clear:
                decision.outcome = TimelineOutcome::nomination_cleared;
                pod->nominated_node.clear();
                break;
            case LogLine::Kind::reserve: take_reservation(std::move(line), *pod, decision); break;
            case LogLine::Kind::unreserve:
                decision.outcome = TimelineOutcome::reservation_cleared;
                decision.node = std::move(line.node);
                pod->reserved_node.clear();
                circling = !cleared_in_vain.insert(decision.pod).second;
                break;
            case LogLine::Kind::give_back: decision.outcome = TimelineOutcome::claim_given_back; break;
            case LogLine::Kind::permit:
                decision.outcome = TimelineOutcome::waiting;
                decision.node = std::move(line.node);
                line.message = "waits for its pod group: " + line.message;
                break;
            case LogLine::Kind::reject: decision.outcome = TimelineOutcome::rejected; break;
            case LogLine::Kind::release:
                decision.outcome = TimelineOutcome::preempted;
                decision.node = std::move(line.node);
                count_victims({decision.pod});
                break;
            default: break;
        }
        if (decision.outcome == TimelineOutcome::scheduled || !decision.victims.empty()) {
            cleared_in_vain.clear();
        }
        decision.message = decision.outcome == TimelineOutcome::scheduled ? "" : without_shim(line.message);
        if (decision.outcome == TimelineOutcome::nominated || decision.outcome == TimelineOutcome::unschedulable ||
            decision.outcome == TimelineOutcome::reserved || decision.outcome == TimelineOutcome::waiting ||
            decision.outcome == TimelineOutcome::rejected) {
            decision.nominated_node = pod->nominated_node;
            pod->message = decision.message;
        }
        std::optional<Engine::OnItsNode> on_its_node = std::move(explained.on_its_node);
        decision.explained = behind(*pod, decision.pod, std::move(explained), groups);
        if (decision.outcome == TimelineOutcome::reserved && on_its_node) {
            decision.explained.daemonset = std::move(on_its_node->reserved);
        }
        on_decision(decision);
    }

    void take_reservation(LogLine&& line, LiveCluster::Pod& pod, TimelineDecision& decision) {
        decision.outcome = TimelineOutcome::reserved;
        decision.node = line.node;
        pod.reserved_node = std::move(line.node);
        decision.victims = std::move(line.victims);
        count_victims(decision.victims);
        summary.preemptions += decision.victims.empty() ? 0 : 1;
    }

    void count_victims(const std::vector<std::string>& victims) {
        for (const std::string& key : victims) {
            LiveCluster::Pod* const pod = cluster.find(key);
            if (pod != nullptr && !std::exchange(pod->victim, true)) {
                ++summary.victims;
            }
        }
    }

    void carry_out(const Order& order) {
        switch (order.kind) {
            case Order::Kind::place: cluster.place(now_ms, order.pod, order.node); break;
            case Order::Kind::delete_victim: cluster.preempt(now_ms, order.pod); break;
            case Order::Kind::gated: gated.insert_or_assign(order.pod, order.text); break;
        }
    }

    // Those that still are, after all events of the instant.
    void tell_gated() {
        ToldGroups groups;
        for (auto& [key, text] : std::exchange(gated, {})) {
            LiveCluster::Pod* const pod = cluster.find(key);
            if (pod == nullptr || !cluster.is_gated(*pod)) {
                continue;
            }
            pod->message = text;
            TimelineDecision decision;
            decision.at_ms = now_ms;
            decision.pod = key;
            decision.group = group_of(*pod);
            decision.outcome = TimelineOutcome::gated;
            decision.nominated_node = pod->nominated_node;
            decision.message = std::move(text);
            decision.explained = behind_gates(*pod, key, groups);
            on_decision(decision);
        }
    }

    // A pod that is refused for its labels is of no group; nor is a foreign one.
    std::string group_of(const LiveCluster::Pod& pod) const {
        return options.coscheduling.mode == Coscheduling::off || pod.made.ask.foreign ? "" : pod.made.group;
    }

    void sum_up();
    void sum_up_groups();
    void sum_up_resources();

    TimelineOptions options;
    std::vector<Event> events;
    std::size_t next_event = 0;
    EngineSession session;
    LiveCluster cluster;
    // Pods whose reservations ended since a pod was placed or preempted, or an event happened; for the second time: when
    // nothing else can happen that goes on for ever.
    std::set<std::string> cleared_in_vain;
    bool circling = false;
    std::map<std::string, std::string> gated;  // in this instant: which pod, by what
    std::int64_t now_ms = 0;
    OnDecision on_decision;
    OnChanges on_changes;
    TimelineSummary summary;
};

void Timeline::Parts::sum_up() {
    summary.until_ms = options.until_ms == kNever || summary.interrupted ? now_ms : options.until_ms;
    summary.gone = cluster.gone();
    for (const auto& [key, pod] : cluster.pods()) {
        if (pod.made.ask.node == 0) {
            const std::string queued = session.queued(key);
            summary.pending.push_back(
                {key, group_of(pod), queued.empty() ? pod.message : queued, pod.nominated_node, pod.reserved_node});
        }
    }
    summary.queues = session.engine().queues();
    sum_up_groups();
    sum_up_resources();
}

void Timeline::Parts::sum_up_groups() {
    if (options.coscheduling.mode == Coscheduling::off) {
        return;
    }
    TimelineSummary::Groups& groups = summary.groups.emplace(TimelineSummary::Groups());
    for (const GroupCounts& group : session.engine().groups()) {
        if (group.members > 0) {
            ++(group.assigned == 0              ? groups.pending
               : group.assigned < group.minimum ? groups.partial
                                                : groups.complete);
        }
    }
}

void Timeline::Parts::sum_up_resources() {
    std::map<Text, double> there;
    std::map<Text, double> used;
    for (const auto& [name, node] : cluster.nodes()) {
        for (const Amount& amount : node.capacity) {
            there[amount.resource] += static_cast<double>(amount.value);
        }
    }
    for (const auto& [key, pod] : cluster.pods()) {
        for (const Amount& amount : pod.made.requests) {
            used[amount.resource] += pod.made.ask.node == 0 ? 0.0 : static_cast<double>(amount.value);
        }
    }
    for (const auto& [kind, amount] : there) {
        if (amount > 0) {
            summary.utilisation.emplace(cluster.text(kind), used[kind] / amount);
        }
    }
}

Timeline::Timeline(kube::ClusterDump& dump, std::vector<Event> events, const TimelineOptions& options)
    : parts_(std::make_unique<Parts>(dump, std::move(events), options)) {}

Timeline::~Timeline() = default;

void Timeline::watch(OnChanges on_changes) { parts_->on_changes = std::move(on_changes); }

TimelineSummary Timeline::run(const OnDecision& on_decision, const OnInstant& on_instant) {
    parts_->on_decision = on_decision;
    parts_->tell_changes();
    // The first instant is 0 even if nothing happens in it: the pods of the dump are tried.
    for (std::int64_t at_ms = 0; at_ms != kNever && !parts_->is_over(at_ms); at_ms = parts_->next_instant()) {
        parts_->instant(at_ms);
        parts_->tell_changes();
        if (on_instant && !on_instant(at_ms, parts_->next_event)) {
            parts_->summary.interrupted = true;
            break;
        }
        if (parts_->ends_by_itself()) {
            break;
        }
    }
    parts_->sum_up();
    return std::move(parts_->summary);
}

const std::vector<std::string>& Timeline::refused() const { return parts_->session.refused(); }

std::vector<kube::ObjectFault> Timeline::take_remarks() { return parts_->cluster.take_remarks(); }

}  // namespace bayplan::sim
