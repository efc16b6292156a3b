// A walk over the keys before and after, both sorted; see label_carriers.h.
#include "cluster/label_carriers.h"

#include <span>

#include "base/check.h"

namespace bayplan {

void LabelCarriers::remove(Text key, Slot slot) {
    const auto found = carriers_.find(key);
    BP_CHECK(found != carriers_.end());
    found->second.remove(slot);
    if (found->second.empty()) {
        carriers_.erase(found);
    }
}

void LabelCarriers::change(Slot slot, const NodeFacts* before, const NodeFacts* after) {
    std::span<const Label> old_labels = before != nullptr ? std::span(before->labels) : std::span<const Label>();
    std::span<const Label> new_labels = after != nullptr ? std::span(after->labels) : std::span<const Label>();
    while (!old_labels.empty() || !new_labels.empty()) {
        if (new_labels.empty() || (!old_labels.empty() && old_labels.front().key < new_labels.front().key)) {
            remove(old_labels.front().key, slot);
            old_labels = old_labels.subspan(1);
        } else if (old_labels.empty() || new_labels.front().key < old_labels.front().key) {
            add(new_labels.front().key, slot);
            new_labels = new_labels.subspan(1);
        } else {
            old_labels = old_labels.subspan(1);
            new_labels = new_labels.subspan(1);
        }
    }
}

const NodeSet& LabelCarriers::of(Text key) const {
    const auto found = carriers_.find(key);
    return found == carriers_.end() ? none_ : found->second;
}

}  // namespace bayplan
