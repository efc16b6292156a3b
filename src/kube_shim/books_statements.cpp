// Statements of the books, in messages. See books.h.
#include <algorithm>
#include <span>
#include <utility>

#include "kube/cluster_dump.h"
#include "kube_shim/books.h"

namespace bayplan::kube_shim {

namespace {

constexpr std::size_t kItemsMax = 1'000;  // of one message

}  // namespace

bool Books::flush(const Send& send, bool settled) {
    leave_lost_nodes();
    if (settled && restating_ == 0) {
        reusable_.clear();
        for (const std::string& key : std::exchange(held_, {})) {
            if (BookedPod* const pod = find(key)) {
                pod->takes_a_name = false;
                queue_pod(key, *pod);
            }
        }
    }
    return restating_ == 0 && flush_some(send, settled, queue_.size());
}

void Books::restate_all() {
    queue_.clear();
    held_back_ = false;
    lost_nodes_.clear();
    held_.clear();
    reusable_.clear();
    applications_.clear();
    for (auto& [name, node] : nodes_) {
        node.stated = false;
        node.queued = true;
        queue(Entry::node, name);
    }
    for (auto& [name, object] : objects_) {
        object.stated = false;
        object.queued = true;
        queue(Entry::object, name);
    }
    // Pods that have a node first: what they take is taken before anything is asked for.
    std::vector<const std::string*> waiting;
    std::size_t walked = 0;
    for (auto& [key, pod] : pods_) {
        pause(walked);
        pod.stated = false;
        pod.takes_a_name = false;
        pod.queued = true;
        if (pod.node != 0 || pod.assumed_node != 0) {
            queue(Entry::pod, key);
        } else {
            waiting.push_back(&key);
        }
    }
    std::ranges::for_each(waiting, [this](const std::string* key) { queue(Entry::pod, *key); });
    restating_ = queue_.size();
}

bool Books::state_books(const Send& send, const std::function<bool()>& full) {
    while (restating_ != 0 && !full()) {
        if (!flush_some(send, true, std::min(restating_, kItemsMax))) {
            return false;
        }
    }
    return restating_ == 0;
}

bool Books::waits_for_a_name(const Change& change) const {
    const BookedPod* const pod = change.entry == Entry::pod ? find(change.name) : nullptr;
    return pod != nullptr && pod->takes_a_name;
}

// The first `entries` of the queue.
bool Books::flush_some(const Send& send, bool settled, std::size_t entries) {
    while (entries != 0) {
        if (!settled && waits_for_a_name(queue_.front())) {
            held_.push_back(std::move(queue_.front().name));
            find(held_.back())->queued = false;
            queue_.pop_front();
            --entries;
            continue;
        }
        const Entry entry = queue_.front().entry;
        std::size_t run = 1;
        while (run < std::min(entries, kItemsMax) && queue_[run].entry == entry &&
               (settled || !waits_for_a_name(queue_[run]))) {
            ++run;
        }
        if (!state_run(send, entry, run)) {
            return false;
        }
        queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(run));
        entries -= run;
        restating_ -= std::min(restating_, run);
        between_();
    }
    return true;
}

bool Books::state_run(const Send& send, Entry entry, std::size_t run) {
    switch (entry) {
        case Entry::node: return state_nodes(send, run);
        case Entry::node_gone: return state_lost_nodes(send, run);
        case Entry::object: return state_objects(send, run);
        case Entry::object_gone: return state_lost_objects(send, run);
        case Entry::pod: return state_pods(send, run);
        case Entry::pod_gone: return state_releases(send, run);
        case Entry::nack: return state_nacks(send, run);
    }
    return true;
}

// --- nodes and objects

bool Books::state_nodes(const Send& send, std::size_t run) {
    std::vector<NodeItem> items;
    std::vector<BookedNode*> stated;
    for (std::size_t i = 0; i < run; ++i) {
        const auto found = nodes_.find(queue_[i].name);
        if (found == nodes_.end() || !found->second.queued) {
            continue;  // gone since, or stated by an entry before
        }
        BookedNode& node = found->second;
        node.queued = false;
        stated.push_back(&node);
        const bool drain = node.made.unschedulable;
        if (!node.stated) {
            items.push_back(kube::node_record(node.made, drain ? NodeAction::create_drain : NodeAction::create));
            continue;
        }
        items.push_back(kube::node_record(node.made, NodeAction::update));
        if (drain != node.drained) {
            items.push_back({.node = node.made.name,
                             .action = drain ? NodeAction::drain : NodeAction::undrain,
                             .capacity = {},
                             .attributes = {}});
        }
    }
    const bool sent = items.empty() || send(NodesMessage{items});
    for (BookedNode* const node : stated) {
        node->queued = !sent;
        node->stated = sent || node->stated;
        node->drained = sent ? node->made.unschedulable : node->drained;
    }
    return sent;
}

bool Books::state_lost_nodes(const Send& send, std::size_t run) {
    std::vector<NodeItem> items;
    for (std::size_t i = 0; i < run; ++i) {
        const Text name = converter_.texts().find(queue_[i].name.substr(queue_[i].name.find('/') + 1));
        items.push_back({.node = name, .action = NodeAction::decommission, .capacity = {}, .attributes = {}});
    }
    return send(NodesMessage{items});
}

