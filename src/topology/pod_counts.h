// How many pods of a set lie in each domain of a topology key, kept by events: a placement costs a few
// additions, a question is an array read.
//
// A set is a set of specs: the specs that a pod term matches (all of several terms at once for required affinity), that
// own a term, or that a spread constraint counts. Which specs belong is found once per set and spec, never per pod or
// node, and not before somebody is about to ask: a spec that comes, or a namespace that changes, costs nothing for sets that
// nobody looks at. Sets that were not looked at for longest forget their members where all together have too many.
//
// Thread: the engine's. Source: Kubernetes 1.35, InterPodAffinity and PodTopologySpread (PreFilter state).
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "apps/ask_table.h"
#include "apps/spec_table.h"
#include "base/interned.h"
#include "labels/pod_terms.h"
#include "labels/term_index.h"
#include "topology/arrivals.h"
#include "topology/domain_counts.h"
#include "topology/node_filters.h"
#include "topology/signatures.h"
#include "topology/topology_keys.h"

namespace bayplan {

enum class SetId : std::uint32_t {};
enum class CounterId : std::uint32_t {};
enum class TermId : std::uint32_t {};

struct SetKey {
    std::vector<TermMatch> terms;      // all must match
    bool incoming = false;             // a term of a pod to be placed (Kubernetes' fault with selectors of
                                       // negative requirements concerns only these)
    TermId owners_of = kNone<TermId>;  // or: the specs that own this term
    // Or: topology spread; terminating pods are left out.
    bool spread = false;
    Text name_space = 0;
    LabelSelector selector;
    bool operator==(const SetKey&) const = default;
};
std::size_t hash_of(const SetKey&);

enum class TermKind : std::uint8_t {
    required_affinity,
    required_anti_affinity,
    preferred_affinity,
    preferred_anti_affinity
};

// A term that some spec has: the other side of affinity asks whom the terms of placed pods match.
struct TermKey {
    TermMatch match;
    Text topology_key = 0;
    TermKind kind = TermKind::required_affinity;
    std::int32_t weight = 0;
    std::uint32_t occurrence = 0;  // a spec may have the same term twice, and it counts twice
    bool operator==(const TermKey&) const = default;
};
std::size_t hash_of(const TermKey&);

struct CounterKey {
    SetId set = kNone<SetId>;
    KeyId key = kNone<KeyId>;           // none: every node is a domain, its slot the number
    FilterId filter = kNone<FilterId>;  // only pods on nodes that pass
    bool operator==(const CounterKey&) const = default;
};
std::size_t hash_of(const CounterKey&);

constexpr std::size_t kMemberBytes = 24;  // that a set takes for each of its specs

class PodCounts {
public:
    PodCounts(TextTable& texts, AskTable& asks, SpecTable& specs, TopologyKeys& keys, NodeFilters& filters,
              bool negative_selector_fault, std::size_t column_bytes_max, std::size_t members_max)
        : texts_(texts),
          asks_(asks),
          specs_(specs),
          keys_(keys),
          filters_(filters),
          matcher_(texts, negative_selector_fault),
          column_bytes_max_(column_bytes_max),
          members_max_(members_max) {}

    // --- specs and pods coming and going
    void spec_added(SpecId, const FactsBySlot&);
    void spec_going(SpecId);
    void add_pod(SpecId, Slot, bool terminating, int sign);
    // Null: it is gone.
    void set_namespace(Text, const std::vector<Label>* sorted_labels);

    // --- counters; `all` as in TopologyKeys
    // Up to date.
    SetId acquire_set(SetKey);
    void release(SetId);
    // Its counters count every spec that belongs to it now. Not while pods are off or on for a trial.
    void update(SetId);
    std::size_t members() const { return members_; }  // of all sets
    // Another number whenever sets may have to be updated.
    std::uint64_t sets_version() const { return sets_version_; }
    // So many pods more are off or on for a trial: nothing may be counted anew meanwhile.
    void on_trial(int change) { on_trial_ += change; }
    // The members of sets that were updated longest ago, if all have more than the limit allows; for when no plan is in hand.
    void forget_sets() {
        if (members_ > members_max_) forget_oldest_sets();
    }
    CounterId acquire(CounterKey);
    void release(CounterId);
    std::int64_t total(CounterId id) const { return counters_[id].total; }
    std::int32_t pods_in(CounterId id, Domain domain) const { return counters_[id].pods[domain]; }
    // Whether some domain has less than no pod: a trial took off pods that were left out already, for they terminate.
    bool any_below_none(CounterId id) const { return counters_[id].below_none > 0; }
    // Where the key gives every node that has its label a domain of its own: a bit per slot with such a pod. Else null.
    const NodeMask* occupied(CounterId, std::size_t slots);
    // Pods of each slot's domain, for that many slots at least, where the key is looked at node by node (topology_keys.h). Else
    // null. (A counter without a key is no other.) Until forget_columns().
    const std::int32_t* by_slot(CounterId, std::size_t slots);
    // The columns of by_slot() made longest ago, if they are more than the limit allows; they are made anew when asked for.
    void forget_columns();
    // The counters count the same pods, wherever these are.
    bool count_the_same(CounterId one, CounterId other) const {
        const CounterKey& key = counters_[one].key;
        return key.set == counters_[other].key.set && key.filter == counters_[other].key.filter;
    }

