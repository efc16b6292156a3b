// See kube_device_claims.h.
#include "kube_device_claims.h"

#include <algorithm>

#include "kube_match.h"

namespace bayplan::oracle {

namespace {

constexpr std::int64_t kMost = 32;  // devices of a claim

std::string full_name(const KubeDeviceRequest& request, const KubeDemand& demand) {
    return request.prioritised ? request.name + "/" + demand.name : request.name;
}

bool sees(const KubeSlice& slice, const KubeNode& node) {
    switch (slice.reach) {
        case SliceReach::nowhere: return false;
        case SliceReach::node: return slice.node == node.name;
        case SliceReach::all_nodes: return true;
        case SliceReach::selected_nodes: return node_term_matches(slice.nodes, node);
    }
    return false;
}

bool concerns(const KubeDeviceConstraint& constraint, const Chosen& one) {
    const auto& names = constraint.requests;
    return names.empty() || std::find(names.begin(), names.end(), one.request) != names.end() ||
           std::find(names.begin(), names.end(), one.full_name) != names.end();
}

}  // namespace

DeviceClaims::DeviceClaims(const KubeLook& look) : look_(look), objects_(*look.state.objects) {
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

// R-CLAIM-40
bool DeviceClaims::needs_nothing(const KubeDeviceRequest& request) const {
    const auto stated = node_->allocatable.find(request.kind);
    return !request.kind.empty() && stated != node_->allocatable.end() && stated->second > 0;
}

std::string DeviceClaims::refusal(const KubeNode& node, Solution& solution) {
    node_ = &node;
    pools_of(node);
    if (!to_allocate_.empty()) {
        count_all();
        if (!next_request(0, 0, solution)) {
            const bool invalid = std::any_of(pools_.begin(), pools_.end(), [](const Pool& pool) { return pool.twice; });
            return invalid ? "invalid resource pools were encountered" : "cannot allocate all claims";
        }
    }
    const bool usable = std::all_of(allocated_.begin(), allocated_.end(),
                                    [&](const KubeResourceClaim* claim) { return can_use(*claim, node); });
    return usable ? "" : "resourceclaim not available on the node";
}

bool DeviceClaims::can_use(const KubeResourceClaim& claim, const KubeNode& node) {
    return !claim.allocation->nodes ||
           std::any_of(claim.allocation->nodes->begin(), claim.allocation->nodes->end(),
                       [&](const KubeNodeTerm& term) { return node_term_matches(term, node); });
}

void DeviceClaims::find() {
    const KubeSpec& spec = look_.spec();
    const std::string pod = spec.name_space + "/" + spec.pod;
    for (const KubeClaimEntry& entry : spec.resource_claims) {
        const std::string name = spec.name_space + "/" + entry.claim;
        const auto found = objects_.resource_claims.find({spec.name_space, entry.claim});
        const bool there = found != objects_.resource_claims.end();
        if (entry.source == ClaimSource::unset) {
            not_queued_ =
                "pod \"" + pod + "\", spec.resourceClaim \"" + entry.entry + "\": none of the supported fields are set";
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
                    missing_class_ = "request " + full_name(request, demand) + ": device class " + demand.device_class +
                                     " does not exist";
                }
            }
        }
    }
}

