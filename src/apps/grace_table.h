// Grace periods of pods in a byte each: a cluster has a handful of different ones. Periods that find no number left are
// kept by ask.
//
// Thread: the engine's.
#pragma once

#include <array>
#include <cstdint>

#include "base/ids.h"
#include "base/seeded_hash.h"
#include "base/split_map.h"

namespace bayplan {

class GraceTable {
public:
    static constexpr std::int32_t kUsual_s = 30;  // Kubernetes' default, number 0

    std::uint32_t add(AskId id, std::int32_t seconds) {
        if (seconds == kUsual_s) {
            return 0;
        }
        std::uint32_t free = kByAsk;
        for (std::uint32_t number = 1; number < kByAsk; ++number) {
            Entry& entry = entries_[number];
            if (entry.asks > 0 && entry.seconds == seconds) {
                ++entry.asks;
                return number;
            }
            if (entry.asks == 0 && free == kByAsk) {
                free = number;
            }
            if (number > used_) {
                break;
            }
        }
        if (free == kByAsk) {
            by_ask_[id] = seconds;
            return kByAsk;
        }
        entries_[free] = {seconds, 1};
        used_ = std::max(used_, free);
        return free;
    }

    void remove(AskId id, std::uint32_t number) {
        if (number == kByAsk) {
            by_ask_.erase(id);
        } else if (number != 0) {
            --entries_[number].asks;
        }
    }

    std::int32_t seconds(AskId id, std::uint32_t number) const {
        return number == 0 ? kUsual_s : number == kByAsk ? by_ask_.at(id) : entries_[number].seconds;
    }

private:
    static constexpr std::uint32_t kByAsk = 255;

    struct Entry {
        std::int32_t seconds = 0;
        std::uint32_t asks = 0;
    };
    std::array<Entry, kByAsk> entries_{};
    std::uint32_t used_ = 0;  // no entry beyond was ever in use
    SplitMap<AskId, std::int32_t, NumberHash> by_ask_;
};

}  // namespace bayplan
