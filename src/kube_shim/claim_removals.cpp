// See claim_removals.h.
#include "kube_shim/claim_removals.h"

#include <utility>

#include <fmt/format.h>

namespace bayplan::kube_shim {

ClaimRemovals::ClaimRemovals(PacedRequests& requests, Timers& timers, Random& random, Log log)
    : works_(
          requests, timers, random, ClaimWorks::Missing::done,
          [this](const ClaimWorks::Shared& work, const HttpAnswer& answer) { take(work, answer); },
          [log = std::move(log)](const std::string& claim, const std::string& why) {
              log(fmt::format("Claim {}: not removed: {}", claim, why));
          }) {}

void ClaimRemovals::take(const ClaimWorks::Shared& work, const HttpAnswer& answer) {
    const std::optional<MadeClaim> claim = read_made_claim(answer, work->pod_uid);
    const auto remove = [this, claim](const ClaimWorks::Shared& of, const HttpAnswer&) {
        works_.send(of, delete_claim(of->claim, *claim),
                    [this](const ClaimWorks::Shared& removed, const HttpAnswer&) { works_.done(removed); });
    };
    if (!claim) {
        works_.begin_anew(work, "the resource claim cannot be read");
    } else if (!claim->of_pod) {
        works_.done(work);
    } else if (claim->has_finalizer) {
        works_.send(work, let_go_of_claim(work->claim, answer.body), remove);
    } else {
        remove(work, answer);
    }
}

}  // namespace bayplan::kube_shim
