// See pod_view.h.
#include "answers/pod_view.h"

#include <vector>

#include "answers/pods.h"
#include "answers/quota.h"

namespace bayplan::answers {

using read_model::Pod;
using read_model::PodState;
using read_model::Version;

namespace {

constexpr std::size_t kPodsMax = 20;
// YuniKorn's shim says the names of a pod in tags.
constexpr std::string_view kNameTag = "kubernetes.io/meta/podName";
constexpr std::string_view kNamespaceTag = "kubernetes.io/meta/namespace";

std::string_view to_text(PodState state) {
    switch (state) {
        case PodState::gone: return "gone";
        case PodState::gated: return "gated";
        case PodState::awaiting_node: return "awaiting its node";
        case PodState::pending: return "pending";
        case PodState::backoff: return "backoff";
        case PodState::unschedulable: return "unschedulable";
        case PodState::reserved: return "reserved";
        case PodState::queried: return "queried";
        case PodState::allocated: break;
    }
    return "allocated";
}

std::string_view name_of_claim(PodState state) {
    return state == PodState::reserved ? "reservedNode" : state == PodState::queried ? "queriedNode" : "nominatedNode";
}

bool has_kubernetes_name(const Version& version, std::uint32_t id, std::string_view name_space, std::string_view name) {
    bool named = false;
    bool in_space = name_space.empty();
    version.for_each_tag(id, [&](std::string_view key, std::string_view value) {
        named |= key == kNameTag && value == name;
        in_space |= key == kNamespaceTag && value == name_space;
    });
    return named && in_space;
}

template <typename Fits>
std::vector<std::uint32_t> first_that(const Version& version, Fits&& fits) {
    std::vector<std::uint32_t> found;
    version.pods.for_each([&](std::uint32_t id, const Pod&) {
        if (found.size() < kPodsMax && fits(id)) found.push_back(id);
    });
    return found;
}

std::vector<std::uint32_t> find(const Version& version, std::string_view name) {
    const std::vector<std::uint32_t> by_key_alone =
        first_that(version, [&](std::uint32_t id) { return version.keys.text(id) == name; });
    if (!by_key_alone.empty() || name.empty()) return by_key_alone;
    const std::size_t slash = name.find('/');
    const std::string_view name_space = slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
    const std::string_view pod_name = slash == std::string_view::npos ? name : name.substr(slash + 1);
    return first_that(version,
                      [&](std::uint32_t id) { return has_kubernetes_name(version, id, name_space, pod_name); });
}

std::string_view node_of(const Version& version, std::uint32_t slot) {
    const read_model::Node* const node = slot == read_model::kNobody ? nullptr : version.nodes.find(slot);
    return node == nullptr || !node->in_use() ? std::string_view() : std::string_view(node->facts->name);
}

void put_pod(JsonText& json, const Version& version, const Place& place, const Quota& quota, std::uint32_t id) {
    const Pod& pod = *version.pods.find(id);
    const read_model::Application* const application =
        pod.application == read_model::kNobody ? nullptr : version.applications.find(pod.application);
    json.begin_object();
    json.member("state", to_text(pod.state));
    if (application != nullptr) json.member("queue", queue_of(*application->facts));
    json.member_if(name_of_claim(pod.state), node_of(version, pod.claim));
    json.member_if("failures", std::int64_t{pod.failures});
    json.name("pod");
    if (pod.is(read_model::kForeign)) {
        put_foreign(json, version, id);
    } else if (pod.state == PodState::allocated) {
        put_allocation(json, version, id);
    } else {
        std::vector<std::string_view> held;
        if (application != nullptr && pod.wants_place()) {
            const read_model::ApplicationFacts& facts = *application->facts;
            held = quota.reasons(facts, quota.left(facts), sums(version, version.shape(pod).requests));
        }
        put_ask(json, version, place, id, held);
    }
    json.end_object();
}

}  // namespace

std::string pods_named(const VersionPtr& version, const Place& place, std::string_view name) {
    const QueueView queues(*version);
    const Quota quota(*version, queues);
    JsonText json;
    json.begin_object();
    json.name("pods");
    json.begin_array();
    for (const std::uint32_t id : find(*version, name)) put_pod(json, *version, place, quota, id);
    json.end_array();
    json.end_object();
    return json.take();
}

}  // namespace bayplan::answers
