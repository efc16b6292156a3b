// See attempt_settings.h.
#include "config/attempt_settings.h"

#include <optional>
#include <string>
#include <utility>

#include "config/percent.h"
#include "config/setting_values.h"

namespace bayplan::config {
namespace {

struct Stance {
    Compat compat = Compat::bayplan;
};

// Recordings and files of earlier releases have it.
Choices<Compat> former_compat() { return {{"seed", Compat::bayplan}}; }

bool same_stance(const PreemptionOptions& a, const PreemptionOptions& b) {
    return a.victim_order == b.victim_order && a.nominated_node_first == b.nominated_node_first &&
           a.lower_nominations == b.lower_nominations && a.preempt_again == b.preempt_again;
}

// One word for the four settings behind it. They may be given too, after it: those that are stand above it.
Setting<PreemptionOptions> compat_setting() {
    static const Setting<Stance> word =
        choice("compat", MEMBER(Stance, compat),
               Choices<Compat>{{"bayplan", Compat::bayplan}, {"kubernetes-1.35", Compat::kubernetes_1_35}},
               "How preemption is done where Bayplan and kube-scheduler 1.35 differ: sets the "
               "four below, which may be given one by one after it.",
               former_compat());
    Setting<PreemptionOptions> setting;
    setting.name = word.name;
    setting.doc = word.doc;
    setting.bounds = word.bounds;
    setting.read = [](PreemptionOptions& options, const YamlNode& node, const std::string& path, ReadContext& context) {
        Stance stance;
        word.read(stance, node, path, context);
        const PreemptionOptions wanted = PreemptionOptions::of(stance.compat);
        options.victim_order = wanted.victim_order;
        options.nominated_node_first = wanted.nominated_node_first;
        options.lower_nominations = wanted.lower_nominations;
        options.preempt_again = wanted.preempt_again;
        options.daemonset.enabled = wanted.daemonset.enabled;
    };
    setting.print = [](const PreemptionOptions& options, int indent) {
        for (const Compat compat : {Compat::bayplan, Compat::kubernetes_1_35}) {
            if (same_stance(options, PreemptionOptions::of(compat))) {
                return word.print(Stance{compat}, indent);
            }
        }
        return std::string();  // a mixture, which the four say
    };
    return setting;
}

const Settings<PreemptionOptions>& preemption_settings() {
    static const Settings<PreemptionOptions> table = [] {
        using P = PreemptionOptions;
        const Choices<bool> yes_or_no{{"yes", true}, {"no", false}};
        Settings<P> result;
        result.push_back(choice("enabled", MEMBER(P, enabled), yes_or_no,
                                "Whether pods may be deleted to make room for those of higher priority."));
        result.push_back(compat_setting());
        result.push_back(
            choice("victim_order", MEMBER(P, victim_order),
                   Choices<VictimOrder>{{"qos", VictimOrder::qos}, {"start", VictimOrder::start}},
                   "Which of the pods of one priority are spared first: those of the higher QoS class and then the "
                   "older ones, or just the older ones."));
        result.push_back(choice("nominated_node_first", MEMBER(P, nominated_node_first), yes_or_no,
                                "Whether a pod's nominated node is taken, without a look at others, if it "
                                "will do."));
        result.push_back(choice(
            "lower_nominations", MEMBER(P, lower_nominations),
            Choices<LowerNominations>{{"recheck", LowerNominations::recheck}, {"clear", LowerNominations::clear}},
            "What becomes of nominations of lower priority when a node is nominated: cleared if the pod does "
            "not fit any more, or all."));
        result.push_back(
            choice("preempt_again", MEMBER(P, preempt_again),
                   Choices<PreemptAgain>{{"any", PreemptAgain::any}, {"marked", PreemptAgain::marked}},
                   "A pod with a nominated node does not preempt again while a pod of lower priority terminates "
                   "there: any, or only one that a preemption marked."));
        result.push_back(number("stuck_after", MEMBER(P, stuck_after_ns), NumberForm::duration,
                                {kMillisecond, 3600 * kSecond}, "",
                                "A victim that is there so long after its grace period is given up: who "
                                "waits for it preempts elsewhere."));
        result.push_back(number("victim_retries", MEMBER(P, victim_retries), NumberForm::plain, {0, 100}, "times",
                                "How often its shim is told again to delete it meanwhile."));
        result.push_back(choice("guarantee", MEMBER(P, guarantee), yes_or_no,
                                "Whether a pod whose queue is under its guarantee may preempt pods of queues that "
                                "are over theirs."));
        result.push_back(choice("daemonset", MEMBER(P, daemonset.enabled), yes_or_no,
                                "Whether the node of a DaemonSet pod that is short of resources there is reserved "
                                "for it, and room made on it; else it is an ordinary pod."));
        return result;
    }();
    return table;
}

Choices<VictimStrategies> victim_strategies() {
    Choices<VictimStrategies> choices;
    for (const VictimStrategiesName& one : kVictimStrategies) {
        choices.emplace_back(one.name, one.strategies);
    }
    return choices;
}

// The document has a second name for it, which is read and not printed.
void append_strategies(Settings<PartitionConfig>& table) {
    Setting<PartitionConfig> setting = choice(
        "preemption_victim_pods_selection_strategy", MEMBER(PartitionConfig, engine.preemption.daemonset.strategies),
        victim_strategies(), "How victims for a DaemonSet pod are chosen; the second is the fall-back of the first.");
    table.push_back(setting);
    setting.name = "preemption_victim_poselection_strategy";
    setting.doc = "Another name of the same.";
    setting.print = [](const PartitionConfig&, int) { return std::string(); };
    table.push_back(std::move(setting));
}

void append_daemonset_settings(Settings<PartitionConfig>& table) {
    using P = PartitionConfig;
    constexpr std::int64_t kYear = std::int64_t{365} * 24 * 3600 * kSecond;
    table.push_back(number("preemption_start_delay", MEMBER(P, engine.preemption.daemonset.delay_ns),
                           NumberForm::duration, {0, kYear}, "",
                           "Age from which the reservation of a node for a DaemonSet pod may preempt."));
    append_strategies(table);
    table.push_back(value(
        "preemption_single_victim_deviation", MEMBER(P, engine.preemption.daemonset.single_deviation),
        "a percentage, 0 or more",
        "How much larger than needed a single victim may be, in percent of what the DaemonSet pod asks for.",
        [](const YamlNode& node, const std::string& path, ReadContext& context) {
            const std::optional<std::string> text = read_text(node, path, "a percentage", context);
            const std::optional<std::int64_t> percent = text ? parse_percent(*text) : std::nullopt;
            if (text && !percent) {
                context.fault(node.position, "'" + path + "' is '" + *text + "'", "give a percentage, 0 or more");
            }
            return percent;
        },
        percent_text));
    table.push_back(number("preemption_multiple_victims_max", MEMBER(P, engine.preemption.daemonset.multiple_max),
                           NumberForm::plain, {1, 1'000'000}, "pods", "Victims for one DaemonSet pod at most."));
    table.push_back(number("reservation_expiry", MEMBER(P, engine.preemption.daemonset.expiry_ns), NumberForm::duration,
                           {0, kYear}, "", "Age at which such a reservation ends, and others are tried; 0s: never."));
    table.push_back(number("reservations_per_node_max", MEMBER(P, engine.preemption.daemonset.of_node_max),
                           NumberForm::plain, {1, 1'000}, "reservations",
                           "DaemonSet pods that may have one node reserved; others go by the ordinary rules."));
    table.push_back(choice("preemption_foreign_victims", MEMBER(P, engine.preemption.daemonset.foreign_victims),
                           Choices<bool>{{"yes", true}, {"no", false}},
                           "Whether foreign pods may be victims; static ones never are."));
}

const Settings<CoschedulingOptions>& coscheduling_settings() {
    static const Settings<CoschedulingOptions> table = [] {
        using C = CoschedulingOptions;
        Settings<C> result;
        result.push_back(
            choice("mode", MEMBER(C, mode),
                   Choices<Coscheduling>{
                       {"unit", Coscheduling::unit}, {"permit", Coscheduling::permit}, {"off", Coscheduling::off}},
                   "Whether the members of a pod group with a minimum are tried together, and placed "
                   "together or not at all; one by one, each holding its node until the group has its "
                   "minimum; or each on its own."));
        result.push_back(number("backoff", MEMBER(C, backoff_initial_ns), NumberForm::duration,
                                {kMillisecond, 3600 * kSecond}, "",
                                "How long a group waits after its first failure; doubled with each further one."));
        result.push_back(number("backoff_max", MEMBER(C, backoff_max_ns), NumberForm::duration,
                                {kMillisecond, 3600 * kSecond}, "", "And at most."));
        result.push_back(number("memory", MEMBER(C, memory_ns), NumberForm::duration, {0, 24 * 3600 * kSecond}, "",
                                "How long a group without pods keeps its time."));
        result.push_back(number("permit_timeout", MEMBER(C, permit_timeout_ns), NumberForm::duration,
                                {0, C::kPermitTimeoutMax_ns}, "",
                                "With permit: how long members hold nodes for a group that lacks its minimum."));
        result.push_back(number("permit_timeout_per_member", MEMBER(C, permit_timeout_per_member_ns),
                                NumberForm::duration, {0, C::kPermitTimeoutMax_ns}, "",
                                "And so much longer for each member; never more than 15 minutes in all."));
        result.push_back(number("reserve_after", MEMBER(C, reserve_after_ns), NumberForm::duration,
                                {0, 24 * 3600 * kSecond}, "",
                                "With unit: age of a group's first failure at which nodes are reserved for it, so "
                                "that smaller pods do not keep it waiting for ever; 0s: never."));
        result.push_back(number("reserve_for", MEMBER(C, reserve_for_ns), NumberForm::duration,
                                {kMillisecond, 24 * 3600 * kSecond}, "",
                                "How long they are at most; then it is another group's turn."));
        return result;
    }();
    return table;
}

const Settings<PluginOptions>& plugin_settings() {
    static const Settings<PluginOptions> table = [] {
        using P = PluginOptions;
        Settings<P> result;
        result.push_back(number("deadline", MEMBER(P, deadline_ns), NumberForm::duration,
                                {kMillisecond, 3600 * kSecond}, "",
                                "How long an answer may take; then the pod waits like after a failed attempt, and "
                                "is asked about anew."));
        result.push_back(number("nodes", MEMBER(P, nodes), NumberForm::plain, {1, PluginOptions::kNodesMax}, "nodes",
                                "Nodes of the first query about a pod, best first; each later one has twice as "
                                "many."));
        result.push_back(number("queries_max", MEMBER(P, queries_max), NumberForm::size, {1, 1'000'000}, "queries",
                                "Queries without an answer, per shim; then nothing of its is tried."));
        return result;
    }();
    return table;
}

}  // namespace

void append_attempt_settings(Settings<PartitionConfig>& table) {
    using P = PartitionConfig;
    table.push_back(
        choice("device_choice", MEMBER(P, engine.device_choice),
               Choices<DeviceChoice>{{"fullest", DeviceChoice::fullest}, {"emptiest", DeviceChoice::emptiest}},
               "Which of a node's devices a pod gets that asks for a share of one: of those with room, the fullest "
               "or the emptiest."));
    table.push_back(choice("resize_in_place", MEMBER(P, engine.resize_in_place),
                           Choices<bool>{{"yes", true}, {"no", false}},
                           "Whether a pod that has its node may be stated again with other requests; else that is "
                           "refused."));
    table.push_back(choice("allocation_tags", MEMBER(P, engine.allocation_tags),
                           Choices<bool>{{"yes", true}, {"no", false}},
                           "Whether tags that shims state of pods are kept, for operators to see."));
    table.push_back(number("application_completes_after", MEMBER(P, engine.application_idle_ns), NumberForm::duration,
                           {0, 24 * 3600 * kSecond}, "",
                           "How long an application of a queue has nothing before it is complete; 0: it never is."));
    table.push_back(choice("backoff_early", MEMBER(P, engine.backoff_early),
                           Choices<bool>{{"yes", true}, {"no", false}},
                           "Whether an ask is tried before its wait is over when nothing else waits."));
    table.push_back(number("avoid_rejecting", MEMBER(P, engine.avoid_rejecting_ns), NumberForm::duration,
                           {0, 24 * 3600 * kSecond}, "",
                           "How long a pod is tried on other nodes first after a node refused it."));
    table.push_back(number("scale_up_cutoff", MEMBER(P, engine.scale_up_cutoff), NumberForm::plain,
                           {-2'147'483'648, 2'147'483'647}, "",
                           "Pods of lower priority are no reason for an autoscaler to add nodes."));
    table.push_back(section("preemption", preemption_settings(), MEMBER(P, engine.preemption),
                            "Making room for pods of higher priority."));
    append_daemonset_settings(table);
    table.push_back(section("coscheduling", coscheduling_settings(), MEMBER(P, engine.coscheduling),
                            "Pod groups that are placed together or not at all."));
    table.push_back(section("plugins", plugin_settings(), MEMBER(P, engine.plugins),
                            "Predicates that shims serve, for pods whose specs name them."));
}

}  // namespace bayplan::config
