// See literal_search.h.
#include "tests/claims/literal_search.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "tests/claims/literal_pools.h"

namespace bayplan::testing {

namespace {

using Words = std::string;

struct Unit {
    const ResourceSlice* slice = nullptr;
    const SliceDevice* device = nullptr;
};

struct Pick {
    Unit unit;
    std::size_t claim = 0;
    Words request;
    Words full;
    bool admin = false;
    std::int64_t score = 0;  // of its request; counted once
    std::size_t request_number = 0;
};

// Ends the whole attempt.
struct CycleError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
// More than 32 devices; caught where another alternative may need fewer.
struct TooMany {};

class Literal {
public:
    Literal(const LiteralWorld& world, const NodeFacts& node, const TextTable& texts)
        : world_(world), node_(node), texts_(texts), pools_(literal_pools(world, node, texts)) {
        for (const ResourceClaim& other : world.others) {
            note_use(other);
        }
        for (const ResourceClaim& claim : world.claims) {
            note_use(claim);
            (claim.allocation ? allocated_ : open_).push_back(&claim);
        }
    }

    LiteralOutcome run() {
        LiteralOutcome outcome;
        try {
            const bool found = open_.empty() || allocate();
            if (!found) {
                const bool doubled = std::ranges::any_of(pools_, [](const auto& one) { return one.second.doubled; });
                outcome.said = doubled ? "invalid resource pools were encountered" : "cannot allocate all claims";
                return outcome;
            }
        } catch (const CycleError& error) {
            outcome.said = Words(kErrorPrefix) + error.what();
            outcome.is_error = true;
            return outcome;
        }
        for (const ResourceClaim* claim : allocated_) {
            const auto& nodes = claim->allocation->nodes;
            if (nodes &&
                std::ranges::none_of(*nodes, [&](const NodeTerm& term) { return literally_fits(term, node_); })) {
                outcome.said = "resourceclaim not available on the node";
                return outcome;
            }
        }
        tell(outcome);
        return outcome;
    }

private:
    Words word(Text id) const { return Words(texts_.text(id)); }

    using Identity = std::array<Text, 3>;
    static Identity identity(const Unit& unit) { return {unit.slice->driver, unit.slice->pool, unit.device->name}; }

    void note_use(const ResourceClaim& claim) {
        if (!claim.allocation) {
            return;
        }
        for (const AllocatedDevice& one : claim.allocation->devices) {
            if (!one.admin_access) {
                used_.insert({one.driver, one.pool, one.device});
            }
        }
    }

    const DeviceAttribute* value_of(const Unit& unit, const Words& domain, const Words& id) const {
        const DeviceAttribute* found = nullptr;
        for (const DeviceAttribute& one : unit.device->attributes) {
            if (word(one.name) == domain + "/" + id) {
                return &one;
            }
            if (word(one.name) == id && word(unit.slice->driver) == domain) {
                found = &one;
            }
        }
        return found;
    }

    // By the place of the selector in kSelectors.
    bool holds(const Words& selector, const Unit& unit, const Words& whose) const {
        const auto number = std::ranges::find(kSelectors, selector) - kSelectors.begin();
        const auto need = [&](const char* id) {
            const DeviceAttribute* const value = value_of(unit, "a.io", id);
            if (value == nullptr) {
                throw CycleError(whose + ": CEL runtime error: no such key: " + id);
            }
            return value;
        };
        switch (number) {
            case 0: return true;
            case 1: return false;
            case 2: return word(unit.slice->driver) == "a.io";
            case 3: return word(need("color")->text) == "red";
            case 4: return value_of(unit, "a.io", "color") != nullptr;
            case 5: return need("numa")->number == 0;
            default: throw std::logic_error("no such selector");
        }
    }

    Words shown(std::size_t claim) const { return word(open_[claim]->name_space) + "/" + word(open_[claim]->name); }

    bool suits(std::size_t claim, const DeviceDemand& demand, const Unit& unit) const {
        const DeviceClass& device_class = world_.classes.at(demand.device_class);
        for (std::size_t at = 0; at < device_class.selectors.size(); ++at) {
            if (!holds(word(device_class.selectors[at]), unit,
                       "class " + word(device_class.name) + ": selector #" + std::to_string(at))) {
                return false;
            }
        }
        for (std::size_t at = 0; at < demand.selectors.size(); ++at) {
            if (!holds(word(demand.selectors[at]), unit,
                       "claim " + shown(claim) + ": selector #" + std::to_string(at))) {
                return false;
            }
        }
        return true;
    }

