// Keeping nodes by label and putting their sets together; see labelled_nodes.h.
#include "volumes/labelled_nodes.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/check.h"

namespace bayplan {

LabelledNodes::LabelledNodes(const TextTable& texts, const KnownTexts& known, const LabelCarriers& carriers)
    : texts_(texts), carriers_(carriers) {
    for (const Text key : {known.zone_beta, known.region_beta, known.zone, known.region}) {
        use(key);
    }
}

void LabelledNodes::put(ByValue& by_value, Text value, Slot slot) {
    by_value.nodes[value].add(slot);
    by_value.all.resize(std::max<std::size_t>(by_value.all.size(), block_of(slot) + 1), 0);
    by_value.all[block_of(slot)] |= bit_of(slot);
}

void LabelledNodes::put(const NodeFacts& facts, Slot slot) {
    names_[facts.name] = slot;
    for (const Label& label : facts.labels) {
        if (const auto at = keys_.find(label.key); at != keys_.end()) {
            put(at->second, label.value, slot);
        }
    }
}

void LabelledNodes::take(const NodeFacts& facts, Slot slot) {
    names_.erase(facts.name);
    for (const Label& label : facts.labels) {
        const auto key = keys_.find(label.key);
        if (key == keys_.end()) {
            continue;
        }
        const auto at = key->second.nodes.find(label.value);
        BP_CHECK(at != key->second.nodes.end());
        at->second.remove(slot);
        key->second.all[block_of(slot)] &= ~bit_of(slot);
        if (at->second.empty()) {
            key->second.nodes.erase(at);
        }
    }
}

void LabelledNodes::set_node(Slot slot, std::shared_ptr<const NodeFacts> facts) {
    facts_.resize(std::max<std::size_t>(facts_.size(), raw(slot) + 1));
    present_.resize(std::max<std::size_t>(present_.size(), block_of(slot) + 1), 0);
    if (facts_[raw(slot)] != nullptr) {
        take(*facts_[raw(slot)], slot);
    }
    facts_[raw(slot)] = std::move(facts);
    if (facts_[raw(slot)] != nullptr) {
        put(*facts_[raw(slot)], slot);
        present_[block_of(slot)] |= bit_of(slot);
    } else {
        present_[block_of(slot)] &= ~bit_of(slot);
    }
}

void LabelledNodes::use(Text key) {
    ByValue& by_value = keys_[key];
    if (++by_value.uses > 1) {
        return;
    }
    carriers_.of(key).for_each(
        [&](Slot slot) { put(by_value, find_label(facts_[raw(slot)]->labels, key)->value, slot); });
}

void LabelledNodes::drop(Text key) {
    const auto at = keys_.find(key);
    BP_CHECK(at != keys_.end());
    if (--at->second.uses == 0) {
        keys_.erase(at);
    }
}

const LabelledNodes::ByValue& LabelledNodes::of_key(Text key) const {
    const auto at = keys_.find(key);
    BP_CHECK(at != keys_.end());
    return at->second;
}

const NodeSet* LabelledNodes::with(Text key, Text value) const {
    const ByValue& by_value = of_key(key);
    const auto at = by_value.nodes.find(value);
    return at == by_value.nodes.end() ? nullptr : &at->second;
}

const NodeMask& LabelledNodes::having(Text key) const { return of_key(key).all; }

void LabelledNodes::matching(const LabelRequirement& requirement, NodeMask& into) const {
    std::ranges::fill(into, 0);
    const ByValue& by_value = of_key(requirement.key);
    if (requirement.op == LabelOperator::in) {
        for (const Text value : requirement.values) {
            if (const auto at = by_value.nodes.find(value); at != by_value.nodes.end()) {
                at->second.add_to(into);
            }
        }
        return;
    }
    if (matches(requirement, std::span<const Label>(), texts_)) {  // nodes without the key
        add_all(into, present_);
        take_all_out(into, by_value.all);
    }
    for (const auto& [value, nodes] : by_value.nodes) {
        const Label label{requirement.key, value};
        if (matches(requirement, std::span(&label, 1), texts_)) {
            nodes.add_to(into);
        }
    }
}

void LabelledNodes::matching(const std::vector<NodeTerm>& terms, NodeMask& into) const {
    std::ranges::fill(into, 0);
    NodeMask of_requirement;
    for (const NodeTerm& term : terms) {
        if ((term.labels.empty() && term.fields.empty()) || !parses(term, texts_)) {
            continue;
        }
        if (terms.size() == 1 && term.labels.size() == 1) {  // most volumes
            matching(term.labels.front(), into);
            return;
        }
        NodeMask of_term(into.size(), 0);
        add_all(of_term, present_);
        of_requirement.resize(into.size());
        for (const LabelRequirement& requirement : term.labels) {
            matching(requirement, of_requirement);
            keep_common(of_term, of_requirement);
        }
        add_all(into, of_term);
    }
}

}  // namespace bayplan
