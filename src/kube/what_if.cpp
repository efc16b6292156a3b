// See what_if.h; the steps of a dump, in the order in which they are done.
#include "kube/what_if.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/closest_name.h"
#include "kube/cluster_dump.h"
#include "kube/node_match.h"

namespace bayplan::kube {

namespace {

constexpr std::string_view kHostName = "kubernetes.io/hostname";

std::string plural(std::size_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

std::string replacement_name(std::string_view key) { return std::string(key) + "~1"; }

ConvertedPod replacement_of(const ConvertedPod& gone, std::int64_t created_s) {
    ConvertedPod made = gone;
    made.key = replacement_name(gone.key);
    made.uid.clear();
    made.stuck = false;
    made.ask.node = 0;
    made.ask.nominated_node = 0;
    made.ask.terminating = false;
    made.ask.preempted = false;
    made.ask.originator = false;
    made.ask.started_ms = 0;
    made.ask.created_s = created_s;
    return made;
}

bool ClusterDump::has_replacement(const ConvertedPod& pod) const {
    return spec_of(pod).owner.kind != 0 && !pod.ask.daemonset && !pod.ask.is_static && !pod.ask.foreign;
}

std::int64_t ClusterDump::newest_s() const {
    std::int64_t newest = 0;
    for (const auto* const pods : {&bound_, &pending_}) {
        for (const Pod& pod : *pods) newest = std::max(newest, pod.converted.ask.created_s);
    }
    return newest;
}

const ConvertedNode* ClusterDump::node_or_fault(const std::string& name) {
    const auto found = std::ranges::find(nodes_, texts().find(name), &ConvertedNode::name);
    if (found != nodes_.end() && !name.empty()) return &*found;
    std::vector<std::string_view> names;
    for (const ConvertedNode& node : nodes_) names.push_back(texts().text(node.name));
    what_if_faults_.push_back("no file has a node `" + name + "`" + did_you_mean(name, names));
    return nullptr;
}

void ClusterDump::add_nodes() {
    const WhatIf& what = options_.what_if;
    if (what.add_nodes == 0) return;
    const ConvertedNode* const found = node_or_fault(what.like);
    if (found == nullptr) return;
    const ConvertedNode like = *found;
    const auto csi = std::ranges::find_if(objects_, [&](const ClusterObject& object) {
        const auto* const node = std::get_if<CsiNode>(&object);
        return node != nullptr && node->node == like.name;
    });
    const std::optional<CsiNode> drivers =
        csi == objects_.end() ? std::nullopt : std::optional(std::get<CsiNode>(*csi));
    std::vector<Pod> of_every_node;
    std::ranges::copy_if(pods_, std::back_inserter(of_every_node), [&](const Pod& pod) {
        return pod.converted.ask.node == like.name && (pod.converted.ask.daemonset || pod.converted.ask.is_static);
    });
    for (std::int64_t number = 1; number <= what.add_nodes; ++number) {
        ConvertedNode made = like;
        made.name = converter_.texts().id(what.like + "+" + std::to_string(number));
        made.unschedulable = false;
        made.images.clear();  // it has pulled none yet
        for (Attribute& label : made.attributes) {
            if (texts().text(label.key) == kHostName) label.value = made.name;
        }
        if (drivers) {
            CsiNode copy = *drivers;
            copy.node = made.name;
            objects_.push_back(std::move(copy));
        }
        for (Pod pod : of_every_node) {
            pod.converted.key += "+" + std::to_string(number);
            pod.converted.ask.node = made.name;
            pods_.push_back(std::move(pod));
        }
        nodes_.push_back(std::move(made));
    }
    what_if_lines_.push_back(plural(static_cast<std::size_t>(what.add_nodes), "node") + " like " + what.like +
                             " added, with the " + plural(of_every_node.size(), "pod") +
                             " that every node has (DaemonSets, static ones); without images, and devices of claims");
}

void ClusterDump::remove_nodes() {
    for (const std::string& name : options_.what_if.remove_nodes) {
        const ConvertedNode* const found = node_or_fault(name);
        if (found == nullptr) continue;
        const Text id = found->name;
        const std::int64_t now_s = newest_s();
        std::erase_if(nodes_, [id](const ConvertedNode& node) { return node.name == id; });
        std::size_t replaced = 0;
        std::size_t lost = 0;
        for (Pod& pod : bound_) {
            if (pod.converted.ask.node != id) continue;
            if (has_replacement(pod.converted)) {
                pending_.push_back({replacement_of(pod.converted, now_s), pod.file});
                ++replaced;
            } else {
                ++lost;
            }
        }
        std::erase_if(bound_, [id](const Pod& pod) { return pod.converted.ask.node == id; });
        what_if_lines_.push_back("node " + name + " removed: " + plural(replaced, "pod") +
                                 " made anew by their owners (NAME~1), " + std::to_string(lost) + " gone with it");
    }
}

void ClusterDump::cordon_nodes() {
    for (const std::string& name : options_.what_if.drain) {
        const ConvertedNode* const found = node_or_fault(name);
        if (found == nullptr) continue;
        const Text id = found->name;
        std::ranges::find(nodes_, id, &ConvertedNode::name)->unschedulable = true;
    }
}

void ClusterDump::scale_workloads() {
    for (const WhatIf::Scale& scale : options_.what_if.scale) {
        const auto found = std::ranges::find_if(workloads_, [&](const Workload& one) {
            return one.name_space == scale.name_space && one.name == scale.name && one.kind != "DaemonSet";
        });
        if (found != workloads_.end()) {
            found->replicas = scale.replicas;
            make_replicas(*found, true);
        } else {
            scale_by_pods(scale);
        }
    }
}

// Without the workload's object one of its pods is the template.
void ClusterDump::scale_by_pods(const WhatIf::Scale& scale) {
    Workload made;
    made.name_space = scale.name_space;
    made.name = scale.name;
    made.replicas = scale.replicas;
    std::vector<std::string> owners;
    for (const std::string_view kind : {"Deployment", "StatefulSet", "ReplicaSet", "Job"}) {
        made.kind = kind;
        for (const Pod& pod : pods_) {
            const PodOwner& owner = spec_of(pod.converted).owner;
            if (pod.converted.key.starts_with(scale.name_space + "/") &&
                controls(made, texts().text(owner.kind), texts().text(owner.name))) {
                made.pod = replacement_of(pod.converted, pod.converted.ask.created_s);
                make_replicas(made, true);
                return;
            }
            if (owner.kind != 0)
                owners.push_back(pod.converted.key.substr(0, pod.converted.key.find('/') + 1) +
                                 std::string(texts().text(owner.name)));
        }
    }
    std::vector<std::string_view> names(owners.begin(), owners.end());
    what_if_faults_.push_back("no file has a workload " + scale.name_space + "/" + scale.name + ", or a pod of it" +
                              did_you_mean(scale.name_space + "/" + scale.name, names));
}

void ClusterDump::expand_workloads() {
    if (!options_.what_if.expand) return;
    for (const Workload& workload : workloads_) make_replicas(workload, false);
}

void ClusterDump::make_replicas(const Workload& workload, bool told) {
    std::vector<std::size_t> own;  // places in pods_, what waits first, then the youngest: who goes first
    for (std::size_t at = 0; at < pods_.size(); ++at) {
        const ConvertedPod& pod = pods_[at].converted;
        const PodOwner& owner = spec_of(pod).owner;
        if (pod.key.starts_with(workload.name_space + "/") &&
            controls(workload, texts().text(owner.kind), texts().text(owner.name))) {
            own.push_back(at);
        }
    }
    if (workload.kind == "DaemonSet") {
        make_daemon_pods(workload, own);
        return;
    }
    std::ranges::stable_sort(own, {}, [this](std::size_t at) {
        const AskItem& ask = pods_[at].converted.ask;
        return std::pair(ask.node != 0, -ask.created_s);
    });
    const auto had = static_cast<std::int64_t>(own.size());
    std::vector<std::string> going;
    for (std::int64_t more = had; more > workload.replicas; --more) {
        going.push_back(pods_[own[static_cast<std::size_t>(had - more)]].converted.key);
    }
    std::erase_if(pods_, [&](const Pod& pod) { return std::ranges::find(going, pod.converted.key) != going.end(); });
    for (std::int64_t number = 0, left = workload.replicas - had; left > 0; ++number) {
        left -= make_pod(workload, number, 0) ? 1 : 0;
    }
    if (told || had != workload.replicas) {
        what_if_lines_.push_back(workload.kind + " " + workload.name_space + "/" + workload.name + ": " +
                                 plural(static_cast<std::size_t>(workload.replicas), "pod") + ", had " +
                                 std::to_string(had));
    }
    if (workload.pod_set && had == 0) objects_.push_back(*workload.pod_set);
}

void ClusterDump::make_daemon_pods(const Workload& workload, const std::vector<std::size_t>& own) {
    std::size_t made = 0;
    for (const ConvertedNode& node : nodes_) {
        const bool has =
            std::ranges::any_of(own, [&](std::size_t at) { return pods_[at].converted.ask.node == node.name; });
        const PodSpec& spec = spec_of(workload.pod);
        if (!has && selects(spec, node, texts()) && untolerated(spec, node) == nullptr) {
            made += make_pod(workload, 0, node.name) ? 1 : 0;
        }
    }
    what_if_lines_.push_back("DaemonSet " + workload.name_space + "/" + workload.name + ": " + plural(made, "pod") +
                             " made, one for each node that takes it, had " + std::to_string(own.size()));
}

bool ClusterDump::make_pod(const Workload& workload, std::int64_t number, Text node) {
    ConvertedPod pod = pod_of(workload, number, node, converter_);
    if (!names_.insert("Pod " + pod.key).second) return false;
    for (VolumeClaim claim : workload.claims) {
        const std::string name = std::string(texts().text(claim.name)) + "-" + pod.key.substr(pod.key.find('/') + 1);
        claim.name = converter_.texts().id(name);
        if (names_.insert("PersistentVolumeClaim " + workload.name_space + "/" + name).second) {
            objects_.push_back(std::move(claim));
        }
    }
    pods_.push_back({std::move(pod), "a template"});
    return true;
}

}  // namespace bayplan::kube
