// The part of Inputs about specs and objects of the cluster: from a shim's dictionary ids to the engine's
// texts, and into the tables.

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include <boost/unordered/unordered_flat_set.hpp>

#include "base/visit_texts.h"
#include "cluster/device_texts.h"
#include "engine/byte_counts.h"
#include "engine/inputs.h"
#include "engine/statement_limits.h"
#include "predicates/predicate.h"

namespace bayplan {

namespace {

std::string term_fault(const PodTerm& term) { return term.topology_key == 0 ? "a term without a topology key" : ""; }

bool weight_is_sane(std::int32_t weight) { return weight >= 0 && weight <= 100; }

std::string weighted_fault(const std::vector<WeightedPodTerm>& terms) {
    for (const WeightedPodTerm& weighted : terms) {
        if (std::string fault = term_fault(weighted.term); !fault.empty()) {
            return fault;
        }
        if (!weight_is_sane(weighted.weight)) {
            return "weight outside 0 to 100";
        }
    }
    return {};
}

std::string terms_fault(const PodSpec& spec) {
    for (const auto* terms : {&spec.affinity, &spec.anti_affinity}) {
        for (const PodTerm& term : *terms) {
            if (std::string fault = term_fault(term); !fault.empty()) {
                return fault;
            }
        }
    }
    for (const auto* terms : {&spec.preferred_affinity, &spec.preferred_anti_affinity}) {
        if (std::string fault = weighted_fault(*terms); !fault.empty()) {
            return fault;
        }
    }
    for (const WeightedNodeTerm& weighted : spec.preferred_nodes) {
        if (!weight_is_sane(weighted.weight)) {
            return "weight outside 0 to 100";
        }
    }
    for (const SpreadConstraint& constraint : spec.spread) {
        if (constraint.topology_key == 0) {
            return "a term without a topology key";
        }
        if (constraint.max_skew < 1 || constraint.min_domains < 1) {
            return "skew or domains below 1";
        }
    }
    return {};
}

// Calls act(object) with a slice, a class or a claim; false: it is another object.
template <typename Act>
bool with_claim_object(const ClusterObject& object, Act&& act) {
    return std::visit(
        [&](const auto& one) {
            using Object = std::decay_t<decltype(one)>;
            constexpr bool kOurs = std::is_same_v<Object, ResourceSlice> || std::is_same_v<Object, DeviceClass> ||
                                   std::is_same_v<Object, ResourceClaim>;
            if constexpr (kOurs) {
                act(one);
            }
            return kOurs;
        },
        object);
}

bool apply_to_claims(ClaimObjects& claims, const ClusterObject& object) {
    return with_claim_object(object, [&](const auto& one) { claims.apply(one); });
}

bool remove_from_claims(ClaimObjects& claims, const ClusterObject& object) {
    return with_claim_object(object, [&](const auto& one) { claims.remove(one); });
}

}  // namespace

std::string Inputs::take_labels(std::vector<Label>& labels) {
    std::vector<Label> sorted = labels;
    std::sort(sorted.begin(), sorted.end(), [](const Label& a, const Label& b) { return a.key < b.key; });
    const auto twice =
        std::adjacent_find(sorted.begin(), sorted.end(), [](const Label& a, const Label& b) { return a.key == b.key; });
    if (twice == sorted.end()) {
        labels = std::move(sorted);
        return {};
    }
    // In the order of the record: how texts are numbered depends on what else there was.
    boost::unordered_flat_set<Text> before;
    const auto first = std::find_if(labels.begin(), labels.end(),
                                    [&](const Label& label) { return !before.insert(label.key).second; });
    return "label " + std::string(world_.texts.text(first->key)) + " is given twice";
}

// --- specs

// Each of its terms that the shim has not counts before the next.
std::string Inputs::label_crowd_fault(Shim& shim, SpecId content) {
    const PodCounts& counts = world_.topology.counts();
    const std::vector<TermId>& terms = counts.terms_of(content);
    const auto match = [&](TermId term) -> const TermMatch& { return counts.term(term).key.match; };
    std::size_t counted = 0;
    const auto fits = [&](TermId term) {
        return shim.terms.has(raw(term)) || !shim.terms.is_full(match(term), world_.options.label_terms_max);
    };
    for (; counted < terms.size() && fits(terms[counted]); ++counted) {
        shim.terms.add(raw(terms[counted]), match(terms[counted]));
    }
    const bool all = counted == terms.size();
    while (counted > 0) {
        --counted;
        shim.terms.remove(raw(terms[counted]), match(terms[counted]));
    }
    return all ? std::string()
               : "more than " + std::to_string(world_.options.label_terms_max) + " pod terms want one label";
}

void Inputs::define_spec(ShimId id, const SpecItem& record) {
    Shim& shim = world_.shims[id];
    const auto reject = [&](const std::string& fault) {
        lifecycle_.decide(id, DecisionKind::message_rejected, "spec " + std::to_string(record.number), fault);
    };
    if (record.number == 0) {
        return reject("spec number 0 is reserved");
    }
    if (const std::string fault = list_fault(record.spec); !fault.empty()) {
        return reject(fault);
    }
    MappedTexts<PodSpec> mapped(world_.texts, shim.dictionary, record.spec);
    if (mapped.unknown() != 0) {
        return reject("unknown dictionary id " + numbered(mapped.unknown()));
    }
    PodSpec& spec = mapped.record;
    if (const std::string fault = take_labels(spec.labels); !fault.empty()) {
        return reject(fault);
    }
    if (const std::string fault = terms_fault(spec); !fault.empty()) {
        return reject(fault);
    }
    const auto found = shim.specs.find(record.number);
    if (found != shim.specs.end()) {
        return world_.specs[found->second] == spec ? void() : reject("is defined already");
    }
    if (shim.specs.size() >= world_.options.specs_max) {
        return reject("more than " + std::to_string(world_.options.specs_max) + " specs");
    }
    // Before the content has an id, for then its keys get columns.
    if (!shim.topology_keys.has_room_for(spec, world_.options.topology_keys_max)) {
        return reject("more than " + std::to_string(world_.options.topology_keys_max) + " topology keys");
    }
    const SpecId content = world_.specs.acquire(PodSpec(spec));
    const bool counts = content != kEmptySpec && !shim.spec_uses.contains(content);
    std::string fault = counts ? label_crowd_fault(shim, content) : std::string();
    if (fault.empty()) {
        fault = bytes_fault(shim, counts ? spec_bytes(spec, world_.texts) : 0);
    }
    if (!fault.empty()) {
        world_.specs.release(content);
        return reject(fault);
    }
    use_spec(world_, id, content);
    shim.specs.emplace(record.number, content);
}

// Specs cannot have been defined since a former hello left some: that needs the beginning of a resync, which drops them.
void Inputs::leave_specs(Shim& shim) {
    if (shim.specs.empty()) {
        return;
    }
    BP_CHECK(shim.left_over_specs.empty());
    std::vector<std::pair<SpecNumber, SpecId>> by_number(shim.specs.begin(), shim.specs.end());
    std::sort(by_number.begin(), by_number.end(), std::greater<>());
    std::transform(by_number.begin(), by_number.end(), std::back_inserter(shim.left_over_specs),
                   [](const auto& one) { return one.second; });
    shim.specs = {};
}

void Inputs::drop_left_specs(ShimId id, std::uint32_t most) {
    std::vector<SpecId>& left = world_.shims[id].left_over_specs;
    for (; most > 0 && !left.empty(); --most) {
        use_no_more(world_, id, left.back());
        world_.specs.release(left.back());
        left.pop_back();
    }
}

void Inputs::apply(ShimId id, const SpecsMessage& message) {
    for (const SpecItem& record : message.define) {
        define_spec(id, record);
    }
    Shim& shim = world_.shims[id];
    for (const SpecNumber number : message.forget) {
        const auto found = shim.specs.find(number);
        if (found == shim.specs.end()) {
            lifecycle_.decide(id, DecisionKind::message_rejected, "spec " + std::to_string(number), "unknown spec");
            continue;
        }
        use_no_more(world_, id, found->second);
        world_.specs.release(found->second);
        shim.specs.erase(found);
    }
}

// --- objects

ObjectName name_of(const ClusterObject& object) {
    const std::size_t kind = object.index();
    return std::visit(
        [&](const auto& one) -> ObjectName {
            using Object = std::decay_t<decltype(one)>;
            if constexpr (std::is_same_v<Object, PodSet>) {
                return {kind, one.kind, one.name_space, one.name};
            } else if constexpr (std::is_same_v<Object, CsiNode>) {
                return {kind, 0, 0, one.node};
            } else if constexpr (requires { one.name_space; }) {
                return {kind, 0, one.name_space, one.name};
            } else {
                return {kind, 0, 0, one.name};
            }
        },
        object);
}

void Inputs::apply_object(const ClusterObject& object) {
    world_.reservations.changed_elsewhere();
    if (const auto* name_space = std::get_if<Namespace>(&object)) {
        std::vector<Label> labels = name_space->labels;
        std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.key < b.key; });
        world_.topology.set_namespace(name_space->name, labels);
        world_.reservations.changed_everywhere();
    } else if (const auto* pod_set = std::get_if<PodSet>(&object)) {
        world_.topology.pod_sets().apply(*pod_set);
        world_.topology.pod_sets_changed();
    } else if (const auto* budget = std::get_if<PodBudget>(&object)) {
        world_.budgets.set(*budget);
    } else if (!apply_to_claims(world_.topology.claims(), object)) {
        world_.topology.volumes().apply(object);
    }
    kinds_changed_ = kinds_changed_ || std::holds_alternative<DeviceClass>(object);
}

