// Pods and nodes for extenders. See books.h, extenders.h.
#include <algorithm>

#include "kube/trimmed_json.h"
#include "kube_shim/books.h"
#include "kube_shim/extenders.h"

namespace bayplan::kube_shim {

std::vector<std::string> Books::plugins() const {
    return options_.config ? kube_shim::plugins_of(options_.config->extenders) : std::vector<std::string>();
}

std::vector<std::string> Books::plugins_of(const BookedPod& pod) const {
    std::vector<std::string> names;
    for (const Text plugin : converter_.specs().records()[pod.made.ask.spec - 1].spec.plugins) {
        names.emplace_back(text(plugin));
    }
    return names;
}

std::vector<std::string_view> Books::resources_of(const BookedPod& pod) const {
    std::vector<std::string_view> names;
    for (const Amount& one : pod.made.requests) {
        names.push_back(text(one.resource));
    }
    return names;
}

bool Books::keeps_nodes() const {
    return options_.config && std::ranges::any_of(options_.config->extenders, [](const auto& extender) {
               return !extender.filter_verb.empty() && !extender.takes_names;
           });
}

std::string Books::object_of_node(const std::string& name) const {
    const auto found = nodes_.find("Node /" + name);
    if (found != nodes_.end()) {
        return found->second.object;
    }
    std::string object = R"({"metadata":{"name":)";
    kube::append_json_text(object, name);
    return object + "}}";
}

}  // namespace bayplan::kube_shim
