// See preemption_laws.h.
#include "preemption_laws.h"

#include <algorithm>
#include <sstream>

#include "kube_match.h"

namespace bayplan::property {

namespace {

using oracle::Ask;
using Asks = std::vector<const Ask*>;

struct Line {
    std::string kind;
    const Ask* ask = nullptr;
    std::string node;
    Asks victims;
    std::string reasons;
};

const Ask* ask_of(const oracle::Oracle& oracle, const std::string& full_name) {
    const std::size_t slash = full_name.find('/');
    return oracle.find_ask(full_name.substr(0, slash), full_name.substr(slash + 1));
}

Line read_line(const oracle::Oracle& oracle, const std::string& text) {
    std::istringstream in(text);
    std::string number, now, ask, victims;
    Line out;
    in >> number >> now >> out.kind >> ask >> out.node >> victims;
    std::getline(in, out.reasons);
    out.ask = ask_of(oracle, ask);
    std::istringstream names(victims == "-" ? "" : victims);
    for (std::string name; std::getline(names, name, ',');) {
        out.victims.push_back(ask_of(oracle, name));
    }
    return out;
}

bool helps_others(const Ask& ask) { return !ask.pod.spec->affinity.empty() || !ask.pod.spec->spread.empty(); }

class Cluster {
public:
    explicit Cluster(const oracle::Oracle& oracle) : oracle_(oracle) {}

    Asks on(const std::string& node) const {
        Asks out;
        for (const auto& [sequence, ask] : oracle_.asks()) {
            if (ask.node == node) {
                out.push_back(&ask);
            }
        }
        return out;
    }

    // Other asks that wait for the node, and are not to be overtaken.
    Asks held_against(const Ask& ask, const std::string& node) const {
        Asks out = oracle_.nominated_to(node);
        std::erase_if(out, [&](const Ask* one) { return one == &ask || one->priority < ask.priority; });
        return out;
    }

    // Beside these pods of the node, and pods of other nodes.
    bool fits(const Ask& ask, const std::string& node, const Asks& beside, bool on_its_node = false) const {
        return has_room(ask, node, beside, on_its_node) && ports_are_free(ask, beside) &&
               nobody_minds(ask, node, beside);
    }
    // Reservations are as good as in use, but for a DaemonSet pod on its node: which of them it respects is not for here.
    bool has_room(const Ask& ask, const std::string& node, const Asks& beside, bool on_its_node = false) const {
        oracle::Amounts taken;
        for (const Ask* one : on_its_node ? Asks() : oracle_.reservations_on(node)) {
            oracle::add(one->requests, 1, taken);
        }
        for (const Ask* one : beside) {
            oracle::add(one->requests, 1, taken);
        }
        for (const auto& [owner, hold] : oracle_.holds()) {
            if (hold.node == node && ask.priority < hold.kept_from_below) {
                oracle::add(hold.amounts, 1, taken);
            }
        }
        const oracle::Amounts& capacity = oracle_.nodes().at(node).capacity;
        return std::all_of(ask.requests.begin(), ask.requests.end(), [&](const auto& amount) {
            const auto there = capacity.find(amount.first);
            return taken[amount.first] + amount.second <= (there == capacity.end() ? 0 : there->second);
        });
    }
    bool ports_are_free(const Ask& ask, const Asks& beside) const {
        return std::none_of(beside.begin(), beside.end(), [&](const Ask* one) {
            for (const oracle::KubePort& port : one->pod.spec->ports) {
                for (const oracle::KubePort& own : ask.pod.spec->ports) {
                    if (port.port == own.port && port.protocol == own.protocol) {
                        return true;  // crowds know no addresses
                    }
                }
            }
            return false;
        });
    }

private:
    std::string label(const std::string& node, const std::string& key) const {
        const auto& labels = oracle_.nodes().at(node).facts.labels;
        const auto found = labels.find(key);
        return found == labels.end() ? "" : found->second;
    }
    // Would `from`, on its node, not have `other` on that one?
    bool minds(const Ask& from, const std::string& from_node, const Ask& other, const std::string& other_node) const {
        for (const oracle::KubePodTerm& term : from.pod.spec->anti_affinity) {
            const std::string domain = label(from_node, term.topology_key);
            if (!domain.empty() && domain == label(other_node, term.topology_key) &&
                from.pod.spec->name_space == other.pod.spec->name_space &&
                oracle::selector_matches(term.selector, other.pod.spec->labels)) {
                return true;
            }
        }
        return false;
    }
    bool nobody_minds(const Ask& ask, const std::string& node, const Asks& beside) const {
        const auto against = [&](const Ask& one, const std::string& place) {
            return minds(ask, node, one, place) || minds(one, place, ask, node);
        };
        for (const Ask* one : beside) {
            if (against(*one, node)) {
                return false;
            }
        }
        const auto& asks = oracle_.asks();
        return std::none_of(asks.begin(), asks.end(), [&](const auto& other) {
            const Ask& one = other.second;
            return &one != &ask && !one.node.empty() && one.node != node && against(one, one.node);
        });
    }

