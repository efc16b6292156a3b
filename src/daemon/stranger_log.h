// Log lines that strangers cause, and certificates without rights: the first of a reason at once, the others of that second
// as one line with their number. A flood of the port is no flood of the log, and hides nothing in it.
//
// Thread: its owner's. Times are the caller's.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/log.h"

namespace bayplan::daemon {

class StrangerLog {
public:
    using Clock = std::chrono::steady_clock;
    // A reason may quote a certificate, so strangers can make as many as they like: more in a second are counted together.
    static constexpr std::size_t kReasons = 8;

    StrangerLog(Log& log, std::string_view message, config::LogLevel level = config::LogLevel::warning)
        : log_(log), message_(message), level_(level) {}
    ~StrangerLog() { tell(); }
    StrangerLog(const StrangerLog&) = delete;
    StrangerLog& operator=(const StrangerLog&) = delete;

    // True for the first of a reason in a second: the caller writes that line, of the same message. Others are counted.
    bool is_first(std::string_view address, std::string_view reason, Clock::time_point now);
    // A second has begun.
    bool counts() const { return !reasons_.empty(); }
    // Says what was counted, once the second is over.
    void look(Clock::time_point now) {
        if (!reasons_.empty() && now >= ends_) tell();
    }

private:
    struct Reason {
        std::string text;
        std::string last_address;
        std::uint64_t more = 0;  // after the first
    };
    void tell();

    Log& log_;
    const std::string message_;
    const config::LogLevel level_;
    std::vector<Reason> reasons_;
    std::uint64_t others_ = 0;  // of reasons beyond kReasons
    Clock::time_point ends_;
};

}  // namespace bayplan::daemon
