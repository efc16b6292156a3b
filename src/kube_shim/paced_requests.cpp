// See paced_requests.h.
#include "kube_shim/paced_requests.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace bayplan::kube_shim {

namespace {

// Answers to what was sent before a halving say nothing new.
constexpr auto kHalvedOnceIn = std::chrono::milliseconds(200);
constexpr auto kRetryAfterUnsaid = std::chrono::seconds(1);
constexpr int kTooMany = 429;

}  // namespace

void PacedRequests::submit(RequestKind kind, HttpRequest request, HttpClient::OnAnswer on_answer) {
    waiting_[static_cast<std::size_t>(kind)].push_back({std::move(request), std::move(on_answer)});
}

void PacedRequests::submit_next(RequestKind kind, HttpRequest request, HttpClient::OnAnswer on_answer) {
    waiting_[static_cast<std::size_t>(kind)].push_front({std::move(request), std::move(on_answer)});
}

void PacedRequests::turn(Clock::time_point now) {
    if (now < not_before_) {
        return;
    }
    for (std::size_t kind = 0; kind < kRequestKinds; ++kind) {
        while (may_send(kind) && allowed_()) {
            Waiting next = std::move(waiting_[kind].front());
            waiting_[kind].pop_front();
            send(kind, std::move(next));
        }
    }
}

bool PacedRequests::may_send(std::size_t kind) const {
    constexpr auto kEvent = static_cast<std::size_t>(RequestKind::event);
    if (running_ >= at_once_ || waiting_[kind].empty()) {
        return false;
    }
    const bool alone = running_ == running_of_[kEvent];
    return kind != kEvent || alone || running_of_[kEvent] < kEventsBeside;
}

Clock::time_point PacedRequests::next_due() const {
    for (std::size_t kind = 0; kind < kRequestKinds; ++kind) {
        if (may_send(kind)) {
            return not_before_;
        }
    }
    return Clock::time_point::max();
}

void PacedRequests::send(std::size_t kind, Waiting&& next) {
    ++running_;
    ++running_of_[kind];
    ++counters_.sent;
    HttpRequest request = next.request;
    const auto kept = std::make_shared<Waiting>(std::move(next));
    http_.start(std::move(request), [this, kind, kept](HttpAnswer&& answer) {
        --running_;
        --running_of_[kind];
        take(kind, std::move(*kept), std::move(answer));
    });
}

void PacedRequests::take(std::size_t kind, Waiting&& sent, HttpAnswer&& answer) {
    const Clock::time_point now = Clock::now();
    if (answer.status == kTooMany) {
        ++counters_.too_many;
        halve(now);
        not_before_ = std::max<Clock::time_point>(not_before_, now + answer.retry_after.value_or(kRetryAfterUnsaid));
        waiting_[kind].push_front(std::move(sent));
        return;
    }
    if (answer.status >= 500 || answer.status == 0 || !answer.error.empty()) {
        ++counters_.failed;
        halve(now);
    } else {
        at_once_ = std::min(at_once_ + 1, kAtOnceMost);
    }
    sent.on_answer(std::move(answer));
}

void PacedRequests::halve(Clock::time_point now) {
    if (now - halved_ >= kHalvedOnceIn) {
        halved_ = now;
        at_once_ = std::max<std::size_t>(1, at_once_ / 2);
    }
}

}  // namespace bayplan::kube_shim
