// Keeping a pod spec once, with references on its texts; see spec_table.h.
#include "apps/spec_table.h"

#include <utility>

#include "base/field_hash.h"
#include "base/visit_texts.h"

namespace bayplan {

SpecTable::SpecTable(TextTable& texts) : texts_(texts) {
    Entry& empty = *entries_.emplace_back(std::make_unique<Entry>());
    empty.references = 1;
    empty.born = ++births_;
    empty.hash = field_hash(empty.spec);
    ids_.emplace(HashedKey<PodSpec>{&empty.spec, empty.hash}, kEmptySpec);
}

SpecId SpecTable::acquire(PodSpec&& spec) {
    const std::size_t hash = field_hash(spec);
    if (const SpecId* const known = ids_.value_of(HashedKey<PodSpec>{&spec, hash})) {
        ++entries_[raw(*known)]->references;
        return *known;
    }
    SpecId id;
    if (free_.empty()) {
        entries_.push_back(std::make_unique<Entry>());
        id = static_cast<SpecId>(entries_.size() - 1);
    } else {
        id = free_.back();
        free_.pop_back();
    }
    Entry& entry = *entries_[raw(id)];
    entry.spec = std::move(spec);
    entry.references = 1;
    entry.born = ++births_;
    visit_texts(entry.spec, [&](Text text) { texts_.add_reference(text); });
    entry.hash = hash;
    ids_.emplace(HashedKey<PodSpec>{&entry.spec, hash}, id);
    if (listener_ != nullptr) {
        listener_->spec_added(id);
    }
    return id;
}

void SpecTable::release(SpecId id) {
    Entry& entry = *entries_[raw(id)];
    BP_CHECK_OP(entry.references, >, 0u);
    if (--entry.references > 0) {
        return;
    }
    BP_CHECK(entry.pods.empty());
    if (listener_ != nullptr) {
        listener_->spec_going(id);
    }
    ids_.erase(HashedKey<PodSpec>{&entry.spec, entry.hash});
    visit_texts(entry.spec, [&](Text text) { texts_.release(text); });
    entry = Entry{};
    free_.push_back(id);
}

}  // namespace bayplan
