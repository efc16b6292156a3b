// Adding a pod to the counts that its labels and terms concern; see pod_counts.h.
#include "topology/pod_counts.h"

#include <algorithm>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/check.h"
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

}  // namespace

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
    BP_CHECK(on_trial_ == 0 || pods.empty());
    for (AskId id = pods.front(); id != kNone<AskId>; id = pods.next(asks_, id)) {
        ++pods_looked_at_;
        if (!spread || !asks_[id].terminating) {
            count(counter, asks_[id].slot, sign);
        }
    }
}

void PodCounts::clear(Counter& counter) {
    forget_column(counter);
    counter.pods = {};
    counter.total = 0;
    counter.below_none = 0;
    counter.occupied = {};
    counter.occupied_at = kNever;
}

void PodCounts::add_pod(SpecId spec, Slot slot, bool terminating, int sign) {
    const OfSpec& its = of_specs_[raw(spec)];
    for (const TermId term : its.terms) {
        count(counters_[terms_[term].counter], slot, sign);
    }
    for (const SetId id : its.sets) {
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
    update(id);
    return id;
}

void PodCounts::release(SetId id) {
    if (!sets_.release(id)) {
        return;
    }
    forget_members(id);
    hold_texts(sets_[id].key, false);
    sets_.forget(id);
}

CounterId PodCounts::acquire(CounterKey key) {
    const auto [id, fresh] = counters_.acquire(key);
    if (fresh) {
        Set& set = sets_[key.set];
        set.counters.push_back(id);
        for (const auto& [spec, place] : set.members) {
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
        term.found_by = terms_about_.choose(term.key.match).by;
        terms_about_.add(term.key.match, term.found_by, id);
        ++terms_version_;
    }
    of_specs_[raw(spec)].terms.push_back(id);
}

std::vector<TermId> PodCounts::terms_about(const PodSpec& spec) const {
    std::vector<TermId> found;
    terms_about_.for_each(spec, [&](TermId id) { found.push_back(id); });
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

void PodCounts::spec_added(SpecId id, const FactsBySlot& all) {
    if (raw(id) >= of_specs_.size()) {
        of_specs_.resize(raw(id) + 1);
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
    newest_ = specs_.born(id);
    arrivals_.add(spec.labels, id, newest_);
    specs_in_[spec.name_space].insert(id);
    ++sets_version_;
}

void PodCounts::spec_going(SpecId id) {
    // No pod of it has a place: counters need no change.
    for (const SetId set : of_specs_[raw(id)].sets) {
        sets_[set].members.erase(id);
    }
    members_ -= of_specs_[raw(id)].sets.size();
    of_specs_[raw(id)].sets = {};
    arrivals_.remove(specs_[id].labels, specs_.born(id));
    const auto neighbours = specs_in_.find(specs_[id].name_space);
    neighbours->second.erase(id);
    if (neighbours->second.empty()) {
        specs_in_.erase(neighbours);
    }
    for (const TermId term_id : std::vector<TermId>(std::move(of_specs_[raw(id)].terms))) {
        if (terms_.release(term_id)) {
            const Term& term = terms_[term_id];
            terms_about_.remove(term.key.match, term.found_by, term_id);
            release(term.counter);
            release(term.owners);
            keys_.release(term.topology);
            terms_.forget(term_id);
            ++terms_version_;
        }
    }
    of_specs_[raw(id)].terms.clear();
}

void PodCounts::set_namespace(Text name, const std::vector<Label>* sorted_labels) {
    if (!matcher_.set_namespace(name, sorted_labels)) {
        return;
    }
    ++terms_version_;
    ++sets_version_;
    if (changed_namespaces_.size() == kChangedNamespaces) {
        changed_namespaces_.erase(changed_namespaces_.begin());
    }
    changed_namespaces_.push_back(name);
    ++namespace_changes_;
}

}  // namespace bayplan
