// See defaults.h. Source of the rules: Kubernetes 1.35's defaulting and its pod strategy
// (pkg/apis/core/v1).
#include "kube/defaults.h"

#include <algorithm>
#include <functional>

#include "kube/requests.h"
#include "kube/resource_names.h"

namespace bayplan::kube {

namespace {

using Change = std::function<Value(const Value&)>;

// A list with each item changed; what is no list stays as it is, for the converter to complain of.
Value each(const Value& list, Arena& arena, const Change& change) {
    if (list.kind() != Value::Kind::list) {
        return list;
    }
    std::vector<Value> items;
    for (const Value& item : list.items()) {
        items.push_back(item.kind() == Value::Kind::object ? change(item) : item);
    }
    return Value::list(arena.keep(std::span<const Value>(items)));
}

// The object with the member changed, if it has it.
Value inside(const Value& object, std::string_view name, Arena& arena, const Change& change) {
    const Value& member = object[name];
    return member.present() ? with_member(object, name, change(member), arena) : object;
}

// `map` with the members of `more` whose names it lacks.
Value united(const Value& map, const Value& more, Arena& arena, const std::function<bool(std::string_view)>& take) {
    std::vector<Member> members(map.members().begin(), map.members().end());
    for (const Member& member : more.members()) {
        if (take(member.name) && !map[member.name].present()) {
            members.push_back(member);
        }
    }
    return Value::object(arena.keep(std::span<const Member>(members)));
}

Value container_requests_from_limits(const Value& container, Arena& arena) {
    return inside(container, "resources", arena, [&](const Value& resources) {
        const Value& limits = resources["limits"];
        if (limits.members().empty()) {
            return resources;
        }
        const auto all = [](std::string_view) { return true; };
        return with_member(resources, "requests", united(resources["requests"], limits, arena, all), arena);
    });
}

Value host_ports(const Value& container, Arena& arena) {
    return inside(container, "ports", arena, [&](const Value& ports) {
        return each(ports, arena, [&](const Value& port) {
            const bool given = port["hostPort"].present() && port["hostPort"].text() != "0";
            return given || !port["containerPort"].present()
                       ? port
                       : with_member(port, "hostPort", port["containerPort"], arena);
        });
    });
}

// A pod with limits as a whole requests what its containers do, and where they name nothing, its limits.
Value pod_level_requests(Converter& convert, const Value& pod, const Value& spec, Arena& arena) {
    const Value& resources = spec["resources"];
    if (resources["limits"].members().empty()) {
        return spec;
    }
    std::vector<Member> sums;
    const Value changed = with_member(pod, "spec", spec, arena);
    for (const Resource& resource : container_requests(convert, changed)) {
        if (!resource.name.starts_with("hugepages-")) {  // these may not be overcommitted
            sums.push_back({arena.keep(resource.name), text_value(arena, to_text(resource.quantity))});
        }
    }
    const Value from_containers = Value::object(arena.keep(std::span<const Member>(sums)));
    Value requests = united(resources["requests"], from_containers, arena, is_pod_level_resource);
    requests = united(requests, resources["limits"], arena, is_pod_level_resource);
    return with_member(spec, "resources", with_member(resources, "requests", requests, arena), arena);
}

// Adds `key In [the pod's value]` to the selector for each key of the list that the pod has.
void merge_keys(const Value& labels, const Value& keys, std::string_view op, std::vector<Value>& expressions,
                Arena& arena) {
    for (const Value& key : keys.items()) {
        const Value& value = labels[key.text()];
        if (!value.present()) {
            continue;
        }
        const Member members[] = {{"key", key},
                                  {"operator", Value::scalar(Value::Kind::text, op)},
                                  {"values", Value::list(arena.keep(std::span<const Value>(&value, 1)))}};
        expressions.push_back(Value::object(arena.keep(std::span<const Member>(members))));
    }
}

Value merged_selector(const Value& term, const Value& labels, Arena& arena) {
    const Value& selector = term["labelSelector"];
    if (selector.kind() != Value::Kind::object) {
        return term;
    }
    const std::span<const Value> given = selector["matchExpressions"].items();
    std::vector<Value> expressions(given.begin(), given.end());
    merge_keys(labels, term["matchLabelKeys"], "In", expressions, arena);
    merge_keys(labels, term["mismatchLabelKeys"], "NotIn", expressions, arena);
    if (expressions.size() == given.size()) {
        return term;
    }
    const Value list = Value::list(arena.keep(std::span<const Value>(expressions)));
    return with_member(term, "labelSelector", with_member(selector, "matchExpressions", list, arena), arena);
}

Value affinity_keys(const Value& affinity, const Value& labels, Arena& arena) {
    const Change term = [&](const Value& value) { return merged_selector(value, labels, arena); };
    const Change weighted = [&](const Value& value) { return inside(value, "podAffinityTerm", arena, term); };
    const Change kind = [&](const Value& value) {
        const Value required = inside(value, "requiredDuringSchedulingIgnoredDuringExecution", arena,
                                      [&](const Value& list) { return each(list, arena, term); });
        return inside(required, "preferredDuringSchedulingIgnoredDuringExecution", arena,
                      [&](const Value& list) { return each(list, arena, weighted); });
    };
    return inside(inside(affinity, "podAffinity", arena, kind), "podAntiAffinity", arena, kind);
}

Value rbd_pool(const Value& volume, Arena& arena) {
    return inside(volume, "rbd", arena, [&](const Value& rbd) {
        return rbd["pool"].present() ? rbd : with_member(rbd, "pool", text_value(arena, "rbd"), arena);
    });
}

Value pod_defaults(Converter& convert, const Value& pod, Arena& arena) {
    const Value& labels = pod["metadata"]["labels"];
    const bool host = pod["spec"]["hostNetwork"].text() == "true";
    const Change container = [&](const Value& value) {
        const Value made = container_requests_from_limits(value, arena);
        return host ? host_ports(made, arena) : made;
    };
    const Change containers = [&](const Value& list) { return each(list, arena, container); };
    return inside(pod, "spec", arena, [&](const Value& spec) {
        Value made = inside(spec, "containers", arena, containers);
        made = inside(made, "initContainers", arena, containers);
        made = pod_level_requests(convert, pod, made, arena);
        made = inside(made, "affinity", arena, [&](const Value& value) { return affinity_keys(value, labels, arena); });
        made = inside(made, "topologySpreadConstraints", arena, [&](const Value& list) {
            return each(list, arena, [&](const Value& value) { return merged_selector(value, labels, arena); });
        });
        return inside(made, "volumes", arena, [&](const Value& list) {
            return each(list, arena, [&](const Value& value) { return rbd_pool(value, arena); });
        });
    });
}

Value node_defaults(const Value& node, Arena& arena) {
    return inside(node, "status", arena, [&](const Value& status) {
        const bool given = status["allocatable"].present() || !status["capacity"].present();
        return given ? status : with_member(status, "allocatable", status["capacity"], arena);
    });
}

Value namespace_defaults(const Value& object, Arena& arena) {
    return inside(object, "metadata", arena, [&](const Value& metadata) {
        Value labels = metadata["labels"];
        if (labels.present() && labels.kind() != Value::Kind::object) {
            return metadata;
        }
        labels = with_member(labels, "kubernetes.io/metadata.name", metadata["name"], arena);
        return with_member(metadata, "labels", labels, arena);
    });
}

}  // namespace

Value with_defaults(Converter& convert, std::string_view kind, Arena& arena) {
    const Value& object = convert.reader.root();
    if (kind == "Pod") {
        return pod_defaults(convert, object, arena);
    }
    if (kind == "Node") {
        return node_defaults(object, arena);
    }
    if (kind == "Namespace") {
        return namespace_defaults(object, arena);
    }
    if (kind == "StorageClass" && !object["volumeBindingMode"].present()) {
        return with_member(object, "volumeBindingMode", text_value(arena, "Immediate"), arena);
    }
    return object;
}

}  // namespace bayplan::kube
