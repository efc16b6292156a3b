// Reading and sorting out. See cluster_dump.h; what is sent: dump_messages.cpp.
#include "kube/cluster_dump.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "kube/defaults.h"

namespace bayplan::kube {

namespace {

constexpr std::uint64_t kProgressBytes = 1 << 20;

// Kinds without a namespace: names of two of them are compared without one.
bool has_namespace(std::string_view kind) {
    for (const std::string_view plain : {"Node", "Namespace", "PersistentVolume", "StorageClass", "PriorityClass",
                                         "CSINode", "CSIDriver", "VolumeAttachment"}) {
        if (kind == plain) {
            return false;
        }
    }
    return true;
}

// The API group in which a kind is what we take it for: other groups have Services and Nodes of their own.
std::string_view group_of(std::string_view kind) {
    if (kind == "ReplicaSet" || kind == "StatefulSet") {
        return "apps";
    }
    if (kind == "PodDisruptionBudget") {
        return "policy";
    }
    if (kind == "PriorityClass") {
        return "scheduling.k8s.io";
    }
    const bool storage = kind == "StorageClass" || kind == "VolumeAttachment" || kind.starts_with("CSI");
    return storage ? "storage.k8s.io" : "";
}

// Items of a typed list name no version and are what the list is of.
bool of_its_group(const Value& object, std::string_view kind) {
    const Value& version = object["apiVersion"];
    const std::string_view text = version.text();
    const std::size_t slash = text.find('/');
    return !version.present() || (slash == std::string_view::npos ? "" : text.substr(0, slash)) == group_of(kind);
}

// The two that every API server makes by itself.
constexpr std::pair<std::string_view, std::int32_t> kBuiltInClasses[] = {{"system-cluster-critical", 2'000'000'000},
                                                                         {"system-node-critical", 2'000'001'000}};

}  // namespace

bool ClusterDump::read_file(const std::string& path, const Progress& progress) {
    struct Close {
        void operator()(std::FILE* file) const {
            if (file != stdin) {
                std::fclose(file);
            }
        }
    };
    const std::unique_ptr<std::FILE, Close> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
    std::string text;
    bool read = file != nullptr;
    for (std::size_t got = 1; read && got > 0;) {
        constexpr std::size_t kChunk = 1 << 22;
        const std::size_t size = text.size();
        if (text.capacity() < size + kChunk + kTextPadding) {
            text.reserve(2 * size + kChunk + kTextPadding);
        }
        text.resize(size + kChunk);
        got = std::fread(text.data() + size, 1, kChunk, file.get());
        text.resize(size + got);
        read = std::ferror(file.get()) == 0;
    }
    if (!read) {
        faults_.push_back({path, "", "", std::string("cannot be read: ") + std::strerror(errno)});
        return false;
    }
    read_text(std::move(text), path == "-" ? "standard input" : path, progress);
    return true;
}

void ClusterDump::read_text(std::string text, const std::string& name, const Progress& progress) {
    text.reserve(text.size() + kTextPadding);
    std::uint64_t next = kProgressBytes;
    read_objects(
        text, name,
        [&](const ReadObject& object) {
            take(object, name);
            if (progress && object.position >= next) {
                progress(object.position);
                next = object.position + kProgressBytes;
            }
        },
        faults_);
}

void ClusterDump::take(const ReadObject& object, const std::string& file) {
    if (object.kind.empty()) {
        faults_.push_back({file, "", "kind", "is missing: is this a Kubernetes object?"});
        return;
    }
    if (!of_its_group(object.value, object.kind)) {
        ++counts_.ignored;
        return;
    }
    Reader given(object.value, file, object.kind);
    Value value = object.value;
    if (options_.defaults) {
        Converter convert(given, texts_);
        value = with_defaults(convert, object.kind, object.arena);
    }
    // Faults are found again, and all of them, in what the defaults made of the object.
    Reader reader(value, file, object.kind);
    Converter convert(reader, texts_);
    take_converted(convert, object.kind, file);
    for (ObjectFault& fault : reader.take_faults()) {
        faults_.push_back(std::move(fault));
    }
}

bool ClusterDump::first_of_its_name(Converter& convert, std::string_view kind) {
    const Value& metadata = convert.reader.root()["metadata"];
    std::string name = std::string(kind) + " ";
    name += has_namespace(kind) ? convert.name_space() : std::string_view();
    name += "/";
    name += metadata["name"].text();
    if (names_.insert(std::move(name)).second) {
        return true;
    }
    convert.reader.fault(convert.reader.root(), "was given before; the first one counts");
    return false;
}

void ClusterDump::take_converted(Converter& convert, std::string_view kind, const std::string& file) {
    if (kind == "Pod") {
        take_pod(convert, file);
        return;
    }
    if (kind == "Node") {
        ConvertedNode node = convert_node(convert);
        if (convert.reader.sound() && first_of_its_name(convert, kind)) {
            nodes_.push_back(std::move(node));
        }
        return;
    }
    if (kind == "PriorityClass") {
        PriorityClass made = convert_priority_class(convert);
        if (convert.reader.sound() && first_of_its_name(convert, kind)) {
            classes_.push_back(std::move(made));
        }
        return;
    }
    std::optional<ClusterObject> object = convert_object(convert, kind);
    if (!object) {
        ++counts_.ignored;
    } else if (convert.reader.sound() && first_of_its_name(convert, kind)) {
        objects_.push_back(std::move(*object));
    }
}

void ClusterDump::take_pod(Converter& convert, const std::string& file) {
    ConvertedPod pod = convert_pod(convert);
    if (!convert.reader.sound() || !first_of_its_name(convert, "Pod")) {
        return;
    }
    if (pod.finished) {
        ++counts_.left_out_finished;
        left_out_.emplace(pod.key, "is finished");
        return;
    }
    pod.ask.application = pod.spec.name_space;
    pod.ask.spec = specs_.number(std::move(pod.spec));
    pod.spec = {};
    pods_.push_back({std::move(pod), file});
}

void ClusterDump::resolve_priority(Pod& pod) {
    ConvertedPod& made = pod.converted;
    const PriorityClass* found = nullptr;
    for (const PriorityClass& one : classes_) {
        const bool fallback = made.priority_class.empty() && options_.defaults && one.global_default;
        if (one.name == made.priority_class || fallback) {
            found = &one;
        }
    }
    if (found != nullptr) {
        made.ask.priority = found->value;
        made.ask.never_preempts = made.ask.never_preempts || found->never_preempts;
        return;
    }
    for (const auto& [name, value] : kBuiltInClasses) {
        if (name == made.priority_class) {
            made.ask.priority = value;
            return;
        }
    }
    if (!made.priority_class.empty()) {
        faults_.push_back({pod.file, "Pod " + made.key, "spec.priorityClassName",
                           "no PriorityClass '" + made.priority_class + "' was read; priority 0 is taken", false});
    }
}

void ClusterDump::sort_out(Pod&& pod) {
    ConvertedPod& made = pod.converted;
    const std::vector<std::string>& ours = options_.schedulers;
    const bool is_ours = ours.empty() || std::find(ours.begin(), ours.end(), made.scheduler) != ours.end();
    const auto leave_out = [&](std::size_t& count, std::string why) {
        ++count;
        left_out_.emplace(made.key, std::move(why));
    };
    if (made.ask.node != 0) {
        made.ask.foreign = !is_ours;
        counts_.foreign += is_ours ? 0 : 1;
        left_out_.emplace(made.key, "runs on " + std::string(texts_.text(made.ask.node)) + " already");
        bound_.push_back(std::move(pod));
    } else if (!is_ours) {
        leave_out(counts_.left_out_not_ours, "is the scheduler's " + made.scheduler);
    } else if (made.ask.terminating) {
        leave_out(counts_.left_out_deleting, "is being deleted");
    } else {
        pending_.push_back(std::move(pod));
    }
}

void ClusterDump::finish_pod(Pod& pod, const std::vector<Text>& sorted_nodes) {
    ConvertedPod& made = pod.converted;
    const auto exists = [&](Text node) {
        return std::binary_search(sorted_nodes.begin(), sorted_nodes.end(), node);
    };
    if (made.ask.node != 0 && !exists(made.ask.node)) {
        ++counts_.left_out_no_node;
        left_out_.emplace(made.key, "is on the node " + std::string(texts_.text(made.ask.node)) +
                                        ", which no file has");
        return;
    }
    if (!exists(made.ask.nominated_node)) {
        made.ask.nominated_node = 0;
    }
    resolve_priority(pod);
    sort_out(std::move(pod));
}

void ClusterDump::finish() {
    std::vector<Text> sorted_nodes;
    for (const ConvertedNode& node : nodes_) {
        sorted_nodes.push_back(node.name);
    }
    std::sort(sorted_nodes.begin(), sorted_nodes.end());
    for (Pod& pod : pods_) {
        finish_pod(pod, sorted_nodes);
    }
    pods_.clear();
    std::stable_sort(pending_.begin(), pending_.end(), [](const Pod& one, const Pod& other) {
        return one.converted.ask.created_s < other.converted.ask.created_s;
    });
    for (const std::vector<Pod>* const pods : {&bound_, &pending_}) {
        for (const Pod& pod : *pods) {
            applications_.push_back(pod.converted.ask.application);
        }
    }
    std::sort(applications_.begin(), applications_.end());
    applications_.erase(std::unique(applications_.begin(), applications_.end()), applications_.end());
    const Text tag = counts_.foreign == 0 ? 0 : texts_.id("foreign");
    foreign_tag_[0] = {tag, tag == 0 ? 0 : texts_.id("default")};
    foreign_tag_[1] = {tag, tag == 0 ? 0 : texts_.id("static")};
    counts_.nodes = nodes_.size();
    counts_.bound = bound_.size();
    counts_.pending = pending_.size();
    counts_.objects = objects_.size();
}

}  // namespace bayplan::kube
