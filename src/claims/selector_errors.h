// Whether a selector ends in an error on some device of some slice: such a pod must look at all nodes (R-CLAIM-19).
//
// The answer is kept by selector; after a slice has changed, that slice alone is looked at again. Devices that agree in what the
// selector reads are asked once: real devices differ by uuid, which nobody selects by.
//
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "claims/device_selectors.h"

namespace bayplan {

struct KeptSlice;
using SliceTable = boost::unordered_flat_map<Text, std::shared_ptr<const KeptSlice>>;  // by name

class SelectorErrors {
public:
    explicit SelectorErrors(const TextTable& texts) : texts_(texts) {}

    // The slice was stated, or is gone.
    void changed(Text slice);
    bool any(const std::shared_ptr<const DeviceSelector>&, const SliceTable&);

private:
    static constexpr std::size_t kSelectorsMost = 4'096;
    static constexpr std::size_t kChangesMost = 1 << 16;

    struct OfSelector {
        std::shared_ptr<const DeviceSelector> selector;  // stays, so that its address is not used again
        std::uint64_t position = 0;                      // in the changes
        boost::unordered_flat_set<Text> erring;          // slices
    };

    const TextTable& texts_;
    std::uint64_t first_ = 1;  // the number of the first change kept
    std::vector<Text> changes_;
    boost::unordered_flat_map<const DeviceSelector*, OfSelector> kept_;
};

}  // namespace bayplan
