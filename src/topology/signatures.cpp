// Finding or making a signature, and one node's part of it; see signatures.h.
#include "topology/signatures.h"

#include <algorithm>

#include "base/field_hash.h"
#include "labels/node_terms.h"
#include "labels/tolerations.h"

namespace bayplan {

namespace {

constexpr std::size_t kValuesPerLook = 8;

std::size_t values_of(const NodeTerm& term) {
    std::size_t values = 0;
    for (const LabelRequirement& requirement : term.labels) values += 1 + requirement.values.size();
    return values + term.fields.size();
}

std::size_t values_of(const PodSpec& spec) {
    std::size_t values = spec.node_selector.size() + spec.tolerations.size();
    if (spec.required_nodes) {
        for (const NodeTerm& term : *spec.required_nodes) values += values_of(term);
    }
    for (const WeightedNodeTerm& preferred : spec.preferred_nodes) values += values_of(preferred.term);
    return values;
}

}  // namespace

std::size_t hash_of(const SignatureKey& key) { return field_hash(key); }

SignatureId Signatures::acquire(const PodSpec& spec, bool required, const FactsBySlot& all,
                                const std::vector<Slot>* labelled) {
    SignatureKey key;
    key.wanted.node_selector = spec.node_selector;
    if (required) {
        key.wanted.required_nodes = spec.required_nodes;
    }
    key.wanted.preferred_nodes = spec.preferred_nodes;
    key.wanted.tolerations = spec.tolerations;
    const auto [id, fresh] = entries_.acquire(std::move(key));
    if (fresh) {
        Entry& entry = entries_[id];
        entry.judged = entry.key.wanted;
        empty_unparsed(entry.judged, texts_);
        entry.weight = 1 + values_of(entry.judged) / kValuesPerLook;
        judge_all(entry, all, labelled);
    }
    return id;
}

void Signatures::judge_all(Entry& entry, const FactsBySlot& all, const std::vector<Slot>* labelled) {
    const PodSpec& wanted = entry.key.wanted;
    if (labelled != nullptr && by_affinity_) {
        entry.mask = std::make_shared<NodeMask>(all.size() / kLanes, 0);
        for (const Slot slot : *labelled) {
            judge(entry, slot, all[raw(slot)].get(), all.size());
        }
        return;
    }
    if (wanted.node_selector.empty() && !wanted.required_nodes && wanted.preferred_nodes.empty()) {
        // Only taints matter, and few nodes have any.
        for_each_slot(tainted_, [&](Slot slot) { judge(entry, slot, all[raw(slot)].get(), all.size()); });
        return;
    }
    for (std::size_t slot = 0; slot < all.size(); ++slot) {
        if (all[slot]) {
            judge(entry, static_cast<Slot>(slot), all[slot].get(), all.size());
        }
    }
}

void Signatures::release(SignatureId id) {
    if (id != kNone<SignatureId> && entries_.release(id)) {
        entries_.forget(id);
    }
}

void Signatures::set_node(Slot slot, const NodeFacts* facts, std::size_t slots) {
    tainted_.resize(std::max(tainted_.size(), slots / kLanes), 0);
    const std::uint64_t bit = std::uint64_t{1} << lane_of(slot);
    std::uint64_t& word = tainted_[block_of(slot)];
    word = facts != nullptr && !facts->taints.empty() ? word | bit : word & ~bit;
    entries_.for_each([&](SignatureId, Entry& entry) { judge(entry, slot, facts, slots); });
}

void Signatures::put(std::vector<std::int32_t>& column, std::uint32_t& nonzero, Slot slot, std::int32_t value,
                     std::size_t slots) {
    if (column.empty() && value == 0) {
        return;
    }
    column.resize(slots, 0);
    nonzero += column[raw(slot)] == 0 && value != 0 ? 1 : 0;
    nonzero -= column[raw(slot)] != 0 && value == 0 ? 1 : 0;
    column[raw(slot)] = value;
    if (nonzero == 0) {
        column.clear();
    }
}

void Signatures::judge(Entry& entry, Slot slot, const NodeFacts* facts, std::size_t slots) {
    const PodSpec& wanted = entry.judged;
    looks_ += entry.weight;
    const bool passes =
        facts == nullptr || ((!by_taints_ || first_untolerated(wanted.tolerations, facts->taints) == nullptr) &&
                             (!by_affinity_ || required_nodes_match(wanted, *facts, known_, texts_, Terms::all_parse)));
    const std::uint64_t bit = std::uint64_t{1} << lane_of(slot);
    if (!passes && !entry.mask) {
        entry.mask = std::make_shared<NodeMask>(slots / kLanes, ~std::uint64_t{0});
    }
    if (entry.mask) {
        const bool passed = block_of(slot) >= entry.mask->size() || ((*entry.mask)[block_of(slot)] & bit) != 0;
        if (passed != passes || entry.mask->size() < slots / kLanes) {
            if (entry.mask.use_count() > 1) {
                entry.mask = std::make_shared<NodeMask>(*entry.mask);
            }
            entry.mask->resize(slots / kLanes, ~std::uint64_t{0});
            std::uint64_t& word = (*entry.mask)[block_of(slot)];
            word = passes ? word | bit : word & ~bit;
        }
    }
    put(entry.taint_raw, entry.disliked, slot,
        facts == nullptr ? 0 : untolerated_preferences(wanted.tolerations, facts->taints), slots);
    put(entry.affinity_raw, entry.liked, slot,
        facts == nullptr
            ? 0
            : static_cast<std::int32_t>(preferred_nodes_weight(wanted, *facts, known_, texts_, Terms::all_parse)),
        slots);
}

}  // namespace bayplan
