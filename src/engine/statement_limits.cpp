// One walk over a spec, which ends at the first list that is too long. Thread: any.
#include "engine/statement_limits.h"

#include <optional>
#include <vector>

namespace bayplan {

namespace {

constexpr std::size_t kTermsMax = 64;       // what has lists of its own, or is held against others one by one
constexpr std::size_t kPlainMax = 256;      // labels, ports, volumes, images, namespaces
constexpr std::size_t kValuesMax = 1'024;   // of a requirement: node affinity names nodes one by one
constexpr std::size_t kEntriesMax = 4'096;  // of all lists of a spec together

class Walk {
public:
    explicit Walk(const PodSpec& spec) {
        plain(spec.labels, kPlainMax);
        plain(spec.node_selector, kPlainMax);
        if (spec.required_nodes) {
            each(*spec.required_nodes);
        }
        each(spec.preferred_nodes);
        plain(spec.tolerations, kTermsMax);
        each(spec.affinity);
        each(spec.anti_affinity);
        each(spec.preferred_affinity);
        each(spec.preferred_anti_affinity);
        each(spec.spread);
        plain(spec.ports, kPlainMax);
        each(spec.volumes, kPlainMax);
        plain(spec.images, kPlainMax);
        plain(spec.gates, kTermsMax);
        if (fault_.empty() && entries_ > kEntriesMax) {
            fault_ = "more than " + std::to_string(kEntriesMax) + " entries in all lists";
        }
    }

    const std::string& fault() const { return fault_; }

private:
    template <typename Entry>
    void plain(const std::vector<Entry>& list, std::size_t most) {
        entries_ += list.size();
        if (fault_.empty() && list.size() > most) {
            fault_ = "a list of more than " + std::to_string(most) + " entries";
        }
    }
    template <typename Entry>
    void each(const std::vector<Entry>& list, std::size_t most = kTermsMax) {
        plain(list, most);
        for (std::size_t i = 0; fault_.empty() && i < list.size(); ++i) {
            inner(list[i]);
        }
    }
    void selector(const std::optional<LabelSelector>& selector) {
        if (selector) {
            each(selector->requirements);
        }
    }

    void inner(const LabelRequirement& one) { plain(one.values, kValuesMax); }
    void inner(const NodeTerm& one) {
        each(one.labels);
        each(one.fields);
    }
    void inner(const WeightedNodeTerm& one) { inner(one.term); }
    void inner(const PodTerm& one) {
        selector(one.selector);
        plain(one.namespaces, kPlainMax);
        selector(one.namespace_selector);
    }
    void inner(const WeightedPodTerm& one) { inner(one.term); }
    void inner(const SpreadConstraint& one) {
        selector(one.selector);
        plain(one.match_label_keys, kTermsMax);
    }
    void inner(const PodVolume& one) { plain(one.monitors, kTermsMax); }

    std::size_t entries_ = 0;
    std::string fault_;
};

}  // namespace

std::string list_fault(const PodSpec& spec) { return Walk(spec).fault(); }

}  // namespace bayplan
