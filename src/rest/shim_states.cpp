// See shim_states.h.
#include "rest/shim_states.h"

#include <utility>

namespace bayplan::rest {

namespace {

constexpr const char* kSilent = R"({"Error":"the shim did not tell its state in time"})";
constexpr const char* kGone = R"({"Error":"the shim went before it told its state"})";

}  // namespace

void ShimStates::join(std::uint64_t connection, std::string shim) {
    const std::lock_guard lock(lock_);
    shims_[connection] = std::move(shim);
}

// Wakes the asker if no connection is waited for any more.
void ShimStates::end(Question& question) {
    if (question.open.empty() && question.wake) {
        std::exchange(question.wake, {})();
    }
}

void ShimStates::leave(std::uint64_t connection) {
    const std::lock_guard lock(lock_);
    for (auto& [number, question] : questions_) {
        if (question.open.erase(connection) > 0) {
            question.told.try_emplace(shims_[connection], kGone);
            end(question);
        }
    }
    shims_.erase(connection);
}

void ShimStates::told(std::uint64_t connection, std::uint64_t question, std::string_view text) {
    const std::lock_guard lock(lock_);
    for (auto& [number, asked] : questions_) {
        if (number <= question && asked.open.erase(connection) > 0) {
            asked.told[shims_[connection]] = text;
            end(asked);
        }
    }
}

std::uint64_t ShimStates::ask(std::function<void()> wake, Clock::time_point now) {
    std::uint64_t number = 0;
    {
        const std::lock_guard lock(lock_);
        number = wanted_.load(std::memory_order_relaxed) + 1;
        Question& question = questions_[number];
        for (const auto& [connection, shim] : shims_) {
            question.open.insert(connection);
        }
        question.deadline = now + kWithin;
        question.wake = question.open.empty() ? std::function<void()>() : std::move(wake);
        wanted_.store(number, std::memory_order_release);
    }
    for (const std::function<void()>& tell : tell_) {
        tell();
    }
    return number;
}

std::optional<ShimStates::Told> ShimStates::take(std::uint64_t question) {
    const std::lock_guard lock(lock_);
    const auto found = questions_.find(question);
    if (found == questions_.end() || !found->second.open.empty()) {
        return std::nullopt;
    }
    Told told = std::move(found->second.told);
    questions_.erase(found);
    return told;
}

void ShimStates::forget(std::uint64_t question) {
    const std::lock_guard lock(lock_);
    questions_.erase(question);
}

void ShimStates::end_overdue(Clock::time_point now) {
    const std::lock_guard lock(lock_);
    for (auto& [number, question] : questions_) {
        if (!question.open.empty() && question.deadline <= now) {
            for (const std::uint64_t connection : std::exchange(question.open, {})) {
                question.told[shims_[connection]] = kSilent;
            }
            end(question);
        }
    }
}

}  // namespace bayplan::rest
