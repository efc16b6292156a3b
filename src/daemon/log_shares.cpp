// See log_shares.h.
#include "daemon/log_shares.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace bayplan::daemon {

LogShares::Kind& LogShares::kind_of(std::string_view message) {
    const auto found =
        std::ranges::find_if(kinds_, [&](const Kind& each) { return each.used() && each.message == message; });
    if (found != kinds_.end()) return *found;
    const auto gap = std::ranges::find_if(kinds_, [](const Kind& each) { return !each.used(); });
    Kind& kind = gap != kinds_.end() ? *gap : kinds_.emplace_back();
    kind = Kind{std::string(message), 0, 0, 0};
    return kind;
}

int LogShares::admit(std::string_view message) {
    const std::lock_guard lock(mutex_);
    Kind& kind = kind_of(message);
    if (kind.waiting >= places_ - waiting_) {
        ++kind.refused;
        return 0;
    }
    ++kind.waiting;
    ++waiting_;
    return static_cast<int>(&kind - kinds_.data()) + 1;
}

LogShares::Refused LogShares::written(int number) {
    const std::lock_guard lock(mutex_);
    Kind& kind = kinds_.at(static_cast<std::size_t>(number) - 1);
    BP_CHECK_OP(kind.waiting, >, 0u);
    --kind.waiting;
    --waiting_;
    const bool goes_on = ++kind.written >= kToldEvery && kind.refused > 0;
    const auto over =
        std::ranges::find_if(kinds_, [](const Kind& each) { return each.waiting == 0 && each.refused > 0; });
    if (!goes_on && over == kinds_.end()) return {};
    Kind& told = goes_on ? kind : *over;
    told.written = 0;
    return {told.message, std::exchange(told.refused, 0)};
}

}  // namespace bayplan::daemon
