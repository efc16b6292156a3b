// See awkward_driver.h.
#include "measure/awkward_driver.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "measure/awkward_specs.h"
#include "measure/stopwatch.h"

namespace bayplan::measure {

namespace {

using workload::AwkwardShape;

constexpr ConnectionId kAwkwardShim = 1;
constexpr std::uint32_t kAwkwardItems = 64;
constexpr std::uint64_t kAwkwardAttemptsPerTurn = 1'024;  // as the daemon's loop
constexpr std::int64_t kOneMi = std::int64_t{1} << 20;
constexpr std::int64_t kOneGi = std::int64_t{1} << 30;
constexpr std::uint32_t kPerNode = 8;  // texts of a node and its volumes, at most
constexpr std::uint32_t kPerPod = 8;   // of a pod and its claim

std::string awkward_node_name(std::uint32_t node) { return fmt::format("node-{:06}", node); }
std::string awkward_zone_name(std::uint32_t zone) { return fmt::format("zone-{}", zone); }
std::string awkward_image_name(std::uint32_t image) { return fmt::format("registry.example/app-{}:1", image); }

}  // namespace

AwkwardDriver::AwkwardDriver(const workload::AwkwardLoad& load, Scheduler& scheduler)
    : load_(load), scheduler_(scheduler) {
    scheduler_.apply(Connect{.connection = kAwkwardShim, .shim = "shim-bench", .shim_instance = 7});
    send(ResyncBeginMessage{});
    send(ResyncEndMessage{});
}

EngineOptions AwkwardDriver::with_limits(EngineOptions options, const workload::AwkwardLoad& load) {
    const std::uint32_t pods = load.nodes * load.running_each + load.pods;
    options.dictionary_max = std::max(options.dictionary_max, kPerPod * pods + kPerNode * load.nodes);
    options.specs_max = std::max(options.specs_max, pods);
    options.label_terms_max = std::max(options.label_terms_max, pods);
    options.objects_max = std::max(options.objects_max, kPerPod * pods + kPerNode * load.nodes);
    return options;
}

void AwkwardDriver::send(const StateBody& body) { scheduler_.apply(StateMessage{kAwkwardShim, ++sequence_, body}); }

Text AwkwardDriver::text(std::string_view wanted) {
    const auto next = static_cast<Text>(texts_.size() + 1);
    const auto [found, fresh] = texts_.emplace(std::string(wanted), next);
    if (fresh) {
        unsent_entries_.push_back({next, found->first});
    }
    return found->second;
}

void AwkwardDriver::send_entries() {
    if (!unsent_entries_.empty()) {
        send(DefineMessage{unsent_entries_});
        unsent_entries_.clear();
    }
}

// --- nodes and storage

void AwkwardDriver::send_nodes() {
    const std::vector<Amount> capacity = {{text("cpu"), 32'000}, {text("memory"), 128 * kOneGi}, {text("pods"), 110}};
    for (std::uint32_t first = 0; first < load_.nodes; first += kAwkwardItems) {
        const std::uint32_t count = std::min(kAwkwardItems, load_.nodes - first);
        std::vector<std::vector<Attribute>> labels(count);
        std::vector<std::vector<Amount>> images(count);
        std::vector<NodeItem> records;
        for (std::uint32_t at = 0; at < count; ++at) {
            const std::uint32_t node = first + at;
            const Text name = text(awkward_node_name(node));
            labels[at] = {
                {text("kubernetes.io/hostname"), text(awkward_node_name(workload::awkward_hostname(load_, node)))},
                {text("topology.kubernetes.io/zone"), text(awkward_zone_name(workload::awkward_zone(load_, node)))}};
            if (load_.shape == AwkwardShape::racks) {
                labels[at].push_back({text(kRackKey), text(fmt::format("rack-{}", workload::awkward_rack(node)))});
            }
            if (load_.shape == AwkwardShape::labels) {
                labels[at].push_back({text("example.com/serial"), text(fmt::format("serial-{}", node))});
            }
            if (load_.shape == AwkwardShape::images) {
                images[at] = {
                    {text(awkward_image_name(node % workload::kAwkwardImages)), workload::kAwkwardImageMib * kOneMi}};
            }
            records.push_back({.node = name,
                               .action = NodeAction::create,
                               .capacity = capacity,
                               .attributes = labels[at],
                               .images = images[at]});
        }
        send_entries();
        send(NodesMessage{records});
    }
}

void AwkwardDriver::send_services() {
    for (std::uint32_t number = 0; number < workload::awkward_applications(load_); ++number) {
        if (workload::awkward_has_service(load_, number)) {
            add(service_of(number, [this](std::string_view wanted) { return text(wanted); }));
        }
    }
    send_objects();
}

void AwkwardDriver::send_objects() {
    send_entries();
    for (std::size_t first = 0; first < objects_.size(); first += kAwkwardItems) {
        const std::size_t count = std::min<std::size_t>(kAwkwardItems, objects_.size() - first);
        send(ObjectsMessage{std::span(objects_).subspan(first, count)});
    }
    objects_.clear();
}

void AwkwardDriver::send_storage() {
    StorageClass storage_class;
    storage_class.name = text("disks");
    storage_class.provisioner =
        text(load_.shape == AwkwardShape::csi ? "csi.example.com" : "kubernetes.io/no-provisioner");
    storage_class.wait_for_first_consumer = true;
    add(storage_class);
    for (std::uint32_t node = 0; node < load_.nodes; ++node) {
        if (load_.shape == AwkwardShape::csi) {
            CsiNode made;
            made.node = text(awkward_node_name(node));
            made.drivers.push_back({.driver = text("csi.example.com"),
                                    .node_id = made.node,
                                    .count = load_.running_each + workload::kAwkwardSpareVolumes});
            add(made);
            continue;
        }
        for (std::uint32_t number = 0; number < workload::kAwkwardLocalVolumes; ++number) {
            Volume volume;
            volume.name = text(fmt::format("local-{}-{}", node, number));
            volume.storage_class = storage_class.name;
            volume.access_modes = static_cast<std::uint8_t>(AccessMode::read_write_once);
            volume.bytes = workload::kAwkwardLocalGib * (number + 1) * kOneGi;
            volume.available = true;
            volume.nodes = std::vector<NodeTerm>{{.labels = {{.key = text("kubernetes.io/hostname"),
                                                              .op = LabelOperator::in,
                                                              .values = {text(awkward_node_name(node))}}},
                                                  .fields = {}}};
            add(volume);
        }
    }
    send_objects();
}

// A claim for pod number `pod`: bound to a volume of the zone, or waiting.
void AwkwardDriver::add_claim(const std::string& name, std::uint32_t pod, std::uint32_t zone) {
    VolumeClaim claim;
    claim.name_space = text("team");
    claim.name = text(name);
    claim.storage_class = text("disks");
    claim.has_storage_class = true;
    claim.access_modes = static_cast<std::uint8_t>(AccessMode::read_write_once);
    claim.bytes = workload::awkward_claim_gib(pod) * kOneGi;
    if (load_.shape == AwkwardShape::csi) {
        Volume volume;
        volume.name = text("volume-" + name);
        volume.storage_class = claim.storage_class;
        volume.access_modes = claim.access_modes;
        volume.bytes = claim.bytes;
        volume.claim_namespace = claim.name_space;
        volume.claim = claim.name;
        volume.claim_has_uid = true;
        volume.source = VolumeKind::csi;
        volume.driver = text("csi.example.com");
        volume.handle = text("handle-" + name);
        volume.nodes = std::vector<NodeTerm>{{.labels = {{.key = text("topology.kubernetes.io/zone"),
                                                          .op = LabelOperator::in,
                                                          .values = {text(awkward_zone_name(zone))}}},
                                              .fields = {}}};
        add(volume);
        claim.volume = volume.name;
        claim.bind_completed = true;
    }
    add(claim);
}

// --- pods

AwkwardDriver::PodRecord AwkwardDriver::pod(std::string_view name, std::uint32_t number) {
    PodRecord made;
    made.key = fmt::format("team/{}", name);
    made.spec.name_space = text("team");
    const std::uint32_t size = workload::awkward_size(load_, number);
    made.requests = {{text("cpu"), workload::awkward_cpu(size)},
                     {text("memory"), workload::awkward_memory_mib(size) * kOneMi},
                     {text("pods"), 1}};
    return made;
}

void AwkwardDriver::add_application(std::uint32_t application, PodRecord& made) {
    made.application = application;
    add_terms(
        load_, application, [this](std::string_view wanted) { return text(wanted); }, made.spec);
}

AwkwardDriver::PodRecord AwkwardDriver::running_pod(std::uint32_t node, std::uint32_t number) {
    const std::string name = fmt::format("running-{}-{}", node, number);
    PodRecord made = pod(name, number);
    made.node = text(awkward_node_name(node));
    if (load_.shape == AwkwardShape::csi) {
        made.spec.volumes.emplace_back();
        made.spec.volumes.back().kind = VolumeKind::claim;
        made.spec.volumes.back().name = text(name);
        add_claim(name, number, node % workload::kAwkwardZones);
    }
    if (workload::awkward_runs_applications(load_)) {
        add_application((node * load_.running_each + number) % workload::awkward_applications(load_), made);
    }
    return made;
}

AwkwardDriver::PodRecord AwkwardDriver::asked_pod(std::uint32_t number) {
    const std::string name = fmt::format("pod-{:06}", number);
    PodRecord made = pod(name, number);
    switch (load_.shape) {
        case AwkwardShape::csi:
        case AwkwardShape::local:
            made.spec.volumes.emplace_back();
            made.spec.volumes.back().kind = VolumeKind::claim;
            made.spec.volumes.back().name = text(name);
            add_claim(name, number, number % workload::kAwkwardZones);
            break;
        case AwkwardShape::images:
            made.spec.images = {text(awkward_image_name(number % workload::kAwkwardImages))};
            break;
        case AwkwardShape::fields:
            made.spec.required_nodes =
                std::vector<NodeTerm>{{.labels = {},
                                       .fields = {{.key = text("metadata.name"),
                                                   .op = LabelOperator::in,
                                                   .values = {text(awkward_node_name(number % load_.nodes))}}}}};
            break;
        case AwkwardShape::services:
        case AwkwardShape::racks:
        case AwkwardShape::hosts:
        case AwkwardShape::zones:
        case AwkwardShape::coupled: add_application(number % workload::awkward_applications(load_), made); break;
        case AwkwardShape::plain:
        case AwkwardShape::labels: break;
    }
    return made;
}

// Where the number of the pod's spec is kept, 0 if it is new.
SpecNumber& AwkwardDriver::shared_number(const PodRecord& pod) {
    constexpr std::size_t kRemembered = 16;
    if (pod.application != kNoApplication) {
        spec_of_.resize(workload::awkward_applications(load_), 0);
        return spec_of_[pod.application];
    }
    const auto known = std::ranges::find(shared_specs_, pod.spec, &std::pair<PodSpec, SpecNumber>::first);
    if (known != shared_specs_.end()) {
        return known->second;
    }
    if (pod.spec.volumes.empty() && shared_specs_.size() < kRemembered) {
        return shared_specs_.emplace_back(pod.spec, 0).second;
    }
    unshared_ = 0;
    return unshared_;
}

// Pods alike share a spec, as replicas do.
void AwkwardDriver::send_pods(const std::vector<PodRecord>& pods) {
    std::vector<SpecItem> fresh;
    std::vector<AskItem> asks;
    for (const PodRecord& pod : pods) {
        SpecNumber& number = shared_number(pod);
        if (number == 0) {
            number = ++last_spec_;
            fresh.push_back({number, pod.spec});
        }
        AskItem ask;
        ask.key = pod.key;
        ask.application = application_;
        ask.requests = pod.requests;
        ask.spec = number;
        ask.node = pod.node;
        asks.push_back(ask);
    }
    send_objects();
    send(SpecsMessage{.define = fresh, .forget = {}});
    send(AsksMessage{asks});
}

void AwkwardDriver::register_cluster() {
    send_nodes();
    if (load_.shape == AwkwardShape::csi || load_.shape == AwkwardShape::local) {
        send_storage();
    }
    send_services();
    application_ = text("application");
    send_entries();
    const ApplicationItem application{.application = application_};
    send(ApplicationsMessage{.add = std::span(&application, 1), .remove = {}});
    for (std::uint32_t node = 0; node < load_.nodes; ++node) {
        std::vector<PodRecord> pods;
        for (std::uint32_t number = 0; number < load_.running_each; ++number) {
            pods.push_back(running_pod(node, number));
        }
        send_pods(pods);
    }
    turn();
}

void AwkwardDriver::ask(std::uint32_t first, std::uint32_t count) {
    std::vector<PodRecord> pods;
    for (std::uint32_t number = first; number < first + count; ++number) {
        pods.push_back(asked_pod(number));
    }
    send_pods(pods);
}

void AwkwardDriver::ask_all() {
    for (std::uint32_t first = 0; first < load_.pods; first += kAwkwardItems) {
        ask(first, std::min(kAwkwardItems, load_.pods - first));
    }
}

std::vector<std::int64_t> AwkwardDriver::ask_one_by_one() {
    std::vector<std::int64_t> times;
    for (std::uint32_t first = 0; first < load_.pods; first += kAwkwardItems) {
        const double start = seconds_by(CLOCK_MONOTONIC);
        ask(first, std::min(kAwkwardItems, load_.pods - first));
        decide_all();
        times.push_back(static_cast<std::int64_t>((seconds_by(CLOCK_MONOTONIC) - start) * 1e9));
    }
    return times;
}

void AwkwardDriver::turn() {
    scheduler_.run(kAwkwardAttemptsPerTurn);
    scheduler_.apply(Acknowledge{kAwkwardShim, scheduler_.last_decision()});
}

void AwkwardDriver::decide_all() {
    do {
        turn();
    } while (scheduler_.has_work());
}

}  // namespace bayplan::measure
