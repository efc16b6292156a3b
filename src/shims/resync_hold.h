// Whether a shim that states itself anew keeps everybody else waiting, and for how much longer it may: R-SESSION-36 ff.
//
// Thread: the engine's. Owned by the Shim.
#pragma once

#include <algorithm>
#include <cstdint>

namespace bayplan {

class ResyncHold {
public:
    // A shim that resyncs again and again gets so much of the time, and no more.
    static constexpr std::int64_t kPeriodPerAllowance = 10;

    bool holds() const { return holds_; }
    std::int64_t until_ns() const { return until_ns_; }  // while it holds

    // Begins, if time is left. True: it holds now, and did not before.
    bool begin(std::int64_t now_ns, std::int64_t allowance_ns) {
        if (holds_) {
            return false;
        }
        if (!any_ || now_ns - period_began_ns_ >= kPeriodPerAllowance * allowance_ns) {
            any_ = true;
            period_began_ns_ = now_ns;
            left_ns_ = allowance_ns;
        }
        holds_ = left_ns_ > 0;
        until_ns_ = now_ns + left_ns_;
        return holds_;
    }
    // True: it held until now.
    bool end(std::int64_t now_ns) {
        const bool held = holds_;
        if (held) {
            left_ns_ = std::max<std::int64_t>(0, until_ns_ - now_ns);
        }
        holds_ = false;
        return held;
    }

private:
    bool any_ = false;  // has held, ever
    bool holds_ = false;
    std::int64_t period_began_ns_ = 0;
    std::int64_t left_ns_ = 0;  // of the period's allowance, while it does not hold
    std::int64_t until_ns_ = 0;
};

}  // namespace bayplan