// Once for many objects: every node is looked at.
void Inputs::serve_kinds() {
    if (!std::exchange(kinds_changed_, false)) {
        return;
    }
    std::vector<ResourceId> kinds;
    for (const Text kind : world_.topology.claims().kinds_of_classes()) {
        kinds.push_back(world_.resources.acquire(world_.texts.text(kind)));
    }
    std::ranges::sort(kinds);
    if (world_.nodes.serve(std::move(kinds))) {
        world_.reservations.changed_everywhere();
    }
}

std::string Inputs::kinds_fault(Shim& shim, const ClusterObject& object) {
    const auto* const device_class = std::get_if<DeviceClass>(&object);
    if (device_class == nullptr) {
        return {};
    }
    for (const Text kind : device_class->kinds) {
        if (const std::string_view name = world_.texts.text(kind); !can_be_of_class(name)) {
            return std::string(name) + " cannot be devices of a class";
        }
    }
    const bool all =
        std::ranges::all_of(device_class->kinds, [&](Text kind) { return may_name(shim, world_.texts.text(kind)); });
    return all ? "" : "more than " + std::to_string(kKindsOfShimMax) + " kinds of resources";
}

void Inputs::withdraw_object(const ClusterObject& object) {
    world_.reservations.changed_elsewhere();
    if (const auto* name_space = std::get_if<Namespace>(&object)) {
        world_.topology.remove_namespace(name_space->name);
        world_.reservations.changed_everywhere();
    } else if (const auto* pod_set = std::get_if<PodSet>(&object)) {
        world_.topology.pod_sets().remove(pod_set->kind, pod_set->name_space, pod_set->name);
        world_.topology.pod_sets_changed();
    } else if (const auto* budget = std::get_if<PodBudget>(&object)) {
        world_.budgets.remove(budget->name_space, budget->name);
    } else if (!remove_from_claims(world_.topology.claims(), object)) {
        world_.topology.volumes().remove(object);
    }
    kinds_changed_ = kinds_changed_ || std::holds_alternative<DeviceClass>(object);
}

