// See engine_driver.h.
#include "bench/engine_driver.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "bench/scan_baseline.h"

namespace bayplan::bench {

namespace {

constexpr ConnectionId kConnection = 1;
constexpr std::size_t kItemsPerMessage = 64;
constexpr std::size_t kMessagesPerTurn = 16;
constexpr std::uint64_t kAttemptsPerTurn = 1'024;  // as the daemon's loop

}  // namespace

bool BatchSink::decisions(ConnectionId, std::shared_ptr<const DecisionBatch> batch, std::size_t,
                          std::uint64_t) {
    last_decision_ = batch->first_sequence + batch->decisions.size() - 1;
    batches_.push_back(std::move(batch));
    return true;
}

std::uint64_t BatchSink::placement_hash() const {
    PlacementHash hash;
    for (const auto& batch : batches_) {
        for (const Decision& decision : batch->decisions) {
            if (decision.kind == DecisionKind::allocated) {
                hash.add(decision.name, decision.node);
            }
        }
    }
    return hash.value();
}

std::size_t BatchSink::nodes_used(std::uint64_t from) const {
    std::unordered_set<std::string_view> nodes;
    for (const auto& batch : batches_) {
        std::uint64_t number = batch->first_sequence;
        for (const Decision& decision : batch->decisions) {
            if (number++ >= from && decision.kind == DecisionKind::allocated) {
                nodes.insert(decision.node);
            }
        }
    }
    return nodes.size();
}

std::uint64_t BatchSink::rejections() const {
    std::uint64_t count = 0;
    for (const auto& batch : batches_) {
        for (const Decision& decision : batch->decisions) {
            count += decision.kind == DecisionKind::node_rejected ||
                             decision.kind == DecisionKind::application_rejected ||
                             decision.kind == DecisionKind::ask_rejected ||
                             decision.kind == DecisionKind::message_rejected
                         ? 1
                         : 0;
        }
    }
    return count;
}

EngineDriver::EngineDriver(const workload::Workload& load, const EngineOptions& options)
    : load_(load), engine_(options, sink_) {
    engine_.apply(Connect{.connection = kConnection, .shim = "shim-bench", .shim_instance = 7});
    send(ResyncBeginMessage{});
    send(ResyncEndMessage{});
}

void EngineDriver::send(const StateBody& body) {
    engine_.apply(StateMessage{.connection = kConnection, .sequence = ++sequence_, .body = body});
}

DictId EngineDriver::entry(std::string_view text) {
    const auto next = static_cast<DictId>(ids_.size() + 1);
    const auto [found, fresh] = ids_.emplace(std::string(text), next);
    if (fresh) {
        unsent_entries_.push_back({next, found->first});
    }
    return found->second;
}

void EngineDriver::send_entries() {
    send(DefineMessage{unsent_entries_});
    unsent_entries_.clear();
}

std::vector<Amount> EngineDriver::encode(const workload::Amounts& amounts) {
    std::vector<Amount> encoded;
    for (const auto& [kind, value] : amounts) {
        encoded.push_back({entry(kind), value});
    }
    return encoded;
}

void EngineDriver::register_cluster() {
    std::vector<std::vector<Amount>> capacities;
    for (const workload::NodeShape& shape : load_.node_shapes) {
        capacities.push_back(encode(shape.capacity));
    }
    for (const workload::Amounts& shape : load_.pod_shapes) {
        pod_requests_.push_back(encode(shape));
    }
    application_ = entry("application");
    std::vector<NodeRecord> records;
    for (const workload::Node& node : load_.nodes) {
        records.push_back({.node = entry(node.name),
                           .action = NodeAction::create,
                           .capacity = capacities[node.shape],
                           .attributes = {}});
    }
    send_entries();
    for (std::size_t first = 0; first < records.size(); first += kItemsPerMessage) {
        const std::size_t count = std::min(kItemsPerMessage, records.size() - first);
        send(NodesMessage{std::span(records).subspan(first, count)});
    }
    const ApplicationRecord application{.application = application_};
    send(ApplicationsMessage{.add = std::span(&application, 1), .remove = {}});
    turn();
}

void EngineDriver::ask_some(std::size_t first, std::size_t end) {
    for (; first < end; first += kItemsPerMessage) {
        records_.clear();
        for (std::size_t pod = first; pod < std::min(end, first + kItemsPerMessage); ++pod) {
            AskRecord record;
            record.key = load_.pods[pod].name;
            record.application = application_;
            record.priority = load_.pods[pod].priority;
            record.requests = pod_requests_[load_.pods[pod].shape];
            records_.push_back(record);
        }
        send(AsksMessage{records_});
    }
}

void EngineDriver::turn() {
    engine_.run(kAttemptsPerTurn);
    engine_.flush();
    engine_.apply(Acknowledge{kConnection, sink_.last_decision()});
}

void EngineDriver::ask_all() { ask_some(0, load_.pods.size()); }

void EngineDriver::decide_all() {
    do {
        turn();
    } while (engine_.has_work());
}

void EngineDriver::stream_all() {
    constexpr std::size_t kStep = kItemsPerMessage * kMessagesPerTurn;
    for (std::size_t first = 0; first < load_.pods.size(); first += kStep) {
        ask_some(first, std::min(load_.pods.size(), first + kStep));
        turn();
    }
    decide_all();
}

}  // namespace bayplan::bench
