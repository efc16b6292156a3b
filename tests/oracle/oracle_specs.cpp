// The oracle's specs and objects. rules/specs.md, rules/objects.md.
//
// Thread and errors: see oracle.h.
#include <algorithm>

#include "oracle.h"

namespace bayplan::oracle {

namespace {

std::string twice_labelled(const PodSpec& spec, TextReader& read) {
    std::set<std::string> keys;
    for (const Label& label : spec.labels) {
        if (!keys.insert(read(label.key)).second) {
            return "label " + read(label.key) + " is given twice";
        }
    }
    return "";
}

std::vector<KubePodTerm> all_terms(const KubeSpec& spec) {
    std::vector<KubePodTerm> out;
    for (const auto* terms :
         {&spec.affinity, &spec.anti_affinity, &spec.preferred_affinity, &spec.preferred_anti_affinity}) {
        out.insert(out.end(), terms->begin(), terms->end());
    }
    return out;
}

// Sizes of all lists of a spec with what each may have, an outer list before those in it.
using ListSizes = std::vector<std::pair<std::size_t, std::size_t>>;

void add_requirements(const std::vector<LabelRequirement>& requirements, ListSizes& into) {
    into.emplace_back(requirements.size(), 64);
    for (const LabelRequirement& requirement : requirements) {
        into.emplace_back(requirement.values.size(), 1024);
    }
}

void add_selector(const std::optional<LabelSelector>& selector, ListSizes& into) {
    if (selector) {
        add_requirements(selector->requirements, into);
    }
}

void add_term(const PodTerm& term, ListSizes& into) {
    add_selector(term.selector, into);
    into.emplace_back(term.namespaces.size(), 256);
    add_selector(term.namespace_selector, into);
}

void add_term(const NodeTerm& term, ListSizes& into) {
    add_requirements(term.labels, into);
    add_requirements(term.fields, into);
}

ListSizes lists_of(const PodSpec& spec) {
    ListSizes out{{spec.labels.size(), 256}, {spec.node_selector.size(), 256}};
    if (spec.required_nodes) {
        out.emplace_back(spec.required_nodes->size(), 64);
        for (const NodeTerm& term : *spec.required_nodes) {
            add_term(term, out);
        }
    }
    out.emplace_back(spec.preferred_nodes.size(), 64);
    for (const WeightedNodeTerm& weighted : spec.preferred_nodes) {
        add_term(weighted.term, out);
    }
    out.emplace_back(spec.tolerations.size(), 64);
    for (const auto* terms : {&spec.affinity, &spec.anti_affinity}) {
        out.emplace_back(terms->size(), 64);
        for (const PodTerm& term : *terms) {
            add_term(term, out);
        }
    }
    for (const auto* terms : {&spec.preferred_affinity, &spec.preferred_anti_affinity}) {
        out.emplace_back(terms->size(), 64);
        for (const WeightedPodTerm& weighted : *terms) {
            add_term(weighted.term, out);
        }
    }
    out.emplace_back(spec.spread.size(), 64);
    for (const SpreadConstraint& constraint : spec.spread) {
        add_selector(constraint.selector, out);
        out.emplace_back(constraint.match_label_keys.size(), 64);
    }
    out.emplace_back(spec.ports.size(), 256);
    out.emplace_back(spec.volumes.size(), 256);
    for (const PodVolume& volume : spec.volumes) {
        out.emplace_back(volume.monitors.size(), 64);
    }
    out.emplace_back(spec.images.size(), 256);
    out.emplace_back(spec.gates.size(), 64);
    out.emplace_back(spec.plugins.size(), 16);
    out.emplace_back(spec.resource_claims.claims.size(), 64);
    return out;
}

void add_lists(const ResourceClaim& claim, ListSizes& out) {
    out.emplace_back(claim.requests.size(), 64);
    for (const DeviceRequest& request : claim.requests) {
        out.emplace_back(request.demands.size(), 64);
        for (const DeviceDemand& demand : request.demands) {
            out.emplace_back(demand.selectors.size(), 2048);
        }
    }
    out.emplace_back(claim.constraints.size(), 64);
    for (const DeviceConstraint& constraint : claim.constraints) {
        out.emplace_back(constraint.requests.size(), 64);
    }
    if (claim.allocation) {
        out.emplace_back(claim.allocation->devices.size(), 256);
        if (claim.allocation->nodes) {
            out.emplace_back(claim.allocation->nodes->size(), 64);
            for (const NodeTerm& term : *claim.allocation->nodes) {
                add_term(term, out);
            }
        }
    }
    out.emplace_back(claim.reserved_for.size(), 1024);
}

ListSizes lists_of(const ClusterObject& object) {
    ListSizes out;
    if (const auto* name_space = std::get_if<Namespace>(&object)) {
        out.emplace_back(name_space->labels.size(), 256);
    } else if (const auto* pod_set = std::get_if<PodSet>(&object)) {
        add_selector(pod_set->selector, out);
    } else if (const auto* budget = std::get_if<PodBudget>(&object)) {
        add_selector(budget->selector, out);
        out.emplace_back(budget->disrupted_pods.size(), 1024);
    } else if (const auto* claim = std::get_if<VolumeClaim>(&object)) {
        add_selector(claim->selector, out);
    } else if (const auto* volume = std::get_if<Volume>(&object)) {
        out.emplace_back(volume->labels.size(), 256);
        if (volume->nodes) {
            out.emplace_back(volume->nodes->size(), 64);
            for (const NodeTerm& term : *volume->nodes) {
                add_term(term, out);
            }
        }
    } else if (const auto* storage = std::get_if<StorageClass>(&object)) {
        out.emplace_back(storage->allowed_topologies.size(), 64);
        for (const TopologyTerm& term : storage->allowed_topologies) {
            add_requirements(term.labels, out);
        }
    } else if (const auto* csi_node = std::get_if<CsiNode>(&object)) {
        out.emplace_back(csi_node->drivers.size(), 256);
        out.emplace_back(csi_node->migrated.size(), 256);
    } else if (const auto* capacity = std::get_if<CsiCapacity>(&object)) {
        add_selector(capacity->topology, out);
    } else if (const auto* slice = std::get_if<ResourceSlice>(&object)) {
        add_term(slice->nodes, out);
        out.emplace_back(slice->devices.size(), 256);
        for (const SliceDevice& device : slice->devices) {
            out.emplace_back(device.attributes.size(), 64);
            out.emplace_back(device.capacities.size(), 64);
        }
    } else if (const auto* device_class = std::get_if<DeviceClass>(&object)) {
        out.emplace_back(device_class->selectors.size(), 2048);
        out.emplace_back(device_class->kinds.size(), 64);
    } else if (const auto* resource_claim = std::get_if<ResourceClaim>(&object)) {
        add_lists(*resource_claim, out);
    }
    return out;
}

std::size_t entries_of(const ListSizes& lists) {
    std::size_t all = 0;
    for (const auto& [size, most] : lists) {
        all += size;
    }
    return all;
}

std::string lists_fault(const ListSizes& lists, std::size_t most_in_all = 4096) {
    for (const auto& [size, most] : lists) {
        if (size > most) {
            return "a list of more than " + std::to_string(most) + " entries";
        }
    }
    return entries_of(lists) > most_in_all ? "more than " + std::to_string(most_in_all) + " entries in all lists" : "";
}

// The faults of what a spec says, when all its texts are known.
std::string content_fault(const KubeSpec& spec) {
    const auto terms = all_terms(spec);
    const auto keyless = [](const auto& one) { return one.topology_key.empty(); };
    if (std::any_of(terms.begin(), terms.end(), keyless) ||
        std::any_of(spec.spread.begin(), spec.spread.end(), keyless)) {
        return "a term without a topology key";
    }
    if (std::any_of(spec.spread.begin(), spec.spread.end(),
                    [](const KubeSpread& one) { return one.max_skew < 1 || one.min_domains < 1; })) {
        return "skew or domains below 1";
    }
    const auto heavy = [](const auto& one) { return one.weight < 0 || one.weight > 100; };
    if (std::any_of(terms.begin(), terms.end(), heavy) ||
        std::any_of(spec.preferred_nodes.begin(), spec.preferred_nodes.end(), heavy)) {
        return "weight outside 0 to 100";
    }
    return "";
}

}  // namespace

void Oracle::message(const std::string& name, const SpecsMessage& specs) {
    for (const SpecItem& record : specs.define) {
        const std::string fault = define_spec(name, record);
        if (!fault.empty()) {
            decide(name, DecisionKind::message_rejected, "spec " + std::to_string(record.number), fault);
        }
    }
    for (const SpecNumber number : specs.forget) {
        if (shims_.at(name).specs.erase(number) == 0) {
            decide(name, DecisionKind::message_rejected, "spec " + std::to_string(number), "unknown spec");
        }
    }
}

std::string Oracle::define_spec(const std::string& name, const SpecItem& record) {
    Shim& shim = shims_.at(name);
    if (record.number == 0) {
        return "spec number 0 is reserved";
    }
    if (const std::string fault = lists_fault(lists_of(record.spec)); !fault.empty()) {
        return fault;
    }
    TextReader read(shim.dictionary);
    const KubeSpec spec = spelled_out(record.spec, read);
    const std::uint64_t bytes = 256 + 64 * entries_of(lists_of(record.spec)) + read.bytes();
    if (read.unknown()) {
        return "unknown dictionary id " + number_sign(*read.unknown());
    }
    std::string fault = twice_labelled(record.spec, read);
    fault = fault.empty() ? content_fault(spec) : fault;
    if (!fault.empty()) {
        return fault;
    }
    const auto there = shim.specs.find(record.number);
    if (there != shim.specs.end()) {
        return *there->second == spec ? "" : "is defined already";
    }
    if (shim.specs.size() >= options_.specs_max) {
        return "more than " + std::to_string(options_.specs_max) + " specs";
    }
    const auto all_before = specs_of(shim);
    if (more_keys_than(options_.topology_keys_max, all_before, spec)) {
        return "more than " + std::to_string(options_.topology_keys_max) + " topology keys";
    }
    std::vector<FoundTerm> found_terms = shim.found_terms;
    fault = crowd_fault(all_before, spec, options_.label_terms_max, found_terms);
    if (!fault.empty()) {
        return fault;
    }
    // It counts unless the shim has the content already.
    const auto defined = std::make_shared<const KubeSpec>(spec);
    const bool there_already = spec == KubeSpec{} || std::any_of(all_before.begin(), all_before.end(),
                                                                 [&](const auto& one) { return *one == spec; });
    spec_bytes_[defined] = bytes;
    const std::uint64_t more = there_already ? 0 : bytes;
    fault = bytes_fault(name, more, 0);
    if (fault.empty()) {
        shim.specs[record.number] = defined;
        shim.found_terms = found_terms;
    }
    return fault;
}

void Oracle::message(const std::string& name, const ObjectsMessage& objects) {
    for (const ObjectItem& record : objects.objects) {
        const std::string fault = object_record(name, record);
        if (fault.empty()) {
            wake(Event::object_changed);
        } else {
            decide(name, DecisionKind::message_rejected, "object", fault);
        }
    }
}

std::string Oracle::object_record(const std::string& name, const ObjectItem& record) {
    const bool of_devices = std::holds_alternative<ResourceSlice>(record.object) ||
                            std::holds_alternative<DeviceClass>(record.object) ||
                            std::holds_alternative<ResourceClaim>(record.object);
    if (const std::string fault = lists_fault(lists_of(record.object), of_devices ? 8192 : 4096);
        !record.removed && !fault.empty()) {
        return fault;
    }
    TextReader read(shims_.at(name).dictionary);
    KubeObjects apart;
    const ObjectKey key = record.removed ? key_of(record.object, read) : state_object(record.object, read, apart);
    if (read.unknown()) {
        return "unknown dictionary id " + number_sign(*read.unknown());
    }
    const auto owner_now = object_owners_.find(key);
    if (owner_now != object_owners_.end() && owner_now->second != name && !rights_of(name).change) {
        saw("an object of another shim is not changed");
        return "is of another shim";
    }
    if (record.removed) {
        remove_object(key, objects_);
        object_owners_.erase(key);
        object_bytes_.erase(key);
        std::erase_if(given_back_, [&](const auto& one) { return !objects_.resource_claims.contains(one.first); });
        return "";
    }
    std::uint64_t others = 0;
    for (const auto& [other, owner] : object_owners_) {
        others += owner == name && other != key;
    }
    const auto there = object_owners_.find(key);
    const bool own = there != object_owners_.end() && there->second == name;
    if (!own && others >= options_.objects_max) {
        return "more than " + std::to_string(options_.objects_max) + " objects";
    }
    TextReader all(shims_.at(name).dictionary);
    TextReader names(shims_.at(name).dictionary);  // which are read twice
    KubeObjects anywhere;
    state_object(record.object, all, anywhere);
    key_of(record.object, names);
    const std::uint64_t bytes = 256 + 64 * entries_of(lists_of(record.object)) + all.bytes() - names.bytes();
    if (const std::string fault = bytes_fault(name, bytes, own ? object_bytes_.at(key) : 0); !fault.empty()) {
        return fault;
    }
    for (const auto& [device_class, stated] : apart.device_classes) {
        for (const std::string& kind : stated.kinds) {
            if (kind.find('/') == std::string::npos) {
                return kind + " cannot be devices of a class";
            }
        }
        kinds_.insert(stated.kinds.begin(), stated.kinds.end());
    }
    for (const auto& [claim, stated] : apart.resource_claims) {
        const auto given_back = given_back_.find(claim);
        if (given_back != given_back_.end() && (!own || given_back->second != stated)) {
            saw("a claim given back is stated anew");
            given_back_.erase(given_back);
        }
    }
    state_object(record.object, read, objects_);
    object_owners_[key] = name;
    objects_stated_[key] = ++object_statements_;
    object_bytes_[key] = bytes;
    return "";
}

// The object that it stated longest ago. False: it has none.
bool Oracle::forget_first_object_of(const std::string& name) {
    const ObjectKey* first = nullptr;
    for (const auto& [key, owner] : object_owners_) {
        if (owner == name && (first == nullptr || objects_stated_.at(key) < objects_stated_.at(*first))) {
            first = &key;
        }
    }
    if (first == nullptr) {
        return false;
    }
    const ObjectKey key = *first;
    remove_object(key, objects_);
    object_bytes_.erase(key);
    object_owners_.erase(key);
    std::erase_if(given_back_, [&](const auto& one) { return !objects_.resource_claims.contains(one.first); });
    return true;
}

}  // namespace bayplan::oracle
