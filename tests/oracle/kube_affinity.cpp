// InterPodAffinity: the predicate (required terms in all three directions) and the score (preferred
// terms in both).
//
// Thread and errors: see kube_predicate.h.
#include <algorithm>
#include <limits>

#include "kube_match.h"
#include "kube_predicate.h"

namespace bayplan::oracle {

namespace {

using Terms = std::vector<KubePodTerm>;
using Place = std::pair<std::string, std::string>;  // topology key and the node's value of it
using Places = std::map<Place, std::int64_t>;

constexpr std::int64_t kHardAffinityWeight = 1;

KubeLabels namespace_labels(const KubeLook& look, const std::string& name) {
    const auto found = look.state.objects->namespaces.find(name);
    return found == look.state.objects->namespaces.end() ? KubeLabels() : found->second.labels;
}

bool is_listed(const KubePodTerm& term, const std::string& owner_namespace, const std::string& other_namespace) {
    if (term.namespaces.empty() && !term.namespace_selector) {
        return owner_namespace == other_namespace;
    }
    return term.namespaces.contains(other_namespace);
}

// A term of the judged pod against another pod (or against itself). Its namespace selector finds
// the namespaces that there are; `{}` means all names, known or not.
bool own_term_matches(const KubeLook& look, const KubePodTerm& term, const KubeSpec& other) {
    bool in_namespace = is_listed(term, look.spec().name_space, other.name_space);
    if (term.namespace_selector) {
        const auto known = look.state.objects->namespaces.find(other.name_space);
        in_namespace = in_namespace || term.namespace_selector->empty() ||
                       (known != look.state.objects->namespaces.end() &&
                        selector_matches(*term.namespace_selector, known->second.labels));
        if (look.state.options.copies_namespace_fault) {
            in_namespace = in_namespace || selector_matches(*term.namespace_selector, {});
        }
    }
    return in_namespace && selector_matches(term.selector, other.labels);
}

// A term of a placed pod against the judged one, whose namespace counts with its labels.
bool their_term_matches(const KubeLook& look, const KubePodTerm& term, const KubeSpec& owner) {
    const std::string& name = look.spec().name_space;
    const bool in_namespace = is_listed(term, owner.name_space, name) ||
                              selector_matches(term.namespace_selector, namespace_labels(look, name));
    return in_namespace && selector_matches(term.selector, look.spec().labels);
}

bool all_own_terms_match(const KubeLook& look, const Terms& terms, const KubeSpec& other) {
    return !terms.empty() && std::all_of(terms.begin(), terms.end(),
                                         [&](const auto& term) { return own_term_matches(look, term, other); });
}

void add(Places& places, const KubeNode& node, const std::string& key, std::int64_t amount) {
    const auto value = node.labels.find(key);
    if (value != node.labels.end()) {
        places[{key, value->second}] += amount;
    }
}

class InterPodAffinity : public KubePredicate {
public:
    using KubePredicate::KubePredicate;

    KubeMaybeFault prefilter() override {
        for (const KubeNode* node : look_.state.nodes) {
            for (const KubePod* pod : look_.pods_of(*node)) {
                count(*node, *pod->spec);
            }
        }
        return std::nullopt;
    }

    KubeMaybeFault filter(const KubeNode& node) override {
        if (!affinity_holds(node)) {
            return unresolvable("node(s) didn't match pod affinity rules");
        }
        for (const KubePodTerm& term : look_.spec().anti_affinity) {
            const auto value = node.labels.find(term.topology_key);
            if (value != node.labels.end() && repelled_.contains(*value)) {
                return unschedulable("node(s) didn't match pod anti-affinity rules");
            }
        }
        for (const auto& label : node.labels) {
            if (repelling_.contains(label)) {
                return unschedulable("node(s) didn't satisfy existing pods anti-affinity rules");
            }
        }
        return std::nullopt;
    }

    bool skips() const override {
        return look_.spec().affinity.empty() && look_.spec().anti_affinity.empty() && repelling_.empty();
    }

private:
    void count(const KubeNode& node, const KubeSpec& other) {
        if (all_own_terms_match(look_, look_.spec().affinity, other)) {
            for (const KubePodTerm& term : look_.spec().affinity) {
                add(attracted_, node, term.topology_key, 1);
            }
        }
        for (const KubePodTerm& term : look_.spec().anti_affinity) {
            if (own_term_matches(look_, term, other)) {
                add(repelled_, node, term.topology_key, 1);
            }
        }
        for (const KubePodTerm& term : other.anti_affinity) {
            if (their_term_matches(look_, term, other)) {
                add(repelling_, node, term.topology_key, 1);
            }
        }
    }

    bool affinity_holds(const KubeNode& node) const {
        bool company = true;
        for (const KubePodTerm& term : look_.spec().affinity) {
            const auto value = node.labels.find(term.topology_key);
            if (value == node.labels.end()) {
                return false;
            }
            company = company && attracted_.contains(*value);
        }
        // The first of a group that wants its own company may go anywhere.
        return company || (attracted_.empty() && all_own_terms_match(look_, look_.spec().affinity, look_.spec()));
    }

    Places attracted_;  // pods that all own affinity terms match
    Places repelled_;   // pods that an own anti-affinity term matches
    Places repelling_;  // anti-affinity terms of placed pods that match this one
};

class InterPodAffinityScore : public KubeScore {
public:
    using KubeScore::KubeScore;

    bool prescore(const std::vector<const KubeNode*>&) override {
        for (const KubeNode* node : look_.state.nodes) {
            for (const KubePod* pod : look_.pods_of(*node)) {
                weigh(*node, *pod->spec);
            }
        }
        return !places_.empty();
    }

    std::int64_t score(const KubeNode& node) override {
        std::int64_t sum = 0;
        for (const auto& label : node.labels) {
            const auto found = places_.find(label);
            sum += found == places_.end() ? 0 : found->second;
        }
        return sum;
    }

    void normalise(std::vector<std::int64_t>& scores) override {
        const auto [low, high] = std::minmax_element(scores.begin(), scores.end());
        const std::int64_t least = *low;
        const std::int64_t range = *high - *low;
        for (std::int64_t& score : scores) {
            const double part = range > 0 ? double(score - least) / double(range) : 0.0;
            score = std::int64_t(100.0 * part);
        }
    }

private:
    void weigh(const KubeNode& node, const KubeSpec& other) {
        const auto own = [&](const Terms& terms, std::int64_t sign) {
            for (const KubePodTerm& term : terms) {
                if (own_term_matches(look_, term, other)) {
                    add(places_, node, term.topology_key, sign * term.weight);
                }
            }
        };
        const auto theirs = [&](const Terms& terms, std::int64_t sign) {
            for (const KubePodTerm& term : terms) {
                if (their_term_matches(look_, term, other)) {
                    add(places_, node, term.topology_key, sign * term.weight);
                }
            }
        };
        own(look_.spec().preferred_affinity, 1);
        own(look_.spec().preferred_anti_affinity, -1);
        for (const KubePodTerm& term : other.affinity) {
            if (their_term_matches(look_, term, other)) {
                add(places_, node, term.topology_key, kHardAffinityWeight);
            }
        }
        theirs(other.preferred_affinity, 1);
        theirs(other.preferred_anti_affinity, -1);
    }

    Places places_;
};

}  // namespace

KubePredicatePointer kube_inter_pod_affinity(const KubeLook& look) { return std::make_unique<InterPodAffinity>(look); }

KubeScorePointer kube_inter_pod_affinity_score(const KubeLook& look) {
    return std::make_unique<InterPodAffinityScore>(look);
}

}  // namespace bayplan::oracle
