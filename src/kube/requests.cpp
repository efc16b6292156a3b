// See requests.h.
#include "kube/requests.h"

#include <algorithm>

#include "kube/resource_names.h"

namespace bayplan::kube {

namespace {

const Quantity kDefaultCpu = Quantity::milli(100);
const Quantity kDefaultMemory = Quantity::whole(200 * 1024 * 1024);

Quantity& entry(ResourceList& list, std::string_view name) {
    for (Resource& resource : list) {
        if (resource.name == name) {
            return resource.quantity;
        }
    }
    list.push_back({name, {}});
    return list.back().quantity;
}

void add(ResourceList& sum, const ResourceList& more) {
    for (const Resource& resource : more) {
        entry(sum, resource.name) += resource.quantity;
    }
}

void raise(ResourceList& highest, const ResourceList& other) {
    for (const Resource& resource : other) {
        Quantity& quantity = entry(highest, resource.name);
        quantity = std::max(quantity, resource.quantity);
    }
}

struct Container {
    ResourceList requests;
    bool restartable = false;  // an init container that keeps running: a sidecar
};

struct Containers {
    std::vector<Container> main;
    std::vector<Container> init;
};

// A resize that the node can never grant leaves the spec without meaning.
bool resize_infeasible(Converter& convert, const Value& pod) {
    for (const Value& condition : convert.reader.items(pod["status"]["conditions"])) {
        if (condition["type"].text() == "PodResizePending") {
            return condition["reason"].text() == "Infeasible";
        }
    }
    return false;
}

void apply_status(Converter& convert, const Value& status, bool infeasible, ResourceList& requests) {
    // A kubelet that reports no resources of a container does not know of resizes.
    if (!status["resources"].present()) {
        return;
    }
    if (infeasible) {
        requests.clear();
    }
    raise(requests, read_list(convert, status["resources"]["requests"]));
    raise(requests, read_list(convert, status["allocatedResources"]));
}

Containers read_containers(Converter& convert, const Value& pod, bool assigned) {
    Containers containers;
    const Value& spec = pod["spec"];
    const bool infeasible = assigned && resize_infeasible(convert, pod);
    for (const Value& one : convert.reader.items(spec["containers"])) {
        Container& made = containers.main.emplace_back();
        made.requests = read_list(convert, one["resources"]["requests"]);
        if (assigned) {
            const Value& statuses = pod["status"]["containerStatuses"];
            apply_status(convert, convert.reader.item_named(statuses, one["name"].text()), infeasible, made.requests);
        }
    }
    for (const Value& one : convert.reader.items(spec["initContainers"])) {
        Container& made = containers.init.emplace_back();
        made.requests = read_list(convert, one["resources"]["requests"]);
        made.restartable = convert.reader.text(one["restartPolicy"]) == "Always";
        if (assigned && made.restartable) {
            const Value& statuses = pod["status"]["initContainerStatuses"];
            apply_status(convert, convert.reader.item_named(statuses, one["name"].text()), infeasible, made.requests);
        }
    }
    return containers;
}

// Resources for which a container without a request counts with a default; without quantity none is added.
struct Missing {
    bool cpu = false;
    bool memory = false;
};

ResourceList with_defaults(const ResourceList& requests, Missing missing) {
    ResourceList list = requests;
    if (missing.cpu && find_resource(list, kCpuName) == nullptr) {
        list.push_back({kCpuName, kDefaultCpu});
    }
    if (missing.memory && find_resource(list, kMemoryName) == nullptr) {
        list.push_back({kMemoryName, kDefaultMemory});
    }
    return list;
}

// Containers run together; init containers one after the other, beside the sidecars started before them.
ResourceList aggregate(const Containers& containers, Missing missing) {
    ResourceList main;
    for (const Container& container : containers.main) {
        add(main, with_defaults(container.requests, missing));
    }
    ResourceList sidecars;
    ResourceList highest;
    for (const Container& container : containers.init) {
        const ResourceList requests = with_defaults(container.requests, missing);
        if (container.restartable) {
            add(main, requests);
            add(sidecars, requests);
            raise(highest, sidecars);
        } else {
            ResourceList candidate = sidecars;
            add(candidate, requests);
            raise(highest, candidate);
        }
    }
    raise(main, highest);
    return main;
}

Quantity quantity_of(const ResourceList& list, std::string_view name) {
    const Resource* const found = find_resource(list, name);
    return found == nullptr ? Quantity() : found->quantity;
}

void replace_by_pod_level(ResourceList& list, const ResourceList& pod_level) {
    for (const Resource& resource : pod_level) {
        entry(list, resource.name) = resource.quantity;
    }
}

}  // namespace

ResourceList read_list(Converter& convert, const Value& map) {
    ResourceList list;
    for (const Member& member : convert.reader.members(map)) {
        if (is_tracked_resource(member.name) && member.value.present()) {
            entry(list, member.name) = convert.amount(member.value);
        }
    }
    return list;
}

const Resource* find_resource(const ResourceList& list, std::string_view name) {
    const auto found =
        std::find_if(list.begin(), list.end(), [name](const Resource& resource) { return resource.name == name; });
    return found == list.end() ? nullptr : &*found;
}

ResourceList container_requests(Converter& convert, const Value& pod) {
    return aggregate(read_containers(convert, pod, false), {});
}

PodRequests pod_requests(Converter& convert, const Value& pod, bool assigned) {
    const Containers containers = read_containers(convert, pod, assigned);
    ResourceList pod_level = read_list(convert, pod["spec"]["resources"]["requests"]);
    std::erase_if(pod_level, [](const Resource& resource) { return !is_pod_level_resource(resource.name); });
    const ResourceList overhead = read_list(convert, pod["spec"]["overhead"]);

    PodRequests requests;
    requests.total = aggregate(containers, {});
    replace_by_pod_level(requests.total, pod_level);
    add(requests.total, overhead);

    // With pod-level requests a default stands in only for what is missing at both levels.
    Missing missing{true, true};
    if (!pod_level.empty()) {
        missing = {find_resource(requests.total, kCpuName) == nullptr,
                   find_resource(requests.total, kMemoryName) == nullptr};
    }
    ResourceList on_node = aggregate(containers, missing);
    replace_by_pod_level(on_node, pod_level);
    add(on_node, overhead);
    requests.node_cpu = quantity_of(on_node, kCpuName);
    requests.node_memory = quantity_of(on_node, kMemoryName);

    ResourceList own = aggregate(containers, {true, true});
    add(own, overhead);
    requests.own_cpu = quantity_of(own, kCpuName);
    requests.own_memory = quantity_of(own, kMemoryName);
    return requests;
}

}  // namespace bayplan::kube
