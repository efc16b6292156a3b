// See pod_requests.h. The shapes are from Kubernetes 1.35 (core/v1, events.k8s.io/v1).
#include "kube_shim/pod_requests.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <boost/json.hpp>

#include "base/utf8.h"

namespace bayplan::kube_shim {

namespace {

namespace json = boost::json;

constexpr std::string_view kMergePatch = "application/strategic-merge-patch+json";
constexpr std::size_t kNoteMax = 1'024;

std::string_view name_space_of(std::string_view key) { return key.substr(0, key.find('/')); }
std::string_view name_of(std::string_view key) { return key.substr(key.find('/') + 1); }

std::string path_of(std::string_view key) {
    return fmt::format("/api/v1/namespaces/{}/pods/{}", url_escaped(name_space_of(key)), url_escaped(name_of(key)));
}

HttpRequest request(std::string method, std::string path, const json::value& body, std::string_view content_type) {
    HttpRequest made;
    made.method = std::move(method);
    made.path = std::move(path);
    made.body = json::serialize(body);
    made.content_type = content_type;
    return made;
}

json::object reference(const PodName& pod, std::string_view resource_version) {
    json::object made{{"apiVersion", "v1"},
                      {"kind", "Pod"},
                      {"namespace", name_space_of(pod.key)},
                      {"name", name_of(pod.key)},
                      {"uid", pod.uid}};
    if (!resource_version.empty()) {
        made["resourceVersion"] = resource_version;
    }
    return made;
}

json::object condition(std::string_view type, bool status, std::string_view reason, std::string_view message,
                       std::string_view now) {
    return {{"type", type},
            {"status", status ? "True" : "False"},
            {"reason", reason},
            {"message", message},
            {"lastProbeTime", nullptr},
            {"lastTransitionTime", now}};
}

}  // namespace

HttpRequest get_pod(const std::string& key) {
    HttpRequest made;
    made.path = path_of(key);
    return made;
}

HttpRequest bind_pod(const PodName& pod, std::string_view node) {
    const json::object body{
        {"apiVersion", "v1"},
        {"kind", "Binding"},
        {"metadata", json::object{{"namespace", name_space_of(pod.key)}, {"name", name_of(pod.key)}, {"uid", pod.uid}}},
        {"target", json::object{{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}}}};
    return request("POST", path_of(pod.key) + "/binding", body, "application/json");
}

HttpRequest delete_pod(const PodName& pod) {
    const json::object body{
        {"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"preconditions", json::object{{"uid", pod.uid}}}};
    return request("DELETE", path_of(pod.key), body, "application/json");
}

HttpRequest patch_status(const PodName& pod, const StatusChange& change, std::string_view now) {
    json::object status;
    if (change.condition) {
        const PodCondition& one = *change.condition;
        status["conditions"] = json::array{condition("PodScheduled", one.scheduled, one.reason, one.message, now)};
    }
    if (change.nominated_node) {
        status["nominatedNodeName"] =
            change.nominated_node->empty() ? json::value(nullptr) : json::value(*change.nominated_node);
    }
    const json::object body{{"metadata", json::object{{"uid", pod.uid}}}, {"status", std::move(status)}};
    return request("PATCH", path_of(pod.key) + "/status", body, kMergePatch);
}

std::string_view preemptor_in(std::string_view text) {
    const std::size_t slash = text.find('/');
    const std::string_view key = slash == std::string_view::npos ? std::string_view() : text.substr(slash + 1);
    return key.substr(0, key.find(' '));
}

HttpRequest mark_victim(const PodName& pod, std::string_view preemptor, std::string_view scheduler,
                        std::string_view now) {
    const std::string message =
        fmt::format("{}: preempting to accommodate a higher priority pod ({})", scheduler, preemptor);
    const json::object status{
        {"conditions", json::array{condition("DisruptionTarget", true, "PreemptionByScheduler", message, now)}}};
    const json::object body{{"metadata", json::object{{"uid", pod.uid}}}, {"status", status}};
    return request("PATCH", path_of(pod.key) + "/status", body, kMergePatch);
}

HttpRequest create_event(const PodEvent& event, std::string_view name, std::string_view instance,
                         std::string_view now_microseconds) {
    const std::string_view name_space = name_space_of(event.regarding.key);
    json::object body{{"apiVersion", "events.k8s.io/v1"},
                      {"kind", "Event"},
                      {"metadata", json::object{{"namespace", name_space}, {"name", name}}},
                      {"eventTime", now_microseconds},
                      {"reportingController", event.scheduler},
                      {"reportingInstance", instance},
                      {"action", event.action},
                      {"reason", event.reason},
                      {"regarding", reference(event.regarding, event.resource_version)},
                      {"note", utf8_prefix(event.note, kNoteMax)},
                      {"type", event.type}};
    if (event.related) {
        body["related"] = reference(*event.related, {});
    }
    return request("POST", fmt::format("/apis/events.k8s.io/v1/namespaces/{}/events", url_escaped(name_space)), body,
                   "application/json");
}

std::string time_text(std::chrono::system_clock::time_point time, bool microseconds) {
    const auto whole = std::chrono::floor<std::chrono::seconds>(time);
    const std::string seconds =
        fmt::format("{:%Y-%m-%dT%H:%M:%S}", fmt::gmtime(std::chrono::system_clock::to_time_t(whole)));
    if (!microseconds) {
        return seconds + "Z";
    }
    const auto rest = std::chrono::duration_cast<std::chrono::microseconds>(time - whole);
    return fmt::format("{}.{:06}Z", seconds, rest.count());
}

}  // namespace bayplan::kube_shim
