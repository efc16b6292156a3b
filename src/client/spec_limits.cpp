// Limits of specs and objects, which are lists within lists: one walk counts their bytes and finds
// values that the daemon's decoder would refuse. See statement_limits.h.
//
// Thread: any, pure functions.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/visit_texts.h"
#include "client/statement_limits.h"
#include "wire/codec.h"

namespace bayplan::client {

namespace {

constexpr wire::Limits kSpecLimits;

// A frame holds at least one item, and the transport takes frames of 1 MiB.
constexpr std::size_t kItemBytesMax = 512 * 1024;

// Table, vtable and length words of the item itself; of a term, its place in a list included; of a
// list.
constexpr std::size_t kItemBytes = 320;
constexpr std::size_t kTermBytes = 64;
constexpr std::size_t kListBytes = 8;
constexpr std::size_t kAttributeBytes = 24;  // of a device

// Walks one spec or object.
class Measure {
public:
    explicit Measure(const PodSpec& spec) { item(spec); }
    explicit Measure(const ClusterObject& object) {
        std::visit([this](const auto& one) { item(one); }, object);
    }

    std::size_t bytes() const { return bytes_; }
    const char* fault() const { return fault_; }  // null: none

private:
    void found(const char* what) { fault_ = fault_ == nullptr ? what : fault_; }

    template <typename Entry>
    void sizes(const std::vector<Entry>& list, std::size_t each, std::size_t most, const char* what) {
        bytes_ += kListBytes + each * list.size();
        if (list.size() > most) {
            found(what);
        }
    }
    template <typename Entry>
    void terms(const std::vector<Entry>& list) {
        sizes(list, kTermBytes, kSpecLimits.terms_max, "a list is too long");
        for (const Entry& entry : list) {
            term(entry);
        }
    }
    void texts(const std::vector<Text>& list) {
        sizes(list, sizeof(Text), kSpecLimits.terms_max, "a list is too long");
    }
    void labels(const std::vector<Label>& list) {
        sizes(list, sizeof(Label), kSpecLimits.attributes_max, "too many labels");
    }
    void selector(const std::optional<LabelSelector>& selector) {
        if (selector) {
            bytes_ += kTermBytes;
            terms(selector->requirements);
        }
    }
    void node_selector(const std::optional<std::vector<NodeTerm>>& nodes) {
        if (nodes) {
            bytes_ += kTermBytes;
            terms(*nodes);
        }
    }
    template <typename Enum>
    void known(Enum value, Enum first, Enum last) {
        if (value < first || value > last) {
            found("an enumerator is not known");
        }
    }
    void access_modes(std::uint8_t modes) {
        if (modes > 15) {
            found("an access mode is not known");
        }
    }

    void term(const LabelRequirement& one) {
        known(one.op, LabelOperator::in, LabelOperator::less);
        texts(one.values);
    }
    void term(const NodeTerm& one) {
        terms(one.labels);
        terms(one.fields);
    }
    void term(const WeightedNodeTerm& one) { term(one.term); }
    void term(const PodTerm& one) {
        selector(one.selector);
        texts(one.namespaces);
        selector(one.namespace_selector);
    }
    void term(const WeightedPodTerm& one) { term(one.term); }
    void term(const Toleration& one) { known(one.effect, TaintEffect::any, TaintEffect::no_execute); }
    void term(const SpreadConstraint& one) {
        selector(one.selector);
        texts(one.match_label_keys);
    }
    void term(const HostPort& one) { known(one.protocol, Protocol::tcp, Protocol::sctp); }
    void term(const PodVolume& one) {
        known(one.kind, VolumeKind::claim, VolumeKind::other);
        texts(one.monitors);
    }
    void term(const TopologyTerm& one) { terms(one.labels); }
    void term(const CsiNodeDriver&) {}
    void term(const PodResourceClaim& one) { known(one.source, ClaimSource::named, ClaimSource::unset); }
    void term(const SliceDevice& one) {
        sizes(one.attributes, kAttributeBytes, kSpecLimits.terms_max, "a list is too long");
        sizes(one.capacities, sizeof(DeviceCapacity), kSpecLimits.terms_max, "a list is too long");
        for (const DeviceAttribute& attribute : one.attributes) {
            known(attribute.type, AttributeType::text, AttributeType::version);
        }
    }
    void term(const DeviceDemand& one) { texts(one.selectors); }
    void term(const DeviceRequest& one) { terms(one.demands); }
    void term(const DeviceConstraint& one) { texts(one.requests); }
    void term(const AllocatedDevice&) {}

