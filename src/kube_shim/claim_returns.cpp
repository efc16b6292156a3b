// See claim_returns.h.
#include "kube_shim/claim_returns.h"

#include <utility>

#include <fmt/format.h>

#include "kube_shim/answer_object.h"

namespace bayplan::kube_shim {

void ClaimReturns::give_back(const std::string& claim, const std::string& pod_uid) {
    const auto [found, fresh] = works_.try_emplace(claim);
    if (!fresh) {
        found->second->pod_uid = pod_uid;  // the try that is under way will do for both
        return;
    }
    found->second = std::make_shared<Work>();
    found->second->claim = claim;
    found->second->pod_uid = pod_uid;
    read(Shared(found->second));
}

void ClaimReturns::read(const Shared& work) {
    requests_.submit(RequestKind::binding, get_resource_claim(work->claim), [this, work](HttpAnswer&& answer) {
        if (!failed(work, answer)) {
            take(work, answer);
        }
    });
}

void ClaimReturns::take(const Shared& work, const HttpAnswer& answer) {
    const std::optional<HeldClaim> held = read_held_claim(answer, work->pod_uid);
    if (!held) {
        again(work, "the resource claim cannot be read");
    } else if (held->others) {
        keep(work, "another pod has it by now");
    } else if (!held->anything) {
        works_.erase(work->claim);
    } else {
        requests_.submit(RequestKind::binding, clear_resource_claim(work->claim, *held),
                         [this, work](HttpAnswer&& written) {
                             if (!failed(work, written)) {
                                 works_.erase(work->claim);
                             }
                         });
    }
}

bool ClaimReturns::failed(const Shared& work, const HttpAnswer& answer) {
    if (answer.ok()) {
        return false;
    }
    if (may_pass_later(answer)) {
        again(work, refusal_of(answer));
    } else {
        keep(work, refusal_of(answer));
    }
    return true;
}

void ClaimReturns::again(const Shared& work, const std::string& why) {
    if (++work->tries >= kTriesMax) {
        keep(work, why);
        return;
    }
    timers_.after(work->backoff.next(random_), [this, work] { read(work); });
}

void ClaimReturns::keep(const Shared& work, const std::string& why) {
    works_.erase(work->claim);
    on_kept_(work->claim, why);
}

}  // namespace bayplan::kube_shim
