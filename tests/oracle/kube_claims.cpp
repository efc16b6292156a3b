// DynamicResources, literally: claims, classes, pools and the search, from rules/claims.md. The search tries every choice in
// order and keeps nothing from node to node.
//
// Errors of selectors, and mode All of pools that are not complete, are not known here: no history has them.
//
// Thread and errors: see kube_predicate.h.
#include <algorithm>
#include <functional>
#include <stdexcept>
#include <tuple>

#include "kube_match.h"
#include "kube_predicate.h"
#include "kube_preemption.h"
#include "kube_selectors.h"

namespace bayplan::oracle {

namespace {

struct Chosen {
    Candidate candidate;
    std::size_t claim = 0;
    std::string request;    // of the claim
    std::string full_name;  // with its alternative
    bool admin = false;
    std::int64_t score = 0;
};

struct Solution {
    std::vector<Chosen> chosen;
};

class DeviceClaims {
public:
    explicit DeviceClaims(const KubeLook& look) : look_(look), objects_(*look.state.objects) {
        for (const auto& [name, claim] : objects_.resource_claims) {
            for (const KubeAllocatedDevice& one :
                 claim.allocation ? claim.allocation->devices : std::vector<KubeAllocatedDevice>{}) {
                if (!one.admin_access) {
                    in_use_.insert({one.driver, one.pool, one.device});
                }
            }
        }
        find();
    }

    const std::string& not_queued() const { return not_queued_; }
    const std::string& missing_class() const { return missing_class_; }
    bool refused() const { return !not_queued_.empty() || !missing_class_.empty(); }
    const std::vector<const KubeResourceClaim*>& allocated() const { return allocated_; }
    const std::vector<const KubeResourceClaim*>& to_allocate() const { return to_allocate_; }

    // The reason; empty: the node will do, and `solution` has its devices.
    std::string refusal(const KubeNode& node, Solution& solution) {
        pools_of(node);
        if (!to_allocate_.empty() && !next_request(0, 0, solution)) {
            return invalid_ ? "invalid resource pools were encountered" : "cannot allocate all claims";
        }
        const bool usable = std::all_of(allocated_.begin(), allocated_.end(),
                                        [&](const KubeResourceClaim* claim) { return can_use(*claim, node); });
        return usable ? "" : "resourceclaim not available on the node";
    }

    static bool can_use(const KubeResourceClaim& claim, const KubeNode& node) {
        return !claim.allocation->nodes ||
               std::any_of(claim.allocation->nodes->begin(), claim.allocation->nodes->end(),
                           [&](const KubeNodeTerm& term) { return node_term_matches(term, node); });
    }

private:
    void find() {
        const KubeSpec& spec = look_.spec();
        const std::string pod = spec.name_space + "/" + spec.pod;
        for (const KubeClaimEntry& entry : spec.resource_claims) {
            const std::string name = spec.name_space + "/" + entry.claim;
            const auto found = objects_.resource_claims.find({spec.name_space, entry.claim});
            const bool there = found != objects_.resource_claims.end();
            if (entry.source == ClaimSource::unset) {
                not_queued_ = "pod \"" + pod + "\", spec.resourceClaim \"" + entry.entry +
                              "\": none of the supported fields are set";
            } else if (entry.source == ClaimSource::not_made) {
                not_queued_ = "pod \"" + pod + "\": ResourceClaim not created yet";
            } else if (!there) {
                not_queued_ = "could not find ResourceClaim \"" + name + "\"";
            } else if (found->second.deleting) {
                not_queued_ = "resourceclaim \"" + entry.claim + "\" is being deleted";
            } else if (entry.source == ClaimSource::made && found->second.owner_uid != spec.uid) {
                not_queued_ = "ResourceClaim " + name + " was not created for pod " + pod + " (pod is not owner)";
            }
            if (!not_queued_.empty()) {
                return;
            }
            (found->second.allocation ? allocated_ : to_allocate_).push_back(&found->second);
        }
        for (const KubeResourceClaim* claim : to_allocate_) {
            for (const KubeDeviceRequest& request : claim->requests) {
                for (const KubeDemand& demand : request.demands) {
                    if (missing_class_.empty() && !objects_.device_classes.contains(demand.device_class)) {
                        missing_class_ = "request " + full_name(request, demand) + ": device class " +
                                         demand.device_class + " does not exist";
                    }
                }
            }
        }
    }

    static std::string full_name(const KubeDeviceRequest& request, const KubeDemand& demand) {
        return request.prioritised ? request.name + "/" + demand.name : request.name;
    }

    static bool sees(const KubeSlice& slice, const KubeNode& node) {
        switch (slice.reach) {
            case SliceReach::nowhere: return false;
            case SliceReach::node: return slice.node == node.name;
            case SliceReach::all_nodes: return true;
            case SliceReach::selected_nodes: return node_term_matches(slice.nodes, node);
        }
        return false;
    }

