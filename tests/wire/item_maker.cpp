// Random messages and inputs. See item_maker.h.
#include "item_maker.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "item_fields.h"

namespace bayplan::wire {
namespace {

constexpr std::size_t kSmallList = 5;
constexpr std::size_t kSmallText = 40;
constexpr std::size_t kSmallTerms = 2;  // lists within lists

}  // namespace

std::uint64_t ItemMaker::number(std::uint64_t least, std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(least, most)(random_);
}

std::size_t ItemMaker::size(Extent extent, std::size_t most) {
    switch (extent) {
        case Extent::empty: return 0;
        case Extent::small: return number(0, std::min(kSmallList, most));
        case Extent::maximal: return most;
    }
    return 0;
}

std::string_view ItemMaker::text(Extent extent, bool prose) {
    static constexpr std::array<std::string_view, 6> kLetters = {"a", "-", "7", "ü", "語", "𝄞"};
    const std::size_t most = limits_.string_bytes_max;
    std::size_t bytes = extent == Extent::maximal ? most : 0;
    if (extent == Extent::small) {
        bytes = number(0, std::min(kSmallText, most));
    }
    std::string& text = texts_.emplace_back();
    while (text.size() < bytes) {
        const std::string_view letter = kLetters[number(0, kLetters.size() - 1)];
        text += text.size() + letter.size() <= bytes ? letter : "x";
    }
    if (prose && !text.empty() && text.back() < 0x7f && text.back() > 0) {
        text.back() = '\n';
    }
    return text;
}

std::span<const Amount> ItemMaker::amounts(Extent extent, std::size_t most) {
    auto& amounts = amounts_.emplace_back(size(extent, most));
    for (Amount& amount : amounts) {
        amount = {id(), static_cast<std::int64_t>(any64())};
    }
    return amounts;
}

std::span<const Attribute> ItemMaker::attributes(Extent extent) {
    auto& attributes = attributes_.emplace_back(size(extent, limits_.attributes_max));
    for (Attribute& attribute : attributes) {
        attribute = {id(), id()};
    }
    return attributes;
}

std::span<const Taint> ItemMaker::taints(Extent extent) {
    auto& taints = taints_.emplace_back(size(extent, limits_.attributes_max));
    for (Taint& taint : taints) {
        fill(taint, extent);
    }
    return taints;
}

template <class Value>
void ItemMaker::fill(Value& value, Extent extent) {
    if constexpr (HasFields<Value>) {
        std::apply([&](auto&... field) { (fill(field, extent), ...); }, fields(value));
    } else if constexpr (std::is_enum_v<Value>) {
        value = static_cast<Value>(number(Range<Value>::first, Range<Value>::last));
    } else if constexpr (std::is_same_v<Value, bool>) {
        value = number(0, 1) == 1;
    } else if constexpr (std::is_same_v<Value, std::uint8_t>) {
        value = static_cast<std::uint8_t>(number(0, kAccessModes));
    } else {
        value = static_cast<Value>(any64());
    }
}

template <class Value>
void ItemMaker::fill(std::optional<Value>& value, Extent extent) {
    value.reset();
    if (extent == Extent::maximal || (extent == Extent::small && number(0, 1) == 1)) {
        fill(value.emplace(), extent);
    }
}

template <class Entry>
void ItemMaker::fill(std::vector<Entry>& list, Extent extent) {
    const std::size_t most =
        extent == Extent::small ? std::min<std::size_t>(kSmallTerms, limits_.terms_max) : limits_.terms_max;
    list.resize(size(extent, most));
    for (Entry& entry : list) {
        fill(entry, extent);
    }
}

SpecItem ItemMaker::spec(Extent extent) {
    SpecItem record;
    fill(record, extent);
    return record;
}

ObjectItem ItemMaker::object(Extent extent) {
    const auto made = [&]<class Kind>(Kind kind) -> ClusterObject {
        fill(kind, extent);
        return kind;
    };
    constexpr std::size_t kKinds = std::variant_size_v<ClusterObject>;
    const std::size_t chosen = number(0, kKinds - 1);
    ObjectItem record;
    [&]<std::size_t... kind>(std::index_sequence<kind...>) {
        ((kind == chosen ? void(record.object = made(std::variant_alternative_t<kind, ClusterObject>())) : void()),
         ...);
    }
    (std::make_index_sequence<kKinds>());
    record.removed = number(0, 1) == 1;
    return record;
}

std::span<const DictId> ItemMaker::ids(Extent extent, std::uint32_t most) {
    auto& ids = ids_.emplace_back(size(extent, std::min(most, limits_.items_max)));
    std::generate(ids.begin(), ids.end(), [this] { return id(); });
    return ids;
}

DictEntry ItemMaker::entry(Extent extent) { return {id(), text(extent)}; }

NodeItem ItemMaker::node(Extent extent) {
    return {id(),
            static_cast<NodeAction>(number(1, 6)),
            amounts(extent),
            attributes(extent),
            taints(extent),
            amounts(extent, limits_.terms_max),
            ids(extent, limits_.amounts_max)};
}

ApplicationItem ItemMaker::application(Extent extent) {
    return {id(),
            id(),
            id(),
            ids(extent, limits_.amounts_max),
            amounts(extent),
            static_cast<GangStyle>(number(0, 2)),
            static_cast<std::int64_t>(any64()),
            attributes(extent)};
}

AskItem ItemMaker::ask(Extent extent) {
    AskItem ask;
    ask.key = text(extent);
    ask.application = id();
    ask.group = id();
    ask.group_min_available = id();
    ask.group_fault = GroupFault::no_topology_mode;
    ask.group_topology_key = id();
    ask.group_topology_preferred = number(0, 1) == 1;
    ask.node = id();
    ask.required_node = id();
    ask.priority = static_cast<std::int32_t>(any64());
    ask.foreign = number(0, 1) == 1;
    ask.tolerates_unschedulable = number(0, 1) == 1;
    ask.created_s = static_cast<std::int64_t>(any64());
    ask.requests = amounts(extent);
    ask.tags = attributes(extent);
    ask.spec = id();
    ask.terminating = number(0, 1) == 1;
    ask.never_preempts = number(0, 1) == 1;
    ask.nominated_node = id();
    ask.started_ms = static_cast<std::int64_t>(any64());
    ask.node_cpu = static_cast<std::int64_t>(any64());
    ask.node_memory = static_cast<std::int64_t>(any64());
    ask.own_cpu = static_cast<std::int64_t>(any64());
    ask.own_memory = static_cast<std::int64_t>(any64());
    ask.qos = static_cast<QosClass>(number(0, 3));
    ask.grace_period_s = static_cast<std::int32_t>(any64());
    ask.preempted = number(0, 1) == 1;
    ask.daemonset = number(0, 1) == 1;
    ask.is_static = number(0, 1) == 1;
    ask.never_victim = number(0, 1) == 1;
    ask.originator = number(0, 1) == 1;
    ask.placeholder = number(0, 1) == 1;
    ask.devices = text(extent);
    return ask;
}

ReleaseItem ItemMaker::release(Extent extent) {
    return {text(extent), id(), static_cast<Termination>(number(0, 4)), text(extent, true)};
}

NackItem ItemMaker::nack(Extent extent) { return {text(extent), text(extent, true)}; }

// A list of many answers has short ones: each is far smaller than its lists might be.
PluginAnswer ItemMaker::answer(Extent extent) {
    const Extent inside = extent == Extent::maximal ? Extent::small : extent;
    return {.query = any64(),
            .verdicts = list(verdicts_, inside, [&] { return static_cast<PluginVerdict>(number(0, 3)); }),
            .reasons = list(reasons_, inside,
                            [&] {
                                return PluginReason{id(), text(inside)};
                            }),
            .failure = text(inside, true),
            .lasting = number(0, 1) == 1,
            .first_victims = id(),
            .victims = ids(inside)};
}

Decision ItemMaker::decision(Extent extent) {
    // Names of nodes and reasons repeat in real traffic, and the encoder writes repeated ones once.
    static constexpr std::array<std::string_view, 3> kNodes = {"node-1", "node-2", "node-1x"};
    const bool repeat = extent == Extent::small && number(0, 1) == 1;
    const std::string_view node = repeat ? kNodes[number(0, kNodes.size() - 1)] : text(extent);
    const auto kind = static_cast<DecisionKind>(number(1, 13));
    const bool has_totals = kind == DecisionKind::queried && number(0, 1) == 1;
    const std::string_view others =
        !has_totals ? "node-3\nnode-1\n" : "node-3\nnode-1\n\n87\n-3\n9223372036854775807\n";
    const std::string_view why = is_query(kind) ? others : text(extent, true);
    return {kind,
            static_cast<Termination>(number(0, 4)),
            number(0, 1) == 1,
            false,
            static_cast<std::uint16_t>(number(0, UINT16_MAX)),
            static_cast<std::uint16_t>(number(0, UINT16_MAX)),
            text(extent),
            node,
            repeat && !is_query(kind) ? "Insufficient cpu" : why,
            text(extent),
            any64()};
}

EventRecord ItemMaker::event(Extent extent) {
    auto& amounts = event_amounts_.emplace_back(size(extent, limits_.amounts_max));
    for (EventAmount& amount : amounts) {
        amount.resource = text(extent == Extent::maximal ? Extent::small : extent);
        amount.value = static_cast<std::int64_t>(any64());
    }
    EventRecord made;
    made.type = static_cast<std::uint8_t>(number(0, 5));
    made.change = static_cast<std::uint8_t>(number(0, 3));
    made.detail = id();
    made.time_ns = static_cast<std::int64_t>(any64());
    made.object = text(extent);
    made.reference = text(extent);
    made.message = text(extent, true);
    made.amounts = amounts;
    return made;
}

template <class Record, class Make>
std::span<const Record> ItemMaker::list(std::deque<std::vector<Record>>& room, Extent extent, Make make) {
    auto& records = room.emplace_back(size(extent, limits_.items_max));
    std::generate(records.begin(), records.end(), make);
    return records;
}

StateBody ItemMaker::state_body(std::size_t kind, Extent extent) {
    switch (kind) {
        case 0: return DefineMessage{list(entries_, extent, [&] { return entry(extent); })};
        case 1: return ForgetMessage{ids(extent)};
        case 2: return NodesMessage{list(nodes_, extent, [&] { return node(extent); })};
        case 3:
            return ApplicationsMessage{list(applications_, extent, [&] { return application(extent); }), ids(extent)};
        case 4: return AsksMessage{list(asks_, extent, [&] { return ask(extent); })};
        case 5: return ReleasesMessage{list(releases_, extent, [&] { return release(extent); })};
        case 6: return NacksMessage{list(nacks_, extent, [&] { return nack(extent); })};
        case 7: return ResyncBeginMessage{};
        case 8: return ResyncEndMessage{};
        case 9: return ConfigurationMessage{text(extent, true)};
        case kSpecs: return SpecsMessage{list(specs_, extent, [&] { return spec(extent); }), ids(extent)};
        case kObjects + 1: return PluginAnswersMessage{list(answers_, extent, [&] { return answer(extent); })};
        case kObjects: return ObjectsMessage{list(objects_, extent, [&] { return object(extent); })};
        default: throw std::logic_error("ItemMaker makes no state of kind " + std::to_string(kind));
    }
}

Message ItemMaker::message(std::size_t kind, Extent extent) {
    switch (kind) {
        case kStateKinds: {
            Hello hello;
            hello.protocol_min = id();
            hello.protocol_max = id();
            hello.features = any64();
            hello.partition = text(extent);
            hello.shim_instance = any64();
            hello.daemon_instance = any64();
            hello.decisions_received = any64();
            hello.version = text(extent);
            hello.plugins = extent == Extent::empty ? "" : "license\nrack\n";
            hello.build = extent == Extent::empty ? "" : "arch=amd64\nbuildVersion=\n";
            return hello;
        }
        case kStateKinds + 1: {
            HelloReplyFrame reply(
                HelloReply{static_cast<HelloOutcome>(number(1, 3)), any64(), any64(), id(), text(extent, true)});
            reply.features = any64();
            reply.protocol = id();
            return reply;
        }
        case kStateKinds + 2: return AcknowledgeFrame{any64()};
        case kStateKinds + 3:
            return DecisionsFrame{any64(), any64(), list(decisions_, extent, [&] { return decision(extent); })};
        case kStateKinds + 4: return StateAppliedFrame{any64()};
        case kStateKinds + 5: return CountersRequest{any64()};
        case kStateKinds + 6: {
            const std::uint64_t token = any64();
            const std::string_view version = text(extent);
            const std::uint64_t uptime_ms = any64();
            return CountersFrame{token, version, uptime_ms, list(counters_, extent, [&] {
                                     const std::string_view name = text(extent);
                                     return NamedCounter{name, any64()};
                                 })};
        }
        case kStateKinds + 7:
            return ContainerStatesFrame{list(states_, extent, [&] {
                const auto state = static_cast<SchedulingState>(number(0, 4));
                const std::string_view ask = text(extent);
                return ContainerState{ask, state, text(extent, true)};
            })};
        case kStateKinds + 8: return EventsFrame{list(events_, extent, [&] { return event(extent); })};
        case kStateKinds + 9: {
            const std::string_view partition = text(extent);
            return ConfigurationFrame{partition, text(extent, true)};
        }
        case kStateKinds + 10: return StateDumpRequest{any64()};
        case kStateKinds + 11: {
            const std::uint64_t token = any64();
            return StateDumpFrame{token, text(extent, true)};
        }
        default: return StateFrame{any64(), state_body(kind, extent)};
    }
}

Input ItemMaker::input(std::size_t kind, Extent extent) {
    switch (kind) {
        case 0: return Tick{static_cast<std::int64_t>(any64())};
        case 1:
            return Connect{any64(),           text(extent),     any64(),
                           any64(),           any64(),          extent == Extent::empty ? "" : "license\n",
                           number(0, 1) == 1, number(0, 1) == 1};
        case 2: return Disconnect{any64()};
        case 3: return StateMessage{any64(), any64(), state_body(number(0, kStateKinds - 1), extent)};
        case 4: return Acknowledge{any64(), any64()};
        case 5: {
            auto& held = held_.emplace_back(size(extent, limits_.amounts_max));
            for (auto& [kind_name, value] : held) {
                kind_name = text(extent);
                value = static_cast<std::int64_t>(any64());
            }
            return HoldPlace{any64(), text(extent), static_cast<std::int32_t>(any64()), held};
        }
        case 6: return HoldDrop{any64()};
        default: {
            const std::string_view partition = text(extent);
            return QueuesText{partition, text(extent)};
        }
    }
}

void ItemMaker::clear() {
    texts_.clear();
    amounts_.clear();
    attributes_.clear();
    taints_.clear();
    ids_.clear();
    specs_.clear();
    objects_.clear();
    entries_.clear();
    nodes_.clear();
    applications_.clear();
    asks_.clear();
    releases_.clear();
    nacks_.clear();
    answers_.clear();
    verdicts_.clear();
    reasons_.clear();
    decisions_.clear();
    states_.clear();
    events_.clear();
    event_amounts_.clear();
    held_.clear();
}

}  // namespace bayplan::wire
