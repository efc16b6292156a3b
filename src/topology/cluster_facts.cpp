// Telling every table about a pod or a node that comes or goes; see cluster_facts.h.
#include "topology/cluster_facts.h"

#include <algorithm>
#include <utility>

#include "base/visit_texts.h"

namespace bayplan {

ClusterFacts::ClusterFacts(const Parts& parts, const TopologyOptions& options)
    : texts_(parts.texts),
      known_(parts.known),
      asks_(parts.asks),
      classes_(parts.classes),
      specs_(parts.specs),
      nodes_(parts.nodes),
      options_(options),
      keys_(texts_, carriers_),
      filters_(texts_, known_, keys_),
      counts_(texts_, asks_, specs_, keys_, filters_, options.negative_selector_fault, options.column_bytes_max,
              options.members_max),
      signatures_(texts_, known_, options.keeps(kTaintMasks), options.keeps(kNodeAffinityMasks)) {
    specs_.listen(this);
    spec_added(kEmptySpec);
}

// --- nodes

void ClusterFacts::count_pods_on(Slot slot, int sign) {
    for (const AskId id : nodes_[slot].allocations) {
        counts_.add_pod(classes_.spec_of(asks_[id]), slot, asks_[id].terminating, sign);
    }
}

void ClusterFacts::set_facts(Slot slot, std::shared_ptr<const NodeFacts> facts) {
    facts_.resize(nodes_.slot_count());
    const std::shared_ptr<const NodeFacts> before = facts_[raw(slot)];
    if (before && facts && *before == *facts) {
        images_.change(slot, before.get(), facts.get());
        return;
    }
    if (facts) {
        visit_facts(*facts, [&](Text text) { texts_.add_reference(text); });
    }
    if (before) {
        count_pods_on(slot, -1);
        filters_.take_out(slot);
    }
    pod_log_.append(slot);
    node_count_ += (facts ? 1u : 0u);
    node_count_ -= (before ? 1u : 0u);
    facts_[raw(slot)] = facts;
    nodes_[slot].facts = facts;
    carriers_.change(slot, before.get(), facts.get());
    keys_.set_node(slot, facts.get(), facts_);
    filters_.put_in(slot, facts.get(), facts_.size());
    signatures_.set_node(slot, facts.get(), facts_.size());
    images_.change(slot, before.get(), facts.get());
    volumes_.set_node(slot, facts);
    claims_.set_node(slot, facts ? facts->name : 0);
    if (facts) {
        count_pods_on(slot, +1);
    }
    if (before) {
        visit_facts(*before, [&](Text text) { texts_.release(text); });
    }
}

// --- pods

void ClusterFacts::add_pod(SpecId id, Slot slot, bool terminating) {
    pod_log_.append(slot);
    counts_.add_pod(id, slot, terminating, +1);
    const PodSpec& spec = specs_[id];
    if (spec.ports.empty() && spec.volumes.empty()) {
        return;
    }
    uses_.resize(std::max<std::size_t>(uses_.size(), raw(slot) + 1));
    uses_[raw(slot)].ports.add(spec.ports);
    uses_[raw(slot)].volumes.add_pod(spec);
    volumes_.add_pod(spec, slot);
}

void ClusterFacts::remove_pod(SpecId id, Slot slot, bool terminating) {
    pod_log_.append(slot);
    counts_.add_pod(id, slot, terminating, -1);
    const PodSpec& spec = specs_[id];
    if (spec.ports.empty() && spec.volumes.empty()) {
        return;
    }
    uses_[raw(slot)].ports.remove(spec.ports);
    uses_[raw(slot)].volumes.remove_pod(spec);
    volumes_.remove_pod(spec, slot);
}

void ClusterFacts::pod_marked(SpecId id, Slot slot, bool terminated, bool terminates) {
    ++marks_version_;
    if (terminated != terminates) {
        remove_pod(id, slot, terminated);
        add_pod(id, slot, terminates);
    }
}

// --- objects

void ClusterFacts::set_namespace(Text name, const std::vector<Label>& sorted_labels) {
    counts_.set_namespace(name, &sorted_labels);
}

void ClusterFacts::remove_namespace(Text name) { counts_.set_namespace(name, nullptr); }

// --- specs

void ClusterFacts::spec_added(SpecId id) {
    counts_.spec_added(id, facts_);
    if (raw(id) >= plans_.size()) {
        plans_.resize(raw(id) + 1);
    }
}

void ClusterFacts::spec_going(SpecId id) {
    if (plans_[raw(id)]) {
        drop(*plans_[raw(id)]);
        plans_[raw(id)].reset();
    }
    counts_.spec_going(id);
}

const SpecPlan& ClusterFacts::plan(SpecId id) {
    std::unique_ptr<SpecPlan>& plan = plans_[raw(id)];
    if (!plan || plan->terms_version != counts_.terms_version() || plan->objects_version != objects_version_) {
        // The new one first, so that what both need is not thrown away and counted again.
        std::unique_ptr<SpecPlan> fresh = make_plan(id);
        if (plan) {
            fresh->number = plan->looks_at_the_same(*fresh) ? plan->number : fresh->number;
            drop(*plan);
        }
        plan = std::move(fresh);
    }
    if (plan->plain) {
        return *plan;  // neither sets nor volumes nor claims
    }
    if (plan->sets_version != counts_.sets_version()) {
        std::ranges::for_each(plan->sets, [&](SetId set) { counts_.update(set); });
        plan->sets_version = counts_.sets_version();
    }
    const std::uint64_t volumes_version = volumes_.version() + volumes_.use_version();  // both only grow
    if (!specs_[id].volumes.empty() && plan->volumes_version != volumes_version) {
        plan->volumes = prepare(specs_[id], volumes_, known_, texts_);
        plan->volumes_version = volumes_version;
    }
    if (!specs_[id].resource_claims.claims.empty() &&
        (plan->claims == nullptr || plan->claims->version != claims_.version())) {
        plan->claims = std::make_shared<const ClaimPlan>(prepare_claims(specs_[id], claims_));
    }
    return *plan;
}

std::int64_t ClusterFacts::least_pods(const SpecPlan::HardSpread& constraint) const {
    if (filters_.domains(constraint.eligible) < static_cast<std::uint32_t>(constraint.min_domains)) {
        return 0;
    }
    const std::vector<std::uint32_t>& nodes = filters_.nodes_in(constraint.eligible);
    const bool counts = constraint.pods != kNone<CounterId>;
    const bool below_none = counts && counts_.any_below_none(constraint.pods);
    std::int64_t least = INT32_MAX;
    for (Domain domain = 0; domain < nodes.size() && (least > 0 || below_none); ++domain) {
        if (nodes[domain] > 0) {
            const std::int64_t pods = counts ? counts_.pods_in(constraint.pods, domain) : 0;
            least = std::min(least, pods);
        }
    }
    return least;
}

}  // namespace bayplan
