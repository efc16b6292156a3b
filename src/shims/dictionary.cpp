// The functions that take a number out of use; see dictionary.h.
//
// Thread: the engine's.
#include "shims/dictionary.h"

namespace bayplan {

bool Dictionary::forget(DictId id) {
    const auto found = entries_.find(id);
    if (found == entries_.end()) {
        return false;
    }
    if (found->second.resource != kNone<ResourceId>) {
        resources_.release(found->second.resource);
    }
    entries_.erase(found);
    return true;
}

void Dictionary::clear() {
    for (const auto& [id, entry] : entries_) {
        if (entry.resource != kNone<ResourceId>) {
            resources_.release(entry.resource);
        }
    }
    entries_.clear();
}

}  // namespace bayplan
