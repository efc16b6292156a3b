// See claim_returns.h.
#include "kube_shim/claim_returns.h"

#include <utility>

namespace bayplan::kube_shim {

ClaimReturns::ClaimReturns(PacedRequests& requests, Timers& timers, Random& random, OnKept on_kept)
    : works_(
          requests, timers, random, ClaimWorks::Missing::given_up,
          [this](const ClaimWorks::Shared& work, const HttpAnswer& answer) { take(work, answer); },
          std::move(on_kept)) {}

void ClaimReturns::give_back(const std::string& claim, const std::string& pod_uid) {
    works_.begin(claim, pod_uid)->pod_uid = pod_uid;  // a try that is under way will do for both
}

void ClaimReturns::take(const ClaimWorks::Shared& work, const HttpAnswer& answer) {
    const std::optional<HeldClaim> held = read_held_claim(answer, work->pod_uid);
    if (!held) {
        works_.begin_anew(work, "the resource claim cannot be read");
    } else if (held->others) {
        works_.give_up(work, "another pod has it by now");
    } else if (!held->anything) {
        works_.done(work);
    } else {
        works_.send(work, clear_resource_claim(work->claim, *held),
                    [this](const ClaimWorks::Shared& written, const HttpAnswer&) { works_.done(written); });
    }
}

}  // namespace bayplan::kube_shim
