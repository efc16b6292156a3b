// Claims that ask for the same, under any names: replicas of a controller each have claims of their own, made from one
// template. A node that has devices for one of them has devices for the next, until its devices change; so each node is
// searched once after each change, for all of them together.
//
// Thread: the engine's. The table owns the shapes and lets go of all once it has many; plans refer to them weakly.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/ids.h"
#include "base/seeded_hash.h"
#include "claims/device_selectors.h"

namespace bayplan {

// Outcome of a search that ended without an error.
enum class ClaimFinding : std::uint8_t { not_known, fits, fails, meets_invalid_pools };

// Nodes whose devices changed, in order. Changes further back than `kKept` are forgotten.
class DeviceChangeLog {
public:
    void changed(Slot slot) {
        if (slots_.size() >= kKept) {
            changed_everywhere();
        }
        slots_.push_back(slot);
    }
    void changed_everywhere() {
        first_ += slots_.size() + 1;
        slots_.clear();
    }
    std::uint64_t end() const { return first_ + slots_.size(); }
    // False: it does not reach back to there.
    template <typename Each>
    bool for_each_since(std::uint64_t position, Each&& each) const {
        if (position < first_) {
            return false;
        }
        for (std::size_t at = position - first_; at < slots_.size(); ++at) {
            each(slots_[at]);
        }
        return true;
    }

private:
    static constexpr std::size_t kKept = 1 << 16;

    std::uint64_t first_ = 1;  // the number of the first one kept
    std::vector<Slot> slots_;
};

// Findings of searches for claims of one shape, node by node.
class ClaimShape {
public:
    explicit ClaimShape(std::vector<std::shared_ptr<const DeviceSelector>> selectors)
        : selectors_(std::move(selectors)) {}

    // Forgets the nodes that changed. Before at() and failing().
    void catch_up(const DeviceChangeLog&);
    ClaimFinding at(Slot slot) const {
        return raw(slot) < findings_.size() ? findings_[raw(slot)] : ClaimFinding::not_known;
    }
    void note(Slot, ClaimFinding);
    // Nodes of the block that are known to have no devices for such claims.
    std::uint64_t failing(std::uint32_t block) const { return block < failing_.size() ? failing_[block] : 0; }

private:
    void set(Slot, ClaimFinding);

    const std::vector<std::shared_ptr<const DeviceSelector>>
        selectors_;                       // stay, so that their addresses are not used again
    std::vector<ClaimFinding> findings_;  // by slot
    std::vector<std::uint64_t> failing_;  // by block
    std::uint64_t position_ = 0;          // in the log
};

class ClaimShapes {
public:
    // `key` tells shapes apart: selectors stand in it by address.
    std::shared_ptr<ClaimShape> of(std::string_view key, std::vector<std::shared_ptr<const DeviceSelector>> selectors);
    DeviceChangeLog& changes() { return changes_; }
    const DeviceChangeLog& changes() const { return changes_; }

private:
    static constexpr std::size_t kMost = 256;  // a byte a node each

    DeviceChangeLog changes_;
    boost::unordered_flat_map<std::string, std::shared_ptr<ClaimShape>, TextHash, std::equal_to<>> shapes_;
};

}  // namespace bayplan
