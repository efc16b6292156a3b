// See load_claims.h.
#include "cli/load_claims.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

namespace bayplan::cli {

namespace {

constexpr std::size_t kPerPortion = 256;
constexpr std::string_view kDriver = "devices.load";
constexpr std::string_view kRequest = "device";
constexpr std::string_view kNamespace = "load";
constexpr std::string_view kClaimPrefix = "claim-";

}  // namespace

// From node to node, and on each from its last device on: a pod's attempt looks from the first.
LoadClaims::LoadClaims(const PodBook& book, std::uint32_t devices, double allocated) : book_(book), devices_(devices) {
    const std::size_t nodes = book.load().nodes.size();
    for (PodIndex pod = 0; pod < book.size() && held_.size() < nodes * devices_; ++pod) {
        if (std::floor((pod + 1) * allocated) != std::floor(pod * allocated)) {
            const auto node = static_cast<NodeIndex>(held_.size() % nodes);
            const auto device = static_cast<std::uint32_t>(devices_ - 1 - held_.size() / nodes);
            held_.emplace(pod, Held{node, device});
        }
    }
}

Text LoadClaims::text(std::string_view wanted) {
    if (const auto found = ids_.find(wanted); found != ids_.end()) {
        return found->second;
    }
    texts_.emplace_back(wanted);
    const auto id = static_cast<Text>(texts_.size());
    ids_.emplace(texts_.back(), id);
    return id;
}

TextOf LoadClaims::texts() const {
    return [this](Text id) { return std::string_view(texts_[id - 1]); };
}

std::string LoadClaims::claim_name(PodIndex pod) const {
    return std::string(kClaimPrefix) + book_.load().pods[pod].name;
}

bool LoadClaims::state_specs(StateWriter& writer) {
    std::vector<SpecItem> portion;
    for (; next_spec_ < book_.size() && portion.size() < kPerPortion; ++next_spec_) {
        const auto pod = static_cast<PodIndex>(next_spec_);
        SpecItem& item = portion.emplace_back();
        item.number = spec_of(pod);
        item.spec.name_space = text(kNamespace);
        item.spec.resource_claims.claims = {
            {.entry = text(kRequest), .source = ClaimSource::named, .claim = text(claim_name(pod))}};
        item.spec.resource_claims.pod = item.spec.resource_claims.uid = text(book_.load().pods[pod].name);
    }
    if (!portion.empty()) {
        writer.specs(portion, texts());
    }
    return next_spec_ < book_.size();
}

bool LoadClaims::state_objects(StateWriter& writer) {
    const std::size_t end = 1 + book_.load().nodes.size() + book_.size();
    std::vector<ObjectItem> portion;
    for (; next_object_ < end && portion.size() < kPerPortion; ++next_object_) {
        portion.push_back({.object = object(next_object_)});
    }
    if (!portion.empty()) {
        writer.objects(portion, texts());
    }
    return next_object_ < end;
}

ClusterObject LoadClaims::object(std::size_t number) {
    const std::size_t nodes = book_.load().nodes.size();
    if (number == 0) {
        return device_class();
    }
    return number <= nodes ? ClusterObject(slice(static_cast<NodeIndex>(number - 1)))
                           : ClusterObject(claim(static_cast<PodIndex>(number - 1 - nodes)));
}

DeviceClass LoadClaims::device_class() {
    return {.name = text("load"), .selectors = {text(fmt::format("device.driver == \"{}\"", kDriver))}};
}

ResourceSlice LoadClaims::slice(NodeIndex node) {
    ResourceSlice made;
    made.name = made.pool = made.node = text(book_.node_name(node));
    made.driver = text(kDriver);
    made.generation = 1;
    made.pool_slices = 1;
    made.reach = SliceReach::node;
    for (std::uint32_t device = 0; device < devices_; ++device) {
        SliceDevice& one = made.devices.emplace_back();
        one.name = text(fmt::format("device-{}", device));
        one.attributes = {{.name = text("number"), .type = AttributeType::number, .number = device}};
    }
    return made;
}

ResourceClaim LoadClaims::claim(PodIndex pod) {
    ResourceClaim made;
    made.name_space = text(kNamespace);
    made.name = text(claim_name(pod));
    DeviceRequest& request = made.requests.emplace_back();
    request.name = text(kRequest);
    DeviceDemand& demand = request.demands.emplace_back();
    demand.name = request.name;
    demand.device_class = text("load");
    // Of a pod in four any device will do; the others want an even or an odd half of them.
    if (pod % 4 != 0) {
        demand.selectors = {text(fmt::format("device.attributes[\"{}\"].number % 2 == {}", kDriver, pod % 2))};
    }
    const std::string_view told = book_.devices(pod);
    const bool placed = book_[pod].state == PodState::placed;
    const auto held = held_.find(pod);
    if (placed && !told.empty()) {
        made.allocation = allocation(told, book_[pod].node);
    } else if (held != held_.end()) {
        made.allocation = allocation(held->second);
    }
    if (made.allocation && (placed || pod % 2 == 0)) {
        made.reserved_for = {text(book_.load().pods[pod].name)};
    }
    return made;
}

std::optional<PodIndex> LoadClaims::give_back(std::string_view claim) {
    const std::string head = fmt::format("{}/{}", kNamespace, kClaimPrefix);
    bool current = false;
    if (!claim.starts_with(head)) {
        return std::nullopt;
    }
    const std::optional<PodIndex> pod = book_.find(claim.substr(head.size()), current);
    if (pod) {
        held_.erase(*pod);
    }
    return pod;
}

// As a scheduler writes it: a device of one node's slice binds the claim to the node.
std::vector<NodeTerm> LoadClaims::only(NodeIndex node) {
    std::vector<NodeTerm> terms(1);
    terms[0].fields.push_back({text("metadata.name"), LabelOperator::in, {text(book_.node_name(node))}});
    return terms;
}

DeviceAllocation LoadClaims::allocation(const Held& held) {
    DeviceAllocation made;
    made.devices.push_back({text(kRequest), text(kDriver), text(book_.node_name(held.node)),
                            text(fmt::format("device-{}", held.device)), false});
    made.nodes = only(held.node);
    return made;
}

// `@CLAIM REQUEST DRIVER POOL DEVICE`, joined by commas: the devices of a decision.
DeviceAllocation LoadClaims::allocation(std::string_view told, NodeIndex node) {
    DeviceAllocation made;
    made.nodes = only(node);
    std::istringstream parts{std::string(told)};
    for (std::string part; std::getline(parts, part, ',');) {
        std::istringstream words(part);
        std::array<std::string, 5> word;
        for (std::string& one : word) {
            words >> one;
        }
        made.devices.push_back({text(word[1]), text(word[2]), text(word[3]), text(word[4]), false});
    }
    return made;
}

}  // namespace bayplan::cli
