// Sums of log lines.
//
// Thread: see the header.
#include "daemon/stranger_log.h"

#include <algorithm>

namespace bayplan::daemon {

void StrangerLog::add(std::string_view address, std::string_view reason, Clock::time_point now) {
    look(now);
    if (reasons_.empty()) ends_ = now + std::chrono::seconds(1);
    const auto found = std::ranges::find(reasons_, reason, &Reason::text);
    if (found != reasons_.end()) {
        ++found->more;
        found->last_address = address;
    } else if (reasons_.size() < kReasons) {
        reasons_.push_back({std::string(reason), std::string(address), 0});
        log_.warning(message_, {{"address", address}, {"reason", reason}});
    } else {
        ++others_;
    }
}

void StrangerLog::tell() {
    for (const Reason& reason : reasons_) {
        if (reason.more == 0) continue;
        log_.warning(message_, {{"address", reason.last_address}, {"reason", reason.text}, {"more", reason.more}});
    }
    if (others_ > 0) log_.warning(message_, {{"reason", "other reasons"}, {"more", others_}});
    reasons_.clear();
    others_ = 0;
}

}  // namespace bayplan::daemon
