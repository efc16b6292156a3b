// DynamicResources, literally, from rules/claims.md: what the search of kube_device_claims.h means for nodes, scores and claims.
//
// Thread and errors: see kube_predicate.h.
#include <algorithm>
#include <functional>
#include <stdexcept>
#include <tuple>

#include "kube_device_claims.h"
#include "kube_judge.h"
#include "kube_preemption.h"

namespace bayplan::oracle {

namespace {

class DynamicResources : public KubePredicate {
public:
    explicit DynamicResources(const KubeLook& look) : KubePredicate(look), claims_(look) {}
    KubeMaybeFault prefilter() override {
        if (!claims_.not_queued().empty()) {
            KubeFault fault = unresolvable(claims_.not_queued());
            fault.not_queued = true;
            return fault;
        }
        return claims_.missing_class().empty() ? KubeMaybeFault() : unresolvable(claims_.missing_class());
    }
    KubeMaybeFault filter(const KubeNode& node) override {
        Solution solution;
        try {
            const std::string reason = claims_.refusal(node, solution);
            return reason.empty() ? KubeMaybeFault() : unresolvable(reason);
        } catch (const ClaimError& error) {
            return unresolvable(std::string(kErrorPrefix) + error.what());
        }
    }

private:
    DeviceClaims claims_;
};

class DynamicResourcesScore : public KubeScore {
public:
    explicit DynamicResourcesScore(const KubeLook& look) : KubeScore(look), claims_(look) {}
    bool prescore(const std::vector<const KubeNode*>&) override {
        if (claims_.refused()) {
            return false;  // though the predicate is off
        }
        return std::any_of(claims_.to_allocate().begin(), claims_.to_allocate().end(), [](const auto* claim) {
            return std::any_of(claim->requests.begin(), claim->requests.end(),
                               [](const KubeDeviceRequest& request) { return request.prioritised; });
        });
    }
    std::int64_t score(const KubeNode& node) override {
        Solution solution;
        try {
            claims_.refusal(node, solution);
        } catch (const ClaimError&) {
            return 0;  // the predicate is off
        }
        std::int64_t sum = 0;
        for (const Chosen& one : solution.chosen) {
            sum += one.score;
        }
        return sum;
    }
    void normalise(std::vector<std::int64_t>& scores) override {
        const std::int64_t most = *std::max_element(scores.begin(), scores.end());
        for (std::int64_t& score : scores) {
            score = most == 0 ? 0 : score * 100 / most;
        }
    }

private:
    DeviceClaims claims_;
};

}  // namespace

std::int64_t counted_capacity(const KubeObjects& objects, const KubeAmounts& stated, const std::string& kind) {
    const auto found = stated.find(kind);
    if (found != stated.end() && found->second > 0) {
        return found->second;
    }
    for (const auto& [name, one] : objects.device_classes) {
        if (std::find(one.kinds.begin(), one.kinds.end(), kind) != one.kinds.end()) {
            return std::int64_t{1} << 53;
        }
    }
    return 0;
}

KubePredicatePointer kube_dynamic_resources(const KubeLook& look) { return std::make_unique<DynamicResources>(look); }
KubeScorePointer kube_dynamic_resources_score(const KubeLook& look) {
    return std::make_unique<DynamicResourcesScore>(look);
}

std::vector<KubeBinding> kube_claim_uses(const KubeLook& look, const KubeNode& node) {
    static std::uint64_t uses = 0;  // the order of placements is that of the answers
    DeviceClaims claims(look);
    if (claims.refused()) {
        return {};  // the predicate is off
    }
    Solution solution;
    claims.refusal(node, solution);
    std::vector<KubeBinding> out;
    const auto use = [&](const KubeResourceClaim& claim, KubeAllocation allocation) {
        KubeBinding binding;
        binding.claim = {claim.name_space, claim.name};
        binding.devices = std::move(allocation);
        binding.uid = look.spec().uid;
        binding.order = ++uses;
        out.push_back(std::move(binding));
    };
    for (std::size_t at = 0; at < claims.to_allocate().size(); ++at) {
        KubeAllocation allocation;
        std::vector<KubeNodeTerm> nodes{{}};
        bool one_node = false;
        for (const Chosen& one : solution.chosen) {
            if (one.claim != at) {
                continue;
            }
            const KubeSlice& slice = *one.candidate.slice;
            allocation.devices.push_back(
                {one.full_name, slice.driver, slice.pool, one.candidate.device->name, one.admin});
            if (one_node) {
                continue;
            }
            one_node = slice.reach == SliceReach::node;
            if (one_node) {
                nodes = {{{}, {{"metadata.name", LabelOperator::in, {slice.node}}}}};
            } else if (slice.reach == SliceReach::selected_nodes) {
                nodes[0].labels.insert(nodes[0].labels.end(), slice.nodes.labels.begin(), slice.nodes.labels.end());
                nodes[0].fields.insert(nodes[0].fields.end(), slice.nodes.fields.begin(), slice.nodes.fields.end());
            }
        }
        if (!nodes[0].labels.empty() || !nodes[0].fields.empty()) {
            allocation.nodes = nodes;
        }
        use(*claims.to_allocate()[at], std::move(allocation));
        out.back().tells = true;
    }
    for (const KubeResourceClaim* claim : claims.allocated()) {
        use(*claim, *claim->allocation);
    }
    return out;
}

std::string claims_text(const std::vector<KubeBinding>& bindings) {
    std::string text;
    for (const KubeBinding& binding : bindings) {
        for (const KubeAllocatedDevice& one :
             binding.tells ? binding.devices->devices : std::vector<KubeAllocatedDevice>{}) {
            text += (text.empty() ? "@" : ",@") + binding.claim.second + " " + one.request + " " + one.driver + " " +
                    one.pool + " " + one.device + (one.admin_access ? " admin" : "");
        }
    }
    return text;
}

void assume_use(const KubeBinding& binding, KubeObjects& objects) {
    const auto claim = objects.resource_claims.find(binding.claim);
    if (claim != objects.resource_claims.end()) {
        if (!claim->second.allocation) {
            claim->second.allocation = binding.devices;
        }
        claim->second.reserved_for.push_back(binding.uid);
        claim->second.in_use = true;
    }
}

std::pair<std::size_t, std::size_t> claims_of(const KubeState& state, const KubePod& pod) {
    const KubeLook look{state, pod, {}};
    const DeviceClaims claims(look);
    return {claims.allocated().size(), claims.to_allocate().size()};
}

void say_of_claims(const KubeState& state, const KubePod& pod, const KubeAnswer& answer,
                   const std::set<std::string>& lacking, KubePreemption& out) {
    const KubeLook look{state, pod, {}};
    if (pod.spec->resource_claims.empty() || answer.finding ||
        state.options.predicates_off.contains("DynamicResources")) {
        out.of_claims = "no new claims to deallocate";
        return;
    }
    out.of_claims = "still not schedulable";
    const DeviceClaims claims(look);
    for (const KubeResourceClaim* claim : claims.allocated()) {
        const bool ours = std::all_of(claim->reserved_for.begin(), claim->reserved_for.end(),
                                      [&](const std::string& uid) { return uid == pod.spec->uid; });
        for (const KubeNode* node : state.nodes) {
            if (ours && !claim->in_use && !out.gives_back && lacking.contains(node->name) &&
                !DeviceClaims::can_use(*claim, *node)) {
                out.of_claims = "deallocation of ResourceClaim completed";
                out.gives_back = {claim->name_space, claim->name};
            }
        }
    }
}

}  // namespace bayplan::oracle
