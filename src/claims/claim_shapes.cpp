// See claim_shapes.h.
#include "claims/claim_shapes.h"

#include <utility>

namespace bayplan {

void ClaimShape::catch_up(const DeviceChangeLog& log) {
    const bool known = log.for_each_since(position_, [&](Slot slot) {
        if (raw(slot) < findings_.size()) {
            set(slot, ClaimFinding::not_known);
        }
    });
    if (!known) {
        findings_.clear();
        failing_.clear();
    }
    position_ = log.end();
}

void ClaimShape::note(Slot slot, ClaimFinding finding) {
    if (raw(slot) >= findings_.size()) {
        findings_.resize(raw(slot) + std::size_t{1}, ClaimFinding::not_known);
        failing_.resize(block_of(slot) + std::size_t{1}, 0);
    }
    set(slot, finding);
}

void ClaimShape::set(Slot slot, ClaimFinding finding) {
    findings_[raw(slot)] = finding;
    const bool fails = finding == ClaimFinding::fails || finding == ClaimFinding::meets_invalid_pools;
    const std::uint64_t lane = std::uint64_t{1} << lane_of(slot);
    std::uint64_t& failing = failing_[block_of(slot)];
    failing = fails ? failing | lane : failing & ~lane;
}

std::shared_ptr<ClaimShape> ClaimShapes::of(std::string_view key,
                                            std::vector<std::shared_ptr<const DeviceSelector>> selectors) {
    if (const auto found = shapes_.find(key); found != shapes_.end()) {
        return found->second;
    }
    if (shapes_.size() >= kMost) {
        shapes_.clear();
    }
    return shapes_.emplace(std::string(key), std::make_shared<ClaimShape>(std::move(selectors))).first->second;
}

}  // namespace bayplan
