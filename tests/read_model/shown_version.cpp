// A version in words. See shown.h.

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "queue_tree/applications.h"
#include "shown.h"

namespace bayplan::read_model {

namespace {

using queue_config::Resources;

Resources named(const Version& version, const AmountList& amounts, bool zeros = false) {
    Resources out;
    for (const Amount& amount : amounts) {
        if (amount.value != 0 || zeros) {
            out[std::string(version.texts.text(amount.resource))] = amount.value;
        }
    }
    return out;
}

const char* word_of(PodState state) {
    switch (state) {
        case PodState::gone: return "gone";
        case PodState::gated: return "gated";
        case PodState::awaiting_node: return "awaiting";
        case PodState::pending: return "pending";
        case PodState::backoff: return "backoff";
        case PodState::unschedulable: return "unschedulable";
        case PodState::reserved: return "reserved";
        case PodState::queried: return "queried";
        case PodState::allocated: break;
    }
    return "allocated";
}

std::string node_name(const Version& version, std::uint32_t id) {
    const Node* const node = id == kNobody ? nullptr : version.nodes.find(id);
    return node == nullptr || !node->in_use() ? "-" : node->facts->name;
}

std::string text_of(const Version& version, std::uint32_t id, const Pod& pod) {
    const Application* const application =
        pod.application == kNobody ? nullptr : version.applications.find(pod.application);
    const ShapeFacts& shape = version.shape(pod);
    std::string tags;
    version.for_each_tag(id, [&](std::string_view key, std::string_view value) {
        tags += std::string(key) + "=" + std::string(value) + ",";
    });
    return fmt::format(
        "{} {} node={} claim={} priority={} application={} group={} requests={} required={} flags={:b} failures={} "
        "tags={}",
        version.keys.text(id), word_of(pod.state), node_name(version, pod.node), node_name(version, pod.claim),
        pod.priority, application == nullptr ? "-" : application->facts->name, version.texts.text(pod.group),
        queue_config::to_text(named(version, shape.requests)), shape.required_node,
        pod.flags & ~(pod.node == kNobody ? kPreempting | kTerminating | kPreempted : kPreempting), pod.failures, tags);
}

std::string text_of(const Version& version, std::uint32_t id, const Node& node) {
    Resources allocated;
    Resources occupied;
    std::vector<std::uint64_t> pods;
    for (const std::uint32_t pod_id : version.pods_on(id)) {
        const Pod& pod = *version.pods.find(pod_id);
        queue_config::add_to(pod.is(kForeign) ? occupied : allocated, named(version, version.shape(pod).requests));
        pods.push_back(pod.number);
    }
    std::ranges::sort(pods);
    std::map<std::string, std::string> labels;
    for (const Label& label : node.facts->labels) {
        labels.emplace(version.texts.text(label.key), version.texts.text(label.value));
    }
    std::string text = fmt::format("schedulable={} capacity={} allocated={} occupied={} pods=", node.facts->schedulable,
                                   queue_config::to_text(named(version, node.facts->capacity, true)),
                                   queue_config::to_text(allocated), queue_config::to_text(occupied));
    for (const std::uint64_t pod : pods) {
        text += fmt::format("{},", pod);
    }
    for (const auto& [key, value] : labels) {
        text += fmt::format(" {}={}", key, value);
    }
    return text;
}

std::string text_of(const Version& version, std::uint32_t id, const Application& application) {
    const ApplicationSums& sums = version.sums(id);
    const std::string state = application.state == kNoApplicationState
                                  ? "-"
                                  : std::string(to_text(static_cast<queue_tree::ApplicationState>(application.state)));
    const std::string groups = fmt::format("{}", fmt::join(application.facts->groups, ","));
    return fmt::format("{} queue={} user={} groups={} pods={} placed={} used={} pending={} rests={}", state,
                       application.facts->queue, application.facts->user, groups, application.pods, application.placed,
                       queue_config::to_text(named(version, sums.used)),
                       queue_config::to_text(named(version, sums.pending)), application.rests_until_ns);
}

}  // namespace

Shown shown(const Version& version) {
    Shown out;
    version.nodes.for_each(
        [&](std::uint32_t id, const Node& node) { out["node " + node.facts->name] = text_of(version, id, node); });
    version.pods.for_each(
        [&](std::uint32_t id, const Pod& pod) { out[fmt::format("pod {}", pod.number)] = text_of(version, id, pod); });
    std::map<std::string, std::pair<Resources, Resources>> sums;  // by queue
    version.applications.for_each([&](std::uint32_t id, const Application& application) {
        out["application " + version.shims[application.facts->shim] + " " + application.facts->name] =
            text_of(version, id, application);
        std::string path = application.facts->queue;
        for (std::size_t end = path.size(); end != std::string::npos && !path.empty(); end = path.rfind('.', end - 1)) {
            auto& [used, pending] = sums[path.substr(0, end)];
            queue_config::add_to(used, named(version, version.sums(id).used));
            queue_config::add_to(pending, named(version, version.sums(id).pending));
        }
    });
    version.queues.for_each([&](std::uint32_t, const Queue& queue) {
        const auto& [used, pending] = sums[queue.facts->path];
        out["queue " + queue.facts->path] =
            fmt::format("used={} pending={} max={}", queue_config::to_text(used), queue_config::to_text(pending),
                        queue_config::to_text(queue.facts->max));
    });
    return out;
}

std::string difference(const Shown& model, const Shown& oracle) {
    for (const auto& [name, text] : model) {
        const auto found = oracle.find(name);
        if (found == oracle.end() || found->second != text) {
            return name + "\n  model:  " + text +
                   "\n  oracle: " + (found == oracle.end() ? std::string("(no such thing)") : found->second);
        }
    }
    for (const auto& [name, text] : oracle) {
        if (!model.contains(name)) {
            return name + "\n  model:  (no such thing)\n  oracle: " + text;
        }
    }
    return "";
}

}  // namespace bayplan::read_model
