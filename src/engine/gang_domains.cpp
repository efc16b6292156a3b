// Counting the room of domains, and the classes that look in one; see gang_domains.h.
#include "engine/gang_domains.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"

namespace bayplan {

GangDomains::GangDomains(World& world, const PredicateSet& predicates)
    : world_(world), predicates_(predicates), places_(world, predicates) {
    for (std::uint32_t index = 0; index < predicates.predicates().size(); ++index) {
        of_no_domain_ |= predicates.id(index) == PredicateId::node_affinity ? 1u << index : 0;
    }
}

GangDomains::~GangDomains() {
    std::for_each(made_.begin(), made_.end(), [&](const MadeClass& one) { release(one); });
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
    std::vector<GangDomain> order = by_room(gang, room);
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
            places_.forget(keys_.back().second);
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
    of_no_kind_ = 0;
    for (const AskId id : members) {
        if (is_on_node(world_.asks[id].state)) {
            continue;
        }
        auto kind = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& one) { return alike(one.eldest, id); });
        if (kind == kinds_.end() && kinds_.size() < kKindsMax) {
            kind = kinds_.insert(kinds_.end(), Kind{.eldest = id, .members = 0});
        }
        ++(kind == kinds_.end() ? of_no_kind_ : kind->members);
    }
}

// No more of them are tried than kPassesMax: those behind are in no order.
std::vector<GangDomain> GangDomains::by_room(const Gang& gang, Room room) {
    const TopologyKeys& keys = world_.topology.keys();
    const KeyId key = keys_.front().second;
    std::vector<GangDomain> by_domain(keys.domain_bound(key), GangDomain{.room = of_no_kind_});
    for (const Kind& kind : kinds_) {
        const std::vector<std::uint64_t>& places = places_.of(world_.asks[kind.eldest].ask_class, key, room);
        for (Domain domain = 0; domain < by_domain.size(); ++domain) {
            by_domain[domain].room += std::min(kind.members, places[domain]);
            by_domain[domain].places += places[domain];
        }
    }
    std::vector<GangDomain> order;
    for (Domain domain = 0; domain < by_domain.size() && !kinds_.empty(); ++domain) {
        if (keys.nodes_in(key, domain) > 0) {
            GangDomain& one = order.emplace_back(by_domain[domain]);
            one.value = keys.value(key, domain);
            one.has_room = gang.assigned + one.room >= gang.minimum;
        }
    }
    const auto ordered = order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), kPassesMax));
    std::partial_sort(order.begin(), ordered, order.end(), [&](const GangDomain& a, const GangDomain& b) {
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

// Kept from attempt to attempt: a mask of nodes is made for each.
ClassId GangDomains::class_in(ClassId plain, Text value) {
    const auto known = std::find_if(made_.begin(), made_.end(), [&](const MadeClass& one) {
        return one.plain == plain && one.key == key_ && one.value == value;
    });
    if (known != made_.end()) {
        std::rotate(made_.begin(), known, known + 1);
        return made_.front().made;
    }
    if (made_.size() == kMadeMax) {
        release(made_.back());
        made_.pop_back();
    }
    AskClass spec = *world_.classes[plain].spec;
    PodSpec narrowed = world_.specs[spec.pod_spec];
    narrowed.node_selector.push_back({key_, value});
    std::stable_sort(narrowed.node_selector.begin(), narrowed.node_selector.end(),
                     [](const Label& a, const Label& b) { return a.key < b.key; });
    spec.pod_spec = world_.specs.acquire(std::move(narrowed));
    world_.classes.add_reference(plain);  // so that its number is not another's
    made_.insert(made_.begin(), {plain, key_, value, world_.classes.acquire(spec)});
    world_.specs.release(spec.pod_spec);
    return made_.front().made;
}

void GangDomains::release(const MadeClass& one) {
    world_.classes.release(one.made);
    world_.classes.release(one.plain);
}

InDomain::InDomain(GangDomains& domains, AskId id, const GangDomain* domain)
    : ask_(domains.world_.asks[id]), plain_(ask_.ask_class) {
    if (domain != nullptr) {
        ask_.ask_class = domains.class_in(plain_, domain->value);
    }
}

}  // namespace bayplan