void Inputs::drop_object(ObjectTable::iterator at) {
    withdraw_object(at->second.object);
    disown(at);
    visit_texts(at->second.object, [&](Text text) { world_.texts.release(text); });
    world_.objects.erase(at);
}

void Inputs::own(ShimId id, ObjectTable::iterator at) {
    at->second.owner = id;
    objects_of(id).push_back(world_.objects, at);
    world_.bytes.add(world_.shims[id].bytes, at->second.bytes);
}

void Inputs::disown(ObjectTable::iterator at) {
    const ShimId owner = at->second.owner;
    objects_of(owner).remove(world_.objects, at);
    world_.bytes.give_back(world_.shims[owner].bytes, at->second.bytes);
}

ObjectsOfShim& Inputs::objects_of(ShimId id) {
    if (raw(id) >= world_.objects_of.size()) {
        world_.objects_of.resize(raw(id) + std::size_t{1});
    }
    return world_.objects_of[raw(id)];
}

std::uint32_t Inputs::drop_objects_of(ShimId id, std::uint32_t most) {
    std::uint32_t dropped = 0;
    for (const ObjectName* first; dropped < most && (first = objects_of(id).first()) != nullptr; ++dropped) {
        drop_object(world_.objects.find(*first));
    }
    serve_kinds();
    return dropped;
}

