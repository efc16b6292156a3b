// A copy of one node's columns, changed by the trial alone; see node_trial.h.
#include "preemption/node_trial.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace bayplan {

bool looks_beyond_amounts(const TrialTables& tables, const Subject& subject) {
    const auto& predicates = tables.predicates.predicates();
    return !subject.spec.volumes.empty() || !subject.spec.resource_claims.claims.empty() ||
           std::any_of(predicates.begin(), predicates.end(),
                       [&](const auto& predicate) { return predicate->depends_on_pods(subject); }) ||
           tables.predicates.refuse_all(subject).refusal.verdict != Verdict::feasible;
}

std::vector<AskId> reckoned_with(const TrialTables& tables, AskId id, Slot slot) {
    std::vector<AskId> others = tables.nominations.on(slot);
    std::erase_if(others, [&](AskId other) {
        return other == id || tables.asks[other].priority < tables.asks[id].priority ||
               tables.nominations.of(other)->suspended;
    });
    return others;
}

std::vector<PredicateSet::Failure> failures_on(const TrialTables& tables, ClassId ask_class, const NodeView& node) {
    const Subject subject = subject_of(tables, ask_class);
    if (PredicateSet::Failure whole = tables.predicates.refuse_all(subject);
        whole.refusal.verdict != Verdict::feasible) {
        return {std::move(whole)};
    }
    tables.predicates.begin(subject);
    if (tables.predicates.explain(subject, node).refusal.verdict == Verdict::feasible) {
        return {};
    }
    return tables.predicates.explain_all(subject, node);
}

NodeTrial::NodeTrial(const TrialTables& tables, AskId ask, Slot slot)
    : tables_(tables),
      ask_(ask),
      slot_(slot),
      skipped_(left_out_by_kubernetes()),
      others_(reckoned_with(tables, ask, slot)),
      counts_(tables.topology) {
    // A plan that is made while pods are taken off would count them as they are, and again when they are put back.
    tables_.topology.plan(tables_.classes[tables_.asks[ask].ask_class].spec->pod_spec);
    copy_lane();
}

NodeTrial::NodeTrial(const TrialTables& tables, AskId ask, Slot slot, HoldList holds)
    : tables_(tables), ask_(ask), slot_(slot), skipped_(left_out_by_kubernetes()), counts_(tables.topology) {
    copy_lane();
    lane_.holds.clear();
    lane_.holding = 0;
    if (!holds.empty()) {
        lane_.holding = std::uint64_t{1} << lane_of(slot_);
        lane_.holds.emplace_back(lane_of(slot_), std::make_shared<HoldList>(std::move(holds)));
    }
    show_devices();
}

void NodeTrial::copy_lane() {
    const NodeBlock& block = tables_.node_state.block(block_of(slot_));
    const std::uint32_t lane = lane_of(slot_);
    lane_.present = block.present;
    lane_.schedulable = block.schedulable;
    lane_.holding = block.holding;
    lane_.names[lane] = block.names[lane];
    lane_.resources.resize(block.resources.size());
    for (std::size_t resource = 0; resource < block.resources.size(); ++resource) {
        if (!block.resources[resource]) {
            continue;
        }
        lane_.resources[resource] = std::make_unique<ResourceColumns>();
        lane_.resources[resource]->capacity[lane] = block.resources[resource]->capacity[lane];
        lane_.resources[resource]->used[lane] = block.resources[resource]->used[lane];
        lane_.resources[resource]->foreign[lane] = block.resources[resource]->foreign[lane];
        lane_.resources[resource]->held[lane] = block.resources[resource]->held[lane];
    }
    for (const auto& [at, list] : block.holds) {
        if (at == lane) {
            lane_.holds.emplace_back(at, list);
        }
    }
    devices_ = tables_.devices.at(slot_);
    lane_.reaches.resize(block.reaches.size());
    show_devices();
}