    // Devices in the order in which they are tried.
    void pools_of(const KubeNode& node) {
        candidates_.clear();
        invalid_ = false;
        std::map<std::pair<std::string, std::string>, std::vector<const KubeSlice*>> pools;
        for (const auto& [name, slice] : objects_.slices) {  // by name
            if (!slice.hidden && sees(slice, node)) {
                pools[{slice.driver, slice.pool}].push_back(&slice);
            }
        }
        for (auto& [name, slices] : pools) {
            std::int64_t newest = 0;
            for (const KubeSlice* slice : slices) {
                newest = std::max(newest, slice->generation);
            }
            std::erase_if(slices, [&](const KubeSlice* slice) { return slice->generation != newest; });
            add_pool(slices);
        }
    }

    void add_pool(const std::vector<const KubeSlice*>& slices) {
        const KubeSlice& first = *slices.front();
        std::int64_t of_generation = 0;
        bool newer = false;
        for (const auto& [name, slice] : objects_.slices) {
            if (slice.driver == first.driver && slice.pool == first.pool) {
                newer = newer || slice.generation > first.generation;
                of_generation += slice.generation == first.generation;
            }
        }
        const bool seen_whole = static_cast<std::int64_t>(slices.size()) == first.pool_slices;
        if (!seen_whole && newer) {
            return;
        }
        std::set<std::string> names;
        std::vector<Candidate> found;
        bool twice = false;
        for (const KubeSlice* slice : slices) {
            for (const KubeSliceDevice& device : slice->devices) {
                twice = !names.insert(device.name).second || twice;
                found.push_back({slice, &device});
            }
        }
        invalid_ = invalid_ || twice;
        if (!twice && (seen_whole || of_generation == first.pool_slices)) {
            candidates_.insert(candidates_.end(), found.begin(), found.end());
        }
    }

    // --- the search

    bool next_request(std::size_t claim, std::size_t request, Solution& solution) {
        if (claim == to_allocate_.size()) {
            return true;
        }
        if (request == to_allocate_[claim]->requests.size()) {
            return next_request(claim + 1, 0, solution);
        }
        const KubeDeviceRequest& wanted = to_allocate_[claim]->requests[request];
        std::int64_t score = 8;
        for (const KubeDemand& demand : wanted.demands) {
            if (next_device(claim, request, demand, 0, score--, solution)) {
                return true;
            }
        }
        return false;
    }

    bool next_device(std::size_t claim, std::size_t request, const KubeDemand& demand, std::int64_t taken,
                     std::int64_t score, Solution& solution) {
        const KubeDeviceRequest& wanted = to_allocate_[claim]->requests[request];
        if (taken == demand.count) {
            return next_request(claim, request + 1, solution);
        }
        std::vector<std::string> selectors = objects_.device_classes.at(demand.device_class).selectors;
        selectors.insert(selectors.end(), demand.selectors.begin(), demand.selectors.end());
        for (const Candidate& candidate : candidates_) {
            Chosen chosen{candidate,           claim,
                          wanted.name,         full_name(wanted, demand),
                          demand.admin_access, wanted.prioritised && taken == 0 ? score : 0};
            if (candidate.device->withheld || !is_free(chosen, solution) || !matches(selectors, candidate) ||
                !constraints_hold(chosen, solution)) {
                continue;
            }
            solution.chosen.push_back(chosen);
            if (next_device(claim, request, demand, taken + 1, score, solution)) {
                return true;
            }
            solution.chosen.pop_back();
        }
        return false;
    }

    bool is_free(const Chosen& wanted, const Solution& solution) const {
        if (!wanted.admin && in_use_.contains(wanted.candidate.name())) {
            return false;
        }
        return std::none_of(solution.chosen.begin(), solution.chosen.end(), [&](const Chosen& one) {
            return one.candidate.name() == wanted.candidate.name() && (!wanted.admin || one.claim == wanted.claim);
        });
    }

    static bool concerns(const KubeDeviceConstraint& constraint, const Chosen& one) {
        const auto& names = constraint.requests;
        return names.empty() || std::find(names.begin(), names.end(), one.request) != names.end() ||
               std::find(names.begin(), names.end(), one.full_name) != names.end();
    }

    bool constraints_hold(const Chosen& wanted, const Solution& solution) const {
        for (const KubeDeviceConstraint& constraint : to_allocate_[wanted.claim]->constraints) {
            if (!concerns(constraint, wanted)) {
                continue;
            }
            const std::size_t slash = constraint.attribute.find('/');
            const std::string domain = constraint.attribute.substr(0, slash);
            const std::string id = constraint.attribute.substr(slash + 1);
            const KubeDeviceValue* const value = attribute(wanted.candidate, domain, id);
            if (value == nullptr) {
                return false;
            }
            for (const Chosen& one : solution.chosen) {
                if (one.claim == wanted.claim && concerns(constraint, one) &&
                    *attribute(one.candidate, domain, id) != *value) {
                    return false;
                }
            }
        }
        return true;
    }

    const KubeLook& look_;
    const KubeObjects& objects_;
    std::set<std::tuple<std::string, std::string, std::string>> in_use_;
    std::vector<const KubeResourceClaim*> allocated_;
    std::vector<const KubeResourceClaim*> to_allocate_;
    std::string not_queued_;
    std::string missing_class_;
    std::vector<Candidate> candidates_;
    bool invalid_ = false;
};

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
        const std::string reason = claims_.refusal(node, solution);
        return reason.empty() ? KubeMaybeFault() : unresolvable(reason);
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
        claims_.refusal(node, solution);
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
