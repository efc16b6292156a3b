// See workloads.h. Source of the rules: Kubernetes 1.35's controllers.
#include "kube/workloads.h"

#include <algorithm>
#include <utility>

namespace bayplan::kube {

namespace {

// The ReplicaSet of a Deployment is not known by its name, which ends with a hash.
constexpr std::string_view kHash = "-expanded";

std::string owner_name(std::string_view kind, std::string_view name) {
    return std::string(name) + std::string(kind == "Deployment" ? kHash : std::string_view());
}

// The pod that the controller would give to the API server.
Value pod_value(const Value& workload, std::string_view kind, Arena& arena) {
    const Value& given = workload["spec"]["template"];
    const std::string_view name = workload["metadata"]["name"].text();
    const bool job = kind == "Job";
    const Member owner[] = {{"apiVersion", text_value(arena, job ? "batch/v1" : "apps/v1")},
                            {"kind", text_value(arena, kind == "Deployment" ? "ReplicaSet" : kind)},
                            {"name", text_value(arena, owner_name(kind, name))},
                            {"uid", text_value(arena, "expanded")},
                            {"controller", Value::scalar(Value::Kind::boolean, "true")}};
    const Value owners[] = {Value::object(arena.keep(std::span<const Member>(owner)))};
    Value metadata = with_member(given["metadata"], "name", text_value(arena, name), arena);
    const std::string_view space = workload["metadata"]["namespace"].text();
    metadata = with_member(metadata, "namespace", text_value(arena, space.empty() ? "default" : space), arena);
    metadata = with_member(metadata, "ownerReferences", Value::list(arena.keep(std::span<const Value>(owners))), arena);
    const Member members[] = {{"apiVersion", text_value(arena, "v1")},
                              {"kind", text_value(arena, "Pod")},
                              {"metadata", metadata},
                              {"spec", given["spec"]}};
    return Value::object(arena.keep(std::span<const Member>(members)));
}

std::int64_t replicas_of(Reader& reader, std::string_view kind) {
    constexpr std::int64_t kMax = 1'000'000;
    const Value& spec = reader.root()["spec"];
    if (kind != "Job") return reader.integer(spec["replicas"], 1, 0, kMax);
    const std::int64_t parallel = reader.integer(spec["parallelism"], 1, 0, kMax);
    return std::min(parallel, reader.integer(spec["completions"], parallel, 0, kMax));
}

void add_claims(const ReadObject& object, const std::string& file, ObjectConverter& converter,
                std::vector<ObjectFault>& faults, Workload& made) {
    for (const Value& given : object.value["spec"]["volumeClaimTemplates"].items()) {
        const Value metadata =
            with_member(given["metadata"], "namespace", text_value(object.arena, made.name_space), object.arena);
        const Value claim = with_member(given, "metadata", metadata, object.arena);
        const auto one =
            converter.convert({"PersistentVolumeClaim", claim, object.arena, object.position}, file, faults);
        if (one && std::holds_alternative<ClusterObject>(one->object)) {
            made.claims.push_back(std::get<VolumeClaim>(std::get<ClusterObject>(one->object)));
        }
    }
}

void tolerate_what_a_daemonset_does(PodSpec& spec, Texts& texts) {
    for (const auto& [key, effect] :
         {std::pair("not-ready", TaintEffect::no_execute), std::pair("unreachable", TaintEffect::no_execute),
          std::pair("disk-pressure", TaintEffect::no_schedule), std::pair("memory-pressure", TaintEffect::no_schedule),
          std::pair("pid-pressure", TaintEffect::no_schedule), std::pair("unschedulable", TaintEffect::no_schedule)}) {
        spec.tolerations.push_back({texts.id("node.kubernetes.io/" + std::string(key)), true, 0, effect});
    }
}

// Each of its terms, or one of its own, names the node.
void bind_to_node(PodSpec& spec, Text node, Texts& texts) {
    const LabelRequirement only{texts.id("metadata.name"), LabelOperator::in, {node}};
    if (!spec.required_nodes) spec.required_nodes.emplace(1);
    for (NodeTerm& term : *spec.required_nodes) term.fields = {only};
}

}  // namespace

bool is_workload(std::string_view kind) {
    return kind == "Deployment" || kind == "StatefulSet" || kind == "DaemonSet" || kind == "ReplicaSet" ||
           kind == "Job";
}

std::optional<Workload> workload_of(const ReadObject& object, const std::string& file, ObjectConverter& converter,
                                    std::vector<ObjectFault>& faults) {
    const Value& root = object.value;
    if (!is_workload(object.kind) || !root["spec"]["template"].present()) return std::nullopt;
    for (const Value& owner : root["metadata"]["ownerReferences"].items()) {
        if (owner["controller"].text() == "true") return std::nullopt;
    }
    Reader reader(root, file, object.kind);
    Workload made{.kind = std::string(object.kind),
                  .name_space = std::string(root["metadata"]["namespace"].text()),
                  .name = std::string(reader.needed(root["metadata"], "name")),
                  .replicas = replicas_of(reader, object.kind),
                  .pod = {},
                  .claims = {},
                  .pod_set = {}};
    if (made.name_space.empty()) made.name_space = "default";
    const Value pod = pod_value(root, object.kind, object.arena);
    auto converted = converter.convert_defaulted({"Pod", pod, object.arena, object.position}, file, faults);
    const bool sound = reader.sound();
    for (ObjectFault& fault : reader.take_faults()) faults.push_back(std::move(fault));
    if (!sound || !converted) return std::nullopt;
    made.pod = std::get<ConvertedPod>(std::move(converted->object));
    if (object.kind == "StatefulSet") add_claims(object, file, converter, faults, made);
    if (object.kind == "Deployment") {
        Reader selectors(root, file, object.kind);
        Converter convert(selectors, converter.texts());
        made.pod_set =
            PodSet{converter.texts().id("ReplicaSet"), converter.texts().id(made.name_space),
                   converter.texts().id(owner_name(made.kind, made.name)), convert.selector(root["spec"]["selector"])};
    }
    return made;
}

bool controls(const Workload& workload, std::string_view kind, std::string_view name) {
    if (workload.kind != "Deployment") return kind == workload.kind && name == workload.name;
    const std::string_view own = workload.name;
    return kind == "ReplicaSet" && name.size() > own.size() + 1 && name.starts_with(own) && name[own.size()] == '-' &&
           name.find('-', own.size() + 1) == std::string_view::npos;
}

ConvertedPod pod_of(const Workload& workload, std::int64_t number, Text node, ObjectConverter& converter) {
    ConvertedPod pod = workload.pod;
    const std::string name =
        workload.name + "-" + (node == 0 ? std::to_string(number) : std::string(converter.texts().text(node)));
    pod.key = workload.name_space + "/" + name;
    if (node == 0 && workload.claims.empty()) return pod;
    PodSpec spec = converter.specs().records()[pod.ask.spec - 1].spec;
    if (node != 0) {
        bind_to_node(spec, node, converter.texts());
        tolerate_what_a_daemonset_does(spec, converter.texts());
        pod.ask.tolerates_unschedulable = true;
    }
    for (const VolumeClaim& claim : workload.claims) {
        PodVolume volume;
        volume.kind = VolumeKind::claim;
        volume.name = converter.texts().id(std::string(converter.texts().text(claim.name)) + "-" + name);
        spec.volumes.push_back(std::move(volume));
    }
    pod.ask.spec = converter.number(std::move(spec));
    return pod;
}

}  // namespace bayplan::kube
