// See outbox.h.
#include "client/state_window.h"

#include <algorithm>

#include "base/visit_texts.h"
#include "client/statement_limits.h"

namespace bayplan::client {

namespace {

// Well below the frame limit of the transport and the item limit of the decoder; small enough that
// the engine's share of one message stays short.
constexpr std::size_t kFrameBytes = 256 * 1024;
constexpr std::size_t kFrameItems = 4'096;
constexpr std::size_t kFrameDefinitions = 1'024;
// A definition may be a text of 4 KiB, so these are cut by bytes too.
constexpr std::size_t kDefinitionBytes = 48;

std::size_t definitions_end(std::span<const DictEntry> entries, std::size_t from) {
    std::size_t end = from;
    for (std::size_t bytes = 0; end < entries.size() && end - from < kFrameDefinitions; ++end) {
        bytes += kDefinitionBytes + entries[end].text.size();
        if (end > from && bytes > kFrameBytes) {
            break;
        }
    }
    return end;
}

}  // namespace

// Cuts a batch into messages that fit a frame; a single item always does (statement_limits.h).
template <typename Statement, typename AppendChunk>
void StateWindow::in_chunks(std::span<const Statement> all, AppendChunk append_chunk) {
    while (!all.empty()) {
        std::size_t count = 1;
        std::size_t bytes = frame_bytes(all[0]);
        while (count < all.size() && count < kFrameItems && bytes + frame_bytes(all[count]) <= kFrameBytes) {
            bytes += frame_bytes(all[count++]);
        }
        append_chunk(all.first(count));
        all = all.subspan(count);
    }
}

void StateWindow::nodes(std::span<const NodeStatement> all) {
    in_chunks(all, [this](std::span<const NodeStatement> chunk) { nodes_chunk(chunk); });
}

void StateWindow::pods(std::span<const PodStatement> all) {
    in_chunks(all, [this](std::span<const PodStatement> chunk) { pods_chunk(chunk); });
}

void StateWindow::nodes_chunk(std::span<const NodeStatement> chunk) {
    std::size_t amounts = 0;
    std::size_t attributes = 0;
    std::size_t taints = 0;
    std::size_t devices = 0;
    for (const NodeStatement& node : chunk) {
        amounts += node.capacity.size() + node.images.size();
        attributes += node.attributes.size();
        taints += node.taints.size();
        devices += node.devices.size();
    }
    devices_.clear();
    devices_.reserve(devices);
    taints_.clear();
    taints_.reserve(taints);
    amounts_.clear();
    amounts_.reserve(amounts);
    attributes_.clear();
    attributes_.reserve(attributes);
    std::vector<NodeItem> records;
    records.reserve(chunk.size());
    for (const NodeStatement& node : chunk) {
        NodeItem& record = records.emplace_back();
        record.node = dictionary_.id(node.name);
        record.action = node.action;
        record.capacity = translate(node.capacity);
        record.attributes = translate(node.attributes);
        record.taints = translate(node.taints);
        record.images = translate(node.images);
        const std::size_t first = devices_.size();
        for (const std::string_view kind : node.devices) {
            devices_.push_back(dictionary_.id(kind));
        }
        record.devices = std::span<const DictId>(devices_).subspan(first);
    }
    append(NodesMessage{records});
}

void StateWindow::pods_chunk(std::span<const PodStatement> chunk) {
    std::size_t amounts = 0;
    std::size_t attributes = 0;
    for (const PodStatement& pod : chunk) {
        amounts += pod.requests.size();
        attributes += pod.tags.size();
    }
    amounts_.clear();
    amounts_.reserve(amounts);
    attributes_.clear();
    attributes_.reserve(attributes);
    std::vector<AskItem> records;
    records.reserve(chunk.size());
    for (const PodStatement& pod : chunk) {
        AskItem& record = records.emplace_back();
        record.key = pod.key;
        record.application = dictionary_.id(pod.application);
        record.group = dictionary_.id(pod.group);
        record.node = dictionary_.id(pod.node);
        record.required_node = dictionary_.id(pod.required_node);
        record.priority = pod.priority;
        record.foreign = pod.foreign;
        record.tolerates_unschedulable = pod.tolerates_unschedulable;
        record.created_s = pod.created_s;
        record.requests = translate(pod.requests);
        record.tags = translate(pod.tags);
        record.spec = pod.spec;
        record.terminating = pod.terminating;
        record.never_preempts = pod.never_preempts;
        record.nominated_node = dictionary_.id(pod.nominated_node);
        record.started_ms = pod.started_ms;
        record.node_cpu = pod.node_cpu;
        record.node_memory = pod.node_memory;
        record.own_cpu = pod.own_cpu;
        record.own_memory = pod.own_memory;
        record.qos = pod.qos;
        record.grace_period_s = pod.grace_period_s;
        record.preempted = pod.preempted;
        record.daemonset = pod.daemonset;
        record.is_static = pod.is_static;
        record.never_victim = pod.never_victim;
        record.originator = pod.originator;
        record.devices = pod.devices;
        record.group_min_available = pod.group_min_available;
        record.group_fault = pod.group_fault;
        record.group_topology_key = dictionary_.id(pod.group_topology_key);
        record.group_topology_preferred = pod.group_topology_preferred;
    }
    append(AsksMessage{records});
}

// Copies whose texts are ids of the dictionary.
template <typename Record>
std::vector<Record> StateWindow::translated(std::span<const Record> records, const TextOf& text_of) {
    std::vector<Record> all(records.begin(), records.end());
    const auto translate = [&](Text& text) { text = text == 0 ? 0 : dictionary_.id(text_of(text)); };
    for (Record& record : all) {
        if constexpr (std::is_same_v<Record, SpecItem>) {
            visit_texts(record.spec, translate);
        } else {
            visit_texts(record.object, translate);
        }
    }
    return all;
}

void StateWindow::specs(std::span<const SpecItem> define, const TextOf& text_of, std::span<const SpecNumber> forget) {
    in_chunks(define, [&](std::span<const SpecItem> chunk) { append(SpecsMessage{translated(chunk, text_of), {}}); });
    while (!forget.empty()) {
        const std::size_t count = std::min(kFrameItems, forget.size());
        append(SpecsMessage{{}, forget.first(count)});
        forget = forget.subspan(count);
    }
}

void StateWindow::objects(std::span<const ObjectItem> all, const TextOf& text_of) {
    in_chunks(all, [&](std::span<const ObjectItem> chunk) { append(ObjectsMessage{translated(chunk, text_of)}); });
}

void StateWindow::applications(std::span<const ApplicationStatement> all, std::span<const std::string_view> remove) {
    in_chunks(all, [this](std::span<const ApplicationStatement> chunk) {
        std::vector<ApplicationItem> records;
        std::vector<DictId> groups;
        std::size_t all_groups = 0;
        std::size_t all_tags = 0;
        for (const ApplicationStatement& one : chunk) {
            all_groups += one.user_groups.size();
            all_tags += one.tags.size();
        }
        groups.reserve(all_groups);
        attributes_.clear();
        attributes_.reserve(all_tags);
        for (const ApplicationStatement& one : chunk) {
            const std::size_t first = groups.size();
            for (const std::string_view group : one.user_groups) {
                groups.push_back(dictionary_.id(group));
            }
            records.push_back({.application = dictionary_.id(one.name),
                               .queue = dictionary_.id(one.queue),
                               .user = dictionary_.id(one.user),
                               .user_groups = std::span<const DictId>(groups).subspan(first),
                               .tags = translate(one.tags)});
        }
        append(ApplicationsMessage{records, {}});
    });
    for (std::size_t from = 0; from < remove.size(); from += kFrameItems) {
        std::vector<DictId> ids;
        for (const std::string_view name : remove.subspan(from, std::min(kFrameItems, remove.size() - from))) {
            ids.push_back(dictionary_.id(name));
        }
        append(ApplicationsMessage{{}, ids});
    }
}

void StateWindow::releases(std::span<const ReleaseStatement> all) {
    in_chunks(all, [this](std::span<const ReleaseStatement> chunk) {
        std::vector<ReleaseItem> records;
        for (const ReleaseStatement& one : chunk) {
            records.push_back({one.key, dictionary_.id(one.application), one.termination, one.message});
        }
        append(ReleasesMessage{records});
    });
}

void StateWindow::nacks(std::span<const NackItem> all) {
    in_chunks(all, [this](std::span<const NackItem> chunk) { append(NacksMessage{chunk}); });
}

void StateWindow::answers(std::span<const PluginAnswer> all) {
    in_chunks(all, [this](std::span<const PluginAnswer> chunk) { append(PluginAnswersMessage{chunk}); });
}

void StateWindow::forget(std::span<const std::string_view> texts) {
    std::vector<DictId> ids;
    for (const std::string_view text : texts) {
        if (const DictId id = dictionary_.forget(text); id != 0) {
            ids.push_back(id);
        }
    }
    for (std::span<const DictId> rest = ids; !rest.empty();) {
        const std::size_t count = std::min(kFrameItems, rest.size());
        append(ForgetMessage{rest.first(count)});
        rest = rest.subspan(count);
    }
}

void StateWindow::begin_resync() {
    kept_.clear();
    next_ = 0;
    kept_bytes_ = 0;
    last_sequence_ = 0;
    dictionary_.clear();
    append(ResyncBeginMessage{});
}

void StateWindow::end_resync() { append(ResyncEndMessage{}); }

bool StateWindow::resume_after(std::uint64_t up_to) {
    const std::uint64_t oldest = last_sequence_ - kept_.size();
    if (up_to > last_sequence_ || up_to < oldest) {
        return false;
    }
    applied(up_to);
    next_ = 0;
    return true;
}

void StateWindow::applied(std::uint64_t up_to) {
    while (!kept_.empty() && kept_.front().sequence <= up_to) {
        kept_bytes_ -= kept_.front().bytes.size();
        kept_.pop_front();
        next_ -= next_ > 0 ? 1 : 0;
    }
}

std::span<const std::byte> StateWindow::next_unsent() const {
    return next_ < kept_.size() ? std::span<const std::byte>(kept_[next_].bytes) : std::span<const std::byte>();
}

std::span<const Taint> StateWindow::translate(std::span<const NamedTaint> taints) {
    const std::size_t first = taints_.size();
    for (const NamedTaint& taint : taints) {
        taints_.push_back({dictionary_.id(taint.key), dictionary_.id(taint.value), taint.effect});
    }
    return std::span<const Taint>(taints_).subspan(first);
}

std::span<const Amount> StateWindow::translate(std::span<const NamedAmount> amounts) {
    const std::size_t first = amounts_.size();
    for (const NamedAmount& amount : amounts) {
        amounts_.push_back({dictionary_.id(amount.resource), amount.value});
    }
    return std::span<const Amount>(amounts_).subspan(first);
}

std::span<const Attribute> StateWindow::translate(std::span<const NamedAttribute> attributes) {
    const std::size_t first = attributes_.size();
    for (const NamedAttribute& attribute : attributes) {
        attributes_.push_back({dictionary_.id(attribute.key), dictionary_.id(attribute.value)});
    }
    return std::span<const Attribute>(attributes_).subspan(first);
}

// Texts first seen in this message are defined by the one before it.
void StateWindow::append(const StateBody& body) {
    append_definitions();
    encode(body);
}

void StateWindow::append_definitions() {
    const std::span<const DictEntry> entries = dictionary_.untold();
    for (std::size_t from = 0; from < entries.size();) {
        const std::size_t end = definitions_end(entries, from);
        encode(DefineMessage{entries.subspan(from, end - from)});
        from = end;
    }
    dictionary_.mark_told();
}

void StateWindow::encode(const StateBody& body) {
    const std::span<const std::byte> bytes = encoder_.encode(wire::StateFrame{++last_sequence_, body});
    kept_.push_back({last_sequence_, std::vector<std::byte>(bytes.begin(), bytes.end())});
    kept_bytes_ += bytes.size();
}

}  // namespace bayplan::client
