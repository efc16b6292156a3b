// PodTopologySpread: the predicate (DoNotSchedule) and the score (ScheduleAnyway, own constraints or
// the two that Kubernetes' defaults give to pods of services and controllers).
//
// Thread and errors: see kube_predicate.h.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kube_match.h"
#include "kube_predicate.h"

namespace bayplan::oracle {

namespace {

// A constraint with matchLabelKeys merged in: the pod's own values of these keys are demanded too.
// An absent selector goes on matching nothing.
KubeSpread merged(const KubeSpread& constraint, const KubeLabels& pod_labels) {
    KubeSpread out = constraint;
    KubeSelector more;
    for (const std::string& key : constraint.match_label_keys) {
        const auto own = pod_labels.find(key);
        if (own != pod_labels.end()) {
            more.push_back({key, LabelOperator::in, {own->second}});
        }
    }
    if (out.selector) {
        out.selector->insert(out.selector->end(), more.begin(), more.end());
    }
    return out;
}

std::vector<KubeSpread> own_constraints(const KubeSpec& spec, bool hard) {
    std::vector<KubeSpread> out;
    for (const KubeSpread& constraint : spec.spread) {
        if (constraint.hard == hard) {
            out.push_back(merged(constraint, spec.labels));
        }
    }
    return out;
}

// An empty selector counts nobody, though it matches the pod itself (R-PREDICATE-21).
std::int64_t count_matching(const KubeLook& look, const KubeNode& node, const KubeMaybeSelector& selector) {
    if (!selector || selector->empty()) {
        return 0;
    }
    std::int64_t count = 0;
    for (const KubePod* pod : look.pods_of(node)) {
        count += !pod->terminating && pod->spec->name_space == look.spec().name_space &&
                 selector_matches(*selector, pod->spec->labels);
    }
    for (const KubePod* pod : look.state.taken_away) {
        // R-PREDICATE-16: whoever is taken away is taken off the count, if it was in there or not.
        count -= pod->terminating && look.state.options.copies_trial_faults && pod->node == node.name &&
                 pod->spec->name_space == look.spec().name_space && selector_matches(*selector, pod->spec->labels);
    }
    return count;
}

bool has_all_keys(const KubeNode& node, const std::vector<KubeSpread>& constraints) {
    return std::all_of(constraints.begin(), constraints.end(),
                       [&](const KubeSpread& one) { return node.labels.contains(one.topology_key); });
}

bool policies_include(const KubeSpec& spec, const KubeNode& node, const KubeSpread& constraint) {
    return !(constraint.honor_node_affinity && !pod_wants_node(spec, node)) &&
           !(constraint.honor_node_taints && has_untolerated_taint(spec, node));
}

std::string value_of(const KubeNode& node, const std::string& key) {
    const auto found = node.labels.find(key);
    return found == node.labels.end() ? "" : found->second;
}

class PodTopologySpread : public KubePredicate {
public:
    using KubePredicate::KubePredicate;

    KubeMaybeFault prefilter() override {
        constraints_ = own_constraints(look_.spec(), true);
        counts_.resize(constraints_.size());
        for (const KubeNode* node : look_.state.nodes) {
            if (!has_all_keys(*node, constraints_)) {
                continue;
            }
            for (std::size_t i = 0; i < constraints_.size(); ++i) {
                const KubeSpread& one = constraints_[i];
                if (policies_include(look_.spec(), *node, one)) {
                    counts_[i][node->labels.at(one.topology_key)] += count_matching(look_, *node, one.selector);
                }
            }
        }
        return std::nullopt;
    }

    KubeMaybeFault filter(const KubeNode& node) override {
        for (std::size_t i = 0; i < constraints_.size(); ++i) {
            const KubeSpread& one = constraints_[i];
            const auto value = node.labels.find(one.topology_key);
            if (value == node.labels.end()) {
                return unresolvable(
                    "node(s) didn't match pod topology spread constraints "
                    "(missing required label)");
            }
            const auto here = counts_[i].find(value->second);
            const std::int64_t matching = here == counts_[i].end() ? 0 : here->second;
            const std::int64_t self = selector_matches(one.selector, look_.spec().labels);
            if (matching + self - lowest(i) > one.max_skew) {
                return unschedulable("node(s) didn't match pod topology spread constraints");
            }
        }
        return std::nullopt;
    }

private:
    std::int64_t lowest(std::size_t i) const {
        if (std::int64_t(counts_[i].size()) < constraints_[i].min_domains) {
            return 0;
        }
        std::int64_t low = std::numeric_limits<std::int32_t>::max();
        for (const auto& [domain, count] : counts_[i]) {
            low = std::min(low, count);
        }
        return low;
    }

    std::vector<KubeSpread> constraints_;
    std::vector<std::map<std::string, std::int64_t>> counts_;  // per constraint, by domain
};

class PodTopologySpreadScore : public KubeScore {
public:
    using KubeScore::KubeScore;

