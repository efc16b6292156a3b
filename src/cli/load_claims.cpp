// See load_claims.h.
#include "cli/load_claims.h"

#include <algorithm>
#include <array>
#include <sstream>

#include <fmt/format.h>

namespace bayplan::cli {

namespace {

constexpr std::size_t kPerPortion = 256;
constexpr std::string_view kDriver = "devices.load";
constexpr std::string_view kRequest = "device";

}  // namespace

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

std::string LoadClaims::claim_name(PodIndex pod) const { return "claim-" + book_.load().pods[pod].name; }

bool LoadClaims::state_specs(StateWriter& writer) {
    std::vector<SpecItem> portion;
    for (; next_spec_ < book_.size() && portion.size() < kPerPortion; ++next_spec_) {
        const auto pod = static_cast<PodIndex>(next_spec_);
        SpecItem& item = portion.emplace_back();
        item.number = spec_of(pod);
        item.spec.name_space = text("load");
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
    made.name_space = text("load");
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
    if (const std::string_view told = book_.devices(pod); book_[pod].state == PodState::placed && !told.empty()) {
        made.allocation = allocation(told);
        made.reserved_for = {text(book_.load().pods[pod].name)};
    }
    return made;
}

// `@CLAIM REQUEST DRIVER POOL DEVICE`, joined by commas: the devices of a decision.
DeviceAllocation LoadClaims::allocation(std::string_view told) {
    DeviceAllocation made;
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
