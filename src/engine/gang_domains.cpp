// Counting the room of domains, and the classes that look in one; see gang_domains.h.
#include "engine/gang_domains.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "base/check.h"

namespace bayplan {

GangDomains::GangDomains(World& world, const PredicateSet& predicates) : world_(world), predicates_(predicates) {
    for (std::uint32_t index = 0; index < predicates.predicates().size(); ++index) {
        switch (predicates.id(index)) {
            case PredicateId::node_affinity: of_no_domain_ |= 1u << index; [[fallthrough]];
            case PredicateId::node_unschedulable:
            case PredicateId::node_name:
            case PredicateId::taint_toleration:
                of_nodes_.push_back(predicates.predicates()[index].get());
                [[fallthrough]];
            case PredicateId::node_resources_fit: of_no_room_ |= 1u << index; break;
            default: break;
        }
    }
}

GangDomains::~GangDomains() {
    forget();
    for (const auto& [text, key] : keys_) {
        world_.topology.release_key(key);
    }
}

// --- the order

std::vector<GangDomain> GangDomains::in_order(const Gang& gang, const std::vector<AskId>& members, Room room) {
    if (!find_key(gang)) {
        return {};
    }
    GangDomain ahead;
    if (find_fixed(gang, ahead)) {
        return {ahead};
    }
    find_kinds(members);
    for (Kind& kind : kinds_) {
        count_places(kind, room);
    }
    std::vector<GangDomain> order = by_room(gang);
    if (find_nominated(members, ahead)) {
        const auto at = std::find_if(order.begin(), order.end(),
                                     [&](const GangDomain& domain) { return domain.value == ahead.value; });
        BP_CHECK(at != order.end());
        at->has_room = true;
        std::rotate(order.begin(), at, at + 1);
    }
    return order;
}

const GangDomain* GangDomains::first(const Gang& gang, const std::vector<AskId>& members) {
    if (!find_key(gang)) {
        return nullptr;
    }
    if (find_fixed(gang, ahead_) || find_nominated(members, ahead_)) {
        return &ahead_;
    }
    const std::uint64_t now = world_.node_state.log().head() + world_.topology.version();
    if (order_at_ != now) {
        order_ = in_order(gang, members, Room::that_is_free);
        order_at_ = now;
    }
    return order_.empty() ? nullptr : &order_.front();
}

// Columns of the keys that were used last are kept up to date, so that an attempt need not look at all labels.
bool GangDomains::find_key(const Gang& gang) {
    key_ = world_.texts.find(world_.gangs.key_of(gang.topology));
    if (key_ == kNone<Text>) {
        return false;  // no node has it
    }
    auto at = std::find_if(keys_.begin(), keys_.end(), [&](const auto& held) { return held.first == key_; });
    if (at == keys_.end()) {
        if (keys_.size() == kKeysHeld) {
            world_.topology.release_key(keys_.back().second);
            keys_.pop_back();
        }
        at = keys_.insert(keys_.end(), {key_, world_.topology.acquire_key(key_)});
    }
    std::rotate(keys_.begin(), at, at + 1);
    return true;
}

bool GangDomains::find_value(Slot slot, Text& value) const {
    const Label* const label = find_label(world_.nodes[slot].facts->labels, key_);
    value = label == nullptr ? 0 : label->value;
    return label != nullptr;
}

bool GangDomains::find_fixed(const Gang& gang, GangDomain& fixed) const {
    if (gang.assigned == 0) {
        return false;
    }
    fixed = {.has_room = true};
    return std::any_of(gang.members.begin(), gang.members.end(), [&](const MemberAge& member) {
        const Ask& ask = world_.asks[member.ask];
        return world_.gangs.member(member.ask).assigned && is_on_node(ask.state) && find_value(ask.slot, fixed.value);
    });
}

bool GangDomains::find_nominated(const std::vector<AskId>& members, GangDomain& nominated) const {
    nominated = {.has_room = true};
    return std::any_of(members.begin(), members.end(), [&](AskId id) {
        const Nomination* const nomination = world_.nominations.of(id);
        return nomination != nullptr && find_value(nomination->slot, nominated.value);
    });
}

bool GangDomains::alike(AskId a, AskId b) const {
    if (world_.asks[a].ask_class == world_.asks[b].ask_class) {
        return true;
    }
    const AskClass& one = *world_.classes[world_.asks[a].ask_class].spec;
    const AskClass& other = *world_.classes[world_.asks[b].ask_class].spec;
    return one.requests == other.requests && one.required_node == other.required_node &&
           one.tolerates_unschedulable == other.tolerates_unschedulable && one.pod_spec == other.pod_spec;
}

void GangDomains::find_kinds(const std::vector<AskId>& members) {
    kinds_.clear();
    waiting_ = 0;
    of_no_kind_ = 0;
    for (const AskId id : members) {
        if (is_on_node(world_.asks[id].state)) {
            continue;
        }
        ++waiting_;
        auto kind = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& one) { return alike(one.eldest, id); });
        if (kind == kinds_.end() && kinds_.size() < kKindsMax) {
            kind = kinds_.insert(kinds_.end(), Kind{.eldest = id, .members = 0, .places = {}});
        }
        ++(kind == kinds_.end() ? of_no_kind_ : kind->members);
    }
}

