// Small requests, many at a time, and no more than the server takes well: how many follows its answers.
//
// Kinds go before each other, and events wait for the others' answers too, but for a few of them.
// A good answer makes room for one more, a 429, a 5xx or a time-out halves it; after a 429 nothing is sent until Retry-After is
// over. A request that was refused by 429 was not done and is sent again here; every other answer goes to the caller.
//
// Thread: one. Refers to the client, which outlives it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>

#include "kube_shim/http_client.h"

namespace bayplan::kube_shim {

// In the order in which they are sent.
enum class RequestKind : std::uint8_t { binding, victim, status, event };
inline constexpr std::size_t kRequestKinds = 4;

struct PacedCounters {
    std::uint64_t sent = 0;
    std::uint64_t too_many = 0;  // answers 429
    std::uint64_t failed = 0;    // 5xx, time-outs, no answer
};

class PacedRequests {
public:
    static constexpr std::size_t kAtOnceFirst = 32;
    static constexpr std::size_t kAtOnceMost = 256;
    // Events beside other requests: a server that is pressed has to make the others first.
    static constexpr std::size_t kEventsBeside = 8;

    explicit PacedRequests(HttpClient& http) : http_(http) {}

    void submit(RequestKind, HttpRequest, HttpClient::OnAnswer);
    // Before the others of its kind that wait: it ends something that is begun.
    void submit_next(RequestKind, HttpRequest, HttpClient::OnAnswer);
    void turn(Clock::time_point now);
    // Nothing is sent while it says no.
    void only_while(std::function<bool()> allowed) { allowed_ = std::move(allowed); }
    Clock::time_point next_due() const;

    std::size_t waiting(RequestKind kind) const { return waiting_[static_cast<std::size_t>(kind)].size(); }
    std::size_t running() const { return running_; }
    std::size_t running(RequestKind kind) const { return running_of_[static_cast<std::size_t>(kind)]; }
    std::size_t at_once() const { return at_once_; }
    const PacedCounters& counters() const { return counters_; }

private:
    struct Waiting {
        HttpRequest request;
        HttpClient::OnAnswer on_answer;
    };
    bool may_send(std::size_t kind) const;
    void send(std::size_t kind, Waiting&&);
    void take(std::size_t kind, Waiting&&, HttpAnswer&&);
    void halve(Clock::time_point now);

    HttpClient& http_;
    std::function<bool()> allowed_ = [] { return true; };
    std::array<std::deque<Waiting>, kRequestKinds> waiting_;
    std::size_t running_ = 0;
    std::array<std::size_t, kRequestKinds> running_of_{};
    std::size_t at_once_ = kAtOnceFirst;
    Clock::time_point not_before_{};
    Clock::time_point halved_{};
    PacedCounters counters_;
};

}  // namespace bayplan::kube_shim
