// See engine_driver.h.
#include "measure/engine_driver.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "measure/scan_baseline.h"
#include "measure/scheduler.h"
#include "measure/stopwatch.h"

namespace bayplan::measure {

namespace {

constexpr ConnectionId kConnection = 1;
constexpr std::size_t kItemsPerMessage = 64;
constexpr std::size_t kMessagesPerTurn = 16;
constexpr std::uint64_t kAttemptsPerTurn = 1'024;  // as the daemon's loop

}  // namespace

bool BatchSink::decisions(ConnectionId, std::shared_ptr<const DecisionBatch> batch, std::size_t, std::uint64_t) {
    last_decision_.store(batch->first_sequence + batch->decisions.size() - 1, std::memory_order_relaxed);
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
            count +=
                decision.kind == DecisionKind::node_rejected || decision.kind == DecisionKind::application_rejected ||
                        decision.kind == DecisionKind::ask_rejected || decision.kind == DecisionKind::message_rejected
                    ? 1
                    : 0;
        }
    }
    return count;
}

std::uint64_t BatchSink::nominations() const {
    std::uint64_t count = 0;
    for (const auto& batch : batches_) {
        for (const Decision& decision : batch->decisions) {
            count += decision.kind == DecisionKind::nominated && !decision.node.empty() ? 1 : 0;
        }
    }
    return count;
}

std::vector<std::string> BatchSink::victims() const {
    std::vector<std::string> names;
    for (const auto& batch : batches_) {
        for (const Decision& decision : batch->decisions) {
            if (decision.termination == Termination::preempted_by_scheduler) {
                names.emplace_back(decision.name);
            }
        }
    }
    return names;
}

std::uint64_t BatchSink::nomination_hash() const {
    PlacementHash hash;
    for (const auto& batch : batches_) {
        for (const Decision& decision : batch->decisions) {
            if (decision.termination == Termination::preempted_by_scheduler) {
                hash.add(decision.name, {});
            } else if (decision.kind == DecisionKind::nominated && !decision.node.empty()) {
                hash.add(decision.name, decision.node);
            }
        }
    }
    return hash.value();
}

EngineDriver::EngineDriver(const workload::Workload& load, const EngineOptions& options, Scheduler* beside)
    : load_(load), beside_(beside), engine_(options, sink_) {
    apply(Connect{.connection = kConnection, .shim = "shim-bench", .shim_instance = 7});
    send(ResyncBeginMessage{});
    send(ResyncEndMessage{});
}

void EngineDriver::apply(const Input& input) {
    engine_.apply(input);
    if (beside_ != nullptr) {
        beside_->apply(input);
    }
}

void EngineDriver::send(const StateBody& body) {
    apply(StateMessage{.connection = kConnection, .sequence = ++sequence_, .body = body});
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
    std::vector<ApplicationItem> applications;
    for (const workload::Application& one : load_.applications) {
        applications_.push_back(entry(one.name));
        applications.push_back(
            {.application = applications_.back(), .queue = one.queue.empty() ? 0 : entry(one.queue)});
    }
    std::vector<NodeItem> records;
    for (const workload::Node& node : load_.nodes) {
        node_ids_.push_back(entry(node.name));
        records.push_back({.node = node_ids_.back(),
                           .action = NodeAction::create,
                           .capacity = capacities[node.shape],
                           .attributes = {}});
    }
    send_entries();
    for (std::size_t first = 0; first < records.size(); first += kItemsPerMessage) {
        const std::size_t count = std::min(kItemsPerMessage, records.size() - first);
        send(NodesMessage{std::span(records).subspan(first, count)});
    }
    send(ApplicationsMessage{.add = applications, .remove = {}});
    define_fields();
    state_running();
    turn();
    settle();
}

// A spec for each node, whose pods go to it alone: its number is the node's.
void EngineDriver::define_fields() {
    if (!load_.by_fields) {
        return;
    }
    const DictId field = entry("metadata.name");
    send_entries();
    std::vector<SpecItem> records;
    for (const DictId node : node_ids_) {
        PodSpec& spec = records.emplace_back(SpecItem{static_cast<SpecNumber>(node), {}}).spec;
        spec.required_nodes = {{.labels = {}, .fields = {{field, LabelOperator::in, {node}}}}};
    }
    for (std::size_t first = 0; first < records.size(); first += kItemsPerMessage) {
        const std::size_t count = std::min(kItemsPerMessage, records.size() - first);
        send(SpecsMessage{.define = std::span(records).subspan(first, count), .forget = {}});
    }
}