    void item(const PodSpec& spec) {
        labels(spec.labels);
        labels(spec.node_selector);
        node_selector(spec.required_nodes);
        terms(spec.preferred_nodes);
        terms(spec.tolerations);
        terms(spec.affinity);
        terms(spec.anti_affinity);
        terms(spec.preferred_affinity);
        terms(spec.preferred_anti_affinity);
        terms(spec.spread);
        terms(spec.ports);
        terms(spec.volumes);
        texts(spec.images);
        texts(spec.gates);
        texts(spec.plugins);
        terms(spec.resource_claims.claims);
        bytes_ += kTermBytes;
    }
    void item(const Namespace& one) { labels(one.labels); }
    void item(const PodSet& one) { selector(one.selector); }
    void item(const PodBudget& one) {
        selector(one.selector);
        texts(one.disrupted_pods);
    }
    void item(const VolumeClaim& one) {
        access_modes(one.access_modes);
        selector(one.selector);
    }
    void item(const Volume& one) {
        access_modes(one.access_modes);
        known(one.source, VolumeKind::claim, VolumeKind::other);
        labels(one.labels);
        node_selector(one.nodes);
    }
    void item(const StorageClass& one) { terms(one.allowed_topologies); }
    void item(const CsiNode& one) {
        terms(one.drivers);
        texts(one.migrated);
    }
    void item(const CsiDriver&) {}
    void item(const CsiCapacity& one) { selector(one.topology); }
    void item(const VolumeAttachment&) {}
    void item(const ResourceSlice& one) {
        known(one.reach, SliceReach::nowhere, SliceReach::all_nodes);
        bytes_ += kTermBytes;
        term(one.nodes);
        terms(one.devices);
    }
    void item(const DeviceClass& one) {
        texts(one.selectors);
        texts(one.kinds);
    }
    void item(const ResourceClaim& one) {
        terms(one.requests);
        terms(one.constraints);
        if (one.allocation) {
            bytes_ += kTermBytes;
            terms(one.allocation->devices);
            node_selector(one.allocation->nodes);
        }
        texts(one.reserved_for);
    }

    std::size_t bytes_ = kItemBytes;
    const char* fault_ = nullptr;
};

// The first fault of an item; empty: none.
template <typename Item>
std::string fault_of(const Item& item, const TextOf& text_of) {
    const Measure measure(item);
    if (measure.fault() != nullptr) {
        return measure.fault();
    }
    if (measure.bytes() > kItemBytesMax) {
        return fmt::format("takes more than {} bytes", kItemBytesMax);
    }
    std::size_t longest = 0;
    visit_texts(item, [&](const Text& text) { longest = std::max(longest, text == 0 ? 0 : text_of(text).size()); });
    return longest <= kSpecLimits.string_bytes_max
               ? ""
               : fmt::format("a text is longer than {} bytes", kSpecLimits.string_bytes_max);
}

bool told(std::string_view item, const std::string& fault, std::string* why) {
    if (!fault.empty() && why != nullptr) {
        *why = fmt::format("{}: {}", item, fault);
    }
    return fault.empty();
}

}  // namespace

bool within_limits(std::span<const SpecItem> specs, const TextOf& text_of, std::string* why) {
    return std::ranges::all_of(specs, [&](const SpecItem& record) {
        return told(fmt::format("spec {}", record.number), fault_of(record.spec, text_of), why);
    });
}

bool within_limits(std::span<const ObjectItem> objects, const TextOf& text_of, std::string* why) {
    for (std::size_t i = 0; i < objects.size(); ++i) {
        if (!told(fmt::format("object {}", i), fault_of(objects[i].object, text_of), why)) {
            return false;
        }
    }
    return true;
}

std::size_t frame_bytes(const SpecItem& record) { return Measure(record.spec).bytes(); }

std::size_t frame_bytes(const ObjectItem& record) { return Measure(record.object).bytes(); }

}  // namespace bayplan::client
