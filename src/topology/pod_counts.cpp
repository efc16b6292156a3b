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

constexpr std::size_t kStaleColumns = 1'000;  // that were made anew, in a list of all; looked through no more often

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

bool PodCounts::contains(SetId id, SpecId spec) const { return sets_[id].members.contains(spec); }

// A label that the specs of a set, and the specs that a term means, must have.
const LabelRequirement* PodCounts::telling(const TermMatch& match) {
    return match.selector ? telling_requirement(*match.selector) : nullptr;
}

const LabelRequirement* PodCounts::telling(const SetKey& key) {
    if (key.spread) {
        return telling_requirement(key.selector);
    }
    for (const TermMatch& term : key.terms) {
        if (const LabelRequirement* wanted = telling(term)) {
            return wanted;
        }
    }
    return nullptr;
}

void PodCounts::mark(SetId id, SpecId spec, bool member) {
    if (!is_of_owners(sets_[id].key)) {
        if (member) {
            sets_[id].members.insert(spec);
        } else {
            sets_[id].members.erase(spec);
        }
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
    const std::int32_t pods = counter.pods.add(domain, sign);
    counter.total += sign;
    counter.below_none += (sign < 0 && pods == -1 ? 1 : 0) - (sign > 0 && pods == 0 ? 1 : 0);
    if (counter.occupied_at != kNever) {
        counter.occupied.resize(std::max<std::size_t>(counter.occupied.size(), block_of(slot) + 1), 0);
        const std::uint64_t bit = std::uint64_t{1} << lane_of(slot);
        std::uint64_t& word = counter.occupied[block_of(slot)];
        word = pods > 0 ? word | bit : word & ~bit;
    }
    if (counter.by_slot_at != kNever) {
        count_by_slot(counter, slot, domain, pods);
    }
}

void PodCounts::count_by_slot(Counter& counter, Slot slot, Domain domain, std::int32_t pods) {
    const KeyId key = counter.key.key;
    if (key == kNone<KeyId> || keys_.one_node_each(key)) {
        counter.by_slot.resize(std::max<std::size_t>(counter.by_slot.size(), raw(slot) + 1), 0);
        counter.by_slot[raw(slot)] = pods;
    } else if (keys_.by_node(key) && counter.by_slot_at == keys_.column_version(key)) {
        for (const Slot other : keys_.slots_of(key, domain)) {
            counter.by_slot[raw(other)] = pods;
        }
    } else {
        forget_column(counter);
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
    const KeyId key = counter.key.key;
    const bool keyless = key == kNone<KeyId>;
    if (!keyless && !keys_.one_node_each(key) && !keys_.by_node(key)) {
        return nullptr;
    }
    const std::int32_t* const all = keyless ? counter.pods.column(slots) : nullptr;
    if (all != nullptr) {
        forget_column(counter);
        return all;
    }
    const std::uint64_t version = keyless ? 0 : keys_.column_version(key);
    if (counter.by_slot_at != version) {
        make_column(counter, slots);
        counter.by_slot_at = version;
        counter.column = ++columns_made_;
        columns_.push_back({id, counter.column});
    }
    if (counter.by_slot.size() < slots) {
        counter.by_slot.resize(slots, 0);
    }
    return counter.by_slot.data();
}

void PodCounts::make_column(Counter& counter, std::size_t slots) {
    forget_column(counter);
    counter.by_slot.assign(slots, 0);
    column_bytes_ += counter.by_slot.size() * sizeof(counter.by_slot[0]);
    counter.column_bytes = counter.by_slot.size() * sizeof(counter.by_slot[0]);
    if (counter.key.key == kNone<KeyId>) {  // a domain is a slot
        counter.pods.for_each([&](Domain slot, std::int32_t pods) { counter.by_slot[slot] = pods; });
        return;
    }
    for (std::size_t slot = 0; slot < slots; ++slot) {
        const Domain domain = keys_.domain(counter.key.key, static_cast<Slot>(slot));
        counter.by_slot[slot] = domain == kNoDomain ? 0 : counter.pods[domain];
    }
}

void PodCounts::forget_column(Counter& counter) {
    column_bytes_ -= counter.column_bytes;
    counter.column_bytes = 0;
    counter.column = 0;
    counter.by_slot_at = kNever;
    counter.by_slot = {};
}

void PodCounts::forget_columns() {
    const auto is_there = [&](const Column& one) { return counters_[one.counter].column == one.number; };
    while (column_bytes_ > column_bytes_max_ && !columns_.empty()) {
        if (is_there(columns_.front())) {
            forget_column(counters_[columns_.front().counter]);
        }
        columns_.pop_front();
    }
    if (columns_.size() > 2 * counters_.size() + kStaleColumns) {
        std::erase_if(columns_, [&](const Column& one) { return !is_there(one); });
    }
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
        find_members(id);
    }
    return id;
}

void PodCounts::find_members(SetId id) {
    const Set& set = sets_[id];
    const LabelRequirement* const wanted = telling(set.key);
    sets_about_.add(wanted, id);
    if (looks_at_namespaces(set)) {
        sets_of_namespaces_.insert(id);
    }
    const auto look_at = [&](SpecId spec) {
        if (!set.members.contains(spec) && belongs(set, spec)) {
            mark(id, spec, true);
        }
    };
    if (wanted != nullptr) {
        specs_with_.for_each(*wanted, look_at);
        return;
    }
    for (std::uint32_t number = 0; number < member_of_.size(); ++number) {
        if (specs_.alive(static_cast<SpecId>(number))) {
            look_at(static_cast<SpecId>(number));
        }
    }
}

void PodCounts::release(SetId id) {
    if (!sets_.release(id)) {
        return;
    }
    for (const SpecId spec : sets_[id].members) {
        std::erase(member_of_[raw(spec)], id);
    }
    if (!is_of_owners(sets_[id].key)) {
        sets_about_.remove(telling(sets_[id].key), id);
        sets_of_namespaces_.erase(id);
    }
    hold_texts(sets_[id].key, false);
    sets_.forget(id);
}

CounterId PodCounts::acquire(CounterKey key) {
    const auto [id, fresh] = counters_.acquire(key);
    if (fresh) {
        Set& set = sets_[key.set];
        set.counters.push_back(id);
        for (const SpecId spec : set.members) {
            fill(counters_[id], spec, +1);
        }
    }
    return id;
}

void PodCounts::release(CounterId id) {
    if (counters_.release(id)) {
        forget_column(counters_[id]);
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
        terms_about_.add(telling(term.key.match), id);
        ++terms_version_;
    }
    terms_of_[raw(spec)].push_back(id);
}

std::vector<TermId> PodCounts::terms_about(const PodSpec& spec) const {
    std::vector<TermId> found;
    terms_about_.for_each(spec.labels, [&](TermId id) { found.push_back(id); });
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
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
    specs_with_.add(spec.labels, id);
    specs_of_namespaces_.emplace(spec.name_space, id);
    sets_about_.for_each(spec.labels, [&](SetId set) {
        if (!contains(set, id) && belongs(sets_[set], id)) {
            mark(set, id, true);
        }
    });
}

void PodCounts::spec_going(SpecId id) {
    // No pod of it has a place: counters need no change.
    for (const SetId set : member_of_[raw(id)]) {
        if (!is_of_owners(sets_[set].key)) {
            sets_[set].members.erase(id);
        }
    }
    member_of_[raw(id)].clear();
    specs_with_.remove(specs_[id].labels, id);
    specs_of_namespaces_.erase({specs_[id].name_space, id});
    for (const TermId term_id : std::vector<TermId>(std::move(terms_of_[raw(id)]))) {
        if (terms_.release(term_id)) {
            const Term& term = terms_[term_id];
            terms_about_.remove(telling(term.key.match), term_id);
            release(term.counter);
            release(term.owners);
            keys_.release(term.topology);
            terms_.forget(term_id);
            ++terms_version_;
        }
    }
    terms_of_[raw(id)].clear();
}

// Only specs of that namespace can belong elsewhere now.
void PodCounts::set_namespace(Text name, const std::vector<Label>* sorted_labels) {
    if (!matcher_.set_namespace(name, sorted_labels)) {
        return;
    }
    ++terms_version_;
    const auto first = specs_of_namespaces_.lower_bound({name, SpecId{}});
    for (const SetId id : sets_of_namespaces_) {
        Set& set = sets_[id];
        for (auto at = first; at != specs_of_namespaces_.end() && at->first == name; ++at) {
            const SpecId spec = at->second;
            const bool before = contains(id, spec);
            const bool now = belongs(set, spec);
            if (before == now) {
                continue;
            }
            ++recounts_;
            for (const CounterId counter : set.counters) {
                fill(counters_[counter], spec, now ? +1 : -1);
            }
            mark(id, spec, now);
        }
    }
}

}  // namespace bayplan
