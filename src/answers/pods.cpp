// See pods.h.

#include "answers/pods.h"

#include <algorithm>
#include <map>
#include <string>

#include "answers/amounts.h"
#include "answers/quota.h"

namespace bayplan::answers {

using read_model::Pod;
using read_model::PodState;
using read_model::Version;

namespace {

constexpr std::int64_t kPerSecond = 1'000'000'000;

// Nothing, if it is not known, or beyond what YuniKorn's nanoseconds can say.
void put_time(JsonText& json, std::string_view name, std::int64_t seconds) {
    if (seconds > 0 && seconds <= INT64_MAX / kPerSecond) {
        json.member(name, seconds * kPerSecond);
    }
}

std::string_view application_of(const Version& version, const Pod& pod) {
    return pod.application == read_model::kNobody
               ? std::string_view()
               : std::string_view(version.applications.find(pod.application)->facts->name);
}

std::string_view node_name(const Version& version, std::uint32_t node) {
    const read_model::Node* const found = node == read_model::kNobody ? nullptr : version.nodes.find(node);
    return found == nullptr || !found->in_use() ? std::string_view() : std::string_view(found->facts->name);
}

// Of a key that was told twice, what was told last.
void put_tags(JsonText& json, const Version& version, std::uint32_t id) {
    std::map<std::string_view, std::string_view> tags;
    version.for_each_tag(id, [&](std::string_view key, std::string_view value) { tags[key] = value; });
    if (tags.empty()) {
        return;
    }
    json.name("allocationTags");
    json.begin_object();
    for (const auto& [key, value] : tags) {
        json.member(key, value);
    }
    json.end_object();
}

void put_reason(JsonText& json, const Place& place, std::string_view message, std::int64_t at_ns, std::uint32_t times) {
    json.begin_object();
    json.member("message", message);
    if (place.zero_tick_ns) {
        json.member("lastOccurrence", *place.zero_tick_ns + at_ns);
    }
    json.member("count", std::int64_t{times});
    json.end_object();
}

// The last reason, and how often it was given in a row: earlier ones are not kept. The quota holds it back now.
void put_reasons(JsonText& json, const Version& version, const Place& place, const Pod& pod,
                 std::span<const std::string_view> held) {
    if (pod.reason == 0 && held.empty()) {
        return;
    }
    json.name("allocationLog");
    json.begin_array();
    if (pod.reason != 0) {
        put_reason(json, place, version.texts.text(pod.reason), pod.reason_ns, pod.reason_times);
    }
    for (const std::string_view reason : held) {
        put_reason(json, place, reason, version.now_ns, 1);
    }
    json.end_array();
}

}  // namespace

bool is_request(const Pod& pod) {
    return pod.wants_place() || (pod.state == PodState::gated && !pod.is(read_model::kForeign));
}

std::vector<std::uint32_t> by_key(const Version& version, std::span<const std::uint32_t> pods) {
    std::vector<std::uint32_t> ids(pods.begin(), pods.end());
    std::ranges::sort(ids, [&](std::uint32_t a, std::uint32_t b) {
        const std::string_view key_a = version.keys.text(a);
        const std::string_view key_b = version.keys.text(b);
        // Shims may use the same key; of them the older pod is first.
        return key_a != key_b ? key_a < key_b : version.pods.find(a)->number < version.pods.find(b)->number;
    });
    return ids;
}

void put_ask(JsonText& json, const Version& version, const Place& place, std::uint32_t id,
             std::span<const std::string_view> held) {
    const Pod& pod = *version.pods.find(id);
    const read_model::ShapeFacts& shape = version.shape(pod);
    json.begin_object();
    json.member("allocationKey", version.keys.text(id));
    put_tags(json, version, id);
    put_time(json, "requestTime", pod.created_s);
    put_if(json, "resource", sums(version, shape.requests));
    json.member("priority", std::to_string(pod.priority));
    json.member_if("requiredNodeId", std::string_view(shape.required_node));
    json.member_if("applicationId", application_of(version, pod));
    json.member_if("placeholder", pod.is(read_model::kPlaceholder));
    json.member_if("taskGroupName", version.texts.text(pod.group));
    put_reasons(json, version, place, pod, held);
    json.member_if("triggeredPreemption", pod.is(read_model::kPreempting));
    json.member_if("originator", pod.is(read_model::kOriginator));
    // YuniKorn looks at limits of users before an ask counts as attempted, at limits of queues after that.
    json.member_if("schedulingAttempted", pod.failures > 0 || (!held.empty() && held.back() == kQueueQuota));
    json.member_if("triggeredScaleUp", pod.is(read_model::kToldScaleUp));
    json.end_object();
}

void put_allocation(JsonText& json, const Version& version, std::uint32_t id) {
    const Pod& pod = *version.pods.find(id);
    json.begin_object();
    json.member("allocationKey", version.keys.text(id));
    put_tags(json, version, id);
    put_time(json, "requestTime", pod.created_s);
    put_time(json, "allocationTime", pod.created_s);  // in YuniKorn too it is when the pod was made
    put_if(json, "resource", sums(version, version.shape(pod).requests));
    json.member("priority", std::to_string(pod.priority));
    json.member_if("nodeId", node_name(version, pod.node));
    json.member_if("applicationId", application_of(version, pod));
    json.member_if("placeholder", pod.is(read_model::kPlaceholder));
    json.member_if("taskGroupName", version.texts.text(pod.group));
    json.member_if("preempted", pod.is(read_model::kPreempted));
    json.member_if("originator", pod.is(read_model::kOriginator));
    json.end_object();
}

void put_foreign(JsonText& json, const Version& version, std::uint32_t id) {
    const Pod& pod = *version.pods.find(id);
    json.begin_object();
    json.member("allocationKey", version.keys.text(id));
    put_tags(json, version, id);
    put_time(json, "allocationTime", pod.created_s);
    put_if(json, "resource", sums(version, version.shape(pod).requests));
    json.member("priority", std::to_string(pod.priority));
    json.member_if("nodeId", node_name(version, pod.node));
    json.member_if("preemptable", !pod.is(read_model::kStatic));
    json.end_object();
}

}  // namespace bayplan::answers