void EngineDriver::state_running() {
    std::vector<AskItem> records(kItemsPerMessage);
    for (std::size_t first = 0; first < load_.running.size(); first += kItemsPerMessage) {
        const std::size_t count = std::min(kItemsPerMessage, load_.running.size() - first);
        for (std::size_t i = 0; i < count; ++i) {
            const workload::RunningPod& pod = load_.running[first + i];
            records[i].key = pod.name;
            records[i].application = applications_.front();
            records[i].node = node_ids_[pod.node];
            records[i].requests = pod_requests_[pod.shape];
        }
        send(AsksMessage{std::span(records).first(count)});
    }
}

void EngineDriver::ask_some(std::size_t first, std::size_t end) {
    for (; first < end; first += kItemsPerMessage) {
        records_.clear();
        for (std::size_t pod = first; pod < std::min(end, first + kItemsPerMessage); ++pod) {
            AskItem record;
            record.key = load_.pods[pod].name;
            record.application = applications_[load_.pods[pod].application];
            record.priority = load_.pods[pod].priority;
            record.requests = pod_requests_[load_.pods[pod].shape];
            if (load_.pods[pod].node >= 0) {
                const DictId node = node_ids_[static_cast<std::size_t>(load_.pods[pod].node)];
                (load_.by_fields ? record.spec : record.required_node) = node;
            }
            records_.push_back(record);
        }
        send(AsksMessage{records_});
    }
}

void EngineDriver::turn() {
    engine_.run(kAttemptsPerTurn);
    engine_.flush(engine_.has_work());
    if (beside_ != nullptr) {
        beside_->run(kAttemptsPerTurn);
    }
    acknowledge();
}

void EngineDriver::acknowledge() {
    acknowledged_ = sink_.last_decision();
    apply(Acknowledge{kConnection, acknowledged_});
}

// Decisions made so far are told now; that may bring credit for more.
void EngineDriver::settle() {
    engine_.settle();
    if (acknowledged_ != sink_.last_decision()) {
        acknowledge();
    }
}

void EngineDriver::ask_all() { ask_some(0, load_.pods.size()); }

void EngineDriver::decide_all() {
    do {
        turn();
        if (!engine_.has_work()) {
            settle();
        }
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

std::vector<std::int64_t> EngineDriver::ask_one_by_one() {
    std::vector<std::int64_t> times;
    for (std::size_t first = 0; first < load_.pods.size(); first += kItemsPerMessage) {
        const std::size_t end = std::min(load_.pods.size(), first + kItemsPerMessage);
        const double start = seconds_by(CLOCK_MONOTONIC);
        ask_some(first, end);
        decide_all();
        times.push_back(static_cast<std::int64_t>((seconds_by(CLOCK_MONOTONIC) - start) * 1e9));
        if (churns() && end % load_.churn_step == 0) {
            let_old_go(end - load_.churn_step);
        }
    }
    return times;
}

void EngineDriver::release_some(std::size_t first, std::size_t end) {
    for (; first < end; first += kItemsPerMessage) {
        releases_.clear();
        for (std::size_t pod = first; pod < std::min(end, first + kItemsPerMessage); ++pod) {
            releases_.push_back({.key = load_.pods[pod].name,
                                 .application = applications_[load_.pods[pod].application],
                                 .termination = Termination::stopped_by_rm,
                                 .message = {}});
        }
        send(ReleasesMessage{releases_});
    }
}

// After the turn whose first pod this is.
void EngineDriver::let_old_go(std::size_t first) {
    const std::size_t stay = std::size_t{load_.churn_step} * load_.churn_stay;
    if (first >= stay) {
        release_some(first - stay, first - stay + load_.churn_step);
    }
}

void EngineDriver::churn_all() {
    const std::size_t step = load_.churn_step;
    for (std::size_t first = 0; first < load_.pods.size(); first += step) {
        ask_some(first, std::min(load_.pods.size(), first + step));
        decide_all();
        let_old_go(first);
    }
}

}  // namespace bayplan::measure
