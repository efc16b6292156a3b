// Which specs belong to a set, found when somebody is about to look at its counters; see pod_counts.h.
#include <algorithm>

#include "labels/selector.h"
#include "topology/pod_counts.h"

namespace bayplan {

namespace {

constexpr std::size_t kStaleUpdates =
    1'000;  // of sets that were updated again, in a list of all; looked through no more often

bool is_of_owners(const SetKey& key) { return key.owners_of != kNone<TermId>; }

bool looks_at_namespaces(const SetKey& key) {
    return std::any_of(key.terms.begin(), key.terms.end(),
                       [](const TermMatch& term) { return term.namespace_selector.has_value(); });
}

}  // namespace

// Not asked of a set of owners.
bool PodCounts::belongs(const Set& set, SpecId id) const {
    const PodSpec& spec = specs_[id];
    if (set.key.spread) {
        return spec.name_space == set.key.name_space && matches(set.key.selector, spec.labels, texts_);
    }
    return std::all_of(set.key.terms.begin(), set.key.terms.end(),
                       [&](const TermMatch& term) { return matcher_.means(term, spec, set.key.incoming); });
}

// The requirement that names the labels which the fewest specs have. Null: the selectors name none.
const LabelRequirement* PodCounts::rarest(const SetKey& key) const {
    const LabelRequirement* found = nullptr;
    std::size_t fewest = 0;
    const auto look_at = [&](const LabelSelector& selector) {
        for (const LabelRequirement& requirement : selector.requirements) {
            if (requirement.op != LabelOperator::in) continue;
            const std::size_t specs = arrivals_.count(requirement);
            if (found == nullptr || specs < fewest) {
                found = &requirement;
                fewest = specs;
            }
        }
    };
    if (key.spread) {
        look_at(key.selector);
    }
    for (const TermMatch& term : key.terms) {
        if (term.selector) look_at(*term.selector);
    }
    return found;
}

void PodCounts::put_in(SetId id, SpecId spec) {
    std::vector<SetId>& sets = of_specs_[raw(spec)].sets;
    sets_[id].members.emplace(spec, static_cast<std::uint32_t>(sets.size()));
    sets.push_back(id);
    ++members_;
    for (const CounterId counter : sets_[id].counters) {
        fill(counters_[counter], spec, +1);
    }
}

// The spec belongs no more to the set at this place among its own.
void PodCounts::leave(SpecId spec, std::uint32_t place) {
    std::vector<SetId>& sets = of_specs_[raw(spec)].sets;
    if (place + 1 < sets.size()) {
        sets[place] = sets.back();
        sets_[sets.back()].members.find(spec)->second = place;
    }
    sets.pop_back();
}

void PodCounts::take_out(SetId id, SpecId spec) {
    const auto found = sets_[id].members.find(spec);
    leave(spec, found->second);
    sets_[id].members.erase(found);
    --members_;
}

// True: it makes a difference.
bool PodCounts::look_again(SetId id, SpecId spec) {
    const bool before = sets_[id].members.contains(spec);
    if (belongs(sets_[id], spec) == before) {
        return false;
    }
    if (!before) {
        put_in(id, spec);
        return true;
    }
    for (const CounterId counter : sets_[id].counters) {
        fill(counters_[counter], spec, -1);
    }
    take_out(id, spec);
    return true;
}

// Specs of the namespaces that changed last, if not all, then all that may belong to the set: the specs that have the label which
// tells most, where that are fewer.
template <typename Each>
void PodCounts::for_each_in_changed(const Set& set, std::uint64_t changes, Each&& each) const {
    const LabelRequirement* const wanted = rarest(set.key);
    const bool all_known = changes <= changed_namespaces_.size();
    const auto first =
        all_known ? changed_namespaces_.end() - static_cast<std::ptrdiff_t>(changes) : changed_namespaces_.end();
    std::size_t specs = 0;
    for (auto name = first; name != changed_namespaces_.end(); ++name) {
        const auto found = specs_in_.find(*name);
        specs += found == specs_in_.end() ? 0 : found->second.size();
    }
    if (!all_known || (wanted != nullptr && arrivals_.count(*wanted) < specs)) {
        arrivals_.for_each_since(0, wanted, each);
        return;
    }
    for (auto name = first; name != changed_namespaces_.end(); ++name) {
        if (const auto found = specs_in_.find(*name); found != specs_in_.end()) {
            for (const SpecId spec : found->second) each(spec);
        }
    }
}

// Specs that the set was held against before: only in namespaces that changed can they belong elsewhere now.
void PodCounts::look_at_changed_namespaces(SetId id) {
    Set& set = sets_[id];
    const std::uint64_t changes = namespace_changes_ - set.namespaces;
    set.namespaces = namespace_changes_;
    if (changes == 0 || !looks_at_namespaces(set.key)) {
        return;
    }
    if (set.newest == 0) {
        recounts_ += set.counters.empty() ? 0 : 1;  // it forgot its members: other specs may belong now
        return;
    }
    std::uint64_t differ = 0;
    for_each_in_changed(set, changes, [&](SpecId spec) {
        ++specs_looked_at_;
        differ += specs_.born(spec) <= set.newest && look_again(id, spec) ? 1 : 0;
    });
    recounts_ += differ;
}

void PodCounts::look_at_newer_specs(SetId id) {
    Set& set = sets_[id];
    arrivals_.for_each_since(set.newest, rarest(set.key), [&](SpecId spec) {
        ++specs_looked_at_;
        if (!set.members.contains(spec) && belongs(set, spec)) {
            put_in(id, spec);
        }
    });
    set.newest = newest_;
}

void PodCounts::update(SetId id) {
    if (is_of_owners(sets_[id].key)) {
        return;
    }
    look_at_changed_namespaces(id);
    if (sets_[id].newest != newest_) {
        look_at_newer_specs(id);
    }
    if (!sets_[id].members.empty()) {
        note_update(id);
    }
}

void PodCounts::note_update(SetId id) {
    sets_[id].update = ++updates_;
    updated_.push_back({id, updates_});
    if (updated_.size() > 2 * sets_.size() + kStaleUpdates) {
        std::erase_if(updated_, [&](const Update& one) { return sets_[one.set].update != one.number; });
    }
}

void PodCounts::forget_members(SetId id) {
    Set& set = sets_[id];
    for (const auto& [spec, place] : set.members) {
        leave(spec, place);
    }
    members_ -= set.members.size();
    set.members = {};
    set.newest = 0;
    set.update = 0;
}

void PodCounts::forget_oldest_sets() {
    while (members_ > members_max_ && !updated_.empty()) {
        const Update oldest = updated_.front();
        updated_.pop_front();
        if (sets_[oldest.set].update != oldest.number) {
            continue;  // it was updated again
        }
        forget_members(oldest.set);
        for (const CounterId id : sets_[oldest.set].counters) {
            clear(counters_[id]);
        }
        ++sets_version_;
    }
}

}  // namespace bayplan