std::string Inputs::state_object(ShimId id, const ObjectItem& record) {
    Shim& shim = world_.shims[id];
    if (std::string fault = record.removed ? "" : list_fault(record.object); !fault.empty()) {
        return fault;
    }
    MappedTexts<ClusterObject> mapped(world_.texts, shim.dictionary, record.object);
    if (mapped.unknown() != 0) {
        return "unknown dictionary id " + numbered(mapped.unknown());
    }
    const ObjectName name = name_of(mapped.record);
    const auto found = world_.objects.find(name);
    const bool others = found != world_.objects.end() && found->second.owner != id;
    if (others && !shim.rights.change) {
        return "is of another shim";
    }
    if (record.removed) {
        if (found != world_.objects.end()) {
            drop_object(found);
        }
        return {};
    }
    const bool ours = found != world_.objects.end() && found->second.owner == id;
    if (!ours && objects_of(id).size() >= world_.options.objects_max) {
        return "more than " + std::to_string(world_.options.objects_max) + " objects";
    }
    if (const auto* const slice = std::get_if<ResourceSlice>(&mapped.record);
        slice != nullptr && world_.topology.claims().crowd_of(*slice) >= kSlicesTogetherMax) {
        return "more than " + std::to_string(kSlicesTogetherMax) + " slices together";
    }
    const std::uint64_t bytes = object_bytes(mapped.record, world_.texts);
    if (std::string fault = bytes_fault(shim, bytes, ours ? found->second.bytes : 0); !fault.empty()) {
        return fault;
    }
    if (std::string fault = kinds_fault(shim, mapped.record); !fault.empty()) {
        return fault;
    }
    if (others && std::holds_alternative<ResourceClaim>(mapped.record)) {
        withdraw_object(found->second.object);  // the other shim was told to give it back, not this one
    }
    apply_object(mapped.record);
    visit_texts(mapped.record, [&](Text text) { world_.texts.add_reference(text); });
    auto at = found;
    if (found != world_.objects.end()) {
        disown(found);
        visit_texts(found->second.object, [&](Text text) { world_.texts.release(text); });
        found->second = {std::move(mapped.record), id, bytes};
    } else {
        at = world_.objects.emplace(name, StatedObject{std::move(mapped.record), id, bytes}).first;
    }
    own(id, at);
    return {};
}

void Inputs::apply(ShimId id, const ObjectsMessage& message) {
    for (const ObjectItem& record : message.objects) {
        if (const std::string fault = state_object(id, record); !fault.empty()) {
            lifecycle_.decide(id, DecisionKind::message_rejected, "object", fault);
        } else {
            lifecycle_.wake(kObjectChanged);
        }
    }
    serve_kinds();
}

}  // namespace bayplan
