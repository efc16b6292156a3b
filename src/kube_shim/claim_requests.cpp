// See claim_requests.h. The shapes are from Kubernetes 1.35 (core/v1, resource.k8s.io/v1).
#include "kube_shim/claim_requests.h"

#include <algorithm>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "kube/extended_resources.h"

namespace bayplan::kube_shim {

namespace {

namespace json = boost::json;

constexpr std::string_view kJsonMergePatch = "application/merge-patch+json";
constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";
constexpr std::string_view kFinalizer = "resource.kubernetes.io/delete-protection";
constexpr std::string_view kMadeForExtended = kube::kExtendedClaimAnnotation;

std::string_view namespace_part(std::string_view key) { return key.substr(0, key.find('/')); }
std::string_view name_part(std::string_view key) { return key.substr(key.find('/') + 1); }

HttpRequest get(std::string path) {
    HttpRequest made;
    made.path = std::move(path);
    return made;
}

HttpRequest patch(std::string path, const json::value& body, std::string_view type = kJsonMergePatch) {
    HttpRequest made;
    made.method = "PATCH";
    made.path = std::move(path);
    made.body = json::serialize(body);
    made.content_type = type;
    return made;
}

std::string storage_path(std::string_view claim) {
    return fmt::format("/api/v1/namespaces/{}/persistentvolumeclaims/{}", url_escaped(namespace_part(claim)),
                       url_escaped(name_part(claim)));
}
std::string volume_path(std::string_view volume) { return "/api/v1/persistentvolumes/" + url_escaped(volume); }
std::string resource_path(std::string_view claim) {
    return fmt::format("/apis/resource.k8s.io/v1/namespaces/{}/resourceclaims/{}", url_escaped(namespace_part(claim)),
                       url_escaped(name_part(claim)));
}

// The value at the end of the members; null where one is missing.
const json::value& at(const json::value& from, std::initializer_list<std::string_view> members) {
    static const json::value kNull;
    const json::value* now = &from;
    for (const std::string_view name : members) {
        const json::object* const object = now->if_object();
        const json::value* const next = object == nullptr ? nullptr : object->if_contains(name);
        if (next == nullptr) {
            return kNull;
        }
        now = next;
    }
    return *now;
}

std::string text(const json::value& from, std::initializer_list<std::string_view> members) {
    const json::string* const found = at(from, members).if_string();
    return found == nullptr ? std::string() : std::string(*found);
}

const json::array& list(const json::value& from, std::initializer_list<std::string_view> members) {
    static const json::array kEmpty;
    const json::array* const found = at(from, members).if_array();
    return found == nullptr ? kEmpty : *found;
}

std::optional<json::value> parsed(const std::string& body) {
    json::error_code error;
    json::value value = json::parse(body, error);
    return error ? std::nullopt : std::optional(std::move(value));
}

json::object versioned(const json::value& object) {
    return {{"uid", text(object, {"metadata", "uid"})},
            {"resourceVersion", text(object, {"metadata", "resourceVersion"})}};
}

bool is_finalizer(const json::value& one) { return one.is_string() && std::string_view(one.as_string()) == kFinalizer; }

bool has_finalizer(const json::value& claim) {
    return std::ranges::any_of(list(claim, {"metadata", "finalizers"}), is_finalizer);
}

bool is_of(const DeviceStep& step, const std::string& request) {
    return std::ranges::any_of(step.devices, [&](const GivenDevice& one) { return one.request == request; });
}

// Each request that devices were given to, by its name in the results, and its class.
std::vector<std::pair<std::string, std::string>> classes_of(const json::value& claim, const DeviceStep& step) {
    std::vector<std::pair<std::string, std::string>> made;
    for (const json::value& request : list(claim, {"spec", "devices", "requests"})) {
        const std::string name = text(request, {"name"});
        if (is_of(step, name)) {
            made.emplace_back(name, text(request, {"exactly", "deviceClassName"}));
        }
        for (const json::value& alternative : list(request, {"firstAvailable"})) {
            const std::string whole = name + "/" + text(alternative, {"name"});
            if (is_of(step, whole)) {
                made.emplace_back(whole, text(alternative, {"deviceClassName"}));
            }
        }
    }
    return made;
}

// Configurations for drivers: of the classes, each for its requests, then the claim's own that mean a request in use.
json::array configurations(const json::value& claim, const DeviceStep& step,
                           const std::map<std::string, std::string>& classes) {
    json::array made;
    std::map<std::string, std::pair<std::size_t, std::size_t>> known;
    for (const auto& [request, name] : classes_of(claim, step)) {
        if (const auto found = known.find(name); found != known.end()) {
            for (std::size_t i = found->second.first; i < found->second.second; ++i) {
                made[i].as_object()["requests"].as_array().emplace_back(request);
            }
            continue;
        }
        const std::size_t first = made.size();
        const auto body = classes.find(name);
        const std::optional<json::value> device_class = body == classes.end() ? std::nullopt : parsed(body->second);
        for (const json::value& one : device_class ? list(*device_class, {"spec", "config"}) : json::array()) {
            json::object entry = one.is_object() ? one.as_object() : json::object();
            entry["source"] = "FromClass";
            entry["requests"] = json::array{request};
            made.push_back(std::move(entry));
        }
        known[name] = {first, made.size()};
    }
    for (const json::value& one : list(claim, {"spec", "devices", "config"})) {
        const json::array& requests = list(one, {"requests"});
        const bool counts = requests.empty() || std::ranges::any_of(requests, [&](const json::value& request) {
                                const std::string name(request.is_string() ? request.as_string() : json::string());
                                return name.find('/') == std::string::npos || is_of(step, name);
                            });
        if (counts && one.is_object()) {
            json::object entry = one.as_object();
            entry["source"] = "FromClaim";
            made.push_back(std::move(entry));
        }
    }
    return made;
}

json::array requirements(const std::vector<NodeRequirement>& all) {
    json::array made;
    for (const NodeRequirement& one : all) {
        json::object entry{{"key", one.key}, {"operator", one.op}};
        if (!one.values.empty()) {
            entry["values"] = json::array(one.values.begin(), one.values.end());
        }
        made.push_back(std::move(entry));
    }
    return made;
}

json::object allocation(const json::value& claim, const DeviceStep& step,
                        const std::map<std::string, std::string>& classes) {
    json::array results;
    for (const GivenDevice& device : step.devices) {
        json::object one{
            {"request", device.request}, {"driver", device.driver}, {"pool", device.pool}, {"device", device.device}};
        if (device.admin_access) {
            one["adminAccess"] = true;
        }
        results.push_back(std::move(one));
    }
    json::object devices{{"results", std::move(results)}};
    if (json::array config = configurations(claim, step, classes); !config.empty()) {
        devices["config"] = std::move(config);
    }
    json::object made{{"devices", std::move(devices)}};
    if (!step.fields.empty() || !step.expressions.empty()) {
        json::object term;
        if (!step.fields.empty()) {
            term["matchFields"] = requirements(step.fields);
        }
        if (!step.expressions.empty()) {
            term["matchExpressions"] = requirements(step.expressions);
        }
        made["nodeSelector"] = json::object{{"nodeSelectorTerms", json::array{std::move(term)}}};
    }
    return made;
}

}  // namespace

HttpRequest get_storage_claim(std::string_view claim) { return get(storage_path(claim)); }
HttpRequest get_volume(std::string_view volume) { return get(volume_path(volume)); }
HttpRequest get_resource_claim(std::string_view claim) { return get(resource_path(claim)); }
HttpRequest get_device_class(std::string_view device_class) {
    return get("/apis/resource.k8s.io/v1/deviceclasses/" + url_escaped(device_class));
}

// --- storage

std::optional<StorageClaimRead> read_storage_claim(const HttpAnswer& answer) {
    const std::optional<json::value> claim = parsed(answer.body);
    if (!claim) {
        return std::nullopt;
    }
    return StorageClaimRead{text(*claim, {"metadata", "uid"}), text(*claim, {"metadata", "resourceVersion"}),
                            text(*claim, {"spec", "volumeName"}),
                            !at(*claim, {"metadata", "annotations", kBindCompleted}).is_null(),
                            text(*claim, {"metadata", "annotations", kSelectedNode})};
}

std::optional<VolumeRead> read_volume(const HttpAnswer& answer) {
    const std::optional<json::value> volume = parsed(answer.body);
    if (!volume) {
        return std::nullopt;
    }
    const std::string name = text(*volume, {"spec", "claimRef", "name"});
    return VolumeRead{text(*volume, {"metadata", "resourceVersion"}),
                      name.empty() ? name : text(*volume, {"spec", "claimRef", "namespace"}) + "/" + name,
                      text(*volume, {"spec", "claimRef", "uid"})};
}

HttpRequest give_volume(std::string_view volume, const VolumeRead& read, std::string_view claim,
                        const StorageClaimRead& claim_read) {
    json::object metadata{{"resourceVersion", read.version}};
    if (read.claim.empty()) {
        metadata["annotations"] = json::object{{kBoundByController, "yes"}};
    }
    return patch(
        volume_path(volume),
        json::object{{"metadata", std::move(metadata)},
                     {"spec", json::object{{"claimRef", json::object{{"kind", "PersistentVolumeClaim"},
                                                                     {"apiVersion", "v1"},
                                                                     {"namespace", namespace_part(claim)},
                                                                     {"name", name_part(claim)},
                                                                     {"uid", claim_read.uid},
                                                                     {"resourceVersion", claim_read.version}}}}}});
}

HttpRequest select_node(std::string_view claim, const StorageClaimRead& read, std::string_view node) {
    return patch(storage_path(claim),
                 json::object{{"metadata", json::object{{"uid", read.uid},
                                                        {"resourceVersion", read.version},
                                                        {"annotations", json::object{{kSelectedNode, node}}}}}});
}

// --- devices

std::optional<ResourceClaimRead> read_resource_claim(const HttpAnswer& answer, const DeviceStep& step,
                                                     const PodName& pod) {
    const std::optional<json::value> claim = parsed(answer.body);
    if (!claim) {
        return std::nullopt;
    }
    ResourceClaimRead made;
    made.deleting = !at(*claim, {"metadata", "deletionTimestamp"}).is_null();
    made.allocated = !at(*claim, {"status", "allocation"}).is_null();
    made.has_requests = !list(*claim, {"spec", "devices", "requests"}).empty();
    made.reserved = std::ranges::any_of(list(*claim, {"status", "reservedFor"}),
                                        [&](const json::value& one) { return text(one, {"uid"}) == pod.uid; });
    made.has_finalizer = has_finalizer(*claim);
    for (const auto& [request, name] : classes_of(*claim, step)) {
        if (std::ranges::find(made.classes, name) == made.classes.end()) {
            made.classes.push_back(name);
        }
    }
    return made;
}

HttpRequest add_finalizer(const std::string& claim_body, const DeviceStep& step) {
    const json::value claim = parsed(claim_body).value_or(json::value());
    json::object metadata = versioned(claim);
    json::array finalizers = list(claim, {"metadata", "finalizers"});
    finalizers.emplace_back(kFinalizer);
    metadata["finalizers"] = std::move(finalizers);
    return patch(resource_path(step.claim), json::object{{"metadata", std::move(metadata)}});
}

HttpRequest reserve_claim(const std::string& claim_body, const DeviceStep& step, const PodName& pod,
                          const std::map<std::string, std::string>& classes) {
    const json::value claim = parsed(claim_body).value_or(json::value());
    json::object status;
    if (at(claim, {"status", "allocation"}).is_null()) {
        status["allocation"] = allocation(claim, step, classes);
    }
    json::array reserved = list(claim, {"status", "reservedFor"});
    reserved.push_back(json::object{{"resource", "pods"}, {"name", name_part(pod.key)}, {"uid", pod.uid}});
    status["reservedFor"] = std::move(reserved);
    return patch(resource_path(step.claim) + "/status",
                 json::object{{"metadata", versioned(claim)}, {"status", std::move(status)}});
}

HttpRequest unreserve_claim(std::string_view claim, const PodName& pod) {
    return patch(resource_path(claim) + "/status",
                 json::object{{"status", json::object{{"reservedFor", json::array{json::object{{"$patch", "delete"},
                                                                                               {"uid", pod.uid}}}}}}},
                 "application/strategic-merge-patch+json");
}

std::optional<HeldClaim> read_held_claim(const HttpAnswer& answer, std::string_view pod_uid) {
    const std::optional<json::value> claim = parsed(answer.body);
    if (!claim || !claim->is_object()) {
        return std::nullopt;
    }
    const json::array& reserved = list(*claim, {"status", "reservedFor"});
    return HeldClaim{
        .uid = text(*claim, {"metadata", "uid"}),
        .version = text(*claim, {"metadata", "resourceVersion"}),
        .anything = !at(*claim, {"status", "allocation"}).is_null() || !reserved.empty(),
        .others = std::ranges::any_of(reserved, [&](const json::value& one) { return text(one, {"uid"}) != pod_uid; })};
}

HttpRequest clear_resource_claim(std::string_view claim, const HeldClaim& held) {
    return patch(resource_path(claim) + "/status",
                 json::object{{"metadata", json::object{{"uid", held.uid}, {"resourceVersion", held.version}}},
                              {"status",
                               json::object{{"allocation", nullptr}, {"reservedFor", nullptr}, {"devices", nullptr}}}});
}

// --- claims for extended resources

std::string name_of_claim_for(const PodName& pod, std::string_view suffix) {
    // As the API server makes names of a generateName: short enough for any object.
    constexpr std::size_t kNameMost = 63;
    const std::string whole = fmt::format("{}-extended-resources-", name_part(pod.key));
    return fmt::format("{}/{}{}", namespace_part(pod.key), whole.substr(0, kNameMost - suffix.size()), suffix);
}

HttpRequest create_claim(std::string_view claim, const PodName& pod, const ClaimToMake& makes) {
    json::array requests;
    for (const ClaimToMake::Request& one : makes.requests) {
        requests.push_back(json::object{{"name", one.name},
                                        {"exactly", json::object{{"deviceClassName", one.device_class},
                                                                 {"allocationMode", "ExactCount"},
                                                                 {"count", one.count}}}});
    }
    const json::object owner{
        {"apiVersion", "v1"}, {"kind", "Pod"}, {"name", name_part(pod.key)}, {"uid", pod.uid}, {"controller", true}};
    const json::object body{{"apiVersion", "resource.k8s.io/v1"},
                            {"kind", "ResourceClaim"},
                            {"metadata", json::object{{"namespace", namespace_part(claim)},
                                                      {"name", name_part(claim)},
                                                      {"annotations", json::object{{kMadeForExtended, "true"}}},
                                                      {"ownerReferences", json::array{owner}},
                                                      {"finalizers", json::array{kFinalizer}}}},
                            {"spec", json::object{{"devices", json::object{{"requests", std::move(requests)}}}}}};
    HttpRequest made;
    made.method = "POST";
    made.path =
        fmt::format("/apis/resource.k8s.io/v1/namespaces/{}/resourceclaims", url_escaped(namespace_part(claim)));
    made.body = json::serialize(body);
    made.content_type = "application/json";
    return made;
}

HttpRequest tell_pod_of_claim(const PodName& pod, std::string_view claim, const ClaimToMake& makes) {
    json::array mappings;
    for (const ClaimToMake::Mapping& one : makes.mappings) {
        mappings.push_back(json::object{
            {"containerName", one.container}, {"resourceName", one.resource}, {"requestName", one.request}});
    }
    const json::object said{{"resourceClaimName", name_part(claim)}, {"requestMappings", std::move(mappings)}};
    return patch(fmt::format("/api/v1/namespaces/{}/pods/{}/status", url_escaped(namespace_part(pod.key)),
                             url_escaped(name_part(pod.key))),
                 json::object{{"metadata", json::object{{"uid", pod.uid}}},
                              {"status", json::object{{"extendedResourceClaimStatus", said}}}});
}

std::optional<MadeClaim> read_made_claim(const HttpAnswer& answer, std::string_view pod_uid) {
    const std::optional<json::value> claim = parsed(answer.body);
    if (!claim || !claim->is_object()) {
        return std::nullopt;
    }
    MadeClaim made;
    made.uid = text(*claim, {"metadata", "uid"});
    made.of_pod = text(*claim, {"metadata", "annotations", kMadeForExtended}) == "true" &&
                  std::ranges::any_of(list(*claim, {"metadata", "ownerReferences"}),
                                      [&](const json::value& owner) { return text(owner, {"uid"}) == pod_uid; });
    made.has_finalizer = has_finalizer(*claim);
    return made;
}

HttpRequest let_go_of_claim(std::string_view claim, const std::string& claim_body) {
    const json::value read = parsed(claim_body).value_or(json::value());
    json::object metadata = versioned(read);
    json::array others;
    for (const json::value& one : list(read, {"metadata", "finalizers"})) {
        if (!is_finalizer(one)) {
            others.push_back(one);
        }
    }
    metadata["finalizers"] = std::move(others);
    return patch(resource_path(claim), json::object{{"metadata", std::move(metadata)}});
}

HttpRequest delete_claim(std::string_view claim, const MadeClaim& made) {
    HttpRequest request;
    request.method = "DELETE";
    request.path = resource_path(claim);
    request.body = json::serialize(json::object{
        {"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"preconditions", json::object{{"uid", made.uid}}}});
    request.content_type = "application/json";
    return request;
}

}  // namespace bayplan::kube_shim