// Devices in the order in which they are tried.
void DeviceClaims::pools_of(const KubeNode& node) {
    pools_.clear();
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

void DeviceClaims::add_pool(const std::vector<const KubeSlice*>& slices) {
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
    Pool pool{{}, first.driver + "/" + first.pool, seen_whole || of_generation == first.pool_slices, false};
    for (const KubeSlice* slice : slices) {
        for (const KubeSliceDevice& device : slice->devices) {
            pool.twice = !names.insert(device.name).second || pool.twice;
            pool.devices.push_back({slice, &device});
        }
    }
    pools_.push_back(std::move(pool));
}

std::string DeviceClaims::shown(std::size_t claim) const {
    return "claim " + to_allocate_[claim]->name_space + "/" + to_allocate_[claim]->name;
}

// Before the search: the devices of mode All, and whether a claim asks for too many with any choice.
void DeviceClaims::count_all() {
    all_.clear();
    for (std::size_t claim = 0; claim < to_allocate_.size(); ++claim) {
        std::int64_t sum = 0;
        for (const KubeDeviceRequest& request : to_allocate_[claim]->requests) {
            if (needs_nothing(request)) {
                continue;
            }
            std::vector<std::int64_t> counts;
            for (const KubeDemand& demand : request.demands) {
                counts.push_back(demand.all ? count_all(claim, demand) : demand.count);
            }
            sum += *std::min_element(counts.begin(), counts.end());
        }
        if (sum > kMost) {
            throw ClaimError(shown(claim) + ": number of requested devices " + std::to_string(sum) +
                             " exceeds the claim limit of 32");
        }
    }
}

std::int64_t DeviceClaims::count_all(std::size_t claim, const KubeDemand& demand) {
    std::vector<Candidate>& all = all_[&demand];
    for (const Pool& pool : pools_) {
        if (!pool.complete || pool.twice) {
            throw ClaimError(shown(claim) + ", request " + demand.name + ": asks for all devices, but resource pool " +
                             pool.name + " is currently " + (pool.complete ? "invalid" : "being updated"));
        }
        std::copy_if(pool.devices.begin(), pool.devices.end(), std::back_inserter(all),
                     [&](const Candidate& one) { return suits(claim, demand, one); });
    }
    return static_cast<std::int64_t>(all.size());
}

bool DeviceClaims::suits(std::size_t claim, const KubeDemand& demand, const Candidate& one) const {
    return matches(objects_.device_classes.at(demand.device_class).selectors, one, "class " + demand.device_class) &&
           matches(demand.selectors, one, shown(claim));
}

// --- the search

bool DeviceClaims::next_request(std::size_t claim, std::size_t request, Solution& solution) {
    if (claim == to_allocate_.size()) {
        return true;
    }
    const std::vector<KubeDeviceRequest>& requests = to_allocate_[claim]->requests;
    if (request == requests.size()) {
        return next_request(claim + 1, 0, solution);
    }
    if (needs_nothing(requests[request])) {
        return next_request(claim, request + 1, solution);
    }
    for (std::size_t alternative = 0; alternative < requests[request].demands.size(); ++alternative) {
        if (next_device({claim, request, alternative, 0}, solution)) {
            return true;
        }
    }
    return false;
}

bool DeviceClaims::next_device(const Place& at, Solution& solution) {
    const KubeDeviceRequest& wanted = to_allocate_[at.claim]->requests[at.request];
    const KubeDemand& demand = wanted.demands[at.alternative];
    if (demand.all && all_.at(&demand).empty()) {
        return false;
    }
    const std::int64_t count = demand.all ? static_cast<std::int64_t>(all_.at(&demand).size()) : demand.count;
    if (at.taken >= count) {
        return next_request(at.claim, at.request + 1, solution);
    }
    const std::int64_t score = wanted.prioritised && at.taken == 0 ? 8 - static_cast<std::int64_t>(at.alternative) : 0;
    Chosen chosen{{}, at.claim, wanted.name, full_name(wanted, demand), demand.admin_access, score};
    return demand.all ? all_devices(at, chosen, solution) : any_device(at, chosen, solution);
}

// The next one of all, or nothing.
bool DeviceClaims::all_devices(const Place& at, Chosen& chosen, Solution& solution) {
    const KubeDemand& demand = to_allocate_[at.claim]->requests[at.request].demands[at.alternative];
    chosen.candidate = all_.at(&demand)[static_cast<std::size_t>(at.taken)];
    if (chosen.candidate.device->withheld || !is_free(chosen, solution)) {
        return false;
    }
    if (!constraints_hold(chosen, solution)) {
        const KubeSlice& slice = *chosen.candidate.slice;
        throw ClaimError(shown(at.claim) + ", request " + demand.name + ": cannot add device " + slice.driver + "/" +
                         slice.pool + "/" + chosen.candidate.device->name +
                         " because a claim constraint would not be satisfied");
    }
    solution.chosen.push_back(chosen);
    const bool first_again = look_.state.options.copies_trial_faults;  // R-CLAIM-24
    if (next_device({at.claim, at.request, first_again ? 0 : at.alternative, at.taken + 1}, solution)) {
        return true;
    }
    solution.chosen.pop_back();
    return false;
}

bool DeviceClaims::any_device(const Place& at, Chosen& chosen, Solution& solution) {
    const KubeDemand& demand = to_allocate_[at.claim]->requests[at.request].demands[at.alternative];
    for (const Pool& pool : pools_) {
        for (const Candidate& candidate : pool.complete && !pool.twice ? pool.devices : std::vector<Candidate>{}) {
            chosen.candidate = candidate;
            if (!is_free(chosen, solution) || !suits(at.claim, demand, candidate) || candidate.device->withheld ||
                !constraints_hold(chosen, solution)) {
                continue;
            }
            solution.chosen.push_back(chosen);
            if (next_device({at.claim, at.request, at.alternative, at.taken + 1}, solution)) {
                return true;
            }
            solution.chosen.pop_back();
        }
    }
    return false;
}

bool DeviceClaims::is_free(const Chosen& wanted, const Solution& solution) const {
    if (!wanted.admin && in_use_.contains(wanted.candidate.name())) {
        return false;
    }
    return std::none_of(solution.chosen.begin(), solution.chosen.end(), [&](const Chosen& one) {
        return one.candidate.name() == wanted.candidate.name() && (!wanted.admin || one.claim == wanted.claim);
    });
}

bool DeviceClaims::constraints_hold(const Chosen& wanted, const Solution& solution) const {
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

}  // namespace bayplan::oracle