    const oracle::Oracle& oracle_;
};

// A pod that its gang takes along may make more room than was needed.
bool any_in_a_gang(const Asks& victims) {
    return std::any_of(victims.begin(), victims.end(),
                       [](const Ask* one) { return one != nullptr && !one->gang.empty(); });
}

Asks together(Asks some, const Asks& more) {
    some.insert(some.end(), more.begin(), more.end());
    return some;
}

std::string about(const Line& line, const std::string& what) {
    return "law of preemption: " + line.ask->key + " (" + line.kind + " " + line.node + "): " + what;
}

std::string broken_by_nomination(const Cluster& cluster, const Line& line) {
    const Ask& ask = *line.ask;
    if (line.victims.empty()) {
        return about(line, "no victims");
    }
    Asks rest = cluster.on(line.node);
    for (const Ask* victim : line.victims) {
        const bool with_its_gang = victim != nullptr && !victim->gang.empty();
        if (victim == nullptr || (victim->node != line.node && !with_its_gang) ||
            (victim->pod.spared && ask.nominated_for.empty()) ||
            (victim->priority >= ask.priority && ask.nominated_for.empty()) || !victim->pod.terminating ||
            !victim->pod.preempted) {
            return about(line, (victim == nullptr ? "nobody" : victim->key) + " is no victim for it");
        }
        std::erase(rest, victim);
    }
    rest = together(rest, cluster.held_against(ask, line.node));
    if (!cluster.has_room(ask, line.node, rest) || !cluster.ports_are_free(ask, rest)) {
        return about(line, "does not fit without its victims");
    }
    for (const Ask* victim : line.victims) {
        if (!helps_others(ask) && !any_in_a_gang(line.victims) &&
            cluster.fits(ask, line.node, together(rest, {victim}))) {
            return about(line, victim->key + " could have stayed");
        }
    }
    return "";
}

// Victims of a DaemonSet pod are nobody's DaemonSet pods, and each of them is needed for one of the amounts: without it the
// pod does not fit beside the pods that stay.
std::string broken_by_reservation(const oracle::Oracle& oracle, const Cluster& cluster, const Line& line) {
    const Ask& ask = *line.ask;
    if (ask.reserved_node != line.node) {
        return about(line, "the node is not reserved for it");
    }
    Asks staying = cluster.on(line.node);
    std::erase_if(staying, [](const Ask* one) { return one->pod.terminating && !one->pod.stuck; });
    for (const Ask* victim : line.victims) {
        const bool with_its_gang = victim != nullptr && victim->node != line.node && !victim->gang.empty();
        if (with_its_gang) {
            continue;
        }
        const bool may = victim != nullptr && victim->node == line.node &&
                         (!victim->gang.empty() || (!victim->daemonset && !victim->is_static)) &&
                         victim->priority <= ask.priority && victim->pod.terminating && victim->pod.preempted &&
                         (!victim->foreign || oracle.options().preemption.daemonset.foreign_victims);
        if (!may) {
            return about(line, (victim == nullptr ? "nobody" : victim->key) + " is no victim for it");
        }
    }
    // The first in order has no reservation to respect: amounts can be counted from the asks alone.
    const bool is_first = oracle.reservations_on(line.node).front() == &ask;
    if (line.victims.empty() || !is_first) {
        return "";
    }
    if (!cluster.has_room(ask, line.node, staying, true)) {
        return about(line, "has no room without its victims");
    }
    for (const Ask* victim : line.victims) {
        if (!any_in_a_gang(line.victims) && cluster.has_room(ask, line.node, together(staying, {victim}), true)) {
            return about(line, victim->key + " could have stayed");
        }
    }
    return "";
}

// Anti-affinity of pods that only wait is left out: Kubernetes does not always ask for it (R-PREDICATE-18).
std::string broken_by_placement(const Cluster& cluster, const Line& line) {
    Asks others = cluster.on(line.node);
    std::erase(others, line.ask);
    if (!cluster.fits(*line.ask, line.node, others, line.ask->daemonset)) {
        return about(line, "does not fit");
    }
    if (line.ask->daemonset) {
        return "";  // nominations give way to it
    }
    const Asks held = together(others, cluster.held_against(*line.ask, line.node));
    if (!cluster.has_room(*line.ask, line.node, held) || !cluster.ports_are_free(*line.ask, held)) {
        return about(line, "took a held place");
    }
    return "";
}

// A node that does not want the pod for itself: nobody's end would help.
bool is_against(const oracle::Oracle& oracle, const oracle::Node& node, const Ask& ask) {
    const bool excluded =
        std::any_of(ask.excluded.begin(), ask.excluded.end(), [&](const auto& one) { return one.second == node.name; });
    return excluded || (!node.schedulable && !ask.tolerates_unschedulable) ||
           (!ask.required_node.empty() && ask.required_node != node.name) ||
           oracle::has_untolerated_taint(*ask.pod.spec, node.facts) || !oracle.options().preemption.enabled;
}

// A node where the ask would fit if the pods below it went; "" if there is none. Of a DaemonSet pod other rules decide that.
std::string find_helpful(const oracle::Oracle& oracle, const Cluster& cluster, const Ask& ask) {
    if (helps_others(ask) || ask.daemonset) {
        return "";
    }
    for (const auto& [name, node] : oracle.nodes()) {
        Asks staying = cluster.on(name);
        const auto goes = [&](const Ask* one) { return one->priority < ask.priority && !one->pod.spared; };
        std::erase_if(staying, goes);
        staying = together(staying, cluster.held_against(ask, name));
        if (!is_against(oracle, node, ask) && cluster.fits(ask, name, staying)) {
            return name;
        }
    }
    return "";
}

std::string broken_by_failure(const oracle::Oracle& oracle, const Cluster& cluster, const Line& line) {
    if (line.reasons.find("not eligible") != std::string::npos) {
        return "";
    }
    const std::string node = find_helpful(oracle, cluster, *line.ask);
    return node.empty() ? "" : about(line, "would fit on " + node + " without the pods below it");
}

bool waits_for_victims(const oracle::Oracle& oracle, const Cluster& cluster, const Ask& ask) {
    if (ask.nominated_node.empty()) {
        return false;
    }
    const Asks there = cluster.on(ask.nominated_node);
    const bool marked = oracle.options().preemption.preempt_again == PreemptAgain::marked;
    return std::any_of(there.begin(), there.end(), [&](const Ask* one) {
        const bool own = !ask.nominated_for.empty() && ask.victims.contains(one->sequence);
        return one->pod.terminating && !one->pod.stuck &&
               (own || (one->priority < ask.priority && (one->pod.preempted || !marked)));
    });
}

// Pods that hold nodes for their gangs give way to some and not to others: no law here tells these apart.
bool any_on_permit(const oracle::Oracle& oracle) {
    return std::ranges::any_of(oracle.asks(),
                               [](const auto& one) { return one.second.state == oracle::AskState::on_permit; });
}

}  // namespace

std::string helpful_node(const oracle::Oracle& oracle, const Ask& ask) {
    return find_helpful(oracle, Cluster(oracle), ask);
}

// Nobody waits for nothing: who has a node reserved and has room there is placed, and what holds it up is there.
std::string broken_reservation(const oracle::Oracle& oracle, const Cluster& cluster, const Ask& ask) {
    const bool has_room = !oracle.options().queues || oracle.has_room_in_queues(ask);
    if (!has_room || !oracle.has_credit(oracle.shims().at(ask.shim))) {
        return "";
    }
    const std::string& node = ask.reserved_node;
    const Asks there = cluster.on(node);
    Asks others = oracle.reservations_on(node);
    std::erase(others, &ask);
    const bool may_be_placed = !is_against(oracle, oracle.nodes().at(node), ask) && !helps_others(ask);
    if (may_be_placed && cluster.fits(ask, node, together(there, others), true)) {
        return "law of reservations: " + ask.key + " waits, and " + node + " has room";
    }
    const std::string state = oracle.reservation_state(ask);
    const bool any_goes =
        std::any_of(there.begin(), there.end(), [](const Ask* one) { return one->pod.terminating && !one->pod.stuck; });
    const bool held_up = state == "delay" ? ask.reserved_since + ask.reserved_by.delay_ns > oracle.now()
                         : state == "pending" || state == "coming" ? any_goes
                         : state == "behind"                       ? !others.empty()
                                                                   : true;
    return held_up ? "" : "law of reservations: " + ask.key + " waits for nothing, " + state;
}

std::string broken_sleep(const oracle::Oracle& oracle) {
    const Cluster cluster(oracle);
    const bool held = any_on_permit(oracle);
    for (const auto& [sequence, ask] : oracle.asks()) {
        if (ask.state == oracle::AskState::reserved) {
            if (const std::string broken = broken_reservation(oracle, cluster, ask); !broken.empty()) {
                return broken;
            }
        }
        if (ask.state != oracle::AskState::unschedulable || !ask.gang.empty()) {
            continue;  // members of a gang sleep and wake together
        }
        if (ask.nominated_node.empty() && oracle.would_have_its_node(ask)) {
            return "law of waking: daemon pod " + ask.key + " sleeps, and could have its node";
        }
        if (!oracle.answer(ask).explanation.node.empty()) {
            return "law of waking: " + ask.key + " sleeps, and " + oracle.answer(ask).explanation.node + " would do";
        }
        if (!held && !ask.pod.never_preempts && !waits_for_victims(oracle, cluster, ask)) {
            const std::string node = find_helpful(oracle, cluster, ask);
            if (!node.empty()) {
                return "law of waking: " + ask.key + " sleeps, and could preempt on " + node;
            }
        }
    }
    return "";
}

std::string broken_law(const oracle::Oracle& oracle, std::size_t log_begin) {
    const Cluster cluster(oracle);
    for (std::size_t i = log_begin; i < oracle.log().size(); ++i) {
        const Line line = read_line(oracle, oracle.log()[i]);
        // Not by itself; and a node that is held may have shrunk since.
        const bool permit = oracle.options().coscheduling.mode == Coscheduling::permit;
        const bool of_a_gang = !line.ask->gang.empty() && (permit || line.kind != "place");
        if (line.kind == "clear" || line.kind == "unreserve" || line.kind == "wait" || of_a_gang ||
            (line.kind != "place" && any_on_permit(oracle))) {
            continue;
        }
        const std::string broken = line.kind == "nominate"  ? broken_by_nomination(cluster, line)
                                   : line.kind == "reserve" ? broken_by_reservation(oracle, cluster, line)
                                   : line.kind == "place"   ? broken_by_placement(cluster, line)
                                                            : broken_by_failure(oracle, cluster, line);
        if (!broken.empty()) {
            return broken;
        }
    }
    return "";
}

}  // namespace bayplan::property
