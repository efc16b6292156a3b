// See watch.h.
#include "rest/watch.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "answers/queue_view.h"

namespace bayplan::rest {

namespace {

using Clock = std::chrono::steady_clock;
using Versions = std::vector<std::pair<answers::VersionPtr, answers::Place>>;

constexpr std::chrono::seconds kHealthEvery{30};
constexpr std::chrono::seconds kRecordEvery{60};
constexpr std::chrono::seconds kAgain{1};  // while an engine has told nothing yet

// Empty: an engine has told nothing yet.
Versions versions_of(const ShownPartitions& partitions) {
    Versions versions;
    for (const ShownPartition& partition : partitions) {
        versions.emplace_back(partition.version(), partition.place);
        if (versions.back().first == nullptr) return {};
    }
    return versions;
}

}  // namespace

Watch::~Watch() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    stopping_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void Watch::start(std::function<void()> begin) {
    thread_ = std::thread([this, begin = std::move(begin)] {
        if (begin) begin();
        run();
    });
}

void Watch::run() {
    Clock::time_point next_health = Clock::now();
    Clock::time_point next_record = next_health;
    for (;;) {
        if (Clock::now() >= next_health) next_health = Clock::now() + (check_health() ? kHealthEvery : kAgain);
        if (Clock::now() >= next_record) {
            const auto now = std::chrono::system_clock::now().time_since_epoch();
            next_record = Clock::now() + (record(std::chrono::nanoseconds(now).count()) ? kRecordEvery : kAgain);
        }
        std::unique_lock lock(mutex_);
        if (stopping_.wait_until(lock, std::min(next_health, next_record), [this] { return stop_; })) return;
    }
}

bool Watch::check_health() {
    const Versions versions = versions_of(partitions_);
    if (versions.empty()) return false;
    const std::uint64_t laws_broken = condition_ == nullptr ? 0 : condition_->laws_broken();
    auto found = std::make_shared<const std::string>(answers::health(versions, laws_broken));
    const std::lock_guard lock(mutex_);
    health_ = std::move(found);
    return true;
}

bool Watch::record(std::int64_t at_ns) {
    const Versions versions = versions_of(partitions_);
    if (versions.empty()) return false;
    std::uint64_t applications = 0;
    std::uint64_t containers = 0;
    for (const auto& [version, place] : versions) {
        version->applications.for_each([&](std::uint32_t, const read_model::Application& application) {
            applications += answers::state_of(application) == "Running" ? 1 : 0;
            containers += application.placed;
        });
    }
    history_.record(at_ns, applications, containers);
    return true;
}

std::shared_ptr<const std::string> Watch::health() const {
    const std::lock_guard lock(mutex_);
    return health_;
}

}  // namespace bayplan::rest
