// Deltas of claims on devices: which pod uses them, and which devices they have. See commit.h.

#include <utility>

#include "base/check.h"
#include "base/visit_texts.h"
#include "commit/commit.h"

namespace bayplan {

namespace {

template <typename Visit>
void for_each_text(const ClaimsOfPod& claims, Visit&& visit) {
    for (const ClaimUse& use : claims.uses) {
        visit(use.claim.name_space);
        visit(use.claim.name);
        visit(use.pod_uid);
        visit_texts(*use.allocation, visit);
    }
}

}  // namespace

// The objects may go before the use does.
void Commit::hold_texts(const ClaimsOfPod& claims) {
    for_each_text(claims, [&](Text text) { tables_.texts.add_reference(text); });
}

void Commit::release_texts(const ClaimsOfPod& claims) {
    for_each_text(claims, [&](Text text) { tables_.texts.release(text); });
}

void Commit::use_claims(AskId id, ClaimsOfPod claims) {
    if (claims.uses.empty()) {
        return;
    }
    may_have_entries(id);
    hold_texts(claims);
    tables_.topology.claims().assume(raw(id), claims.uses);
    BP_CHECK(tables_.claims.emplace(id, std::move(claims)).second);
    log_.note({.kind = Kind::claims_used, .ask = id});
}

void Commit::end_use_of_claims(AskId id) {
    if (!has_entries(id)) {
        return;
    }
    const auto found = tables_.claims.find(id);
    if (found == tables_.claims.end()) {
        return;
    }
    EndedUse ended;
    ended.stood = tables_.topology.claims().forget(raw(id), found->second.uses);
    ended.claims = std::move(found->second);
    tables_.claims.erase(found);
    keep(ended_uses_, std::move(ended));
    log_.note({.kind = Kind::use_ended, .ask = id});
}

void Commit::give_claim_back(ResourceClaimName claim) {
    if (tables_.topology.claims().give_back(claim)) {
        keep(given_back_, claim);
        log_.note({.kind = Kind::claim_given_back});
        if (!tables_.reservations.empty()) {
            tables_.reservations.changed_elsewhere();
        }
    }
}

void Commit::undo_claims(const Delta& delta) {
    ClaimObjects& objects = tables_.topology.claims();
    if (delta.kind == Kind::claim_given_back) {
        objects.take_again(given_back_.back());
        given_back_.pop_back();
        return;
    }
    if (delta.kind == Kind::claims_used) {
        const auto found = tables_.claims.find(delta.ask);
        objects.unassume(raw(delta.ask), found->second.uses);
        release_texts(found->second);
        tables_.claims.erase(found);
        return;
    }
    BP_CHECK(delta.kind == Kind::use_ended);
    EndedUse ended = std::move(ended_uses_.back());
    ended_uses_.pop_back();
    objects.assume_again(raw(delta.ask), ended.claims.uses, ended.stood);
    tables_.claims.emplace(delta.ask, std::move(ended.claims));
}

}  // namespace bayplan