// What the devices reach, as tried, and beside holds.
void NodeTrial::show_devices() {
    for (const DeviceUse& use : devices_) {
        auto& reach = lane_.reaches[raw(use.resource)];
        if (!reach) {
            reach = std::make_unique<ReachLanes>();
        }
        (*reach)[lane_of(slot_)] = use.reach();
    }
    for (auto& [lane, list] : lane_.holds) {
        if (!devices_.empty()) {
            auto anew = std::make_shared<HoldList>(*list);
            find_reaches(devices_, tables_.devices.choice(), *anew);
            list = std::move(anew);
        }
    }
}

void NodeTrial::add_devices(AskId pod, int sign) {
    const DeviceShares* const shares = tables_.devices.of(pod);
    if (shares == nullptr) {
        return;
    }
    for (const DeviceShare& one : *shares) {
        for (DeviceUse& use : devices_) {
            if (use.resource == one.resource) {
                use.add(one.devices, one.amount, sign);
            }
        }
    }
    show_devices();
}

void NodeTrial::add_amounts(AskId pod, int sign) {
    const Ask& ask = tables_.asks[pod];
    for (const ResourceAmount& amount : tables_.classes[ask.ask_class].spec->occupies) {
        if (amount.value == 0) {
            continue;  // of such a resource there may be no column
        }
        auto& columns = *lane_.resources[raw(amount.resource)];
        (ask.foreign ? columns.foreign : columns.used)[lane_of(slot_)] += sign * amount.value;
    }
    add_devices(pod, sign);
}

bool NodeTrial::counts_as_terminating(const Ask& ask) const { return ask.terminating && !tables_.as_kubernetes_1_35; }

std::uint32_t NodeTrial::left_out_by_kubernetes() const {
    return tables_.as_kubernetes_1_35 ? tables_.predicates.skipped(subject_of(tables_, tables_.asks[ask_].ask_class))
                                      : 0;
}

void NodeTrial::take_off(AskId pod) {
    const Ask& ask = tables_.asks[pod];
    counts_.remove(tables_.classes.spec_of(ask), slot_, counts_as_terminating(ask));
    add_amounts(pod, -1);
}

void NodeTrial::take_off_elsewhere(AskId pod) {
    const Ask& ask = tables_.asks[pod];
    if (ask.slot == slot_) {
        take_off(pod);
    } else {
        counts_.remove(tables_.classes.spec_of(ask), ask.slot, counts_as_terminating(ask));
    }
}

void NodeTrial::put_back(AskId pod) {
    const Ask& ask = tables_.asks[pod];
    counts_.put_back(tables_.classes.spec_of(ask), slot_, counts_as_terminating(ask));
    add_amounts(pod, +1);
}

PredicateSet::Failure NodeTrial::ask_predicates() const {
    // The plan is asked for anew: it may depend on who uses which volume.
    const Subject subject = subject_of(tables_, tables_.asks[ask_].ask_class);
    PredicateSet::Failure whole = tables_.predicates.refuse_all(subject);
    if (whole.refusal.verdict != Verdict::feasible) {
        return whole;
    }
    tables_.predicates.begin(subject);
    return tables_.predicates.explain(subject, NodeView{lane_, slot_, *tables_.nodes[slot_].facts}, skipped_);
}

std::vector<PredicateSet::Failure> NodeTrial::failures() const {
    return failures_on(tables_, tables_.asks[ask_].ask_class, {lane_, slot_, *tables_.nodes[slot_].facts});
}

PredicateSet::Failure NodeTrial::judge() {
    if (!others_.empty()) {
        // Their amounts are held on the node; what else they bring is added for this look.
        PodTrial with_others(tables_.topology);
        for (const AskId other : others_) {
            with_others.add(tables_.classes.spec_of(tables_.asks[other]), slot_, false);
        }
        if (PredicateSet::Failure failure = ask_predicates(); failure.refusal.verdict != Verdict::feasible) {
            return failure;
        }
    }
    return ask_predicates();
}

}  // namespace bayplan
