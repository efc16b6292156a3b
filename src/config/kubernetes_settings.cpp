// See kubernetes_settings.h. The file of a scheduler is named here and read by the daemon: this folder knows no objects of
// Kubernetes.
#include "config/kubernetes_settings.h"

#include "config/feature_gates.h"
#include "config/setting_values.h"

namespace bayplan::config {

void append_kubernetes_settings(Settings<PartitionConfig>& table) {
    using P = PartitionConfig;
    table.push_back(input_file(
        "scheduler_config", MEMBER(P, scheduler_config),
        "A KubeSchedulerConfiguration, read at the start: plugins, weights, arguments and back-off of its profiles. "
        "What it says stands for predicates, score, score_resources, score_shape, score_weights, preemption.enabled, "
        "backoff_initial and backoff_max, which may be given beside it only if they say the same. "
        "What cannot be met is refused by name."));
    table.push_back(text("scheduler_name", MEMBER(P, scheduler_name), "a name",
                         "Of the profiles of scheduler_config the one that counts. When not given, all of them must "
                         "agree: an engine has one for all pods."));
    table.push_back(feature_gates("feature_gates", MEMBER(P, feature_gates),
                                  "Gates of Kubernetes' dynamic resource allocation, NAME=true or NAME=false. Each "
                                  "may be named as 1.35 has it by default; the others are refused by name, as "
                                  "what they stand for is not built."));
}

}  // namespace bayplan::config