void GangDomains::count_places(Kind& kind, Room room) {
    const TopologyKeys& keys = world_.topology.keys();
    const KeyId key = keys_.front().second;
    const Subject pod = subject_of(world_.view, world_.asks[kind.eldest].ask_class);
    kind.places.assign(keys.domain_bound(key), 0);
    node_of_.assign(keys.domain_bound(key), kNone<Slot>);
    for (std::uint32_t number = 0; number < world_.node_state.block_count(); ++number) {
        const NodeBlock& block = world_.node_state.block(number);
        const Domain* const domains = keys.lanes(key, number);
        std::uint64_t fit = block.present;
        for (const Predicate* const predicate : of_nodes_) {
            fit &= ~predicate->explain_lanes(pod, block, number, fit, reasons_).all();
        }
        reasons_.clear();
        for (std::uint64_t left = block.present; left != 0; left &= left - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
            if (const Domain domain = domains[lane]; domain != kNoDomain) {
                node_of_[domain] = slot_at(number, lane);
                kind.places[domain] += (fit >> lane & 1) != 0 ? times(pod.ask_class, block, lane, room) : 0;
            }
        }
    }
}

// How many such pods the node takes, and no more than wait.
std::uint64_t GangDomains::times(const AskClass& ask_class, const NodeBlock& block, std::uint32_t lane,
                                 Room room) const {
    auto most = static_cast<std::int64_t>(waiting_);
    if (!predicates_.has(PredicateId::node_resources_fit)) {
        return waiting_;
    }
    for (const ResourceAmount& request : ask_class.requests) {
        const ResourceColumns* const columns = block.columns(request.resource);
        std::int64_t amount = columns == nullptr ? 0 : columns->capacity[lane];
        if (columns != nullptr && room == Room::that_is_free) {
            amount -= columns->used[lane] + columns->foreign[lane];
            amount -= block.held_from(lane, request.resource, ask_class.priority);
        }
        most = std::min(most, std::max<std::int64_t>(amount, 0) / request.value);
    }
    return static_cast<std::uint64_t>(most);
}

std::vector<GangDomain> GangDomains::by_room(const Gang& gang) const {
    std::vector<GangDomain> order;
    for (std::size_t domain = 0; domain < node_of_.size(); ++domain) {
        GangDomain one;
        if (kinds_.empty() || node_of_[domain] == kNone<Slot> || !find_value(node_of_[domain], one.value)) {
            continue;
        }
        one.room = of_no_kind_;
        for (const Kind& kind : kinds_) {
            one.room += std::min(kind.members, kind.places[domain]);
            one.places += kind.places[domain];
        }
        one.has_room = gang.assigned + one.room >= gang.minimum;
        order.push_back(one);
    }
    std::sort(order.begin(), order.end(), [&](const GangDomain& a, const GangDomain& b) {
        return a.room != b.room       ? a.room > b.room
               : a.places != b.places ? a.places < b.places
                                      : world_.texts.text(a.value) < world_.texts.text(b.value);
    });
    return order;
}

// --- words

std::string GangDomains::text(const Gang& gang, const GangDomain& domain) const {
    return std::string(world_.gangs.key_of(gang.topology)) + "=" + std::string(world_.texts.text(domain.value));
}

std::string GangDomains::text_of_none(const Gang& gang) const {
    return "no node has label " + std::string(world_.gangs.key_of(gang.topology));
}

// --- looking in one

ClassId GangDomains::class_in(ClassId plain, Text value) {
    const auto known = std::find_if(made_.begin(), made_.end(),
                                    [&](const MadeClass& one) { return one.plain == plain && one.value == value; });
    if (known != made_.end()) {
        std::rotate(made_.begin(), known, known + 1);
        return made_.front().made;
    }
    AskClass spec = *world_.classes[plain].spec;
    PodSpec narrowed = world_.specs[spec.pod_spec];
    const Label wanted{key_, value};
    if (std::find(narrowed.node_selector.begin(), narrowed.node_selector.end(), wanted) ==
        narrowed.node_selector.end()) {
        narrowed.node_selector.push_back(wanted);
        std::stable_sort(narrowed.node_selector.begin(), narrowed.node_selector.end(),
                         [](const Label& a, const Label& b) { return a.key < b.key; });
    }
    spec.pod_spec = world_.specs.acquire(std::move(narrowed));
    made_.insert(made_.begin(), {plain, value, world_.classes.acquire(spec)});
    world_.specs.release(spec.pod_spec);
    return made_.front().made;
}

void GangDomains::forget() {
    for (const MadeClass& one : made_) {
        world_.classes.release(one.made);
    }
    made_.clear();
    order_at_ = UINT64_MAX;
}

InDomain::InDomain(GangDomains& domains, AskId id, const GangDomain* domain)
    : ask_(domains.world_.asks[id]), plain_(ask_.ask_class) {
    if (domain != nullptr) {
        ask_.ask_class = domains.class_in(plain_, domain->value);
    }
}

}  // namespace bayplan
