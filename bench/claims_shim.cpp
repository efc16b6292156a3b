// See claims_shim.h.
#include "claims_shim.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

namespace bayplan::bench {

namespace {

constexpr ConnectionId kConnection = 1;
constexpr std::uint32_t kPerMessage = 64;
constexpr std::string_view kDriver = "gpu.example.com";

}  // namespace

ClaimShim::ClaimShim(const ClaimLoad& load, measure::Scheduler& scheduler) : load_(load), scheduler_(scheduler) {
    scheduler_.apply(Connect{.connection = kConnection, .shim = "shim-bench", .shim_instance = 1});
    send(ResyncBeginMessage{});
    send_nodes();
    send_slices();
    const ApplicationItem application{.application = text("app")};
    send_entries();
    send(ApplicationsMessage{.add = std::span(&application, 1), .remove = {}});
    send(ResyncEndMessage{});
}

void ClaimShim::send(const StateBody& body) {
    scheduler_.apply(StateMessage{.connection = kConnection, .sequence = ++sequence_, .body = body});
}

Text ClaimShim::text(std::string_view wanted) {
    const auto next = static_cast<Text>(ids_.size() + 1);
    const auto [found, fresh] = ids_.emplace(std::string(wanted), next);
    if (fresh) {
        texts_.push_back(found->first);
        unsent_entries_.push_back({next, texts_.back()});
    }
    return found->second;
}

void ClaimShim::send_entries() {
    send(DefineMessage{unsent_entries_});
    unsent_entries_.clear();
}

void ClaimShim::send_nodes() {
    const std::vector<Amount> capacity = {
        {text("cpu"), 64'000}, {text("memory"), std::int64_t{256} << 30}, {text("pods"), 110}};
    std::vector<NodeItem> records;
    for (std::uint32_t node = 0; node < load_.nodes; ++node) {
        records.push_back({.node = text(fmt::format("node-{:06}", node)), .capacity = capacity, .attributes = {}});
    }
    send_entries();
    for (std::size_t first = 0; first < records.size(); first += kPerMessage) {
        const std::size_t count = std::min<std::size_t>(kPerMessage, records.size() - first);
        send(NodesMessage{std::span(records).subspan(first, count)});
    }
}

// One pool and one slice a node; devices differ by uuid, as real ones do.
ResourceSlice ClaimShim::slice_of(std::uint32_t node) {
    ResourceSlice slice;
    slice.name = text(fmt::format("slice-{:06}", node));
    slice.driver = text(kDriver);
    slice.pool = slice.node = text(fmt::format("node-{:06}", node));
    slice.pool_slices = 1;
    slice.reach = SliceReach::node;
    for (std::uint32_t device = 0; device < kDevicesPerNode; ++device) {
        SliceDevice& one = slice.devices.emplace_back();
        one.name = text(fmt::format("gpu-{}", device));
        one.attributes = {{.name = text("kind"), .type = AttributeType::number, .number = 1},
                          {.name = text("numa"), .type = AttributeType::number, .number = device % kNumaDomains},
                          {.name = text("uuid"),
                           .type = AttributeType::text,
                           .text = text(fmt::format("gpu-{:06}-{}", node, device))}};
        one.capacities = {{text("memory"), text("80Gi")}};
    }
    return slice;
}

void ClaimShim::send_slices() {
    std::vector<ObjectItem> objects;
    DeviceClass gpus{.name = text("gpu"), .selectors = {text("device.driver == \"gpu.example.com\"")}};
    objects.push_back({.object = std::move(gpus)});
    const auto flush = [&] {
        send_entries();
        send(ObjectsMessage{objects});
        objects.clear();
    };
    for (std::uint32_t node = 0; node < load_.nodes; ++node) {
        objects.push_back({.object = slice_of(node)});
        if (objects.size() == kPerMessage) flush();
    }
    flush();
}

ResourceClaim ClaimShim::claim_of(const std::string& pod, Text uid) {
    ResourceClaim claim;
    claim.name_space = text("default");
    claim.name = text(pod + "-gpu");
    claim.owner_uid = uid;
    DeviceRequest& request = claim.requests.emplace_back();
    request.name = text("gpu");
    DeviceDemand& demand = request.demands.emplace_back();
    demand.name = request.name;
    demand.device_class = text("gpu");
    demand.selectors = {text(fmt::format(
        "has(device.attributes[\"{0}\"].kind) && device.attributes[\"{0}\"].kind == {1}", kDriver, load_.kind))};
    demand.count = load_.devices;
    if (load_.together) {
        claim.constraints.push_back({.requests = {}, .attribute = text("gpu.example.com/numa")});
    }
    return claim;
}

void ClaimShim::ask(std::uint32_t first, std::uint32_t count) {
    const std::vector<Amount> amounts = {
        {text("cpu"), 1'000}, {text("memory"), std::int64_t{1} << 30}, {text("pods"), 1}};
    for (std::uint32_t from = first; from < first + count; from += kPerMessage) {
        const std::uint32_t end = std::min(from + kPerMessage, first + count);
        std::vector<std::string> keys;
        std::vector<ObjectItem> objects;
        std::vector<SpecItem> specs;
        std::vector<AskItem> records;
        for (std::uint32_t pod = from; pod < end; ++pod) keys.push_back(fmt::format("pod-{:06}", pod));
        for (const std::string& key : keys) {
            const Text uid = text("uid-" + key);
            objects.push_back({.object = claim_of(key, uid)});
            SpecItem& item = specs.emplace_back();
            item.number = ++last_spec_;
            item.spec.name_space = text("default");
            item.spec.resource_claims = {
                .claims = {{.entry = text("gpu"), .source = ClaimSource::made, .claim = text(key + "-gpu")}},
                .pod = text(key),
                .uid = uid};
            AskItem& record = records.emplace_back();
            record.key = key;
            record.application = text("app");
            record.requests = amounts;
            record.spec = item.number;
        }
        send_entries();
        send(ObjectsMessage{objects});
        send(SpecsMessage{.define = specs, .forget = {}});
        send(AsksMessage{records});
    }
}

void ClaimShim::take_decisions() { scheduler_.apply(Acknowledge{kConnection, scheduler_.last_decision()}); }

}  // namespace bayplan::bench