    bool prescore(const std::vector<const KubeNode*>& feasible) override {
        demands_keys_ = !look_.spec().spread.empty();
        constraints_ = demands_keys_ ? own_constraints(look_.spec(), false) : default_constraints();
        if (constraints_.empty()) {
            return false;
        }
        feasible_ = feasible;
        counts_.resize(constraints_.size());
        for (const KubeNode* node : feasible) {
            if (is_ignored(*node)) {
                continue;
            }
            ++scored_nodes_;
            for (std::size_t i = 0; i < constraints_.size(); ++i) {
                // Without the label, the empty text is a domain like any other.
                counts_[i][value_of(*node, constraints_[i].topology_key)] += 0;
            }
        }
        count_pods();
        return true;
    }

    std::int64_t score(const KubeNode& node) override {
        if (is_ignored(node)) {
            return 0;
        }
        double sum = 0;
        for (std::size_t i = 0; i < constraints_.size(); ++i) {
            const KubeSpread& one = constraints_[i];
            const auto value = node.labels.find(one.topology_key);
            if (value == node.labels.end()) {
                continue;
            }
            const bool per_node = one.topology_key == kHostnameLabel;
            const std::int64_t count =
                per_node ? count_matching(look_, node, one.selector) : counts_[i].at(value->second);
            const std::size_t domains = per_node ? scored_nodes_ : counts_[i].size();
            const double weight = std::log(double(domains + 2));
            sum += double(count) * weight + double(one.max_skew - 1);
        }
        return std::llround(sum);
    }

    void normalise(std::vector<std::int64_t>& scores) override {
        std::int64_t low = std::numeric_limits<std::int64_t>::max();
        std::int64_t high = std::numeric_limits<std::int64_t>::min();
        for (std::size_t i = 0; i < scores.size(); ++i) {
            if (!is_ignored(*feasible_[i])) {
                low = std::min(low, scores[i]);
                high = std::max(high, scores[i]);
            }
        }
        for (std::size_t i = 0; i < scores.size(); ++i) {
            if (is_ignored(*feasible_[i])) {
                scores[i] = 0;
            } else if (high == 0) {
                scores[i] = 100;
            } else {
                scores[i] = 100 * (high + low - scores[i]) / high;
            }
        }
    }

private:
    bool is_ignored(const KubeNode& node) const { return demands_keys_ && !has_all_keys(node, constraints_); }

    void count_pods() {
        for (const KubeNode* node : look_.state.nodes) {
            if (is_ignored(*node)) {
                continue;
            }
            for (std::size_t i = 0; i < constraints_.size(); ++i) {
                const KubeSpread& one = constraints_[i];
                const auto domain = counts_[i].find(value_of(*node, one.topology_key));
                if (domain != counts_[i].end() && policies_include(look_.spec(), *node, one)) {
                    domain->second += count_matching(look_, *node, one.selector);
                }
            }
        }
    }

    std::vector<KubeSpread> default_constraints() const {
        KubeSelector selector;
        for (const auto& [name, set] : look_.state.objects->pod_sets) {
            if (set.kind == "Service" && set.name_space == look_.spec().name_space &&
                selector_matches(set.selector, look_.spec().labels)) {
                selector.insert(selector.end(), set.selector->begin(), set.selector->end());
            }
        }
        const std::string& kind = look_.spec().owner_kind;
        if (kind == "ReplicationController" || kind == "ReplicaSet" || kind == "StatefulSet") {
            const auto owner =
                look_.state.objects->pod_sets.find({kind, {look_.spec().name_space, look_.spec().owner_name}});
            if (owner != look_.state.objects->pod_sets.end() && owner->second.selector) {
                selector.insert(selector.end(), owner->second.selector->begin(), owner->second.selector->end());
            }
        }
        if (selector.empty()) {
            return {};
        }
        KubeSpread by_node;
        by_node.max_skew = 3;
        by_node.topology_key = kHostnameLabel;
        by_node.hard = false;
        by_node.selector = selector;
        KubeSpread by_zone = by_node;
        by_zone.max_skew = 5;
        by_zone.topology_key = kZoneLabel;
        return {by_node, by_zone};
    }

    bool demands_keys_ = false;
    std::vector<KubeSpread> constraints_;
    std::vector<const KubeNode*> feasible_;
    std::size_t scored_nodes_ = 0;
    std::vector<std::map<std::string, std::int64_t>> counts_;
};

}  // namespace

KubePredicatePointer kube_pod_topology_spread(const KubeLook& look) {
    return std::make_unique<PodTopologySpread>(look);
}

KubeScorePointer kube_pod_topology_spread_score(const KubeLook& look) {
    return std::make_unique<PodTopologySpreadScore>(look);
}

}  // namespace bayplan::oracle
