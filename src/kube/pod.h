// A Pod as the engine's records see it.
//
// Thread: one. Owns its data; texts are ids of the dictionary that the converter was given.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bayplan/messages.h"
#include "kube/converter.h"
#include "kube/extended_resources.h"

namespace bayplan::kube {

inline constexpr std::string_view kStuckAnnotation = "bayplan.io/stuck";
// A label or annotation of a pod, or an annotation of its priority class: only "false" opts out.
inline constexpr std::string_view kAllowPreemption = "yunikorn.apache.org/allow-preemption";

struct ApplicationLists {
    std::vector<DictId> user_groups;
    std::vector<Attribute> tags;
};

struct ConvertedPod {
    std::string key;  // "namespace/name"
    PodSpec spec;
    std::vector<Amount> requests;                   // tracked resources above 0, and one of `pods`
    std::vector<Text> ignored_resources = {};       // requested, and taken out: its scheduler looks for none
    ApplicationItem application;                    // filled by the owner of the specs
    std::shared_ptr<const ApplicationLists> lists;  // where its spans point to
    // All that the object itself says: `key`, `requests`, `tags`, `spec`, `application` and `foreign` are filled by
    // their owners.
    AskItem ask;
    std::string scheduler;        // "default-scheduler" if the object names none
    std::string priority_class;   // that the object names, if any
    bool priority_known = false;  // the object states it: its class counts for nothing
    bool finished = false;        // Succeeded or Failed: counts for nothing
    std::string uid;
    std::vector<std::string> owner_pods;          // uids of the pods that own it
    std::optional<bool> allows_preemption;        // by its label or annotation
    bool topology_mode_fault = false;             // of its group: neither required nor preferred
    std::string group;                            // "namespace/name" of its pod group; empty: none
    std::shared_ptr<const PodExtended> extended;  // null: it asks for no such resource, or nobody wants to know
    bool stuck = false;                           // annotated kStuckAnnotation: never goes by itself (src/sim)
};

ConvertedPod convert_pod(Converter&);

}  // namespace bayplan::kube
