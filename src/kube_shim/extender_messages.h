// Messages between kube-scheduler and an extender, as JSON. Source: Kubernetes 1.35, k8s.io/kube-scheduler/extender/v1,
// and pkg/scheduler/extender.go.
//
// Thread: any.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube_shim/http_client.h"
#include "kube_shim/pod_requests.h"
#include "scheduler_config/extenders.h"

namespace bayplan::kube_shim {

struct FilterVerdict {
    bool feasible = false;
    bool unresolvable = false;
    std::string reason;
};

// `pod`: the object as JSON. `node`: of a name likewise, for extenders that want whole nodes.
HttpRequest filter_request(const scheduler_config::Extender&, std::string_view pod, std::span<const std::string> nodes,
                           const std::function<std::string(const std::string& name)>& node);
// One verdict for each node. Not empty: the answer is none, and why.
std::string read_filter_answer(const HttpAnswer&, std::span<const std::string> nodes, bool takes_names,
                               std::vector<FilterVerdict>&);

// Which of the nodes are better for the pod, as an extender that wants whole nodes or names is asked.
HttpRequest prioritize_request(const scheduler_config::Extender&, std::string_view pod,
                               std::span<const std::string> nodes,
                               const std::function<std::string(const std::string& name)>& node);
// Adds what the answer's scores are in a total, times the extender's weight. Not empty: the answer is none, and why.
std::string add_scores(const HttpAnswer&, const scheduler_config::Extender&, std::span<const std::string> nodes,
                       std::span<std::int64_t> totals);

// A pod that may go from a node. `object`: as JSON, for extenders that want whole ones.
struct ExtenderVictim {
    std::string uid;
    std::string object;
};
// Pods that may go from the node; which of them would, and how many budgets that violates.
struct ExtenderVictims {
    std::string node;
    std::vector<ExtenderVictim> offered;
    std::vector<std::uint32_t> go;  // by index
    std::int64_t violations = 0;
};
HttpRequest preempt_request(const scheduler_config::Extender&, std::string_view pod, const ExtenderVictims&);
// `go` and `violations` are the extender's from now on. `refused`: nobody's end helps. Not empty: the answer is none, and why.
std::string read_preempt_answer(const HttpAnswer&, ExtenderVictims&, bool& refused);

HttpRequest extender_bind_request(const scheduler_config::Extender&, const PodName&, std::string_view node);
// As an API server would have said it: 200, or why not.
HttpAnswer read_bind_answer(HttpAnswer&&);

}  // namespace bayplan::kube_shim
