// Logs changes of the resync since the last look. Thread: the engine's.
#include "daemon/resync_log.h"

#include <algorithm>

namespace bayplan::daemon {
namespace {

const OpenResync* find(const std::vector<OpenResync>& all, const std::string& shim) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const OpenResync& one) { return one.shim == shim; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

void ResyncLog::look(const Engine& engine) {
    if (engine.resync_changes() == changes_) return;
    changes_ = engine.resync_changes();
    std::vector<OpenResync> now = engine.open_resyncs();
    for (const OpenResync& one : now) compare(find(known_, one.shim), &one);
    for (const OpenResync& one : known_) {
        if (find(now, one.shim) == nullptr) compare(&one, nullptr);
    }
    known_ = std::move(now);
}

void ResyncLog::compare(const OpenResync* before, const OpenResync* now) {
    const bool held = before != nullptr && before->holds;
    const bool holds = now != nullptr && now->holds;
    const auto say = [&](config::LogLevel level, std::string_view what) {
        log_.line(level, what, {{"partition", partition_}, {"shim", now != nullptr ? now->shim : before->shim}});
    };
    if (holds && !held) {
        say(config::LogLevel::info, "all wait for a shim's statement");
    } else if (held && now == nullptr) {
        say(config::LogLevel::info, "a shim's statement is whole");
    } else if (held && !holds) {
        say(config::LogLevel::warning, "a shim's statement is overdue, others go on without it");
    }
}

}  // namespace bayplan::daemon