    // --- terms of specs that are alive
    struct Term {
        TermKey key;
        KeyId topology = kNone<KeyId>;
        SetId owners = kNone<SetId>;
        CounterId counter = kNone<CounterId>;  // owners by domain
        TermIndex<TermId>::FoundBy found_by;
    };
    // The terms that may mean pods of the spec, in order of their ids.
    std::vector<TermId> terms_about(const PodSpec&) const;
    const Term& term(TermId id) const { return terms_[id]; }
    // The spec's own, in the order of its lists.
    const std::vector<TermId>& terms_of(SpecId id) const { return of_specs_[raw(id)].terms; }
    template <typename Each>
    void for_each_term(Each&& each) {
        terms_.for_each(each);
    }
    const TermMatcher& matcher() const { return matcher_; }
    // Changes when a term comes or goes, or namespaces change.
    std::uint64_t terms_version() const { return terms_version_; }
    // Changes when pods are counted otherwise though none came or went: as namespaces change.
    std::uint64_t recounts() const { return recounts_; }
    // Held against sets so far, to find which of them belong to the sets.
    std::uint64_t specs_looked_at() const { return specs_looked_at_; }
    // Pods that counters were filled with.
    std::uint64_t pods_looked_at() const { return pods_looked_at_; }

private:
    static constexpr std::uint64_t kNever = UINT64_MAX;
    static constexpr std::size_t kChangedNamespaces = 64;  // remembered

    // Sets of owners are as many as there are terms. Each knows only its counter, whose pods come one by one: which specs own
    // its term is told by spec_added, in order that no term need be held against every spec, nor a spec against every term.
    struct Set {
        SetKey key;
        boost::unordered_flat_map<SpecId, std::uint32_t, NumberHash>
            members;                   // where the set lies among all sets of each
        std::uint64_t newest = 0;      // spec that it was held against, by birth
        std::uint64_t namespaces = 0;  // the number of their changes then
        std::uint64_t update = 0;      // the number of its last among all
        std::vector<CounterId> counters;
    };
    struct Counter {
        CounterKey key;
        DomainCounts pods;
        std::int64_t total = 0;
        std::int32_t below_none = 0;  // domains with less than no pod
        // True for this number of TopologyKeys::sharing(), or column_version(); kNever: not made yet.
        NodeMask occupied;
        std::uint64_t occupied_at = kNever;
        std::vector<std::int32_t> by_slot;
        std::uint64_t column = 0;  // the number of `by_slot` among columns_; 0: there is none
        std::size_t column_bytes = 0;
        std::uint64_t by_slot_at = kNever;
    };

    void hold_texts(const SetKey&, bool hold);
    bool belongs(const Set&, SpecId) const;
    void look_at_newer_specs(SetId);
    void look_at_changed_namespaces(SetId);
    bool look_again(SetId, SpecId);
    template <typename Each>
    void for_each_in_changed(const Set&, std::uint64_t changes, Each&&) const;
    void forget_members(SetId);
    void forget_oldest_sets();
    void note_update(SetId);
    void make_column(Counter&, std::size_t slots);
    void forget_column(Counter&);
    Domain domain_of(const Counter&, Slot) const;
    const LabelRequirement* rarest(const SetKey&) const;
    void put_in(SetId, SpecId);
    void take_out(SetId, SpecId);
    void leave(SpecId, std::uint32_t place);
    void fill(Counter&, SpecId, int sign);
    void clear(Counter&);
    void count(Counter&, Slot, int sign);
    void count_by_slot(Counter&, Slot, Domain, std::int32_t pods);
    void own_term(SpecId, TermKey, const FactsBySlot&);

    TextTable& texts_;
    AskTable& asks_;
    SpecTable& specs_;
    TopologyKeys& keys_;
    NodeFilters& filters_;
    TermMatcher matcher_;
    Interned<SetId, Set> sets_;
    Interned<CounterId, Counter> counters_;
    Interned<TermId, Term> terms_;
    Arrivals arrivals_;
    TermIndex<TermId> terms_about_;
    struct OfSpec {
        std::vector<SetId> sets;    // that it belongs to; sets of owners left out
        std::vector<TermId> terms;  // that it owns
    };
    std::vector<OfSpec> of_specs_;
    std::uint64_t newest_ = 0;  // spec, by birth
    boost::unordered_flat_map<Text, boost::unordered_flat_set<SpecId, NumberHash>, NumberHash> specs_in_;  // namespaces
    std::vector<Text> changed_namespaces_;  // the last few
    std::uint64_t namespace_changes_ = 0;   // ever
    std::int64_t on_trial_ = 0;
    std::uint64_t updates_ = 0;
    struct Update {
        SetId set = kNone<SetId>;
        std::uint64_t number = 0;
    };
    std::deque<Update> updated_;  // oldest first; a set's last counts
    struct Column {
        CounterId counter = kNone<CounterId>;
        std::uint64_t number = 0;
    };
    const std::size_t column_bytes_max_;
    std::size_t column_bytes_ = 0;
    std::uint64_t columns_made_ = 0;
    std::deque<Column> columns_;  // oldest first; of a counter the last is in use, if it has one
    // Read at every attempt.
    std::uint64_t terms_version_ = 1;
    std::uint64_t sets_version_ = 1;
    const std::size_t members_max_;
    std::size_t members_ = 0;  // of all sets
    std::uint64_t recounts_ = 0;
    std::uint64_t specs_looked_at_ = 0;
    std::uint64_t pods_looked_at_ = 0;
};

}  // namespace bayplan
