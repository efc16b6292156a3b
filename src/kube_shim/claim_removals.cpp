// See claim_removals.h.
#include "kube_shim/claim_removals.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kube_shim/answer_object.h"

namespace bayplan::kube_shim {

void ClaimRemovals::remove(const std::string& claim, const std::string& pod_uid) {
    const auto [found, fresh] = works_.try_emplace(claim);
    if (!fresh) {
        return;
    }
    found->second = std::make_shared<Work>();
    found->second->claim = claim;
    found->second->pod_uid = pod_uid;
    read(Shared(found->second));
}

bool ClaimRemovals::under_way_of(std::string_view pod_uid) const {
    return std::ranges::any_of(works_, [&](const auto& one) { return one.second->pod_uid == pod_uid; });
}

void ClaimRemovals::send(const Shared& work, HttpRequest request, std::function<void(const HttpAnswer&)> take) {
    requests_.submit(RequestKind::binding, std::move(request), [this, work, take](HttpAnswer&& answer) {
        if (answer.ok()) {
            take(answer);
        } else if (answer.status == 404) {
            works_.erase(work->claim);
        } else if (may_pass_later(answer)) {
            again(work, refusal_of(answer));
        } else {
            leave(work, refusal_of(answer));
        }
    });
}

void ClaimRemovals::read(const Shared& work) {
    send(work, get_resource_claim(work->claim), [this, work](const HttpAnswer& answer) { take(work, answer); });
}

void ClaimRemovals::take(const Shared& work, const HttpAnswer& answer) {
    const std::optional<MadeClaim> claim = read_made_claim(answer, work->pod_uid);
    const auto gone = [this, work](const HttpAnswer&) { works_.erase(work->claim); };
    if (!claim) {
        again(work, "the resource claim cannot be read");
    } else if (!claim->of_pod) {
        works_.erase(work->claim);
    } else if (claim->has_finalizer) {
        send(work, let_go_of_claim(work->claim, answer.body),
             [this, work, gone, claim](const HttpAnswer&) { send(work, delete_claim(work->claim, *claim), gone); });
    } else {
        send(work, delete_claim(work->claim, *claim), gone);
    }
}

void ClaimRemovals::again(const Shared& work, const std::string& why) {
    if (++work->tries >= kTriesMax) {
        leave(work, why);
        return;
    }
    timers_.after(work->backoff.next(random_), [this, work] { read(work); });
}

void ClaimRemovals::leave(const Shared& work, const std::string& why) {
    works_.erase(work->claim);
    log_(fmt::format("Claim {}: not removed: {}", work->claim, why));
}

}  // namespace bayplan::kube_shim
