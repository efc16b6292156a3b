// One walk over a record, which ends at the first list that is too long. Thread: any.
#include "engine/statement_limits.h"

#include <optional>
#include <variant>
#include <vector>

namespace bayplan {

namespace {

constexpr std::size_t kTermsMax = 64;   // entries with lists of their own, or compared with others one by one
constexpr std::size_t kPlainMax = 256;  // labels, ports, volumes, images, namespaces, amounts, taints, drivers
constexpr std::size_t kValuesMax =
    1'024;  // of a requirement: node affinity names nodes one by one; a node's labels and images
constexpr std::size_t kPluginsMax = 16;
constexpr std::size_t kEntriesMax = 4'096;  // of all lists of a spec or an object together
constexpr std::size_t kEntriesOfDevicesMax =
    8'192;  // of a slice, a class or a claim: 128 devices with 32 attributes each
constexpr std::size_t kSelectorPiecesMax = 2'048;

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
        plain(spec.plugins, kPluginsMax);
        plain(spec.resource_claims.claims, kTermsMax);
        ends();
    }
    explicit Walk(const ClusterObject& object) {
        std::visit([this](const auto& one) { lists_of(one); }, object);
        ends();
    }
    explicit Walk(const NodeItem& node) {
        plain(node.capacity, kPlainMax);
        plain(node.attributes, kValuesMax);
        plain(node.taints, kPlainMax);
        plain(node.images, kValuesMax);
    }
    explicit Walk(const AskItem& ask) { plain(ask.requests, kPlainMax); }

    const std::string& fault() const { return fault_; }
    std::size_t entries() const { return entries_; }

private:
    void ends() {
        if (fault_.empty() && entries_ > entries_max_) {
            fault_ = "more than " + std::to_string(entries_max_) + " entries in all lists";
        }
    }
    template <typename List>
    void plain(const List& list, std::size_t most) {
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
    void inner(const TopologyTerm& one) { each(one.labels); }
    void inner(const SliceDevice& one) {
        plain(one.attributes, kTermsMax);
        plain(one.capacities, kTermsMax);
    }
    void inner(const DeviceDemand& one) { plain(one.selectors, kSelectorPiecesMax); }
    void inner(const DeviceRequest& one) { each(one.demands); }
    void inner(const DeviceConstraint& one) { plain(one.requests, kTermsMax); }

    void lists_of(const Namespace& one) { plain(one.labels, kPlainMax); }
    void lists_of(const PodSet& one) { selector(one.selector); }
    void lists_of(const PodBudget& one) {
        selector(one.selector);
        plain(one.disrupted_pods, kValuesMax);
    }
    void lists_of(const VolumeClaim& one) { selector(one.selector); }
    void lists_of(const Volume& one) {
        plain(one.labels, kPlainMax);
        if (one.nodes) {
            each(*one.nodes);
        }
    }
    void lists_of(const StorageClass& one) { each(one.allowed_topologies); }
    void lists_of(const CsiNode& one) {
        plain(one.drivers, kPlainMax);
        plain(one.migrated, kPlainMax);
    }
    void lists_of(const CsiDriver&) {}
    void lists_of(const CsiCapacity& one) { selector(one.topology); }
    void lists_of(const VolumeAttachment&) {}
    void lists_of(const ResourceSlice& one) {
        entries_max_ = kEntriesOfDevicesMax;
        inner(one.nodes);
        each(one.devices, kPlainMax);
    }
    void lists_of(const DeviceClass& one) {
        entries_max_ = kEntriesOfDevicesMax;
        plain(one.selectors, kSelectorPiecesMax);
        plain(one.kinds, kTermsMax);
    }
    void lists_of(const ResourceClaim& one) {
        entries_max_ = kEntriesOfDevicesMax;
        each(one.requests);
        each(one.constraints);
        if (one.allocation) {
            plain(one.allocation->devices, kPlainMax);
            if (one.allocation->nodes) {
                each(*one.allocation->nodes);
            }
        }
        plain(one.reserved_for, kValuesMax);
    }

    std::size_t entries_max_ = kEntriesMax;
    std::size_t entries_ = 0;
    std::string fault_;
};

}  // namespace

std::string list_fault(const PodSpec& spec) { return Walk(spec).fault(); }
std::string list_fault(const ClusterObject& object) { return Walk(object).fault(); }
std::string list_fault(const NodeItem& node) { return Walk(node).fault(); }
std::string list_fault(const AskItem& ask) { return Walk(ask).fault(); }

std::size_t entries_of(const PodSpec& spec) { return Walk(spec).entries(); }
std::size_t entries_of(const ClusterObject& object) { return Walk(object).entries(); }

}  // namespace bayplan
