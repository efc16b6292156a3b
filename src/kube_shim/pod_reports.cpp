// See pod_reports.h.
#include "kube_shim/pod_reports.h"

#include <fmt/format.h>

#include "kube_shim/answer_object.h"

namespace bayplan::kube_shim {

namespace {

std::string now_text(bool microseconds) { return time_text(std::chrono::system_clock::now(), microseconds); }

bool is_passing(const HttpAnswer& answer) {
    return answer.status >= 500 || answer.status == 0 || !answer.error.empty();
}

// Gone, or another pod by that name: nothing is to be said of it any more.
bool is_gone(const HttpAnswer& answer) { return answer.status == 404 || answer.status == 409; }

}  // namespace

void PodReports::give_up(const PodName& pod, std::string_view doing, const HttpAnswer& answer) {
    ++counters_.given_up;
    on_fault_(fmt::format("Pod {}: {}: {}", pod.key, doing, refusal_of(answer)));
}

void PodReports::forget(const std::string& uid) {
    statuses_.erase(uid);
    victims_.erase(uid);
}

// --- status

void PodReports::status(const PodName& pod, const StatusChange& change, const PodWords& now) {
    const auto found = statuses_.find(pod.uid);
    StatusChange wanted = change;
    if (found == statuses_.end()) {
        if (wanted.condition && *wanted.condition == now.condition) {
            wanted.condition.reset();
        }
        if (wanted.nominated_node && *wanted.nominated_node == now.nominated_node) {
            wanted.nominated_node.reset();
        }
        if (!wanted.condition && !wanted.nominated_node) {
            return;
        }
    }
    SharedStatus& status = statuses_[pod.uid];
    if (!status) {
        status = std::make_shared<Status>();
        status->pod = pod;
    }
    if (wanted.condition) {
        status->wanted.condition = wanted.condition;
    }
    if (wanted.nominated_node) {
        status->wanted.nominated_node = wanted.nominated_node;
    }
    if (!status->under_way) {
        status->under_way = true;
        // Not at once: what else this turn says of the pod goes with it.
        timers_.after(std::chrono::milliseconds(0), [this, kept = status] { send_status(kept); });
    }
}

void PodReports::send_status(const SharedStatus& status) {
    if (!statuses_.contains(status->pod.uid)) {
        return;
    }
    ++counters_.statuses;
    ++status->tries;
    status->sent = std::exchange(status->wanted, {});
    requests_.submit(RequestKind::status, patch_status(status->pod, status->sent, now_text(false)),
                     [this, status](HttpAnswer&& answer) { take_status(status, answer); });
}

void PodReports::take_status(const SharedStatus& status, const HttpAnswer& answer) {
    if (!statuses_.contains(status->pod.uid)) {
        return;
    }
    if (is_passing(answer) && status->tries < kTriesMax) {
        if (!status->wanted.condition) {
            status->wanted.condition = status->sent.condition;
        }
        if (!status->wanted.nominated_node) {
            status->wanted.nominated_node = status->sent.nominated_node;
        }
        timers_.after(status->backoff.next(random_), [this, status] { send_status(status); });
        return;
    }
    if (!answer.ok() && !is_gone(answer)) {
        give_up(status->pod, "status", answer);
    }
    if (status->wanted.condition || status->wanted.nominated_node) {
        status->tries = 0;
        send_status(status);
        return;
    }
    statuses_.erase(status->pod.uid);
}

// --- events

void PodReports::event(const PodEvent& event) {
    if (requests_.waiting(RequestKind::event) >= kEventsWaitingMax) {
        ++counters_.events_dropped;
        return;
    }
    ++counters_.events;
    // As client-go names them: the object's name and a number in hexadecimal, here of this process and its count.
    const std::string_view name = std::string_view(event.regarding.key).substr(event.regarding.key.find('/') + 1);
    const auto stamp = std::chrono::system_clock::now().time_since_epoch().count();
    const std::string event_name =
        fmt::format("{}.{:x}", name.substr(0, 200), static_cast<std::uint64_t>(stamp) + event_number_++);
    requests_.submit(RequestKind::event, create_event(event, event_name, instance_, now_text(true)),
                     [this, pod = event.regarding](HttpAnswer&& answer) {
                         // Of a namespace that is going away none are taken.
                         if (!answer.ok() && answer.status != 403 && !is_gone(answer)) {
                             give_up(pod, "event", answer);
                         }
                     });
}

// --- victims

void PodReports::end_victim(const PodName& pod, const std::string& preemptor, const std::string& scheduler,
                            OnEnded ended) {
    if (victims_.contains(pod.uid)) {
        return;
    }
    const auto victim = std::make_shared<Victim>();
    victim->pod = pod;
    victim->preemptor = preemptor;
    victim->scheduler = scheduler;
    victim->ended = std::move(ended);
    victims_.emplace(pod.uid, victim);
    ++counters_.victims;
    send_victim(victim);
}

void PodReports::send_victim(const SharedVictim& victim) {
    if (!victims_.contains(victim->pod.uid)) {
        return;
    }
    ++victim->tries;
    const auto take = [this, victim](HttpAnswer&& answer) { take_victim(victim, answer); };
    if (!victim->marked) {
        requests_.submit(RequestKind::victim,
                         mark_victim(victim->pod, victim->preemptor, victim->scheduler, now_text(false)), take);
    } else {
        requests_.submit(RequestKind::victim, delete_pod(victim->pod), take);
    }
}

void PodReports::take_victim(const SharedVictim& victim, const HttpAnswer& answer) {
    if (!victims_.contains(victim->pod.uid)) {
        return;
    }
    if (is_passing(answer) && victim->tries < kTriesMax) {
        timers_.after(victim->backoff.next(random_), [this, victim] { send_victim(victim); });
        return;
    }
    if (answer.ok() && !victim->marked) {
        victim->marked = true;
        victim->tries = 0;
        send_victim(victim);
        return;
    }
    victims_.erase(victim->pod.uid);
    if (answer.ok()) {
        victim->ended(true);
    } else if (!is_gone(answer)) {
        give_up(victim->pod, victim->marked ? "delete" : "mark as victim", answer);
        victim->ended(false);
    }
}

}  // namespace bayplan::kube_shim