bool Books::state_objects(const Send& send, std::size_t run) {
    std::vector<ObjectItem> items;
    std::vector<BookedObject*> stated;
    for (std::size_t i = 0; i < run; ++i) {
        const auto found = objects_.find(queue_[i].name);
        if (found != objects_.end() && found->second.queued) {
            found->second.queued = false;
            stated.push_back(&found->second);
            if (found->second.begins_anew) {
                items.push_back({found->second.made, true});
            }
            items.push_back({found->second.made, false});
        }
    }
    const bool sent = items.empty() || send(ObjectsMessage{items});
    for (BookedObject* const object : stated) {
        object->queued = !sent;
        object->stated = sent || object->stated;
        object->begins_anew = object->begins_anew && !sent;
    }
    return sent;
}

bool Books::state_lost_objects(const Send& send, std::size_t run) {
    std::vector<ObjectItem> items;
    for (std::size_t i = 0; i < run; ++i) {
        const std::string_view name = queue_[i].name;
        const std::size_t space = name.find(' ');
        const std::size_t slash = name.find('/', space);
        if (auto object = kube::named_object(converter_.texts(), name.substr(0, space),
                                             name.substr(space + 1, slash - space - 1), name.substr(slash + 1))) {
            items.push_back({std::move(*object), true});
        }
    }
    return items.empty() || send(ObjectsMessage{items});
}

// --- pods

AskItem Books::statement(const std::string& key, const BookedPod& pod) {
    AskItem ask = pod.ask();
    if (rules_.gates().numeric_tolerations && !pod.words().numeric_tolerations.empty()) {
        PodSpec spec = converter_.specs().records()[ask.spec - 1].spec;
        taint_values_.extend(spec, pod.words().numeric_tolerations, converter_.texts());
        ask.spec = converter_.number(std::move(spec));
    }
    if (pod.has_extended_claim()) {
        PodSpec spec = converter_.specs().records()[ask.spec - 1].spec;
        kube::add_extended_claim(spec, std::string_view(key).substr(key.find('/') + 1), pod.uid, converter_.texts());
        ask.spec = converter_.number(std::move(spec));
    }
    ask.key = key;
    ask.foreign = pod.foreign;
    ask.terminating = ask.terminating || pod.preempted;
    ask.preempted = ask.preempted || pod.preempted;
    if (ask.node == 0) {
        ask.node = pod.assumed_node;
    }
    if (ask.node != 0 || !has_node(text(ask.nominated_node))) {
        ask.nominated_node = 0;
    }
    if (ask.foreign) {
        ask.application = 0;
        ask.tags = std::span(&foreign_tag_[ask.is_static ? 1 : 0], 1);
    }
    return ask;
}

bool Books::need_applications(const Send& send, std::span<BookedPods::value_type* const> pods) {
    std::vector<ApplicationItem> items;
    std::vector<kube::StatedApplication> stated;  // keeps their lists
    for (const BookedPods::value_type* const one : pods) {
        const auto& [key, pod] = *one;
        if (!pod.foreign && applications_.insert(pod.common->application.application).second) {
            stated.push_back(converter_.application_of(pod.made(key)));
            items.push_back(stated.back().item);
        }
    }
    if (items.empty() || send(ApplicationsMessage{.add = items, .remove = {}})) {
        return true;
    }
    for (const ApplicationItem& item : items) {
        applications_.erase(item.application);
    }
    return false;
}

bool Books::state_pods(const Send& send, std::size_t run) {
    std::vector<BookedPods::value_type*> pods;
    std::vector<AskItem> items;
    for (std::size_t i = 0; i < run; ++i) {
        const auto found = pods_.find(queue_[i].name);
        if (found == pods_.end() || !found->second.queued) {
            continue;  // gone since, or stated by an entry before
        }
        auto& [key, pod] = *found;
        pod.queued = false;
        if (!pod.awaits_workload) {
            pods.push_back(&*found);
            items.push_back(statement(key, pod));
            pod.stated_spec = items.back().spec;
        }
    }
    const bool sent = items.empty() || (need_applications(send, pods) && send(AsksMessage{items}));
    for (BookedPods::value_type* const one : pods) {
        BookedPod& pod = one->second;
        pod.queued = !sent;
        pod.stated = sent || pod.stated;
    }
    return sent;
}

bool Books::state_releases(const Send& send, std::size_t run) {
    std::vector<ReleaseItem> items;
    for (std::size_t i = 0; i < run; ++i) {
        items.push_back({.key = queue_[i].name, .message = {}});
    }
    return send(ReleasesMessage{items});
}

bool Books::state_nacks(const Send& send, std::size_t run) {
    std::vector<NackItem> items;
    for (std::size_t i = 0; i < run; ++i) {
        items.push_back({queue_[i].name, *queue_[i].why});
    }
    return send(NacksMessage{items});
}

}  // namespace bayplan::kube_shim
