// Pod groups whose members lie in one domain of a topology key, naively: rules/gangs.md, "Topology".
//
// Thread and errors: see oracle.h.
#include <algorithm>
#include <iterator>
#include <tuple>

#include "kube_match.h"
#include "oracle_gang_preemption.h"
#include "oracle_look.h"

namespace bayplan::oracle {

namespace {

const std::set<std::string> kOfNodes = {"NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity"};
const std::set<std::string> kOfRoom = {"NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity",
                                       "NodeResourcesFit"};

// Their amounts, and the nodes that may be theirs.
bool alike(const Ask& a, const Ask& b) {
    const bool tolerates =
        any_tolerates(a.pod.spec->tolerations, {"node.kubernetes.io/unschedulable", "", TaintEffect::no_schedule});
    return a.requests == b.requests && a.required_node == b.required_node && *a.pod.spec == *b.pod.spec &&
           (tolerates || a.tolerates_unschedulable == b.tolerates_unschedulable);
}

const std::string* value_on(const KubeNode& node, const std::string& key) {
    const auto label = node.labels.find(key);
    return label == node.labels.end() ? nullptr : &label->second;
}

}  // namespace

bool Oracle::GangDomains::concern(const Gang& gang) const {
    return !gang.topology.key.empty() && !oracle_.kube_options().predicates_off.contains("NodeAffinity");
}

// --- the order

// How often the member's amounts fit, no more than `most`.
std::size_t Oracle::GangDomains::takes(const Ask& member, const Node& node, std::size_t most,
                                       bool of_whole_nodes) const {
    const KubeObjects objects = oracle_.assumed_objects();
    KubeState state = oracle_.state_for(member, objects);
    const bool with_amounts = !state.options.predicates_off.contains("NodeResourcesFit");
    for (const std::string& name : kube_predicate_names()) {
        if (!kOfNodes.contains(name)) {
            state.options.predicates_off.insert(name);
        }
    }
    if (why_not(state, member.pod, node.facts)) {
        return 0;
    }
    if (!with_amounts) {
        return most;
    }
    Amounts free;
    for (const auto& [kind, amount] : member.requests) {
        free[kind] = counted_capacity(oracle_.objects_, node.facts.allocatable, kind);
    }
    if (!of_whole_nodes) {
        for (const KubePod* pod : state.pods) {
            if (pod->node == node.name) {
                add(pod->requests, -1, free);
            }
        }
        for (const KubeNomination& other : state.nominations) {
            if (other.pod != &member.pod && other.node == node.name && other.pod->priority >= member.priority) {
                add(other.pod->requests, -1, free);
            }
        }
        add(state.held[node.name], -1, free);
    }
    std::size_t times = 0;
    const auto fit_once_more = [&] {
        return std::ranges::all_of(member.requests, [&](const auto& request) {
            return request.second * static_cast<std::int64_t>(times + 1) <= free[request.first];
        });
    };
    while (times < most && fit_once_more()) {
        ++times;
    }
    return times;
}

// The eldest member with a node that has the label.
bool Oracle::GangDomains::find_fixed(const std::string& key, Domain& fixed) {
    const Gang& gang = oracle_.gangs_.at(key);
    for (const Ask* member : oracle_.members(key)) {
        if (!oracle_.counts(gang, *member) || member->node.empty()) {
            continue;
        }
        if (const std::string* const value = value_on(oracle_.nodes_.at(member->node).facts, gang.topology.key)) {
            oracle_.saw("a member fixes the domain");
            fixed = {.value = *value, .room = 0, .places = 0, .has_room = true};
            return true;
        }
    }
    return false;
}

void Oracle::GangDomains::count_room(const std::string& key, const std::vector<const Ask*>& waiting,
                                     bool of_whole_nodes, std::map<std::string, Domain>& by_value) {
    const Gang& gang = oracle_.gangs_.at(key);
    std::vector<std::vector<const Ask*>> kinds;
    std::size_t others = 0;
    for (const Ask* member : waiting) {
        const auto kind = std::ranges::find_if(
            kinds, [&](const std::vector<const Ask*>& one) { return alike(*one.front(), *member); });
        if (kind != kinds.end()) {
            kind->push_back(member);
        } else if (kinds.size() < 4) {
            kinds.push_back({member});
        } else {
            oracle_.saw("a member of no kind");
            ++others;
        }
    }
    for (auto& [value, domain] : by_value) {
        domain.room = others;
        for (const std::vector<const Ask*>& kind : kinds) {
            std::size_t places = 0;
            for (const auto& [name, node] : oracle_.nodes_) {
                const std::string* const there = value_on(node.facts, gang.topology.key);
                const bool inside = there != nullptr && *there == value;
                places += inside ? takes(*kind.front(), node, 16'384, of_whole_nodes) : 0;
            }
            domain.places += places;
            domain.room += std::min(places, kind.size());
        }
        domain.has_room = oracle_.assigned(key) + domain.room >= gang.minimum;
    }
}

std::vector<Oracle::GangDomains::Domain> Oracle::GangDomains::in_order(const std::string& key,
                                                                       const std::vector<Ask*>& members,
                                                                       bool of_whole_nodes) {
    const Gang& gang = oracle_.gangs_.at(key);
    if (Domain fixed; find_fixed(key, fixed)) {
        return {fixed};
    }
    std::vector<const Ask*> waiting;
    std::ranges::copy_if(members, std::back_inserter(waiting), [](const Ask* one) { return one->node.empty(); });
    std::map<std::string, Domain> by_value;
    for (const auto& [name, node] : oracle_.nodes_) {
        if (const std::string* const value = value_on(node.facts, gang.topology.key)) {
            by_value[*value].value = *value;
        }
    }
    count_room(key, waiting, of_whole_nodes, by_value);
    std::vector<Domain> order;
    for (const auto& [value, domain] : by_value) {
        order.push_back(domain);
    }
    std::ranges::stable_sort(order, [](const Domain& a, const Domain& b) {
        return std::tuple(b.room, a.places) < std::tuple(a.room, b.places);
    });
    for (const Ask* member : waiting) {
        const std::string& node = member->nominated_node;
        const std::string* const value =
            node.empty() ? nullptr : value_on(oracle_.nodes_.at(node).facts, gang.topology.key);
        if (value != nullptr) {
            oracle_.saw("the domain of a nomination comes first");
            const auto at = std::ranges::find(order, *value, &Domain::value);
            at->has_room = true;
            std::rotate(order.begin(), at, at + 1);
            break;
        }
    }
    return order;
}

Oracle::GangDomains::Narrowed::Narrowed(Ask& member, const Gang& gang, const Domain* domain)
    : pod_(member.pod), before_(member.pod.spec) {
    if (domain != nullptr) {
        const auto spec = std::make_shared<KubeSpec>(*before_);
        spec->node_selector.emplace_back(gang.topology.key, domain->value);
        pod_.spec = spec;
    }
}

// --- the pass

// In one domain, or over all nodes.
Oracle::Pass Oracle::GangDomains::try_members(const std::string& key, const std::vector<Ask*>& waiting,
                                              const Domain* domain) {
    const Gang& gang = oracle_.gangs_.at(key);
    const std::size_t before = oracle_.assigned(key);
    const std::map<std::uint64_t, Ask> asks = oracle_.asks_;
    const std::map<std::string, Node> nodes = oracle_.nodes_;
    Pass pass;
    pass.reached = before;
    std::size_t left = waiting.size();
    for (Ask* member : waiting) {
        --left;
        Try& one = pass.tries.emplace_back();
        one.ask = member->sequence;
        std::vector<KubeBinding> bindings;
        const auto look_in = [&](const Domain* where) {
            const Narrowed narrowed(*member, gang, where);
            const Look look(oracle_, *member);
            one.node = look.answer.explanation.node;
            one.message = look.answer.explanation.message;
            one.failed_by = oracle_.nodes_.empty() ? std::set<std::string>{kNoNodes} : look.answer.failed_by;
            bindings = look.answer.bindings;
        };
        look_in(domain);
        if (one.node.empty() && domain != nullptr && gang.topology.preferred && pass.reached >= gang.minimum) {
            oracle_.saw("a member beyond the minimum looks outside of the domain");
            look_in(nullptr);
        }
        if (!one.node.empty()) {
            ++pass.reached;
            oracle_.stand_on(*member, one.node, bindings);
        } else if (pass.reached + left < gang.minimum) {
            break;
        }
    }
    for (const auto& [sequence, ask] : asks) {
        oracle_.asks_.at(sequence) = ask;
    }
    oracle_.nodes_ = nodes;
    pass.found_all = pass.reached >= gang.minimum;
    return pass;
}

Oracle::Pass Oracle::GangDomains::make_pass(const std::string& key, const std::vector<Ask*>& waiting) {
    const Gang& gang = oracle_.gangs_.at(key);
    if (concern(gang)) {
        const Pass pass = pass_in_domains(key, waiting);
        if (pass.found_all || !gang.topology.preferred) {
            return pass;
        }
        oracle_.saw("no domain has its minimum, and it was only preferred");
    }
    return try_members(key, waiting, nullptr);
}

Oracle::Pass Oracle::GangDomains::pass_in_domains(const std::string& key, const std::vector<Ask*>& waiting) {
    const Gang& gang = oracle_.gangs_.at(key);
    const std::vector<Domain> domains = in_order(key, waiting, false);
    Pass best;
    best.reached = oracle_.assigned(key);
    if (domains.empty()) {
        oracle_.saw("no node has the label of a topology");
        best.where = "; no node has label " + gang.topology.key;
        best.failed_by = {"NodeAffinity"};
        return best;
    }
    std::set<std::string> failed_by;
    std::size_t passes = 0;
    std::size_t looked_at = 0;
    for (const Domain& domain : domains) {
        const std::string where = " in " + gang.topology.key + "=" + domain.value;
        if (!domain.has_room) {
            oracle_.saw("a domain without room");
            const std::set<std::string> off = oracle_.kube_options().predicates_off;
            std::ranges::set_difference(kOfRoom, off, std::inserter(failed_by, failed_by.end()));
        }
        if (passes == 0 && &domain == &domains.front()) {
            best.reached = oracle_.assigned(key) + domain.room;
            best.where = where;
        }
        if (!domain.has_room || passes == 16 || looked_at >= 16'384) {
            continue;
        }
        Pass pass = try_members(key, waiting, &domain);
        if (pass.found_all) {
            oracle_.saw(passes == 0 ? "a gang in the first domain" : "a gang in a later domain");
            return pass;
        }
        looked_at += pass.tries.size();
        for (const Try& one : pass.tries) {
            if (one.node.empty()) {
                failed_by.insert(one.failed_by.begin(), one.failed_by.end());
            }
        }
        if (passes == 0 || pass.reached > best.reached) {
            best = pass;
            best.where = where;
        }
        ++passes;
    }
    best.tries.clear();
    best.failed_by = failed_by;
    return best;
}

// --- nodes to hold

// First as things are, then as if gangs behind it held nothing.
void Oracle::GangDomains::look_to_hold(Ask& member, const Domain* domain, Try& one, bool& any_gave_way) {
    const Narrowed narrowed(member, oracle_.gangs_.at(member.gang), domain);
    const std::set<std::string> none{kNoNodes};
    const auto look_now = [&] {
        const Look look(oracle_, member);
        one.node = look.answer.explanation.node;
        one.message = look.answer.explanation.message;
        one.failed_by = oracle_.nodes_.empty() ? none : look.answer.failed_by;
    };
    look_now();
    oracle_.unseen_ = oracle_.held_behind(member);
    if (one.node.empty() && !oracle_.unseen_.empty()) {
        look_now();
        oracle_.unseen_.clear();
        if (!one.node.empty()) {
            oracle_.make_room(member, one.node);
            any_gave_way = true;
        }
    }
    oracle_.unseen_.clear();
}

void Oracle::GangDomains::look_for_node_to_hold(Ask& member, const std::vector<Ask*>& members, Try& one,
                                                bool& any_gave_way) {
    const Gang& gang = oracle_.gangs_.at(member.gang);
    const std::vector<Domain> domains = concern(gang) ? in_order(member.gang, members, false) : std::vector<Domain>();
    if (!domains.empty()) {
        look_to_hold(member, &domains.front(), one, any_gave_way);
    }
    if (one.node.empty() && !bind(gang)) {
        look_to_hold(member, nullptr, one, any_gave_way);
    } else if (domains.empty() && bind(gang)) {
        oracle_.saw("nothing to hold: no node has the label");
        one.message = "no node has label " + gang.topology.key;
        one.failed_by = {"NodeAffinity"};
    }
}

// --- for nodes that are made free

void Oracle::GangSearch::in_turn(const std::function<bool()>& search) {
    const std::string key = waiting_.front()->gang;
    const Gang& gang = oracle_.gangs_.at(key);
    if (!GangDomains(oracle_).bind(gang)) {
        search();
        return;
    }
    std::size_t searches = 0;
    for (const GangDomains::Domain& domain : GangDomains(oracle_).in_order(key, waiting_, true)) {
        if (!domain.has_room) {
            continue;
        }
        if (searches == 8 || looked_at_ >= 64) {
            break;
        }
        ++searches;
        domain_ = domain;
        if (search()) {
            break;
        }
    }
}

}  // namespace bayplan::oracle
