// DevicePacking: prefers nodes where the pod leaves fewer devices that nobody will be able to use. Ours; off by
// default. Rules: R-DEVICE-40 to R-DEVICE-47. Device by device it follows the idea of fragmentation (FGD, USENIX
// ATC 2023), without a list of typical pods: a node's own ratio of cpu to devices says how much cpu a device wants.

#include <algorithm>
#include <bit>

#include "cluster/device_use.h"
#include "cluster/resources.h"
#include "scoring/registry.h"

namespace bayplan {

namespace {

constexpr std::int64_t kMiddle = 50;  // a pod that changes nothing
constexpr std::int64_t kUnit = 40;    // of a device's 1000, per point

// How much of the rest of the devices no cpu is left for.
std::int64_t stranded(std::int64_t devices_free, std::int64_t cpu_free, std::int64_t devices, std::int64_t cpu) {
    const std::int64_t served =
        cpu == 0 ? 0
                 : static_cast<std::int64_t>(static_cast<double>(std::max<std::int64_t>(0, cpu_free)) *
                                             static_cast<double>(devices) / static_cast<double>(cpu));
    return std::max<std::int64_t>(0, devices_free - served);
}

// How much more is left of devices that have been begun.
std::int64_t begun(std::int64_t reach, std::int64_t amount) {
    const std::int64_t share = amount % kDevice;
    if (share == 0) {
        return 0;
    }
    return reach % kDevice >= share ? -share : kDevice - share;
}

class DevicePacking final : public Score {
public:
    void add(const AskClass& ask_class, const NodeBlock& block, std::uint64_t lanes, std::int64_t weight,
             LaneScores& scores) const noexcept override {
        for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
            std::int64_t cost = 0;
            for (std::uint32_t number = 0; number < block.reaches.size(); ++number) {
                if (block.reaches[number] && (*block.reaches[number])[lane] != kNoDevices) {
                    cost += cost_of(ask_class, block, static_cast<ResourceId>(number), lane);
                }
            }
            scores[lane] += weight * std::clamp<std::int64_t>(kMiddle - cost / kUnit, 0, 100);
        }
    }

private:
    static std::int64_t cost_of(const AskClass& ask_class, const NodeBlock& block, ResourceId resource,
                                std::uint32_t lane) {
        std::int64_t amount = 0;
        for (const ResourceAmount& request : ask_class.requests) {
            amount += request.resource == resource ? request.value : 0;
        }
        const ResourceColumns* const owned = block.columns(resource);
        const ResourceColumns* const cpu_owned = block.columns(kCpu);
        // It may state none of them, and a class have the kind.
        const std::int64_t more = owned != nullptr && owned->capacity[lane] == kBoundless ? kBoundless : 0;
        const std::int64_t devices = owned == nullptr ? 0 : owned->capacity[lane] - more;
        const std::int64_t cpu = cpu_owned == nullptr ? 0 : cpu_owned->capacity[lane];
        const std::int64_t devices_free = block.unused(lane, resource) - more;
        const std::int64_t cpu_free = block.unused(lane, kCpu);
        return stranded(devices_free - amount, cpu_free - ask_class.cpu_request, devices, cpu) -
               stranded(devices_free, cpu_free, devices, cpu) + begun((*block.reaches[raw(resource)])[lane], amount);
    }
};

}  // namespace

std::unique_ptr<Score> make_device_packing_score(const EngineOptions&) { return std::make_unique<DevicePacking>(); }

}  // namespace bayplan
