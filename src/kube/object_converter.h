// Any object to the record of its kind, one after the other, with one dictionary and one table of specs.
//
// Thread: one. Owns dictionary and specs; what it makes refers to them by number.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bayplan/cluster_object.h"
#include "kube/document_reader.h"
#include "kube/fault.h"
#include "kube/namespace_quotas.h"
#include "kube/objects.h"
#include "kube/pod.h"
#include "kube/spec_table.h"
#include "kube/texts.h"

namespace bayplan::kube {

// Nothing in it: of a kind that nobody looks at.
using ConvertedObject = std::variant<std::monostate, ConvertedPod, ConvertedNode, PriorityClass, ClusterObject>;

struct NamedObject {
    std::string name;   // kind, namespace and name: equal for two versions of one object
    std::string title;  // for messages: "Pod default/web-1"
    ConvertedObject object;
};

class ObjectConverter {
public:
    // `defaults`: fill in what the API server would (defaults.h). `devices`: resources that are devices on every
    // node that has some. `applications`: as YuniKorn's labels say (yunikorn_application.h), else a namespace is one.
    explicit ObjectConverter(bool defaults, std::vector<std::string> devices = {}, bool applications = false)
        : defaults_(defaults), devices_(std::move(devices)), applications_(applications) {}

    // Nothing: it is broken, and the faults say how. A pod has the number of its spec, and its application;
    // its priority class, which needs other objects, is left to PriorityClasses.
    std::optional<NamedObject> convert(const ReadObject& object, const std::string& file,
                                       std::vector<ObjectFault>& faults) {
        return convert(object, file, faults, defaults_);
    }
    // Of a manifest that no API server has seen.
    std::optional<NamedObject> convert_defaulted(const ReadObject& object, const std::string& file,
                                                 std::vector<ObjectFault>& faults) {
        return convert(object, file, faults, true);
    }
    // From now on every pod needs this plugin, and the texts of pods without a node are kept.
    void need_plugin(std::string_view name) { plugin_ = texts_.id(name); }
    // The object of the pod as JSON, in one line; empty: no such object was converted.
    std::string_view text_of_pod(const std::string& key) const {
        const auto found = pod_texts_.find(key);
        return found == pod_texts_.end() ? std::string_view() : std::string_view(found->second);
    }
    // Where applications are as YuniKorn's labels say: the pod's, with what its namespace has said by now.
    StatedApplication application_of(const ConvertedPod& pod) const { return quotas_.with_quota(pod); }
    // From now on pods say what they ask of extended resources, and classes of devices which they serve.
    void follow_extended_resources() { extended_.emplace(); }
    // Null: they are not followed.
    ExtendedResources* extended() { return extended_ ? &*extended_ : nullptr; }
    const ExtendedResources* extended() const { return extended_ ? &*extended_ : nullptr; }
    NamespaceQuotas& quotas() { return quotas_; }
    const NamespaceQuotas& quotas() const { return quotas_; }
    // Of a spec that was made from others.
    SpecNumber number(PodSpec&& spec) { return specs_.number(std::move(spec)); }

    bool defaults() const { return defaults_; }
    Texts& texts() { return texts_; }
    const Texts& texts() const { return texts_; }
    SpecTable& specs() { return specs_; }
    const SpecTable& specs() const { return specs_; }

private:
    std::optional<NamedObject> convert(const ReadObject&, const std::string& file, std::vector<ObjectFault>&,
                                       bool defaults);
    ConvertedObject convert_any(Converter&, std::string_view kind);
    ConvertedNode convert_node_with_devices(Converter&);
    void ask_plugin_about(ConvertedPod&, const Value& object);

    bool defaults_;
    std::vector<std::string> devices_;
    bool applications_;
    Text plugin_ = 0;                                                // that every pod needs; 0: none
    boost::unordered_flat_map<std::string, std::string> pod_texts_;  // by key, of pods without a node
    Texts texts_;
    SpecTable specs_;
    NamespaceQuotas quotas_;
    std::optional<ExtendedResources> extended_;
};

// Of an object of this kind: a namespace or the name of another one's does not matter.
bool has_namespace(std::string_view kind);

// The object that a removal names; none if predicates do not look at its kind. Names it lacks are 0.
std::optional<ClusterObject> named_object(Texts&, std::string_view kind, std::string_view name_space,
                                          std::string_view name);

}  // namespace bayplan::kube
