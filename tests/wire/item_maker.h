// Messages and inputs with random records from a seed, for round trips and as a start for fuzzing.
//
// Thread: the test's. Owner: the maker owns what the records point to; everything stays valid until clear() or its end.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bayplan/messages.h"
#include "wire/codec.h"

namespace bayplan::wire {

enum class Extent { empty, small, maximal };  // maximal: every list and text as long as the limits let it be

class ItemMaker {
public:
    static constexpr std::size_t kStateKinds = std::variant_size_v<StateBody>;
    static constexpr std::size_t kSpecs = 10, kObjects = 11;  // among the state kinds
    static constexpr std::size_t kMessageKinds = kStateKinds + 12;
    static constexpr std::size_t kInputKinds = 8;

    ItemMaker(std::uint64_t seed, const Limits& limits) : random_(seed), limits_(limits) {}

    Message message(std::size_t kind, Extent extent);
    StateBody state_body(std::size_t kind, Extent extent);
    Input input(std::size_t kind, Extent extent);
    void clear();

private:
    std::uint64_t number(std::uint64_t least, std::uint64_t most);
    std::uint64_t any64() { return random_(); }
    DictId id() { return static_cast<DictId>(random_()); }
    std::size_t size(Extent extent, std::size_t most);
    std::string_view text(Extent extent, bool prose = false);
    std::span<const Amount> amounts(Extent extent) { return amounts(extent, limits_.amounts_max); }
    std::span<const Amount> amounts(Extent extent, std::size_t most);
    std::span<const Attribute> attributes(Extent extent);
    std::span<const DictId> ids(Extent extent, std::uint32_t most = UINT32_MAX);

    template <class Value>
    void fill(Value& value, Extent extent);
    template <class Value>
    void fill(std::optional<Value>& value, Extent extent);
    template <class Entry>
    void fill(std::vector<Entry>& list, Extent extent);
    std::span<const Taint> taints(Extent extent);

    DictEntry entry(Extent extent);
    SpecItem spec(Extent extent);
    ObjectItem object(Extent extent);
    NodeItem node(Extent extent);
    ApplicationItem application(Extent extent);
    AskItem ask(Extent extent);
    ReleaseItem release(Extent extent);
    NackItem nack(Extent extent);
    PluginAnswer answer(Extent extent);
    Decision decision(Extent extent);
    EventRecord event(Extent extent);

    template <class Record, class Make>
    std::span<const Record> list(std::deque<std::vector<Record>>& room, Extent extent, Make make);

    std::mt19937_64 random_;
    Limits limits_;
    std::deque<std::string> texts_;
    std::deque<std::vector<Amount>> amounts_;
    std::deque<std::vector<Attribute>> attributes_;
    std::deque<std::vector<Taint>> taints_;
    std::deque<std::vector<DictId>> ids_;
    std::deque<std::vector<SpecItem>> specs_;
    std::deque<std::vector<ObjectItem>> objects_;
    std::deque<std::vector<DictEntry>> entries_;
    std::deque<std::vector<NodeItem>> nodes_;
    std::deque<std::vector<ApplicationItem>> applications_;
    std::deque<std::vector<AskItem>> asks_;
    std::deque<std::vector<ReleaseItem>> releases_;
    std::deque<std::vector<NackItem>> nacks_;
    std::deque<std::vector<PluginAnswer>> answers_;
    std::deque<std::vector<PluginVerdict>> verdicts_;
    std::deque<std::vector<PluginReason>> reasons_;
    std::deque<std::vector<Decision>> decisions_;
    std::deque<std::vector<NamedCounter>> counters_;
    std::deque<std::vector<ContainerState>> states_;
    std::deque<std::vector<EventRecord>> events_;
    std::deque<std::vector<EventAmount>> event_amounts_;
    std::deque<std::vector<std::pair<std::string_view, std::int64_t>>> held_;
};

}  // namespace bayplan::wire
