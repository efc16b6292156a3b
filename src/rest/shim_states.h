// States of shims, which an operator asks for and shims tell: a question goes to every connection that takes some, and is
// answered when all have answered, have gone, or its time is over.
//
//   http: ask -> lcores: wanted, told, leave -> (main: end_overdue) -> wake -> http: take
//
// Thread: any; one short lock. Owner: the daemon.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace bayplan::rest {

class ShimStates {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kWithin{2'000};

    // By name of the shim: its JSON. Empty: no shim tells any.
    using Told = std::map<std::string, std::string>;

    // Called when there is a new question; before lcores run.
    void on_question(std::function<void()> tell) { tell_.push_back(std::move(tell)); }

    // --- lcores. `connection`: no two have the same.
    void join(std::uint64_t connection, std::string shim);
    void leave(std::uint64_t connection);
    // The number of the newest question: who has not seen it is to tell its state.
    std::uint64_t wanted() const { return wanted_.load(std::memory_order_acquire); }
    // Answers all questions up to this one.
    void told(std::uint64_t connection, std::uint64_t question, std::string_view text);

    // --- the server's thread
    // `wake`: called once, by any thread, when the question is answered; never from within this call.
    std::uint64_t ask(std::function<void()> wake, Clock::time_point now = Clock::now());
    // Nothing: it is not answered yet. Else it is over.
    std::optional<Told> take(std::uint64_t question);
    void forget(std::uint64_t question);

    // --- main
    void end_overdue(Clock::time_point now = Clock::now());

private:
    struct Question {
        std::set<std::uint64_t> open;  // connections
        Told told;
        Clock::time_point deadline;
        std::function<void()> wake;
    };

    void end(Question&);

    std::vector<std::function<void()>> tell_;
    std::atomic<std::uint64_t> wanted_{0};
    std::mutex lock_;  // of all below
    std::map<std::uint64_t, std::string> shims_;
    std::map<std::uint64_t, Question> questions_;
};

}  // namespace bayplan::rest
