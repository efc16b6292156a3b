// Sums of log lines.
//
// Thread: see the header.
#include "daemon/stranger_log.h"

#include <algorithm>

namespace bayplan::daemon {

bool StrangerLog::is_first(std::string_view address, std::string_view reason, Clock::time_point now) {
    look(now);
    if (reasons_.empty()) ends_ = now + std::chrono::seconds(1);
    const auto found = std::ranges::find(reasons_, reason, &Reason::text);
    if (found != reasons_.end()) {
        ++found->more;
        found->last_address = address;
        return false;
    }
    if (reasons_.size() >= kReasons) {
        ++others_;
        return false;
    }
    reasons_.push_back({std::string(reason), std::string(address), 0});
    return true;
}

void StrangerLog::tell() {
    for (const Reason& reason : reasons_) {
        if (reason.more == 0) continue;
        log_.line(level_, message_, {{"address", reason.last_address}, {"reason", reason.text}, {"more", reason.more}});
    }
    if (others_ > 0) log_.line(level_, message_, {{"reason", "other reasons"}, {"more", others_}});
    reasons_.clear();
    others_ = 0;
}

}  // namespace bayplan::daemon
