// The numbers of one shim's decisions that decide: how many there are, up to which the shim has acknowledged them, how
// many of these it owes. The decisions themselves, with their texts, are kept by the teller (teller/unacknowledged_decisions.h).
//
// Thread: the engine's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "base/ids.h"

namespace bayplan {

class DecisionLedger {
public:
    static constexpr std::uint32_t kBytesMax = UINT32_MAX >> 1;  // of one

    // `spends`: an allocation or a release, which counts against credit. `ask`: the ask that an allocation is of.
    void add(bool spends, AskHandle ask, std::size_t bytes) {
        debt_ += spends ? 1 : 0;
        const auto counted = static_cast<std::uint32_t>(std::min<std::size_t>(bytes, kBytesMax));
        bytes_ += counted;
        entries_.push_back({ask, counted, spends});
        ++last_;
    }

    std::uint64_t last() const { return last_; }  // number of the newest decision; 0 = none
    std::uint64_t acknowledged() const { return acknowledged_; }
    std::uint64_t unacknowledged() const { return last_ - acknowledged_; }
    std::uint64_t debt() const { return debt_; }    // unacknowledged ones that spend
    std::uint64_t bytes() const { return bytes_; }  // of unacknowledged ones

    // Decisions up to this one are done with. Calls done(number, handle) for each allocation.
    template <typename Done>
    void acknowledge(std::uint64_t up_to, Done&& done) {
        while (acknowledged_ < up_to) {
            const Entry entry = entries_.front();
            entries_.pop_front();
            ++acknowledged_;
            debt_ -= entry.spends ? 1 : 0;
            bytes_ -= entry.bytes;
            if (entry.ask.id != kNone<AskId>) {
                done(acknowledged_, entry.ask);
            }
        }
    }

    // Forgets everything; numbers start at 1 again.
    void clear() { *this = DecisionLedger{}; }

private:
    struct Entry {
        AskHandle ask;
        std::uint32_t bytes : 31 = 0;
        std::uint32_t spends : 1 = 0;
    };
    static_assert(sizeof(Entry) == 12);

    std::uint64_t last_ = 0;
    std::uint64_t acknowledged_ = 0;
    std::uint64_t debt_ = 0;
    std::uint64_t bytes_ = 0;
    std::deque<Entry> entries_;  // one per unacknowledged decision
};

}  // namespace bayplan
