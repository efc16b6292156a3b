// See claim_works.h.
#include "kube_shim/claim_works.h"

#include <algorithm>
#include <utility>

#include "kube_shim/answer_object.h"

namespace bayplan::kube_shim {

ClaimWorks::Shared ClaimWorks::begin(const std::string& claim, const std::string& pod_uid) {
    const auto [found, fresh] = works_.try_emplace(claim);
    if (!fresh) {
        return found->second;
    }
    const Shared work = std::make_shared<ClaimWork>(ClaimWork{.claim = claim, .pod_uid = pod_uid});
    found->second = work;
    read(work);
    return work;
}

bool ClaimWorks::under_way_of(std::string_view pod_uid) const {
    return std::ranges::any_of(works_, [&](const auto& one) { return one.second->pod_uid == pod_uid; });
}

void ClaimWorks::read(const Shared& work) { send(work, get_resource_claim(work->claim), take_claim_); }

void ClaimWorks::send(const Shared& work, HttpRequest request, Take take) {
    requests_.submit(RequestKind::binding, std::move(request),
                     [this, work, take = std::move(take)](HttpAnswer&& answer) {
                         if (answer.ok()) {
                             take(work, answer);
                         } else if (answer.status == 404 && missing_ == Missing::done) {
                             done(work);
                         } else if (may_pass_later(answer)) {
                             begin_anew(work, refusal_of(answer));
                         } else {
                             give_up(work, refusal_of(answer));
                         }
                     });
}

void ClaimWorks::begin_anew(const Shared& work, const std::string& why) {
    if (++work->tries >= kTriesMax) {
        give_up(work, why);
        return;
    }
    timers_.after(work->backoff.next(random_), [this, work] { read(work); });
}

void ClaimWorks::give_up(const Shared& work, const std::string& why) {
    done(work);
    give_up_(work->claim, why);
}

}  // namespace bayplan::kube_shim
