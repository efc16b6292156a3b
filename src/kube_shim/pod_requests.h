// The requests that a scheduler makes of pods, and the JSON in them.
//
// Thread: any. Keys are "NAMESPACE/NAME".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kube_shim/http_client.h"
#include "kube_shim/pod_facts.h"

namespace bayplan::kube_shim {

struct PodName {
    std::string key;
    std::string uid;
};

HttpRequest get_pod(const std::string& key);
HttpRequest bind_pod(const PodName&, std::string_view node);
HttpRequest delete_pod(const PodName&);  // if it is still that one; with its own grace period

struct StatusChange {
    std::optional<PodCondition> condition;
    std::optional<std::string> nominated_node;  // empty: none any more
};
HttpRequest patch_status(const PodName&, const StatusChange&, std::string_view now);
// Key of the preemptor in the text of a release: "preempted by SHIM/NAMESPACE/NAME", and more words for a queue's guarantee.
// Empty: there is none.
std::string_view preemptor_in(std::string_view text);
HttpRequest mark_victim(const PodName&, std::string_view preemptor, std::string_view scheduler, std::string_view now);

struct PodEvent {
    PodName regarding;
    std::string resource_version;
    std::optional<PodName> related;
    std::string type = "Normal";
    std::string reason;
    std::string action;
    std::string note;
    std::string scheduler;  // the name under which the pod is placed
};
HttpRequest create_event(const PodEvent&, std::string_view name, std::string_view instance,
                         std::string_view now_microseconds);

// "2026-01-31T23:59:59Z", with `microseconds` "2026-01-31T23:59:59.123456Z".
std::string time_text(std::chrono::system_clock::time_point, bool microseconds);

}  // namespace bayplan::kube_shim
