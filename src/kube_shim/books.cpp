// Objects that come and go. See books.h; pods: books_pods.cpp, statements: books_statements.cpp.
#include "kube_shim/books.h"

#include <algorithm>
#include <utility>

#include "kube/trimmed_json.h"
#include "kube_shim/same_statement.h"

namespace bayplan::kube_shim {

namespace {

std::string name_of(std::string_view kind, const kube::Value& object) {
    const kube::Value& metadata = object["metadata"];
    std::string name = std::string(kind) + " ";
    if (kube::has_namespace(kind)) {
        const std::string_view in = metadata["namespace"].text();
        name += in.empty() ? "default" : in;
    }
    return name + "/" + std::string(metadata["name"].text());
}

// "NAMESPACE/NAME" of "KIND NAMESPACE/NAME".
std::string without_kind(const std::string& name) { return name.substr(name.find(' ') + 1); }

}  // namespace

Books::Books(BooksOptions options, OnFault on_fault, OnGone on_gone, OnNominationLost on_nomination_lost)
    : options_(std::move(options)),
      on_fault_(std::move(on_fault)),
      on_gone_(std::move(on_gone)),
      on_nomination_lost_(std::move(on_nomination_lost)),
      converter_(false, {}, options_.applications),
      rules_(options_.gates, options_.config, converter_),
      volumes_(converter_.texts()) {
    if (options_.gates.extended_resources) {
        converter_.follow_extended_resources();
    }
    const Text tag = converter_.texts().id("foreign");
    foreign_tag_[0] = {tag, converter_.texts().id("default")};
    foreign_tag_[1] = {tag, converter_.texts().id("static")};
}

bool Books::has_node(std::string_view name) const { return nodes_.contains("Node /" + std::string(name)); }

bool Books::is_ours(const kube::ConvertedPod& pod) const {
    return std::ranges::find(options_.schedulers, pod.scheduler) != options_.schedulers.end();
}

// --- lists

void Books::begin_list(std::string_view kind) {
    const std::string name(kind);
    lists_[name] = {.first = kind == "Pod" ? pods_.empty() : named_[name].empty(), .seen = {}};
}

void Books::end_list(std::string_view kind) {
    const auto list = lists_.find(kind);
    if (list == lists_.end()) {
        return;
    }
    const Listing listing = std::move(list->second);
    lists_.erase(list);
    if (listing.first) {
        return;
    }
    const Seen& seen = listing.seen;
    std::vector<std::string> gone;
    if (kind == "Pod") {
        std::size_t walked = 0;
        for (const auto& [key, pod] : pods_) {
            pause(walked);
            if (!seen.contains("Pod " + key)) {
                gone.push_back("Pod " + key);
            }
        }
    } else {
        for (const std::string& name : named_[std::string(kind)]) {
            if (!seen.contains(name)) {
                gone.push_back(name);
            }
        }
    }
    std::ranges::sort(gone);
    for (const std::string& name : gone) {
        remove_named(kind, name);
    }
}

// --- objects

void Books::put(const kube::ReadObject& object) {
    const std::string name = name_of(object.kind, object.value);
    if (const auto list = lists_.find(object.kind); list != lists_.end() && !list->second.first) {
        list->second.seen.insert(name);
    }
    if (object.kind == kWorkloads.kind) {
        put_workload(name, object.value);
        return;
    }
    std::vector<kube::ObjectFault> faults;
    std::optional<kube::NamedObject> made = converter_.convert(object, "", faults);
    for (const kube::ObjectFault& one : faults) {
        on_fault_(one.to_string());
    }
    if (!made) {
        remove_named(object.kind, name);  // its former content holds no more, and the new one cannot be read
        return;
    }
    if (auto* const pod = std::get_if<kube::ConvertedPod>(&made->object)) {
        PodFacts facts = read_pod_facts(object.value);
        const bool asks = pod->ask.node == 0 && options_.config && !options_.config->extenders.empty() && is_ours(*pod);
        if (asks || keeps_victims()) {
            kube::append_whole(facts.words.object, object.value);
        }
        put_pod(std::move(*pod), std::move(facts));
        return;
    }
    if (std::holds_alternative<std::monostate>(made->object)) {
        return;
    }
    named_[std::string(object.kind)].insert(name);
    if (auto* const node = std::get_if<kube::ConvertedNode>(&made->object)) {
        put_node(name, std::move(*node), object.value);
    } else if (auto* const priority_class = std::get_if<kube::PriorityClass>(&made->object)) {
        classes_.put(std::move(*priority_class));
    } else {
        put_cluster_object(name, std::move(std::get<ClusterObject>(made->object)), object.value);
    }
}

void Books::put_cluster_object(const std::string& name, ClusterObject&& made, const kube::Value& object) {
    if (std::holds_alternative<ResourceClaim>(made)) {
        note_claim_object(name, object);
    }
    auto* const device_class = std::get_if<DeviceClass>(&made);
    if (device_class == nullptr || converter_.extended() == nullptr) {
        put_object(name, std::move(made));
        return;
    }
    device_class->kinds = converter_.extended()->kinds_of(text(device_class->name), converter_.texts());
    put_object(name, std::move(made));
    classes_changed();
}

void Books::put_node(const std::string& name, kube::ConvertedNode&& made, const kube::Value& object) {
    const auto [at, fresh] = nodes_.try_emplace(name);
    BookedNode& node = at->second;
    if (keeps_nodes()) {
        node.object.clear();
        kube::append_whole(node.object, object);
    }
    if (!fresh && same_node(node.made, made)) {
        return;  // a heartbeat
    }
    taints_changed(node.made.taints, made.taints);
    node.made = std::move(made);
    if (!std::exchange(node.queued, true)) {
        queue(Entry::node, name);
    }
}

void Books::put_object(const std::string& name, ClusterObject&& made) {
    const auto [at, fresh] = objects_.try_emplace(name);
    if (!fresh && at->second.made == made) {
        return;
    }
    if (const auto* const volume = std::get_if<Volume>(&at->second.made); !fresh && volume != nullptr) {
        volumes_.take_out(*volume);
    }
    at->second.made = std::move(made);
    at->second.given_back = false;
    if (const auto* const volume = std::get_if<Volume>(&at->second.made)) {
        volumes_.put(*volume);
    }
    if (!std::exchange(at->second.queued, true)) {
        queue(Entry::object, name);
    }
}

void Books::remove(const kube::ReadObject& object) { remove_named(object.kind, name_of(object.kind, object.value)); }

void Books::remove_named(std::string_view kind, const std::string& name) {
    if (kind == "Pod") {
        remove_pod(without_kind(name));
        return;
    }
    named_[std::string(kind)].erase(name);
    if (kind == "Namespace") {
        converter_.quotas().forget(name.substr(name.find('/') + 1));
    }
    if (kind == kWorkloads.kind) {
        workloads_.take_out(without_kind(name));
    } else if (kind == "PriorityClass") {
        classes_.remove(name.substr(name.find('/') + 1));
    } else if (const auto node = nodes_.find(name); node != nodes_.end()) {
        const Text id = node->second.made.name;
        const bool stated = node->second.stated;
        taints_changed(node->second.made.taints, {});
        nodes_.erase(node);
        if (!stated) {
            return;
        }
        queue(Entry::node_gone, name);
        lost_nodes_.insert(id);
    } else {
        drop_object(name);
        if (kind == "ResourceClaim") {
            forget_claim_object(name);
        } else if (kind == "DeviceClass" && converter_.extended() != nullptr) {
            converter_.extended()->forget(name.substr(name.find('/') + 1));
            classes_changed();
        }
    }
}

void Books::drop_object(const std::string& name) {
    const auto object = objects_.find(name);
    if (object == objects_.end()) {
        return;
    }
    const bool stated = object->second.stated;
    if (const auto* const volume = std::get_if<Volume>(&object->second.made)) {
        volumes_.take_out(*volume);
    }
    objects_.erase(object);
    if (stated) {
        queue(Entry::object_gone, name);
    }
}

// The partition has let go of their pods; the API server has them until somebody deletes them.
void Books::leave_lost_nodes() {
    if (lost_nodes_.empty()) {
        return;
    }
    std::size_t walked = 0;
    for (auto& [key, pod] : pods_) {
        pause(walked);
        if (lost_nodes_.contains(pod.node)) {
            queue_pod(key, pod);
        } else if (pod.node == 0 && lost_nodes_.contains(pod.nominated_node)) {
            pod.nominated_node = 0;
            on_nomination_lost_(key);
        }
    }
    lost_nodes_.clear();
}

}  // namespace bayplan::kube_shim
