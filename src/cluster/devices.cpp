// Giving devices to pods and taking them back, on every change of a node; see devices.h.
#include "cluster/devices.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "cluster/device_texts.h"

namespace bayplan {

const std::vector<DeviceUse>& Devices::at(Slot slot) const {
    static const std::vector<DeviceUse> kNothing;
    const auto found = nodes_.find(slot);
    return found == nodes_.end() ? kNothing : found->second;
}

const DeviceShares* Devices::of(AskId id) const {
    const auto found = pods_.find(id);
    return found == pods_.end() ? nullptr : &found->second;
}

bool Devices::concern(const AskClass& ask_class) const {
    return !nodes_with_.empty() &&
           std::any_of(ask_class.requests.begin(), ask_class.requests.end(),
                       [&](const ResourceAmount& request) { return nodes_with_.contains(request.resource); });
}

namespace {

using TextByResource = std::map<std::string_view, std::string>;

template <typename Number>
void append(std::string& text, const std::vector<Number>& numbers) {
    for (const Number number : numbers) {
        text += (text.empty() ? "=" : "+") + std::to_string(number);
    }
}

std::string joined(const TextByResource& by_resource) {
    std::string all;
    for (const auto& [name, text] : by_resource) {
        all += (all.empty() ? "" : ",") + std::string(name) + text;
    }
    return all;
}

}  // namespace

std::string Devices::text_of(AskId id) const {
    const DeviceShares* const shares = of(id);
    if (shares == nullptr) {
        return {};
    }
    TextByResource by_resource;
    for (const DeviceShare& one : *shares) {
        if (!one.devices.empty()) {  // as on a node without any, where amounts do not count
            append(by_resource[resources_.text(one.resource)], one.devices);
        }
    }
    return joined(by_resource);
}

// `numbers(use, amount)`: those to be told of a resource.
template <typename Numbers>
std::string Devices::text_of_resources(const AskClass& ask_class, Slot slot, Numbers&& numbers) const {
    TextByResource by_resource;
    for (const DeviceUse& use : at(slot)) {
        for (const ResourceAmount& request : ask_class.requests) {
            if (use.resource == request.resource) {
                append(by_resource[resources_.text(use.resource)], numbers(use, request.value));
            }
        }
    }
    return joined(by_resource);
}

std::string Devices::would_give(const AskClass& ask_class, Slot slot) const {
    return text_of_resources(ask_class, slot, [&](const DeviceUse& use, std::int64_t amount) {
        return share(use, ask_class, amount, slot, {}).devices;
    });
}

std::string Devices::left_for(const AskClass& ask_class, Slot slot) const {
    return text_of_resources(ask_class, slot, [&](const DeviceUse& use, std::int64_t) {
        std::vector<std::int64_t> left = beside_holds(use, ask_class, slot).used;
        left.resize(use.count);
        for (std::int64_t& amount : left) {
            amount = kDevice - amount;
        }
        return left;
    });
}

namespace {

// As stated, if that is as many devices as the amount takes, all of them there.
bool makes_sense(const DeviceUse& use, std::int64_t amount, const std::vector<std::uint32_t>& stated) {
    return static_cast<std::int64_t>(stated.size()) == devices_for(amount) &&
           std::all_of(stated.begin(), stated.end(), [&](std::uint32_t device) { return device < use.count; });
}

}  // namespace

DeviceUse Devices::beside_holds(const DeviceUse& use, const AskClass& ask_class, Slot slot) const {
    DeviceUse beside = use;
    if (const HoldList* holds = state_.block(block_of(slot)).holds_of(lane_of(slot))) {
        for (const HeldAmount& hold : *holds) {
            if (hold.resource == use.resource && hold.amount > 0 && ask_class.priority < hold.kept_from_below) {
                beside.add(beside.choose(hold.amount, choice_), hold.amount, +1);
            }
        }
    }
    return beside;
}

DeviceShare Devices::share(const DeviceUse& use, const AskClass& ask_class, std::int64_t amount, Slot slot,
                           std::string_view stated) const {
    DeviceShare made{use.resource, amount, devices_in(stated, resources_.text(use.resource))};
    if (makes_sense(use, amount, made.devices)) {
        return made;
    }
    made.devices = beside_holds(use, ask_class, slot).choose(amount, choice_);
    return made;
}

void Devices::show(Slot slot, const DeviceUse& use) { state_.set_reach(slot, use.resource, use.reach()); }

void Devices::give(AskId id, const AskClass& ask_class, Slot slot, std::string_view stated) {
    const auto node = nodes_.find(slot);
    if (node == nodes_.end()) {
        return;
    }
    DeviceShares shares;
    for (const ResourceAmount& request : ask_class.requests) {
        for (DeviceUse& use : node->second) {
            if (use.resource == request.resource) {
                shares.push_back(share(use, ask_class, request.value, slot, stated));
                use.add(shares.back().devices, request.value, +1);
                show(slot, use);
            }
        }
    }
    if (!shares.empty()) {
        BP_CHECK(pods_.emplace(id, std::move(shares)).second);
    }
}

DeviceShares Devices::take_back(AskId id, Slot slot) {
    const auto found = pods_.find(id);
    if (found == pods_.end()) {
        return {};
    }
    DeviceShares shares = std::move(found->second);
    pods_.erase(found);
    count(slot, shares, -1);
    return shares;
}

void Devices::give_again(AskId id, Slot slot, DeviceShares shares) {
    count(slot, shares, +1);
    BP_CHECK(pods_.emplace(id, std::move(shares)).second);
}

void Devices::count(Slot slot, const DeviceShares& shares, int sign) {
    for (DeviceUse& use : nodes_.at(slot)) {
        for (const DeviceShare& one : shares) {
            if (one.resource == use.resource) {
                use.add(one.devices, one.amount, sign);
                show(slot, use);
            }
        }
    }
}

void Devices::expect(AskId id, std::string_view stated) {
    if (!stated.empty()) {
        expected_[id] = stated;
    }
}

std::string Devices::expected(AskId id) {
    std::string stated;
    if (const auto found = expected_.find(id); found != expected_.end()) {
        stated = std::move(found->second);
        expected_.erase(found);
    }
    return stated;
}

std::vector<ResourceId> Devices::declare(Slot slot, const std::vector<DeclaredDevices>& declared,
                                         const std::vector<AskId>& pods) {
    std::vector<DeviceUse> before;
    if (const auto found = nodes_.find(slot); found != nodes_.end()) {
        before = std::move(found->second);
        nodes_.erase(found);
    }
    for (const DeviceUse& use : before) {
        if (--nodes_with_[use.resource] == 0) {
            nodes_with_.erase(use.resource);
        }
        const bool stays = std::any_of(declared.begin(), declared.end(),
                                       [&](const DeclaredDevices& one) { return one.resource == use.resource; });
        for (const AskId pod : stays ? std::vector<AskId>() : pods) {
            if (const auto shares = pods_.find(pod); shares != pods_.end()) {
                std::erase_if(shares->second, [&](const DeviceShare& one) { return one.resource == use.resource; });
                if (shares->second.empty()) {
                    pods_.erase(shares);
                }
            }
        }
        if (!stays) {
            state_.set_reach(slot, use.resource, kNoDevices);
        }
    }
    std::vector<ResourceId> fresh;
    std::vector<DeviceUse> now;
    for (const DeclaredDevices& one : declared) {
        ++nodes_with_[one.resource];
        const auto was = std::find_if(before.begin(), before.end(),
                                      [&](const DeviceUse& use) { return use.resource == one.resource; });
        if (was == before.end()) {
            fresh.push_back(one.resource);
        }
        DeviceUse& use = now.emplace_back(was == before.end() ? DeviceUse{one.resource, 0, {}} : std::move(*was));
        use.count = one.count;
        while (use.used.size() > one.count && use.used.back() == 0) {
            use.used.pop_back();
        }
        use.used.resize(std::max<std::size_t>(use.used.size(), one.count));
        show(slot, use);
    }
    if (!now.empty()) {
        nodes_.emplace(slot, std::move(now));
    }
    return fresh;
}

void Devices::give_more(AskId id, const AskClass& ask_class, Slot slot, const std::vector<ResourceId>& resources) {
    for (const ResourceAmount& request : ask_class.requests) {
        for (DeviceUse& use : nodes_.at(slot)) {
            if (use.resource == request.resource &&
                std::find(resources.begin(), resources.end(), use.resource) != resources.end()) {
                DeviceShares& shares = pods_[id];
                shares.push_back(share(use, ask_class, request.value, slot, {}));
                use.add(shares.back().devices, request.value, +1);
                show(slot, use);
            }
        }
    }
}

// --- texts

}  // namespace bayplan