    // --- before the search: how many devices each demand takes
    void measure(std::size_t claim) {
        std::int64_t sum = 0;
        for (const DeviceRequest& request : open_[claim]->requests) {
            std::vector<std::int64_t> numbers;
            for (const DeviceDemand& demand : request.demands) {
                if (!demand.all) {
                    numbers.push_back(demand.count);
                    continue;
                }
                std::vector<Unit>& units = everything_[&demand];
                for (const auto& [name, pool] : pools_) {
                    if (pool.partial || pool.doubled) {
                        throw CycleError("claim " + shown(claim) + ", request " + word(demand.name) +
                                         ": asks for all devices, but resource pool " + name + " is currently " +
                                         (pool.partial ? "being updated" : "invalid"));
                    }
                    for (const ResourceSlice* slice : pool.slices) {
                        for (const SliceDevice& device : slice->devices) {
                            if (suits(claim, demand, {slice, &device})) {
                                units.push_back({slice, &device});
                            }
                        }
                    }
                }
                numbers.push_back(static_cast<std::int64_t>(units.size()));
            }
            sum += *std::ranges::min_element(numbers);
        }
        if (sum > 32) {
            throw CycleError("claim " + shown(claim) + ": number of requested devices " + std::to_string(sum) +
                             " exceeds the claim limit of 32");
        }
    }

    bool allocate() {
        for (std::size_t claim = 0; claim < open_.size(); ++claim) {
            measure(claim);
        }
        try {
            return claim_from(0);
        } catch (const TooMany&) {
            return false;
        }
    }

    bool claim_from(std::size_t claim) { return claim == open_.size() || request_from(claim, 0); }

    bool request_from(std::size_t claim, std::size_t request) {
        if (request == open_[claim]->requests.size()) {
            try {
                return claim_from(claim + 1);
            } catch (const TooMany&) {
                return false;
            }
        }
        const DeviceRequest& asked = open_[claim]->requests[request];
        if (!asked.prioritised) {
            return devices_from(claim, request, 0, 0);
        }
        bool only_too_many = true;
        for (std::size_t alternative = 0; alternative < asked.demands.size(); ++alternative) {
            try {
                if (devices_from(claim, request, alternative, 0)) {
                    return true;
                }
                only_too_many = false;
            } catch (const TooMany&) {
            }
        }
        if (only_too_many) {
            throw TooMany{};
        }
        return false;
    }

