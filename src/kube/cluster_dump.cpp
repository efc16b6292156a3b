// Reading and sorting out. See cluster_dump.h; what is sent: dump_messages.cpp.
#include "kube/cluster_dump.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "kube/item_stream.h"

namespace bayplan::kube {

namespace {

constexpr std::uint64_t kProgressBytes = 1 << 20;

}  // namespace

bool ClusterDump::read_file(const std::string& path, const Progress& progress) {
    std::string why;
    const std::unique_ptr<TextSource> source = open_source(path, why);
    if (source == nullptr) {
        faults_.push_back({path, "", "", why});
        return false;
    }
    const std::string name = path == "-" ? "standard input" : path;
    return read_source(*source, name, taker(name, progress), faults_);
}

void ClusterDump::read_text(std::string text, const std::string& name, const Progress& progress) {
    text.reserve(text.size() + kTextPadding);
    read_objects(text, name, taker(name, progress), faults_);
}

OnObject ClusterDump::taker(const std::string& name, const Progress& progress) {
    return [this, &name, &progress, next = kProgressBytes](const ReadObject& object) mutable {
        take(object, name);
        if (progress && object.position >= next) {
            progress(object.position);
            next = object.position + kProgressBytes;
        }
    };
}

void ClusterDump::take(const ReadObject& object, const std::string& file) {
    if (options_.what_if.any_workload() && is_workload(object.kind)) {
        if (std::optional<Workload> made = workload_of(object, file, converter_, faults_)) {
            look_at_template(object);
            workloads_.push_back(std::move(*made));
        }
    }
    std::optional<NamedObject> made = converter_.convert(object, file, faults_);
    if (!made) {
        notes_.broken(object.kind);
        return;
    }
    if (std::holds_alternative<std::monostate>(made->object)) {
        if (options_.what_if.expand && is_workload(object.kind)) {
            return;
        }
        ++counts_.ignored;
        notes_.skipped_kind(object.kind, object.value["apiVersion"].text());
        return;
    }
    look_at_fields(object);
    if (!names_.insert(std::move(made->name)).second) {
        faults_.push_back({file, made->title, "", "was given before; the first one counts"});
        return;
    }
    if (ConvertedPod* const pod = std::get_if<ConvertedPod>(&made->object)) {
        take_pod(std::move(*pod), file);
    } else if (ConvertedNode* const node = std::get_if<ConvertedNode>(&made->object)) {
        nodes_.push_back(std::move(*node));
    } else if (PriorityClass* const one = std::get_if<PriorityClass>(&made->object)) {
        classes_.put(std::move(*one));
    } else {
        objects_.push_back(std::move(std::get<ClusterObject>(made->object)));
    }
}

void ClusterDump::look_at_fields(const ReadObject& object) { look_at_fields(object, object.value, object.kind, ""); }

void ClusterDump::look_at_template(const ReadObject& object) {
    look_at_fields(object, object.value["spec"]["template"], "Pod", "spec.template.");
}

void ClusterDump::look_at_fields(const ReadObject& object, const Value& part, std::string_view type,
                                 std::string_view at) {
    known_fields_.check(part, type, [&](const std::string& path, std::string_view meant) {
        const Value& metadata = object.value["metadata"];
        notes_.unknown_field(object.kind, std::string(at) + path, meant,
                             std::string(metadata["namespace"].text()) + (metadata["namespace"].present() ? "/" : "") +
                                 std::string(metadata["name"].text()));
    });
}

void ClusterDump::take_pod(ConvertedPod&& pod, const std::string& file) {
    if (pod.finished) {
        ++counts_.skipped_finished;
        skipped_.emplace(pod.key, "is finished");
    } else {
        pods_.push_back({std::move(pod), file});
    }
}

std::optional<ConvertedPod> ClusterDump::read_one_pod(const std::string& path) {
    std::string text;
    std::string why;
    if (!read_whole(path, text, why)) {
        faults_.push_back({path, "", "", why});
        return std::nullopt;
    }
    text.reserve(text.size() + kTextPadding);
    std::optional<ConvertedPod> pod;
    const auto take_one = [&](const ReadObject& object) {
        if (pod) {
            return;
        }
        if (is_workload(object.kind)) {
            look_at_template(object);
            if (std::optional<Workload> made = workload_of(object, path, converter_, faults_)) {
                pod = std::move(made->pod);
            }
        } else if (auto made = converter_.convert_defaulted(object, path, faults_)) {
            look_at_fields(object);
            ConvertedPod* const found = std::get_if<ConvertedPod>(&made->object);
            pod = found == nullptr || found->finished ? std::nullopt : std::optional(std::move(*found));
        }
    };
    const std::size_t before = faults_.size();
    read_objects(text, path, take_one, faults_);
    if (!pod && faults_.size() == before) {
        faults_.push_back({path, "", "", "has no pod and no workload"});
    }
    if (pod) {
        pod->ask.node = 0;
        pod->ask.nominated_node = 0;
        if (!classes_.resolve(*pod, true)) {
            faults_.push_back(unknown_class(path, *pod));
        }
    }
    return pod;
}

bool ClusterDump::is_ours(const ConvertedPod& pod) const {
    const std::vector<std::string>& ours = options_.schedulers;
    return ours.empty() || std::find(ours.begin(), ours.end(), pod.scheduler) != ours.end();
}

ObjectFault unknown_class(const std::string& file, const ConvertedPod& pod) {
    return {file, "Pod " + pod.key, "spec.priorityClassName",
            "no PriorityClass '" + pod.priority_class + "' was read; priority 0 is taken", false};
}

void ClusterDump::sort_out(Pod&& pod) {
    ConvertedPod& made = pod.converted;
    const bool ours = is_ours(made);
    const auto skip = [&](std::size_t& count, std::string why) {
        ++count;
        skipped_.emplace(made.key, std::move(why));
    };
    if (made.ask.node != 0) {
        made.ask.foreign = !ours;
        counts_.foreign += ours ? 0 : 1;
        skipped_.emplace(made.key, "runs on " + std::string(texts().text(made.ask.node)) + " already");
        bound_.push_back(std::move(pod));
    } else if (!ours) {
        skip(counts_.skipped_not_ours, "is the scheduler's " + made.scheduler);
    } else if (made.ask.terminating) {
        skip(counts_.skipped_deleting, "is being deleted");
    } else {
        pending_.push_back(std::move(pod));
    }
}

void ClusterDump::finish_pod(Pod& pod, const std::vector<Text>& sorted_nodes) {
    ConvertedPod& made = pod.converted;
    const auto exists = [&](Text node) { return std::binary_search(sorted_nodes.begin(), sorted_nodes.end(), node); };
    if (made.ask.node != 0 && !exists(made.ask.node)) {
        ++counts_.skipped_no_node;
        skipped_.emplace(made.key,
                         "is on the node " + std::string(texts().text(made.ask.node)) + ", which no file has");
        return;
    }
    if (!exists(made.ask.nominated_node)) {
        made.ask.nominated_node = 0;
    }
    if (!classes_.resolve(made, options_.defaults)) {
        faults_.push_back(unknown_class(pod.file, made));
    }
    sort_out(std::move(pod));
}

void ClusterDump::make_extended_claim(ConvertedPod& pod) {
    if (converter_.extended() == nullptr || pod.extended == nullptr || pod.ask.node != 0) {
        return;
    }
    converter_.extended()->note(pod.extended->uses);
    const ExtendedRequests all = converter_.extended()->requests_for(pod.extended->uses, texts());
    if (all.requests.empty()) {
        return;
    }
    const std::string_view name = std::string_view(pod.key).substr(pod.key.find('/') + 1);
    PodSpec spec = spec_of(pod);
    add_extended_claim(spec, name, pod.uid, converter_.texts());
    pod.ask.spec = converter_.number(std::move(spec));
    pod.extended = std::make_shared<const PodExtended>(
        PodExtended{pod.extended->uses,
                    extended_claim(all, pod.key.substr(0, pod.key.find('/')), name, pod.uid, converter_.texts())});
}

void ClusterDump::set_kinds(ClusterObject& object) const {
    auto* const one = std::get_if<DeviceClass>(&object);
    if (one != nullptr && converter_.extended() != nullptr) {
        one->kinds = converter_.extended()->kinds_of(texts().text(one->name), texts());
    }
}

void ClusterDump::set_kinds() {
    for (ClusterObject& object : objects_) {
        set_kinds(object);
    }
}

void ClusterDump::finish() {
    add_nodes();
    scale_workloads();
    expand_workloads();
    cordon_nodes();
    std::vector<Text> sorted_nodes;
    for (const ConvertedNode& node : nodes_) {
        sorted_nodes.push_back(node.name);
    }
    std::sort(sorted_nodes.begin(), sorted_nodes.end());
    for (const Pod& pod : pods_) {
        owners_.put(pod.converted);
    }
    for (Pod& pod : pods_) {
        pod.converted.ask.originator = owners_.is_owner(pod.converted);
        finish_pod(pod, sorted_nodes);
    }
    pods_.clear();
    remove_nodes();
    std::stable_sort(pending_.begin(), pending_.end(), [](const Pod& one, const Pod& other) {
        return one.converted.ask.created_s < other.converted.ask.created_s;
    });
    for (Pod& pod : pending_) {
        make_extended_claim(pod.converted);
        if (pod.converted.extended != nullptr && pod.converted.extended->claim) {
            objects_.emplace_back(*pod.converted.extended->claim);
        }
    }
    set_kinds();
    std::vector<const ConvertedPod*> first_pods;
    for (const std::vector<Pod>* const pods : {&bound_, &pending_}) {
        for (const Pod& pod : *pods) {
            first_pods.push_back(&pod.converted);
        }
    }
    // Of pods that name several queues for one application the first counts.
    const auto name = [](const ConvertedPod* pod) { return pod->application.application; };
    std::ranges::stable_sort(first_pods, {}, name);
    const auto alike = [&](const ConvertedPod* a, const ConvertedPod* b) { return name(a) == name(b); };
    first_pods.erase(std::unique(first_pods.begin(), first_pods.end(), alike), first_pods.end());
    for (const ConvertedPod* const pod : first_pods) {
        StatedApplication stated = converter_.application_of(*pod);
        applications_.push_back(stated.item);
        application_lists_.push_back(std::move(stated.lists));
    }
    if (!options_.schedulers.empty()) {
        const Text tag = converter_.texts().id("foreign");
        foreign_tag_[0] = {tag, converter_.texts().id("default")};
        foreign_tag_[1] = {tag, converter_.texts().id("static")};
    }
    note_missing_kinds(*this, notes_);
    counts_.nodes = nodes_.size();
    counts_.bound = bound_.size();
    counts_.pending = pending_.size();
    counts_.objects = objects_.size();
}

}  // namespace bayplan::kube
