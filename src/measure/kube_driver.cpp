// See kube_driver.h.
#include "measure/kube_driver.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "measure/stopwatch.h"

namespace bayplan::measure {

namespace {

constexpr ConnectionId kMeasuredShim = 1;
constexpr std::uint32_t kKubeItemsPerMessage = 64;
constexpr std::uint64_t kKubeAttemptsPerTurn = 1'024;  // as the daemon's loop
constexpr std::int64_t kMi = std::int64_t{1} << 20;
constexpr std::int64_t kGi = std::int64_t{1} << 30;

}  // namespace

KubeDriver::KubeDriver(const workload::KubeLoad& load, Scheduler& scheduler) : load_(load), scheduler_(scheduler) {
    scheduler_.apply(Connect{.connection = kMeasuredShim, .shim = "shim-bench", .shim_instance = 7});
    send(ResyncBeginMessage{});
    send(ResyncEndMessage{});
}

void KubeDriver::send(const StateBody& body) { scheduler_.apply(StateMessage{kMeasuredShim, ++sequence_, body}); }

Text KubeDriver::text(std::string_view wanted) {
    const auto next = static_cast<Text>(texts_.size() + 1);
    const auto [found, fresh] = texts_.emplace(std::string(wanted), next);
    if (fresh) {
        unsent_entries_.push_back({next, found->first});
    }
    return found->second;
}

void KubeDriver::send_entries() {
    if (!unsent_entries_.empty()) {
        send(DefineMessage{unsent_entries_});
        unsent_entries_.clear();
    }
}

void KubeDriver::send_objects() {
    std::vector<ObjectItem> records;
    for (const std::string_view name : {"sched-0", "sched-1"}) {
        records.push_back({.object = Namespace{.name = text(name), .labels = {}}});
    }
    send_entries();
    send(ObjectsMessage{records});
}

void KubeDriver::send_nodes() {
    const std::vector<Amount> capacity = {{text("cpu"), 4'000}, {text("memory"), 32 * kGi}, {text("pods"), 110}};
    const Text hostname = text("kubernetes.io/hostname");
    const Text zone = text("topology.kubernetes.io/zone");
    std::vector<std::vector<Attribute>> labels(load_.nodes);
    std::vector<NodeItem> records;
    for (std::uint32_t node = 0; node < load_.nodes; ++node) {
        const Text name = text(fmt::format("scheduler-perf-{:05}", node));
        labels[node] = {{hostname, name}, {zone, text(fmt::format("zone{}", 1 + node % load_.zones))}};
        records.push_back(
            {.node = name, .action = NodeAction::create, .capacity = capacity, .attributes = labels[node]});
    }
    send_entries();
    for (std::size_t first = 0; first < records.size(); first += kKubeItemsPerMessage) {
        const std::size_t count = std::min<std::size_t>(kKubeItemsPerMessage, records.size() - first);
        send(NodesMessage{std::span(records).subspan(first, count)});
    }
}

void KubeDriver::register_cluster() {
    send_objects();
    send_nodes();
    requests_ = {{text("cpu"), 100}, {text("memory"), 500 * kMi}, {text("pods"), 1}};
    application_ = text("application");
    send_entries();
    const ApplicationItem application{.application = application_};
    send(ApplicationsMessage{.add = std::span(&application, 1), .remove = {}});
    turn();
}

void KubeDriver::define(const workload::PodStage& stage) {
    const SpecItem record{++last_spec_,
                          stage.make([this](std::string_view wanted) { return text(wanted); }, stage.name_space)};
    send_entries();
    send(SpecsMessage{.define = std::span(&record, 1), .forget = {}});
}

void KubeDriver::define_all(const std::vector<workload::PodStage>& stages) {
    for (const workload::PodStage& stage : stages) define(stage);
}

void KubeDriver::ask_some(const workload::PodStage& stage, SpecNumber spec, std::uint32_t count) {
    std::vector<std::string> keys(count);
    std::vector<AskItem> records(count);
    for (std::uint32_t at = 0; at < count; ++at) {
        keys[at] = fmt::format("{}/pod-{:06}", stage.name_space, ++last_pod_);
        records[at].key = keys[at];
        records[at].application = application_;
        records[at].requests = requests_;
        records[at].spec = spec;
    }
    send(AsksMessage{records});
}

void KubeDriver::ask(const std::vector<workload::PodStage>& stages) {
    const SpecNumber first = last_spec_ + 1;
    define_all(stages);
    for (const workload::PodMessage& message : workload::messages_of(stages)) {
        ask_some(stages[message.stage], first + static_cast<SpecNumber>(message.stage), message.pods);
    }
}

std::vector<std::int64_t> KubeDriver::ask_one_by_one() {
    std::vector<std::int64_t> times;
    const SpecNumber first = last_spec_ + 1;
    define_all(load_.measured);
    for (const workload::PodMessage& message : workload::messages_of(load_.measured)) {
        const double start = seconds_by(CLOCK_MONOTONIC);
        ask_some(load_.measured[message.stage], first + static_cast<SpecNumber>(message.stage), message.pods);
        decide_all();
        times.push_back(static_cast<std::int64_t>((seconds_by(CLOCK_MONOTONIC) - start) * 1e9));
    }
    return times;
}

void KubeDriver::turn() {
    scheduler_.run(kKubeAttemptsPerTurn);
    scheduler_.apply(Acknowledge{kMeasuredShim, scheduler_.last_decision()});
}

void KubeDriver::place_init() {
    for (const workload::PodStage& stage : load_.init) {
        ask({stage});
        decide_all();
    }
}

void KubeDriver::ask_measured() { ask(load_.measured); }

void KubeDriver::decide_all() {
    do {
        turn();
    } while (scheduler_.has_work());
}

}  // namespace bayplan::measure