    bool devices_from(std::size_t claim, std::size_t request, std::size_t alternative, std::int64_t number) {
        const DeviceDemand& demand = open_[claim]->requests[request].demands[alternative];
        const std::vector<Unit>* all = demand.all ? &everything_.at(&demand) : nullptr;
        if (all != nullptr && all->empty()) {
            return false;
        }
        const std::int64_t wanted = all != nullptr ? static_cast<std::int64_t>(all->size()) : demand.count;
        if (number >= wanted) {
            return request_from(claim, request + 1);
        }
        const auto has = std::ranges::count(picks_, claim, &Pick::claim);
        if (has + wanted - number > 32) {
            throw TooMany{};
        }
        if (all != nullptr) {
            const Unit unit = (*all)[static_cast<std::size_t>(number)];
            return may_have(claim, demand, unit) && pick(claim, request, alternative, number, unit, true);
        }
        for (const auto& [name, pool] : pools_) {
            if (pool.partial || pool.doubled) {
                continue;
            }
            for (const ResourceSlice* slice : pool.slices) {
                for (const SliceDevice& device : slice->devices) {
                    const Unit unit{slice, &device};
                    if (may_have(claim, demand, unit) && suits(claim, demand, unit) &&
                        pick(claim, request, alternative, number, unit, false)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    bool may_have(std::size_t claim, const DeviceDemand& demand, const Unit& unit) const {
        for (const Pick& one : picks_) {
            if (identity(one.unit) == identity(unit) && (!demand.admin_access || one.claim == claim)) {
                return false;
            }
        }
        return demand.admin_access || !used_.contains(identity(unit));
    }

    bool pick(std::size_t claim, std::size_t request, std::size_t alternative, std::int64_t number, const Unit& unit,
              bool must) {
        const DeviceRequest& asked = open_[claim]->requests[request];
        const DeviceDemand& demand = asked.demands[alternative];
        if (unit.device->withheld) {
            return false;
        }
        const Words full = word(asked.name) + (asked.prioritised ? "/" + word(demand.name) : "");
        for (const DeviceConstraint& constraint : open_[claim]->constraints) {
            if (!agrees(constraint, claim, word(asked.name), full, unit)) {
                if (must) {
                    throw CycleError("claim " + shown(claim) + ", request " + word(demand.name) +
                                     ": cannot add device " + word(unit.slice->driver) + "/" + word(unit.slice->pool) +
                                     "/" + word(unit.device->name) +
                                     " because a claim constraint would not be satisfied");
                }
                return false;
            }
        }
        picks_.push_back({unit, claim, word(asked.name), full, demand.admin_access,
                          asked.prioritised ? 8 - static_cast<std::int64_t>(alternative) : 0, request});
        const std::size_t next = must && world_.quirks ? 0 : alternative;
        try {
            if (devices_from(claim, request, next, number + 1)) {
                return true;
            }
        } catch (const TooMany&) {
            picks_.pop_back();
            throw;
        }
        picks_.pop_back();
        return false;
    }

    static bool named(const std::vector<Words>& names, const Words& request, const Words& full) {
        return names.empty() || std::ranges::count(names, request) > 0 || std::ranges::count(names, full) > 0;
    }

    bool agrees(const DeviceConstraint& constraint, std::size_t claim, const Words& request, const Words& full,
                const Unit& unit) const {
        std::vector<Words> names;
        for (const Text name : constraint.requests) {
            names.push_back(word(name));
        }
        if (!named(names, request, full)) {
            return true;
        }
        const Words attribute = word(constraint.attribute);
        const auto slash = attribute.find('/');
        const auto look = [&](const Unit& one) {
            return value_of(one, attribute.substr(0, slash), attribute.substr(slash + 1));
        };
        const DeviceAttribute* const value = look(unit);
        if (value == nullptr) {
            return false;
        }
        return std::ranges::all_of(picks_, [&](const Pick& one) {
            if (one.claim != claim || !named(names, one.request, one.full)) {
                return true;
            }
            const DeviceAttribute* const other = look(one.unit);
            return other->type == value->type && other->number == value->number && other->text == value->text;
        });
    }

    void tell(LiteralOutcome& outcome) const {
        std::set<std::pair<std::size_t, std::size_t>> scored;
        for (const Pick& one : picks_) {
            outcome.said += (outcome.said.empty() ? "@" : ",@") + word(open_[one.claim]->name) + " " + one.full + " " +
                            word(one.unit.slice->driver) + " " + word(one.unit.slice->pool) + " " +
                            word(one.unit.device->name) + (one.admin ? " admin" : "");
            if (scored.insert({one.claim, one.request_number}).second) {
                outcome.score += one.score;
            }
        }
        for (std::size_t claim = 0; claim < open_.size(); ++claim) {
            std::optional<std::vector<NodeTerm>> nodes;
            for (const Pick& one : picks_) {
                const ResourceSlice& slice = *one.unit.slice;
                if (one.claim != claim || slice.reach == SliceReach::all_nodes) {
                    continue;
                }
                if (slice.reach == SliceReach::node) {
                    nodes = {
                        {.labels = {}, .fields = {{texts_.find("metadata.name"), LabelOperator::in, {slice.node}}}}};
                    break;
                }
                if (!nodes) {
                    nodes.emplace(1);
                }
                for (const LabelRequirement& wanted : slice.nodes.labels) {
                    if (std::ranges::count(nodes->front().labels, wanted) == 0) {
                        nodes->front().labels.push_back(wanted);
                    }
                }
            }
            outcome.nodes.push_back(show_terms(nodes, texts_));
        }
    }

    const LiteralWorld& world_;
    const NodeFacts& node_;
    const TextTable& texts_;
    const LiteralPools pools_;
    std::set<Identity> used_;
    std::vector<const ResourceClaim*> allocated_;
    std::vector<const ResourceClaim*> open_;
    std::map<const DeviceDemand*, std::vector<Unit>> everything_;
    std::vector<Pick> picks_;
};

}  // namespace

std::string show_terms(const std::optional<std::vector<NodeTerm>>& terms, const TextTable& texts) {
    if (!terms) {
        return "everywhere";
    }
    std::string shown;
    for (const NodeTerm& term : *terms) {
        for (const auto* const list : {&term.labels, &term.fields}) {
            for (const LabelRequirement& one : *list) {
                shown += std::string(texts.text(one.key)) + " in";
                for (const Text value : one.values) {
                    shown += " " + std::string(texts.text(value));
                }
                shown += list == &term.labels ? ";" : "!";
            }
        }
        shown += "|";
    }
    return shown;
}

LiteralOutcome literal_search(const LiteralWorld& world, const NodeFacts& node, const TextTable& texts) {
    return Literal(world, node, texts).run();
}

}  // namespace bayplan::testing
