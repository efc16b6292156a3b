// Facts of a node, beside how full it is: labels, taints, images. Immutable: a change makes a new one, so that workers
// may go on reading the old.
//
// Thread: made by the engine's, read by anybody. Texts are of the engine's TextTable.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bayplan/pod_spec.h"

namespace bayplan {

struct NodeImage {
    Text name = 0;
    std::int64_t bytes = 0;
    bool operator==(const NodeImage&) const = default;
};

struct NodeFacts {
    Text name = 0;
    std::vector<Label> labels;      // sorted by key, keys distinct
    std::vector<Taint> taints;      // in the node's order: the first untolerated one counts
    std::vector<NodeImage> images;  // sorted by name
    std::vector<Text> kinds;        // of resources that it states some of, devices could stand for them; sorted

    bool operator==(const NodeFacts&) const = default;
};

template <typename Visit>
void visit_facts(const NodeFacts& facts, Visit&& visit) {
    visit(facts.name);
    for (const Label& label : facts.labels) {
        visit(label.key);
        visit(label.value);
    }
    for (const Taint& taint : facts.taints) {
        visit(taint.key);
        visit(taint.value);
    }
    for (const NodeImage& image : facts.images) {
        visit(image.name);
    }
    for (const Text kind : facts.kinds) {
        visit(kind);
    }
}

inline bool states_kind(const NodeFacts& facts, Text kind) {
    return std::binary_search(facts.kinds.begin(), facts.kinds.end(), kind);
}

// The label of this key in labels sorted by key, or null.
inline const Label* find_label(const std::vector<Label>& labels, Text key) {
    const auto at = std::lower_bound(labels.begin(), labels.end(), key,
                                     [](const Label& label, Text wanted) { return label.key < wanted; });
    return at != labels.end() && at->key == key ? &*at : nullptr;
}

}  // namespace bayplan
