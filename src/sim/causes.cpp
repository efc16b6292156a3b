// See causes.h.
#include "sim/causes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "kube/node_match.h"
#include "options/predicate_rows.h"
#include "sim/use_report.h"
#include "sim/volume_causes.h"

namespace bayplan::sim {

namespace {

constexpr std::size_t kNearestShown = 6;

bool is(const PredicateFailure& failure, PredicateId id) { return failure.predicate == row_of(id).name; }

Text label_of(const kube::ConvertedNode& node, Text key) {
    const auto found = std::ranges::find(node.attributes, key, &Attribute::key);
    return found == node.attributes.end() ? 0 : found->value;
}

std::string_view operator_text(LabelOperator op) {
    switch (op) {
        case LabelOperator::in: return "In";
        case LabelOperator::not_in: return "NotIn";
        case LabelOperator::exists: return "Exists";
        case LabelOperator::does_not_exist: return "DoesNotExist";
        case LabelOperator::greater: return "Gt";
        case LabelOperator::less: return "Lt";
    }
    return "";
}

}  // namespace

std::string taint_text(const kube::Texts& texts, const Taint& taint) {
    const std::string_view effect = taint.effect == TaintEffect::no_execute ? "NoExecute" : "NoSchedule";
    const std::string_view value = texts.text(taint.value);
    return fmt::format("{}{}{}:{}", texts.text(taint.key), value.empty() ? "" : "=", value, effect);
}

Causes::Causes(const kube::ClusterDump& dump, const ClusterUse& use, const kube::ConvertedPod& pod)
    : dump_(dump), use_(use), pod_(pod), spec_(dump.spec_of(pod)) {}

std::vector<std::string> Causes::of(std::string_view node, const PredicateFailure& failure) {
    const std::optional<std::size_t> at = use_.find(node);
    if (!at) return {};
    const kube::ConvertedNode& converted = dump_.nodes()[*at];
    if (is(failure, PredicateId::node_resources_fit)) return resources(*at);
    if (is(failure, PredicateId::taint_toleration)) return taints(converted);
    if (is(failure, PredicateId::node_affinity)) return affinity(converted);
    if (is(failure, PredicateId::pod_topology_spread)) return spread(converted);
    if (is(failure, PredicateId::inter_pod_affinity)) return neighbours(converted);
    if (is(failure, PredicateId::node_ports)) return ports(*at);
    const VolumeCauses volumes(dump_, use_, spec_);
    if (is(failure, PredicateId::volume_binding) || is(failure, PredicateId::volume_zone)) {
        return volumes.binding(converted);
    }
    if (is(failure, PredicateId::node_volume_limits)) {
        if (!volumes_) volumes_.emplace(dump_, use_);
        return volumes.limits(converted, *volumes_);
    }
    if (is(failure, PredicateId::volume_restrictions)) return volumes.sharing();
    return {};
}

std::vector<std::string> Causes::resources(std::size_t node) const {
    std::vector<std::string> causes;
    for (const Amount& asked : pod_.requests) {
        const std::string_view resource = name(asked.resource);
        const ClusterUse::Room room = use_.room(node, asked.resource);
        const std::int64_t free = std::max<std::int64_t>(0, room.capacity - room.used);
        if (asked.value > free) {
            causes.push_back(fmt::format("asks {} {}, free {} of {}", resource, amount_text(resource, asked.value),
                                         amount_text(resource, free), amount_text(resource, room.capacity)));
        }
    }
    if (causes.empty()) causes.push_back("what is free is held for nominated pods");
    return causes;
}

std::vector<std::string> Causes::taints(const kube::ConvertedNode& node) const {
    const Taint* const taint = kube::untolerated(spec_, node);
    if (taint == nullptr) return {};
    return {"taint " + taint_text(dump_.texts(), *taint)};
}

std::string Causes::text(const LabelRequirement& wanted, const kube::ConvertedNode& node) const {
    std::vector<std::string_view> values;
    for (const Text value : wanted.values) values.push_back(name(value));
    const Text has = label_of(node, wanted.key);
    const std::string list = values.empty() ? "" : fmt::format(" [{}]", fmt::join(values, ", "));
    const std::string what = has == 0 ? "lacks it" : fmt::format("has {}", name(has));
    return fmt::format("wants {} {}{}, {}", name(wanted.key), operator_text(wanted.op), list, what);
}

std::vector<std::string> Causes::affinity(const kube::ConvertedNode& node) const {
    std::vector<Label> labels;
    for (const Attribute& one : node.attributes) labels.push_back({one.key, one.value});
    for (const Label& wanted : spec_.node_selector) {
        const LabelRequirement one{wanted.key, LabelOperator::in, {wanted.value}};
        if (!kube::matches(one, labels, dump_.texts())) return {"node selector " + text(one, node)};
    }
    std::vector<std::string> causes;
    if (!spec_.required_nodes) return causes;
    for (std::size_t index = 0; index < spec_.required_nodes->size(); ++index) {
        const NodeTerm& term = (*spec_.required_nodes)[index];
        const auto fails = [&](const LabelRequirement& one) { return !kube::matches(one, labels, dump_.texts()); };
        const auto found = std::ranges::find_if(term.labels, fails);
        const std::string why = found != term.labels.end() ? text(*found, node)
                                : term.fields.empty()      ? "is empty"
                                                           : "names other nodes";
        causes.push_back(fmt::format("term {} {}", index + 1, why));
    }
    return causes;
}

std::string Causes::selector_text(const LabelSelector& selector) const {
    std::string text;
    for (const LabelRequirement& one : selector.requirements) {
        std::vector<std::string_view> values;
        for (const Text value : one.values) values.push_back(name(value));
        text += text.empty() ? "" : ", ";
        text += one.op == LabelOperator::in && values.size() == 1
                    ? fmt::format("{}={}", name(one.key), values.front())
                    : fmt::format("{} {} [{}]", name(one.key), operator_text(one.op), fmt::join(values, ", "));
    }
    return text.empty() ? "all pods" : text;
}

const Causes::Domains& Causes::domains(std::size_t constraint) {
    if (domains_.empty()) domains_.resize(spec_.spread.size());
    Domains& found = domains_[constraint];
    const SpreadConstraint& wanted = spec_.spread[constraint];
    if (!found.counts.empty() || !wanted.selector) return found;
    LabelSelector selector = *wanted.selector;
    for (const Text key : wanted.match_label_keys) {
        const auto own = std::ranges::find(spec_.labels, key, &Label::key);
        if (own != spec_.labels.end()) selector.requirements.push_back({key, LabelOperator::in, {own->value}});
    }
    found.own = kube::matches(selector, spec_.labels, dump_.texts());
    std::vector<Text> value_of(dump_.nodes().size());
    for (std::size_t at = 0; at < dump_.nodes().size(); ++at) {
        const kube::ConvertedNode& node = dump_.nodes()[at];
        const bool counts = (!wanted.honor_node_affinity || kube::selects(spec_, node, dump_.texts())) &&
                            (!wanted.honor_node_taints || kube::untolerated(spec_, node) == nullptr) &&
                            std::ranges::all_of(spec_.spread, [&](const SpreadConstraint& one) {
                                return !one.hard || label_of(node, one.topology_key) != 0;
                            });
        value_of[at] = counts ? label_of(node, wanted.topology_key) : 0;
        if (value_of[at] != 0) found.counts.try_emplace(value_of[at], 0);
    }
    use_.for_each_placed([&](const kube::ConvertedPod& pod, std::size_t node) {
        const PodSpec& spec = dump_.spec_of(pod);
        if (value_of[node] != 0 && !pod.ask.terminating && spec.name_space == spec_.name_space &&
            kube::matches(selector, spec.labels, dump_.texts())) {
            ++found.counts[value_of[node]];
        }
    });
    found.least = std::numeric_limits<std::int64_t>::max();
    for (const auto& [value, count] : found.counts) {
        const bool first = count < found.least || (count == found.least && name(value) < name(found.emptiest));
        if (first) found.emptiest = value;
        found.least = std::min(found.least, count);
    }
    if (found.counts.size() < static_cast<std::size_t>(wanted.min_domains)) {
        found.least = 0;
        found.emptiest = 0;
    }
    return found;
}

std::vector<std::string> Causes::spread(const kube::ConvertedNode& node) {
    std::vector<std::string> causes;
    for (std::size_t index = 0; index < spec_.spread.size(); ++index) {
        const SpreadConstraint& wanted = spec_.spread[index];
        if (!wanted.hard) continue;
        const Text value = label_of(node, wanted.topology_key);
        if (value == 0) {
            causes.push_back(fmt::format("constraint {}: the node lacks {}", index + 1, name(wanted.topology_key)));
            continue;
        }
        const Domains& found = domains(index);
        const auto here = found.counts.find(value);
        const std::int64_t count = (here == found.counts.end() ? 0 : here->second) + (found.own ? 1 : 0);
        if (count - found.least <= wanted.max_skew) continue;
        const std::string least = found.emptiest == 0
                                      ? fmt::format("there are fewer than {} domains", wanted.min_domains)
                                      : fmt::format("{} has {}", name(found.emptiest), found.least);
        causes.push_back(fmt::format("constraint {}: {} {} would have {}, {}, maxSkew {}", index + 1,
                                     name(wanted.topology_key), name(value), count, least, wanted.max_skew));
    }
    return causes;
}

bool Causes::means(const PodTerm& term, const kube::ConvertedPod& owner, const kube::ConvertedPod& other) const {
    const PodSpec& of = dump_.spec_of(owner);
    const PodSpec& spec = dump_.spec_of(other);
    if (!term.selector || !kube::matches(*term.selector, spec.labels, dump_.texts())) return false;
    if (term.namespaces.empty() && !term.namespace_selector) return spec.name_space == of.name_space;
    if (std::ranges::find(term.namespaces, spec.name_space) != term.namespaces.end()) return true;
    if (!term.namespace_selector) return false;
    if (term.namespace_selector->requirements.empty()) return true;
    return std::ranges::any_of(dump_.objects(), [&](const ClusterObject& object) {
        const auto* const one = std::get_if<Namespace>(&object);
        return one != nullptr && one->name == spec.name_space &&
               kube::matches(*term.namespace_selector, one->labels, dump_.texts());
    });
}

std::vector<std::string> Causes::neighbours(const kube::ConvertedNode& node) const {
    std::vector<bool> met(spec_.affinity.size());
    std::map<std::string, std::string> against;  // a cause, and the first pod that it is for
    use_.for_each_placed([&](const kube::ConvertedPod& pod, std::size_t at) {
        const auto near = [&](Text key) {
            const Text value = label_of(node, key);
            return value != 0 && label_of(dump_.nodes()[at], key) == value;
        };
        for (std::size_t index = 0; index < spec_.affinity.size(); ++index) {
            const PodTerm& term = spec_.affinity[index];
            met[index] = met[index] || (near(term.topology_key) && means(term, pod_, pod));
        }
        for (std::size_t index = 0; index < spec_.anti_affinity.size(); ++index) {
            const PodTerm& term = spec_.anti_affinity[index];
            if (near(term.topology_key) && means(term, pod_, pod)) {
                against.try_emplace(
                    fmt::format("anti-affinity term {} ({} by {})", index + 1,
                                term.selector ? selector_text(*term.selector) : "", name(term.topology_key)),
                    pod.key);
            }
        }
        for (const PodTerm& term : dump_.spec_of(pod).anti_affinity) {
            if (near(term.topology_key) && means(term, pod, pod_)) {
                against.try_emplace(fmt::format("anti-affinity of a pod there, by {}", name(term.topology_key)),
                                    pod.key);
            }
        }
    });
    std::vector<std::string> causes;
    for (std::size_t index = 0; index < spec_.affinity.size(); ++index) {
        const PodTerm& term = spec_.affinity[index];
        if (met[index]) continue;
        causes.push_back(fmt::format("affinity term {}: no pod with {} in its {}", index + 1,
                                     term.selector ? selector_text(*term.selector) : "", name(term.topology_key)));
    }
    for (const auto& [cause, pod] : against) causes.push_back(cause + ": " + pod);
    return causes;
}

std::vector<std::string> Causes::ports(std::size_t node) const {
    std::vector<std::string> causes;
    use_.for_each_placed([&](const kube::ConvertedPod& pod, std::size_t at) {
        if (at != node) return;
        for (const HostPort& wanted : spec_.ports) {
            for (const HostPort& taken : dump_.spec_of(pod).ports) {
                const bool address = wanted.address == 0 || taken.address == 0 || wanted.address == taken.address;
                if (wanted.port == taken.port && wanted.protocol == taken.protocol && address) {
                    causes.push_back(fmt::format("port {} is taken by {}", wanted.port, pod.key));
                }
            }
        }
    });
    return causes;
}

std::vector<std::string> Causes::nearest(const std::vector<NodeExplanation>& nodes) const {
    std::map<std::string, std::pair<std::size_t, std::string>> by_change;  // nodes, and the first of them
    double least = std::numeric_limits<double>::max();
    std::string closest;
    for (const NodeExplanation& node : nodes) {
        const std::optional<std::size_t> at = use_.find(node.node);
        if (node.failures.size() != 1 || !at) continue;
        const PredicateFailure& failure = node.failures.front();
        if (is(failure, PredicateId::node_resources_fit)) {
            double lack = 0;
            std::vector<std::string> less;
            for (const Amount& asked : pod_.requests) {
                const ClusterUse::Room room = use_.room(*at, asked.resource);
                const std::int64_t over = asked.value - std::max<std::int64_t>(0, room.capacity - room.used);
                if (over <= 0) continue;
                lack += static_cast<double>(over) / static_cast<double>(asked.value);
                less.push_back(
                    fmt::format("{} were {} less", name(asked.resource), amount_text(name(asked.resource), over)));
            }
            if (lack > 0 && lack < least) {
                least = lack;
                closest = fmt::format("fits if {}: {}", fmt::join(less, " and "), node.node);
            }
            continue;
        }
        std::string change = "but for " + failure.predicate + " alone";
        if (const Taint* const taint = kube::untolerated(spec_, dump_.nodes()[*at]);
            taint != nullptr && is(failure, PredicateId::taint_toleration)) {
            change = "if taint " + taint_text(dump_.texts(), *taint) + " were tolerated";
        } else if (is(failure, PredicateId::node_unschedulable)) {
            change = "if cordoned nodes were taken";
        } else if (is(failure, PredicateId::node_affinity)) {
            change = "without its node selector and affinity";
        }
        const auto [entry, fresh] = by_change.try_emplace(change, 0, node.node);
        ++entry->second.first;
    }
    std::vector<std::pair<std::size_t, std::string>> sorted;
    for (const auto& [change, found] : by_change) {
        sorted.emplace_back(found.first,
                            fmt::format("{}: {} {} ({}{})", change, found.first, found.first == 1 ? "node" : "nodes",
                                        found.second, found.first > 1 ? ", ..." : ""));
    }
    std::ranges::stable_sort(sorted, [](const auto& one, const auto& other) { return one.first > other.first; });
    std::vector<std::string> changes;
    if (!closest.empty()) changes.push_back(closest);
    for (const auto& [count, change] : sorted) {
        if (changes.size() < kNearestShown) changes.push_back(change);
    }
    return changes;
}

}  // namespace bayplan::sim
