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
    for (const Text plugin : converter_.specs().records()[pod.spec - 1].spec.plugins) {
        names.emplace_back(text(plugin));
    }
    return names;
}

std::vector<std::string_view> Books::resources_of(const BookedPod& pod) const {
    std::vector<std::string_view> names;
    for (const Amount& one : pod.common->requests) {
        names.push_back(text(one.resource));
    }
    for (const Text one : pod.common->ignored_resources) {
        names.push_back(text(one));
    }
    return names;
}

bool Books::keeps_nodes() const {
    return options_.config && std::ranges::any_of(options_.config->extenders, [](const auto& extender) {
               return !(extender.filter_verb.empty() && extender.prioritize_verb.empty()) && !extender.takes_names;
           });
}

// By their names alone, extenders need no objects of pods that run.
bool Books::keeps_victims() const {
    return options_.config && std::ranges::any_of(options_.config->extenders, [](const auto& extender) {
               return !extender.preempt_verb.empty() && !extender.takes_names;
           });
}

// The key of a pod is NAMESPACE/NAME, behind the name of its shim.
ExtenderVictim Books::victim(std::string_view name) const {
    const std::size_t last = std::min(name.rfind('/'), name.size());
    const std::size_t before = last == 0 ? std::string_view::npos : name.rfind('/', last - 1);
    const std::string key(name.substr(before == std::string_view::npos ? 0 : before + 1));
    const BookedPod* const pod = find(key);
    return pod == nullptr ? ExtenderVictim{} : ExtenderVictim{pod->uid, pod->words().object};
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
