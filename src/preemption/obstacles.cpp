// Which pods keep an ask off a node; see obstacles.h.
#include "preemption/obstacles.h"

#include <algorithm>
#include <array>
#include <bit>

#include "cluster/host_ports.h"

namespace bayplan {

bool Obstacles::are_all(const TrialTables& tables, const Subject& subject) {
    const SpecPlan& plan = subject.plan;
    if (!subject.spec.volumes.empty() || !subject.spec.resource_claims.claims.empty() || !plan.affinity.empty() ||
        !plan.hard_spread.empty() || plan.anti_affinity.size() + plan.repelled_by.size() > kPeersMax ||
        !tables.predicates.has(PredicateId::node_resources_fit) ||
        tables.predicates.refuse_all(subject).refusal.verdict != Verdict::feasible) {
        return false;
    }
    const auto& predicates = tables.predicates.predicates();
    for (std::uint32_t index = 0; index < predicates.size(); ++index) {
        const PredicateId id = tables.predicates.id(index);
        if (predicates[index]->excludes_nodes(subject) ||
            (predicates[index]->depends_on_pods(subject) && id != PredicateId::node_ports &&
             id != PredicateId::inter_pod_affinity)) {
            return false;
        }
    }
    return true;
}

Obstacles::Obstacles(const TrialTables& tables, const Subject& subject, AskId ask)
    : tables_(tables), subject_(subject) {
    const std::uint32_t skipped = tables.as_kubernetes_1_35 ? tables.predicates.skipped(subject) : 0;
    const auto& predicates = tables.predicates.predicates();
    for (std::uint32_t index = 0; index < predicates.size(); ++index) {
        if ((skipped >> index & 1) != 0 || !predicates[index]->depends_on_pods(subject)) {
            continue;
        }
        const bool ports = tables.predicates.id(index) == PredicateId::node_ports;
        (ports ? by_ports_ : by_affinity_) = true;
        (ports ? ports_index_ : affinity_index_) = index;
    }
    if (by_affinity_) {
        take_peers();
    }
    barred_.assign(tables.node_state.block_count(), 0);
    take_nominated(ask);
}

void Obstacles::take_peers() {
    const SpecPlan& plan = subject_.plan;
    for (std::size_t at = 0; at < plan.anti_affinity.size(); ++at) {
        peers_.push_back({.peers = plan.anti_affinity[at],
                          .match = match_of(subject_.spec.anti_affinity[at], subject_.spec.name_space)});
    }
    if (plan.repelled_by.empty()) {
        return;
    }
    const PodCounts& counts = tables_.topology.counts();
    for (const TermId id : counts.terms_about(subject_.spec)) {
        const PodCounts::Term& term = counts.term(id);
        for (const SpecPlan::Peers& peers : plan.repelled_by) {
            if (peers.pods == term.counter) {
                peers_.push_back({.peers = peers,
                                  .match = term.key.match,
                                  .topology_key = term.key.topology_key,
                                  .times = term.key.occurrence + 1,
                                  .of_others = true});
            }
        }
    }
}

// Others of no lower priority that are nominated to a node are reckoned with there, and do not go.
void Obstacles::take_nominated(AskId ask) {
    if (!by_ports_ && !by_affinity_) {
        return;
    }
    tables_.nominations.for_each_node([&](Slot slot) {
        for (const AskId other : tables_.nominations.on(slot)) {
            if (other == ask || tables_.asks[other].priority < tables_.asks[ask].priority ||
                tables_.nominations.of(other)->suspended || !marks(other).any()) {
                continue;
            }
            Kinds kinds;
            kinds.ports = marks(other).ports;
            for (std::size_t at = 0; at < peers_.size(); ++at) {
                if ((marks(other).peers >> at & 1) != 0 && matters(peers_[at], slot)) {
                    (peers_[at].of_others ? kinds.of_others : kinds.anti_affinity) = true;
                }
            }
            if (kinds.any()) {
                Kinds& there = nominated_[slot];
                there.ports = there.ports || kinds.ports;
                there.anti_affinity = there.anti_affinity || kinds.anti_affinity;
                there.of_others = there.of_others || kinds.of_others;
                barred_[block_of(slot)] |= std::uint64_t{1} << lane_of(slot);
            }
        }
    });
}

// --- pods by their spec

Obstacles::Marks Obstacles::find_marks(const PodSpec& spec) const {
    Marks marks;
    if (by_ports_ && !spec.ports.empty()) {
        HostPorts used;
        used.add(spec.ports);
        marks.ports = used.conflicts(subject_.spec.ports);
    }
    for (std::size_t at = 0; at < peers_.size(); ++at) {
        const Peer& peer = peers_[at];
        const auto is_the_term = [&](const PodTerm& term) {
            return term.topology_key == peer.topology_key && match_of(term, spec.name_space) == peer.match;
        };
        const bool counts = peer.of_others ? std::count_if(spec.anti_affinity.begin(), spec.anti_affinity.end(),
                                                           is_the_term) >= peer.times
                                           : tables_.topology.counts().matcher().means(peer.match, spec, true);
        marks.peers |= std::uint64_t{counts} << at;
    }
    return marks;
}

const Obstacles::Marks& Obstacles::marks(AskId pod) const {
    const SpecId spec = tables_.classes.spec_of(tables_.asks[pod]);
    const auto [found, fresh] = marks_.try_emplace(spec);
    if (fresh) {
        found->second = find_marks(tables_.specs[spec]);
    }
    return found->second;
}

// The node has the key.
bool Obstacles::matters(const Peer& peer, Slot slot) const {
    return tables_.topology.keys().domain(peer.peers.key, slot) != kNoDomain;
}

bool Obstacles::is_one(AskId pod, Slot slot) const {
    const Marks& of_pod = marks(pod);
    if (of_pod.ports) {
        return true;
    }
    for (std::size_t at = 0; of_pod.peers >> at != 0 && at < peers_.size(); ++at) {
        if ((of_pod.peers >> at & 1) != 0 && matters(peers_[at], slot)) {
            return true;
        }
    }
    return false;
}

// --- nodes

std::uint64_t Obstacles::on(std::uint32_t block, std::uint64_t lanes) const {
    std::uint64_t free = lanes & ~barred_[block];
    const auto& predicates = tables_.predicates.predicates();
    if (by_ports_ && free != 0) {
        free = predicates[ports_index_]->filter_cluster(subject_, block, free);
    }
    if (by_affinity_ && free != 0) {
        free = predicates[affinity_index_]->filter_cluster(subject_, block, free);
    }
    return lanes & ~free;
}

Obstacles::Kinds Obstacles::staying(Slot slot, std::span<const AskId> without) const {
    const auto nominated = nominated_.find(slot);
    Kinds kinds = nominated == nominated_.end() ? Kinds{} : nominated->second;
    if (by_ports_ && !kinds.ports) {
        HostPorts ports = tables_.topology.ports(slot);
        for (const AskId pod : without) {
            ports.remove(tables_.specs[tables_.classes.spec_of(tables_.asks[pod])].ports);
        }
        kinds.ports = ports.conflicts(subject_.spec.ports);
    }
    std::array<std::int32_t, kPeersMax> gone{};
    if (kinds.anti_affinity) {
        return kinds;  // that of others is not asked for then
    }
    for (const AskId pod : without) {
        for (std::uint64_t left = marks(pod).peers; left != 0; left &= left - 1) {
            ++gone[static_cast<std::size_t>(std::countr_zero(left))];
        }
    }
    for (std::size_t at = 0; at < peers_.size(); ++at) {
        const Domain domain = tables_.topology.keys().domain(peers_[at].peers.key, slot);
        if (domain != kNoDomain && tables_.topology.counts().pods_in(peers_[at].peers.pods, domain) > gone[at]) {
            (peers_[at].of_others ? kinds.of_others : kinds.anti_affinity) = true;
        }
    }
    return kinds;
}

}  // namespace bayplan
