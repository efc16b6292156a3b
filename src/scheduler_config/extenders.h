// Extenders of a KubeSchedulerConfiguration: programs that a scheduler asks over HTTP which nodes a pod may have, or which bind
// it. Source of the fields: Kubernetes 1.35, kubescheduler.config.k8s.io/v1.
//
// Thread: any. Owns its texts. Errors: a wish that cannot be met is a fault in the notes.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "kube/value.h"
#include "scheduler_config/notes.h"

namespace bayplan::scheduler_config {

struct Extender {
    // A PEM file, or its content in base64, which counts before the file; both empty: there is none.
    struct Pem {
        std::string file;
        std::string base64;
    };

    std::string url;              // urlPrefix, without a slash at the end
    std::string filter_verb;      // empty: it filters nothing
    std::string preempt_verb;     // empty: it has no word in preemption
    std::string prioritize_verb;  // empty: it gives nodes no scores
    std::int64_t weight = 1;      // of its scores
    std::string bind_verb;        // empty: it binds nothing
    std::chrono::milliseconds timeout{5'000};
    bool takes_names = false;                    // nodeCacheCapable: else it gets whole nodes
    bool ignorable = false;                      // its failure counts as a yes
    std::vector<std::string> managed_resources;  // it is asked about pods that name one of them; empty: about all
    std::vector<std::string> ignored_resources;  // of these: nodes need none of them (ignoredByScheduler)
    bool insecure = false;
    Pem authority;
    Pem certificate;
    Pem key;
};

std::vector<Extender> read_extenders(const kube::Value& list, Notes&);

}  // namespace bayplan::scheduler_config
