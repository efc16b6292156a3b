// Victims of preemption, as a shim treats them: told to go, they have their grace period; then the daemon hears that they
// are gone, and they are asked for anew, or are finished where the load says so. See load_run.h.
#include <vector>

#include "cli/load_run.h"

namespace bayplan::cli {

namespace {

constexpr std::size_t kVictimsPerMessage = 256;

}  // namespace

void LoadRun::doom(PodIndex pod) {
    // The daemon repeats itself when a victim stays for long; and a place that is being refused ends by that.
    if (book_[pod].state != PodState::placed || book_[pod].doomed) {
        return;
    }
    book_.doom(pod);
    ++result_.preempted;
    to_let_go_.push_back({last_change_ns_ + options_.grace_ns, pod, book_[pod].incarnation});
}

std::size_t LoadRun::let_go() {
    const std::int64_t now = now_ns();
    std::vector<PodIndex> batch;
    std::vector<std::string> keys;
    std::size_t taken = 0;
    while (taken < to_let_go_.size() && to_let_go_[taken].when_ns <= now && batch.size() < kVictimsPerMessage) {
        const Leaving& leaving = to_let_go_[taken++];
        const PodEntry& entry = book_[leaving.pod];
        if (entry.doomed && entry.incarnation == leaving.incarnation) {
            batch.push_back(leaving.pod);
            keys.push_back(book_.key(leaving.pod));
        }
    }
    std::vector<ReleaseStatement> releases;
    for (const std::string& key : keys) {
        releases.push_back(
            {.key = key, .application = {}, .termination = Termination::preempted_by_scheduler, .message = {}});
    }
    if (!releases.empty() && client_->releases(releases) != Submitted::yes) {
        return 0;
    }
    to_let_go_.erase(to_let_go_.begin(), to_let_go_.begin() + static_cast<std::ptrdiff_t>(taken));
    for (const PodIndex pod : batch) {
        if (!load_.victims_end) {
            gone(pod);
            continue;
        }
        if (journal_ != nullptr) {
            journal_->finished(book_.key(pod));
        }
        book_.finish(pod);
    }
    if (!batch.empty()) {
        changed();
    }
    return batch.size();
}

}  // namespace bayplan::cli
