// Changes to the tables, by kind. See model.h.

#include "read_model/model.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/numbered_texts.h"

namespace bayplan::read_model {

std::size_t Model::take(ChangeFeed& feed, std::size_t records_max) {
    const std::size_t taken = feed.read(records_max, [&](const Change& change) {
        if (listener_ != nullptr) {
            listener_->before(change, *this);
        }
        apply(change, feed);
        if (listener_ != nullptr) {
            listener_->after(change, *this);
        }
    });
    if (taken < records_max) {
        feed.ask_for_snapshot_if_lost();
    }
    return taken;
}

void Model::apply(const Change& change, ChangeFeed& feed) {
    const ChangeHead& head = change.head;
    ++changes_;
    now_ns_ = head.time_ns;
    at_turn_end_ = head.kind == ChangeKind::turn_end;
    switch (head.kind) {
        case ChangeKind::skip: BP_CHECK(false); break;
        case ChangeKind::snapshot_begin: begin_again(); break;
        case ChangeKind::snapshot_end:
            whole_ = true;
            tallies_.end_again();
            ++snapshots_;
            break;
        case ChangeKind::turn_end:
        case ChangeKind::pod_preempted: break;
        case ChangeKind::shim:
            shims_.resize(std::max<std::size_t>(shims_.size(), head.id + std::size_t{1}));
            shims_[head.id] = change.texts[0];
            break;
        case ChangeKind::node: take_node(change); break;
        case ChangeKind::node_gone:
            drop_node(head.id);
            ++tallies_.partition().nodes_gone;
            break;
        case ChangeKind::application: take_application(change); break;
        case ChangeKind::application_state: take_application_state(change); break;
        case ChangeKind::application_rests: take_rest(change); break;
        case ChangeKind::application_rejected: take_rejection(change); break;
        case ChangeKind::application_gone: drop_application(head.id); break;
        case ChangeKind::shape: take_shape(change); break;
        case ChangeKind::pod: take_pod(change); break;
        case ChangeKind::pod_state: take_pod_state(change); break;
        case ChangeKind::pod_reason: take_reason(change); break;
        case ChangeKind::pod_gone:
            count_placeholder(*pods_.find(head.id), head.state, false);
            drop_pod(head.id);
            break;
        case ChangeKind::queue: take_queue(head.id, std::get<QueueFacts>(feed.take_settings(change))); break;
        case ChangeKind::queue_gone: take_queue(head.id, nullptr); break;
        case ChangeKind::partition: partition_ = std::get<PartitionFacts>(feed.take_settings(change)); break;
    }
}

void Model::begin_again() {
    whole_ = false;
    pods_.clear();
    keys_.clear();
    tags_.clear();
    nodes_.clear();
    applications_.clear();
    shapes_.clear();
    queues_.clear();
    texts_.clear();
    partition_ = nullptr;
    shims_.clear();
    used_.clear();
    tallies_.begin_again();
    pod_count_ = node_count_ = application_count_ = 0;
}

void Model::take_queue(std::uint32_t id, QueueFacts facts) {
    Queue& queue = queues_.edit(id);
    // Told again it may have another path: its number has gone to another queue.
    if (facts != nullptr) {
        tallies_.queue_is_there(facts->path);
    }
    if (queue.in_use() && (facts == nullptr || facts->path != queue.facts->path)) {
        tallies_.queue_is_gone(queue.facts->path);
    }
    queue.facts = std::move(facts);
}

// --- amounts

void add(AmountList& sum, const AmountList& amounts, std::int64_t times) {
    for (const Amount& amount : amounts) {
        const auto same = std::ranges::find(sum, amount.resource, &Amount::resource);
        if (same == sum.end()) {
            sum.push_back({amount.resource, amount.value * times});
        } else {
            same->value += amount.value * times;
        }
    }
}

AmountList Model::amounts_in(std::string_view text) {
    AmountList amounts;
    std::string_view resource;
    std::int64_t value = 0;
    while (take_amount(text, resource, value)) {
        const std::uint32_t name = texts_.acquire(resource == "cpu" ? "vcore" : resource);
        const auto same = std::ranges::find(amounts, name, &Amount::resource);
        if (same == amounts.end()) {
            amounts.push_back({name, value});
        } else {
            same->value += value;
            texts_.release(name);
        }
    }
    return amounts;
}

void Model::release(const AmountList& amounts) {
    for (const Amount& amount : amounts) {
        texts_.release(amount.resource);
    }
}

// --- nodes

void Model::take_node(const Change& change) {
    auto facts = std::make_shared<NodeFacts>();
    facts->name = change.texts[0];
    facts->schedulable = (change.head.flags & kSchedulable) != 0;
    facts->capacity = amounts_in(change.texts[1]);
    std::string_view labels = change.texts[2];
    std::string_view key;
    std::string_view value;
    while (take_pair(labels, key, value)) {
        facts->labels.push_back({texts_.acquire(key), texts_.acquire(value)});
    }
    const Node* const before = nodes_.find(change.head.id);
    if (before != nullptr && before->in_use()) {
        drop_node(change.head.id);
    }
    nodes_.edit(change.head.id).facts = std::move(facts);
    ++node_count_;
}

void Model::drop_node(std::uint32_t id) {
    Node& node = nodes_.edit(id);
    BP_CHECK(node.in_use());
    release(node.facts->capacity);
    for (const Label& label : node.facts->labels) {
        texts_.release(label.key);
        texts_.release(label.value);
    }
    node = {};
    --node_count_;
}

// --- pods

void Model::take_shape(const Change& change) {
    Shape& shape = shapes_.edit(change.head.id);
    if (shape.in_use()) {
        release(shape.facts->requests);
    }
    shape.facts =
        std::make_shared<const ShapeFacts>(ShapeFacts{amounts_in(change.texts[0]), std::string(change.texts[1])});
}

void Model::set_state(Pod& pod, const ChangeHead& head) {
    const bool was_queried = pod.state == PodState::queried;
    pod.state = static_cast<PodState>(head.state);
    pod.flags = head.flags;
    pod.node = head.node;
    pod.claim = head.claim;
    pod.failures = head.failures;
    // It waits no more for that answer; another reason comes after this.
    if (pod.state == PodState::allocated || (was_queried && pod.state != PodState::queried)) {
        texts_.release(std::exchange(pod.reason, 0));
        pod.reason_times = 0;
    }
}

void Model::take_pod(const Change& change) {
    const ChangeHead& head = change.head;
    Pod& pod = pods_.edit(head.id);
    const bool is_new = !pod.in_use();
    const std::uint32_t tally = tally_of(pod);
    if (pod.in_use()) {
        count(pod, -1);
        texts_.release(pod.group);
    } else {
        ++pod_count_;
        keys_.set(head.id, change.texts[0]);
    }
    const auto statement = from_text<PodStatement>(change.texts[2]);
    pod.application = statement.application;
    pod.shape = statement.shape;
    pod.priority = statement.priority;
    pod.number = statement.number;
    pod.created_s = statement.created_s;
    pod.group = texts_.acquire(change.texts[1]);
    set_tags(head.id, change.texts[3]);
    set_state(pod, head);
    count(pod, +1);
    count_change(tally, tally_of(pod));
    if (is_new) {
        count_placeholder(pod, 0, true);
    }
}

// Keys, which many pods have, by number; most values are of one pod.
void Model::set_tags(std::uint32_t id, std::string_view pairs) {
    std::string packed;
    std::string_view key;
    std::string_view value;
    while (take_pair(pairs, key, value)) {
        put_numbered(packed, texts_.acquire(key), value);
    }
    std::string_view before = tags_.text(id);
    if (before.empty() && packed.empty()) {
        return;
    }
    std::uint32_t number = 0;
    while (take_numbered(before, number, value)) {
        texts_.release(number);
    }
    tags_.set(id, packed);
}

void Model::take_pod_state(const Change& change) {
    Pod& pod = pods_.edit(change.head.id);
    BP_CHECK(pod.in_use());
    const bool was_allocated = pod.state == PodState::allocated;
    const bool is_allocated = change.head.state == static_cast<std::uint8_t>(PodState::allocated);
    if (was_allocated == is_allocated) {
        set_state(pod, change.head);
        return;
    }
    const std::uint32_t tally = tally_of(pod);
    count(pod, -1);
    set_state(pod, change.head);
    count(pod, +1);
    count_change(tally, tally_of(pod));
}

void Model::take_reason(const Change& change) {
    Pod& pod = pods_.edit(change.head.id);
    BP_CHECK(pod.in_use());
    const std::uint32_t reason = texts_.acquire(change.texts[0]);
    pod.reason_times = reason == pod.reason ? pod.reason_times + 1 : 1;
    texts_.release(std::exchange(pod.reason, reason));
    pod.reason_ns = change.head.time_ns;
    pod.flags = change.head.flags;
}

void Model::drop_pod(std::uint32_t id) {
    Pod& pod = pods_.edit(id);
    BP_CHECK(pod.in_use());
    count(pod, -1);
    count_change(tally_of(pod), kNobody);
    texts_.release(pod.group);
    texts_.release(pod.reason);
    set_tags(id, {});
    pod = {};
    keys_.set(id, {});
    --pod_count_;
}

// --- versions

VersionPtr Model::make_version() {
    BP_CHECK(can_make_version());
    auto version = std::make_shared<Version>();
    version->number = ++versions_;
    version->changes = in_version_ = changes_;
    version->now_ns = now_ns_;
    version->pods = pods_.freeze();
    version->keys = keys_.freeze();
    version->tags = tags_.freeze();
    version->nodes = nodes_.freeze();
    version->applications = applications_.freeze();
    version->shapes = shapes_.freeze();
    version->queues = queues_.freeze();
    version->tallies = tallies_.freeze();
    version->partition_tally = tallies_.partition();
    version->texts = texts_.freeze();
    version->completed = ended_.list(false, now_ns_);
    version->rejected = ended_.list(true, now_ns_);
    version->partition = partition_;
    version->shims = shims_;
    version->pod_count = pod_count_;
    version->node_count = node_count_;
    version->application_count = application_count_;
    return version;
}

}  // namespace bayplan::read_model
