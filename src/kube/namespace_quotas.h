// Annotations of a namespace about the queue of its pods, as tags that an application brings (R-QUEUE-33 and on).
//
//   yunikorn.apache.org/namespace.quota        {"cpu": "2", "memory": "4Gi", ..}, JSON of texts: namespace.resourcequota
//   yunikorn.apache.org/namespace.max.cpu, yunikorn.apache.org/namespace.max.memory: likewise, where that is not there
//   yunikorn.apache.org/namespace.guaranteed   as the first: namespace.resourceguaranteed
//   yunikorn.apache.org/namespace.maxApps      namespace.resourcemaxapps
//   yunikorn.apache.org/parentqueue            namespace.parentqueue
//
// An annotation that is something else is passed over. Source: YuniKorn's Kubernetes shim.
// Thread: one; the dictionary is the converter's.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bayplan/messages.h"
#include "kube/converter.h"
#include "kube/pod.h"

namespace bayplan::kube {

// With lists of its own, which its spans point to.
struct StatedApplication {
    ApplicationItem item;
    std::shared_ptr<const ApplicationLists> lists;
};

class NamespaceQuotas {
public:
    // From now on this, in place of what the namespace said before.
    void take(Converter&);
    void forget(std::string_view name) { tags_.erase(std::string(name)); }
    // The application of the pod, with what its namespace says now.
    StatedApplication with_quota(const ConvertedPod&) const;

    template <typename Visit>
    void visit_texts(Visit visit) const {
        for (const auto& [name, tags] : tags_) {
            for (const Attribute& tag : tags) {
                visit(tag.key);
                visit(tag.value);
            }
        }
    }

private:
    boost::unordered_flat_map<std::string, std::vector<Attribute>> tags_;  // by namespace, if it says anything
};

}  // namespace bayplan::kube
