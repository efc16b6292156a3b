// The cost of a message's items, and where it is cut; see message_pieces.h.
#include "engine/message_pieces.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "engine/statement_limits.h"

namespace bayplan {

namespace {

// Steps of one item, rounded up; entries of a dictionary go several to a step.
constexpr std::uint32_t kEntriesPerStep = 4;
constexpr std::uint32_t kNode = 8;
constexpr std::uint32_t kApplication = 4;
constexpr std::uint32_t kSpec = 64;
constexpr std::uint32_t kForget = 4;  // a spec
constexpr std::uint32_t kObject = 64;
constexpr std::uint32_t kAnswer = 16;
// Pods and entries of lists that are counted or matched anew with a node, a spec or an object go several to a step.
constexpr std::uint32_t kPodsPerStep = 4;
constexpr std::uint32_t kListEntriesPerStep = 8;

std::uint32_t steps_of_entries(std::size_t entries) {
    return static_cast<std::uint32_t>(entries) / kListEntriesPerStep;
}

// Moves items of about so many steps, but one at least, from `rest` to `piece`. False: all would go.
template <typename Item, typename StepsOf>
bool cut_items(std::span<const Item>& rest, std::span<const Item>& piece, std::uint32_t steps, StepsOf&& steps_of) {
    std::size_t count = 0;
    std::uint64_t sum = 0;
    for (; count < rest.size(); ++count) {
        sum += steps_of(rest[count]);
        if (count > 0 && sum > steps) {
            break;
        }
    }
    if (count == rest.size()) {
        return false;
    }
    piece = rest.first(count);
    rest = rest.subspan(count);
    return true;
}

// The same where each costs as many steps.
template <typename Item>
bool cut_items(std::span<const Item>& rest, std::span<const Item>& piece, std::uint32_t count) {
    if (rest.size() <= std::max(count, 1u)) {
        return false;
    }
    piece = rest.first(std::max(count, 1u));
    rest = rest.subspan(piece.size());
    return true;
}

}  // namespace

bool MessagePieces::cut(StateMessage& rest, std::uint32_t steps, StateMessage& piece) {
    const ShimId id = world_.shims.of_connection(rest.connection);
    if (id == kNone<ShimId> || rest.piece != 0) {
        return false;
    }
    Shim& shim = world_.shims[id];
    const bool begins =
        std::holds_alternative<DefineMessage>(rest.body) || std::holds_alternative<ResyncBeginMessage>(rest.body);
    if (rest.sequence != shim.applied + 1 || (shim.resync_open && !shim.resync_begun && !begins)) {
        return false;  // it is refused as a whole
    }
    things_ = 1;
    shim_ = id;
    StateBody cut_off;
    if (!std::visit([&](auto& body) { return cut(shim, steps, body, cut_off); }, rest.body)) {
        return false;
    }
    piece = {rest.connection, rest.sequence, cut_off, things_};
    return true;
}

bool MessagePieces::cut(const Shim&, std::uint32_t steps, DefineMessage& rest, StateBody& piece) {
    DefineMessage cut_off;
    const bool cut = cut_items(rest.entries, cut_off.entries, steps * kEntriesPerStep);
    piece = cut_off;
    return cut;
}

bool MessagePieces::cut(const Shim&, std::uint32_t steps, ForgetMessage& rest, StateBody& piece) {
    ForgetMessage cut_off;
    const bool cut = cut_items(rest.ids, cut_off.ids, steps * kEntriesPerStep);
    piece = cut_off;
    return cut;
}

// A node that goes takes its pods with it; a node that comes gets the pods that wait for it.
std::uint32_t MessagePieces::steps_of(Shim& shim, const NodeItem& item) const {
    const Dictionary::Entry* const entry = shim.dictionary.find(item.node);
    if (entry == nullptr) {
        return kNode;
    }
    const Slot slot = world_.nodes.find(entry->text);
    const bool goes_or_comes = item.action == NodeAction::decommission || item.action == NodeAction::create;
    const std::size_t pods = slot != kNone<Slot> ? world_.nodes[slot].allocations.size()
                             : goes_or_comes     ? world_.awaited_nodes.count_for(entry->text)
                                                 : 0;
    return kNode + static_cast<std::uint32_t>(pods) / (goes_or_comes ? 1 : kPodsPerStep);
}

bool MessagePieces::cut(Shim& shim, std::uint32_t steps, NodesMessage& rest, StateBody& piece) {
    NodesMessage cut_off;
    const bool cut =
        cut_items(rest.nodes, cut_off.nodes, steps, [&](const NodeItem& item) { return steps_of(shim, item); });
    piece = cut_off;
    return cut;
}

std::uint32_t MessagePieces::asks_of(Shim& shim, DictId application, std::uint32_t most) const {
    const Dictionary::Entry* const entry = shim.dictionary.find(application);
    const auto found = entry == nullptr ? shim.applications.end() : shim.applications.find(entry->text);
    if (found == shim.applications.end()) {
        return 0;
    }
    const AskList<InApplication>& asks = world_.applications[found->second].asks;
    std::uint32_t count = 0;
    for (AskId id = asks.front(); id != kNone<AskId> && count < most; id = asks.next(world_.asks, id)) {
        ++count;
    }
    return count;
}

// The first of its asks, one by one.
StateBody MessagePieces::releases_of(Shim& shim, DictId application, std::uint32_t most, Termination termination) {
    const AskList<InApplication>& asks =
        world_.applications[shim.applications.find(shim.dictionary.find(application)->text)->second].asks;
    keys_.clear();
    for (AskId id = asks.front(); id != kNone<AskId> && keys_.size() < most; id = asks.next(world_.asks, id)) {
        keys_.emplace_back(world_.asks.key(id));
    }
    releases_.clear();
    for (const std::string& key : keys_) {
        releases_.push_back({.key = key, .application = 0, .termination = termination, .message = {}});
    }
    return ReleasesMessage{releases_};
}

bool MessagePieces::cut(Shim& shim, std::uint32_t steps, ApplicationsMessage& rest, StateBody& piece) {
    ApplicationsMessage cut_off;
    if (cut_items(rest.add, cut_off.add, std::max(steps / kApplication, 1u))) {
        piece = cut_off;
        return true;
    }
    const auto asks = [&](DictId application) { return kApplication + asks_of(shim, application, steps + 1); };
    std::uint64_t sum = rest.add.size() * kApplication;
    for (const DictId application : rest.remove) {
        sum += asks(application);
        if (sum > steps) {
            break;
        }
    }
    if (sum <= steps || rest.remove.empty()) {
        return false;
    }
    if (!rest.add.empty()) {
        cut_off.add = std::exchange(rest.add, {});
        piece = cut_off;
        return true;
    }
    if (asks_of(shim, rest.remove.front(), steps + 1) > steps) {
        piece = releases_of(shim, rest.remove.front(), steps, Termination::stopped_by_rm);
        return true;
    }
    const bool cut = cut_items(rest.remove, cut_off.remove, steps, asks);
    piece = cut_off;
    return cut;
}

bool MessagePieces::cut(const Shim&, std::uint32_t steps, AsksMessage& rest, StateBody& piece) {
    AsksMessage cut_off;
    const bool cut = cut_items(rest.asks, cut_off.asks, steps);
    piece = cut_off;
    return cut;
}

bool MessagePieces::cut(Shim& shim, std::uint32_t steps, ReleasesMessage& rest, StateBody& piece) {
    const auto asks = [&](const ReleaseItem& item) {
        return item.key.empty() ? 1 + asks_of(shim, item.application, steps + 1) : 1;
    };
    if (!rest.releases.empty() && asks(rest.releases.front()) > steps + 1) {
        const ReleaseItem& whole = rest.releases.front();
        piece = releases_of(shim, whole.application, steps, whole.termination);
        return true;
    }
    ReleasesMessage cut_off;
    const bool cut = cut_items(rest.releases, cut_off.releases, steps, asks);
    piece = cut_off;
    return cut;
}

bool MessagePieces::cut(const Shim&, std::uint32_t steps, NacksMessage& rest, StateBody& piece) {
    NacksMessage cut_off;
    const bool cut = cut_items(rest.nacks, cut_off.nacks, steps);
    piece = cut_off;
    return cut;
}

// Of these two the same is left until nothing is.
bool MessagePieces::cut(const Shim& shim, std::uint32_t steps, ResyncBeginMessage&, StateBody& piece) {
    const std::size_t objects = raw(shim_) < world_.objects_of.size() ? world_.objects_of[raw(shim_)].size() : 0;
    things_ = steps;
    piece = ResyncBeginMessage{};
    return shim.asks.size() + shim.applications.size() + objects + shim.left_over_specs.size() > steps ||
           shim.dictionary.left() > std::size_t{steps} * Dictionary::kLeftPerThing;
}

bool MessagePieces::cut(const Shim& shim, std::uint32_t steps, ResyncEndMessage&, StateBody& piece) {
    if (!shim.resync_open) {
        return false;
    }
    things_ = 0;
    std::uint64_t sum = 0;
    for (const Slot slot : shim.nodes.unmentioned()) {
        sum += kNode + world_.nodes[slot].allocations.size();
        if (sum > steps) {
            things_ = std::max(things_, 1u);
            piece = ResyncEndMessage{};
            return things_ < shim.nodes.unmentioned().size();
        }
        ++things_;
    }
    return false;
}

bool MessagePieces::cut(const Shim&, std::uint32_t, ConfigurationMessage&, StateBody&) { return false; }

bool MessagePieces::cut(const Shim& shim, std::uint32_t steps, SpecsMessage& rest, StateBody& piece) {
    SpecsMessage cut_off;
    const bool cut = cut_specs(shim, steps, rest, cut_off);
    piece = cut_off;
    return cut;
}

// First what is defined, in pieces and then whole, unless nothing is forgotten.
bool MessagePieces::cut_specs(const Shim& shim, std::uint32_t steps, SpecsMessage& rest, SpecsMessage& cut_off) const {
    const auto define = [](const SpecItem& item) { return kSpec + steps_of_entries(entries_of(item.spec)); };
    const auto forget = [&](SpecNumber number) { return kForget + steps_of_entries(entries_of_spec(shim, number)); };
    if (cut_items(rest.define, cut_off.define, steps, define)) {
        return true;
    }
    std::span<const SpecNumber> numbers = rest.forget;
    if (!cut_items(numbers, cut_off.forget, steps, forget)) {
        return false;
    }
    if (!rest.define.empty()) {
        cut_off = {.define = std::exchange(rest.define, {}), .forget = {}};
        return true;
    }
    rest.forget = numbers;
    return true;
}

// 0 if the shim has no such spec: nothing goes.
std::size_t MessagePieces::entries_of_spec(const Shim& shim, SpecNumber number) const {
    const SpecId* const spec = shim.specs.value_of(number);
    return spec == nullptr ? 0 : entries_of(world_.specs[*spec]);
}

bool MessagePieces::cut(const Shim&, std::uint32_t steps, ObjectsMessage& rest, StateBody& piece) {
    ObjectsMessage cut_off;
    const bool cut = cut_items(rest.objects, cut_off.objects, steps, [](const ObjectItem& item) {
        return kObject + steps_of_entries(entries_of(item.object));
    });
    piece = cut_off;
    return cut;
}

bool MessagePieces::cut(const Shim&, std::uint32_t steps, PluginAnswersMessage& rest, StateBody& piece) {
    PluginAnswersMessage cut_off;
    const bool cut = cut_items(rest.answers, cut_off.answers, steps / kAnswer);
    piece = cut_off;
    return cut;
}

}  // namespace bayplan
