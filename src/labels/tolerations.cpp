// Taints and tolerations. See tolerations.h.

#include "labels/tolerations.h"

#include <algorithm>

namespace bayplan {

namespace {

bool any_tolerates(std::span<const Toleration> tolerations, const Taint& taint) {
    return std::ranges::any_of(tolerations, [&](const Toleration& toleration) { return tolerates(toleration, taint); });
}

}  // namespace

bool tolerates(const Toleration& toleration, const Taint& taint) {
    if (toleration.effect != TaintEffect::any && toleration.effect != taint.effect) {
        return false;
    }
    if (toleration.key != 0 && toleration.key != taint.key) {
        return false;
    }
    return toleration.exists || toleration.value == taint.value;
}

const Taint* first_untolerated(std::span<const Toleration> tolerations, std::span<const Taint> taints) {
    for (const Taint& taint : taints) {
        const bool keeps_out = taint.effect == TaintEffect::no_schedule || taint.effect == TaintEffect::no_execute;
        if (keeps_out && !any_tolerates(tolerations, taint)) {
            return &taint;
        }
    }
    return nullptr;
}

int untolerated_preferences(std::span<const Toleration> tolerations, std::span<const Taint> taints) {
    // A toleration of another effect tolerates no such taint, so there is nothing to leave out beforehand.
    return static_cast<int>(std::ranges::count_if(taints, [&](const Taint& taint) {
        return taint.effect == TaintEffect::prefer_no_schedule && !any_tolerates(tolerations, taint);
    }));
}

bool tolerates_unschedulable(std::span<const Toleration> tolerations, const KnownTexts& known) {
    return any_tolerates(tolerations,
                         Taint{.key = known.unschedulable_taint, .value = 0, .effect = TaintEffect::no_schedule});
}

}  // namespace bayplan
