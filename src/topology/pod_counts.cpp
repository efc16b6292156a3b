// Adding a pod to the counts that its labels and terms concern; see pod_counts.h.
#include "topology/pod_counts.h"

#include <algorithm>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/field_hash.h"
#include "base/visit_texts.h"
#include "labels/selector.h"

namespace bayplan {

std::size_t hash_of(const SetKey& key) { return field_hash(key); }
std::size_t hash_of(const TermKey& key) { return field_hash(key); }
std::size_t hash_of(const CounterKey& key) { return field_hash(key); }

namespace {

struct HashTerm {
    std::size_t operator()(const TermKey& key) const { return hash_of(key); }
};

// Such sets are as many as there are terms. Each knows only its counter, whose pods come one by one: which specs own its
// term is told by spec_added, in order that no term need be held against every spec, nor a spec against every term.
bool is_of_owners(const SetKey& key) { return key.owners_of != kNone<TermId>; }

}  // namespace

// --- who belongs to a set

// Not asked of a set of owners.
bool PodCounts::belongs(const Set& set, SpecId id) const {
    const PodSpec& spec = specs_[id];
    if (set.key.spread) {
        return spec.name_space == set.key.name_space && matches(set.key.selector, spec.labels, texts_);
    }
    return std::all_of(set.key.terms.begin(), set.key.terms.end(),
                       [&](const TermMatch& term) { return matcher_.means(term, spec, set.key.incoming); });
}

bool PodCounts::looks_at_namespaces(const Set& set) {
    return std::any_of(set.key.terms.begin(), set.key.terms.end(),
                       [](const TermMatch& term) { return term.namespace_selector.has_value(); });
}

bool PodCounts::contains(SetId id, SpecId spec) const {
    const std::vector<bool>& members = sets_[id].members;
    return raw(spec) < members.size() && members[raw(spec)];
}

void PodCounts::mark(SetId id, SpecId spec, bool member) {
    if (!is_of_owners(sets_[id].key)) {
        std::vector<bool>& members = sets_[id].members;
        members.resize(std::max<std::size_t>(members.size(), raw(spec) + 1));
        members[raw(spec)] = member;
    }
    if (member) {
        member_of_[raw(spec)].push_back(id);
    } else {
        std::erase(member_of_[raw(spec)], id);
    }
}

// --- counting

Domain PodCounts::domain_of(const Counter& counter, Slot slot) const {
    return counter.key.key == kNone<KeyId> ? Domain{raw(slot)} : keys_.domain(counter.key.key, slot);
}

void PodCounts::count(Counter& counter, Slot slot, int sign) {
    const Domain domain = domain_of(counter, slot);
    if (domain == kNoDomain || !filters_.passes(counter.key.filter, slot)) {
        return;
    }
    counter.pods.resize(std::max<std::size_t>(counter.pods.size(), domain + 1), 0);
    counter.pods[domain] += sign;
    counter.total += sign;
    if (counter.occupied_at != kNever) {
        counter.occupied.resize(std::max<std::size_t>(counter.occupied.size(), block_of(slot) + 1), 0);
        const std::uint64_t bit = std::uint64_t{1} << lane_of(slot);
        std::uint64_t& word = counter.occupied[block_of(slot)];
        word = counter.pods[domain] > 0 ? word | bit : word & ~bit;
    }
    if (counter.by_slot_at != kNever) {
        counter.by_slot.resize(std::max<std::size_t>(counter.by_slot.size(), raw(slot) + 1), 0);
        counter.by_slot[raw(slot)] = counter.pods[domain];
    }
}

const NodeMask* PodCounts::occupied(CounterId id, std::size_t slots) {
    Counter& counter = counters_[id];
    if (!keys_.one_node_each(counter.key.key)) {
        return nullptr;
    }
    if (counter.occupied_at != keys_.sharing(counter.key.key)) {
        counter.occupied.assign(slots / kLanes, 0);
        for (std::size_t slot = 0; slot < slots; ++slot) {
            const Domain domain = keys_.domain(counter.key.key, static_cast<Slot>(slot));
            if (domain != kNoDomain && pods_in(id, domain) > 0) {
                counter.occupied[slot / kLanes] |= std::uint64_t{1} << slot % kLanes;
            }
        }
        counter.occupied_at = keys_.sharing(counter.key.key);
    }
    counter.occupied.resize(slots / kLanes, 0);
    return &counter.occupied;
}

const std::int32_t* PodCounts::by_slot(CounterId id, std::size_t slots) {
    Counter& counter = counters_[id];
    if (counter.key.key == kNone<KeyId>) {
        counter.pods.resize(std::max(counter.pods.size(), slots), 0);
        return counter.pods.data();
    }
    if (!keys_.one_node_each(counter.key.key)) {
        return nullptr;
    }
    if (counter.by_slot_at != keys_.sharing(counter.key.key)) {
        counter.by_slot.assign(slots, 0);
        for (std::size_t slot = 0; slot < slots; ++slot) {
            const Domain domain = keys_.domain(counter.key.key, static_cast<Slot>(slot));
            counter.by_slot[slot] = domain == kNoDomain ? 0 : pods_in(id, domain);
        }
        counter.by_slot_at = keys_.sharing(counter.key.key);
    }
    if (counter.by_slot.size() < slots) {
        counter.by_slot.resize(slots, 0);
    }
    return counter.by_slot.data();
}

void PodCounts::fill(Counter& counter, SpecId spec, int sign) {
    const bool spread = sets_[counter.key.set].key.spread;
    auto& pods = specs_.pods(spec);
    for (AskId id = pods.front(); id != kNone<AskId>; id = pods.next(asks_, id)) {
        if (!spread || !asks_[id].terminating) {
            count(counter, asks_[id].slot, sign);
        }
    }
}

void PodCounts::add_pod(SpecId spec, Slot slot, bool terminating, int sign) {
    for (const SetId id : member_of_[raw(spec)]) {
        const Set& set = sets_[id];
        if (set.key.spread && terminating) {
            continue;
        }
        for (const CounterId counter : set.counters) {
            count(counters_[counter], slot, sign);
        }
    }
}

// --- sets and counters

// A set outlives the object that its selector is from, as long as a plan has not been made anew. Without references its
// texts' ids could stand for other texts by then, and another selector would find this set.
void PodCounts::hold_texts(const SetKey& key, bool hold) {
    const auto count = [&](Text text) { hold ? texts_.add_reference(text) : texts_.release(text); };
    for (const TermMatch& term : key.terms) {
        std::ranges::for_each(term.namespaces, count);
        for (const std::optional<LabelSelector>* selector : {&term.namespace_selector, &term.selector}) {
            if (*selector) {
                visit_texts(**selector, count);
            }
        }
    }
    count(key.name_space);
    visit_texts(key.selector, count);
}

SetId PodCounts::acquire_set(SetKey key) {
    const auto [id, fresh] = sets_.acquire(std::move(key));
    if (fresh) {
        hold_texts(sets_[id].key, true);
    }
    if (fresh && !is_of_owners(sets_[id].key)) {
        for (std::uint32_t number = 0; number < member_of_.size(); ++number) {
            const auto spec = static_cast<SpecId>(number);
            if (specs_.alive(spec) && belongs(sets_[id], spec)) {
                mark(id, spec, true);
            }
        }
    }
    return id;
}

void PodCounts::release(SetId id) {
    if (!sets_.release(id)) {
        return;
    }
    for (std::uint32_t number = 0; number < sets_[id].members.size(); ++number) {
        if (sets_[id].members[number]) {
            std::erase(member_of_[number], id);
        }
    }
    hold_texts(sets_[id].key, false);
    sets_.forget(id);
}

CounterId PodCounts::acquire(CounterKey key) {
    const auto [id, fresh] = counters_.acquire(key);
    if (fresh) {
        Set& set = sets_[key.set];
        set.counters.push_back(id);
        for (std::uint32_t number = 0; number < set.members.size(); ++number) {
            if (set.members[number]) {
                fill(counters_[id], static_cast<SpecId>(number), +1);
            }
        }
    }
    return id;
}

void PodCounts::release(CounterId id) {
    if (counters_.release(id)) {
        std::erase(sets_[counters_[id].key.set].counters, id);
        counters_.forget(id);
    }
}

// --- specs

void PodCounts::own_term(SpecId spec, TermKey key, const FactsBySlot& all) {
    const auto [id, fresh] = terms_.acquire(std::move(key));
    if (fresh) {
        Term& term = terms_[id];
        term.topology = keys_.acquire({.key = term.key.topology_key}, all);
        SetKey owners;
        owners.owners_of = id;
        term.owners = acquire_set(std::move(owners));
        term.counter = acquire({.set = term.owners, .key = term.topology});
        ++terms_version_;
    }
    terms_of_[raw(spec)].push_back(id);
}

void PodCounts::spec_added(SpecId id, const FactsBySlot& all) {
    if (raw(id) >= member_of_.size()) {
        member_of_.resize(raw(id) + 1);
        terms_of_.resize(raw(id) + 1);
    }
    const PodSpec& spec = specs_[id];
    boost::unordered_flat_map<TermKey, std::uint32_t, HashTerm> times;  // that the spec has had the term so far
    const auto own = [&](const PodTerm& term, TermKind kind, std::int32_t weight) {
        TermKey key{match_of(term, spec.name_space), term.topology_key, kind, weight};
        key.occurrence = times[key]++;
        own_term(id, std::move(key), all);
    };
    for (const PodTerm& term : spec.affinity) {
        own(term, TermKind::required_affinity, 1);
    }
    for (const PodTerm& term : spec.anti_affinity) {
        own(term, TermKind::required_anti_affinity, 1);
    }
    for (const WeightedPodTerm& term : spec.preferred_affinity) {
        own(term.term, TermKind::preferred_affinity, term.weight);
    }
    for (const WeightedPodTerm& term : spec.preferred_anti_affinity) {
        own(term.term, TermKind::preferred_anti_affinity, term.weight);
    }
    for (const TermId term : terms_of_[raw(id)]) {
        mark(terms_[term].owners, id, true);
    }
    sets_.for_each([&](SetId set, Set& entry) {
        if (!is_of_owners(entry.key) && belongs(entry, id)) {
            mark(set, id, true);
        }
    });
}

void PodCounts::spec_going(SpecId id) {
    // No pod of it has a place: counters need no change.
    for (const SetId set : member_of_[raw(id)]) {
        if (!is_of_owners(sets_[set].key)) {
            sets_[set].members[raw(id)] = false;
        }
    }
    member_of_[raw(id)].clear();
    for (const TermId term_id : std::vector<TermId>(std::move(terms_of_[raw(id)]))) {
        if (terms_.release(term_id)) {
            const Term& term = terms_[term_id];
            release(term.counter);
            release(term.owners);
            keys_.release(term.topology);
            terms_.forget(term_id);
            ++terms_version_;
        }
    }
    terms_of_[raw(id)].clear();
}

void PodCounts::set_namespaces(const Namespaces& namespaces) {
    matcher_.set_namespaces(namespaces);
    ++terms_version_;
    sets_.for_each([&](SetId id, Set& set) {
        if (!looks_at_namespaces(set)) {
            return;
        }
        for (std::uint32_t number = 0; number < member_of_.size(); ++number) {
            const auto spec = static_cast<SpecId>(number);
            const bool before = contains(id, spec);
            const bool now = specs_.alive(spec) && belongs(set, spec);
            if (before == now) {
                continue;
            }
            for (const CounterId counter : set.counters) {
                fill(counters_[counter], spec, now ? +1 : -1);
            }
            mark(id, spec, now);
        }
    });
}

}  // namespace bayplan
