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
    return out;
}

std::string lists_fault(const PodSpec& spec) {
    std::size_t all = 0;
    for (const auto& [size, most] : lists_of(spec)) {
        if (size > most) {
            return "a list of more than " + std::to_string(most) + " entries";
        }
        all += size;
    }
    return all > 4096 ? "more than 4096 entries in all lists" : "";
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
        const std::string fault = define_spec(shims_.at(name), record);
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

std::string Oracle::define_spec(Shim& shim, const SpecItem& record) const {
    if (record.number == 0) {
        return "spec number 0 is reserved";
    }
    if (const std::string fault = lists_fault(record.spec); !fault.empty()) {
        return fault;
    }
    TextReader read(shim.dictionary);
    const KubeSpec spec = spelled_out(record.spec, read);
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
    shim.specs[record.number] = std::make_shared<const KubeSpec>(spec);
    return "";
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
    TextReader read(shims_.at(name).dictionary);
    KubeObjects apart;
    const ObjectKey key = record.removed ? key_of(record.object, read) : state_object(record.object, read, apart);
    if (read.unknown()) {
        return "unknown dictionary id " + number_sign(*read.unknown());
    }
    if (record.removed) {
        remove_object(key, objects_);
        object_owners_.erase(key);
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
    state_object(record.object, read, objects_);
    object_owners_[key] = name;
    return "";
}

void Oracle::forget_objects_of(const std::string& name) {
    for (auto object = object_owners_.begin(); object != object_owners_.end();) {
        if (object->second == name) {
            remove_object(object->first, objects_);
            object = object_owners_.erase(object);
        } else {
            ++object;
        }
    }
}

}  // namespace bayplan::oracle
