// The choice of the next event.
//
// Thread and errors: see generator.h.
#include "generator.h"

#include <algorithm>
#include <cstdint>

namespace bayplan::property {

namespace {

constexpr std::int64_t kGi = std::int64_t{1} << 30;

const std::vector<std::string>& common_texts() {
    static const std::vector<std::string> texts = {
        "cpu",           "memory",    "pods",      "ephemeral-storage", "example.com/gpu", "zone",
        "instance-type", "zone-east", "zone-west", "type-small",        "type-large",      "root.default",
        "root.other",    "nowhere",   "somebody",  "example.com/dev",   "example.com/nic"};
    return texts;
}

}  // namespace

Generator::Generator(std::uint64_t seed, const EngineOptions& options, QueueCount queues)
    : random_(seed),
      plugin_random_(plugin_random(seed)),
      give_back_random_(seed ^ 0x3b1f'60c2'97d4'e85aU),
      victim_random_(seed ^ 0x6e27'd5b8'10f3'4c9dU),
      placeholder_random_(seed ^ 0x7c25'e0b9'148d'a36fU),
      topology_random_(seed ^ 0x51d7'8e24'c0a3'6f9bU),
      tag_random_(seed ^ 0x2e6b'91d4'5f07'c83aU),
      piece_random_(seed ^ 0x64b9'03e1'7d5a'c28fU),
      odd_(seed),
      options_(options),
      wide_(queues == QueueCount::hundred) {
    plugins_ = plugin_random_.chance(kPluginPercent);
    placeholders_ = placeholder_random_.chance(options_.queues ? 45 : 3);
    pieces_ = piece_random_.chance(30);
    large_ = random_.chance(4);
    spread_out_ = large_ && seed % 2 == 0;
    length_ = static_cast<std::uint64_t>(random_.between(30, random_.chance(10) ? 500 : 180));
    sink_may_refuse_ = random_.chance(30);
    crowded_ = !large_ && random_.chance(45);
    plain_ = random_.chance(crowded_ ? 35 : 20);
    spoil_percent_ = random_.chance(70) ? 3 : 12;
    devices_ = random_.chance(40);
    plain_ = plain_ && !odd_.has_odd_shapes();
    if (odd_.has_all_together()) {
        devices_ = true;
        crowded_ = !large_;
    }
    if (odd_.has_all_together() || odd_.has_many_shims() || odd_.is_at_the_limit()) {
        length_ += length_ / 2;  // fewer asks find a place there
    }
    make_shapes();
    make_shims();
    priorities_ = random_.chance(crowded_ ? 5 : 30)
                      ? std::vector<std::int32_t>{0}
                      : std::vector<std::int32_t>{-5, 0, 0, 0, 10, 10, 1000, INT32_MAX, INT32_MIN};
    confirm_percent_ = random_.pick(std::vector<std::uint64_t>{0, 5, 30, 100});
}

void Generator::make_shapes() {
    const std::int64_t shapes = large_ ? random_.between(1, 2) : random_.between(1, 4);
    for (std::int64_t i = 0; i < shapes; ++i) {
        Shape shape{{{"cpu", random_.between(2, 16) * 1000}, {"memory", random_.between(4, 64) * kGi}}};
        if (random_.chance(70)) {
            shape.amounts.push_back({"pods", random_.between(3, 40)});
        }
        if (random_.chance(30)) {
            shape.amounts.push_back({"example.com/gpu", random_.between(0, 8)});
        }
        if (random_.chance(30)) {
            shape.amounts.push_back({"ephemeral-storage", random_.between(10, 100) * kGi});
        }
        if (devices_ && random_.chance(85)) {
            shape.amounts.push_back({"example.com/dev", random_.between(0, 4) * 1000});
        }
        if (devices_ && random_.chance(25)) {
            shape.amounts.push_back({"example.com/nic", random_.between(1, 2) * 1000});
        }
        node_shapes_.push_back(shape);
    }
    const std::int64_t classes = random_.between(1, 6);
    for (std::int64_t i = 0; i < classes; ++i) {
        Shape shape;
        if (random_.chance(92)) {
            shape.amounts.push_back({"cpu", random_.between(0, 30) * 100});
        }
        if (random_.chance(80)) {
            shape.amounts.push_back({"memory", random_.between(0, 40) * kGi / 8});
        }
        if (random_.chance(60)) {
            shape.amounts.push_back({"pods", 1});
        }
        if (random_.chance(15)) {
            shape.amounts.push_back({"example.com/gpu", random_.between(1, 3)});
        }
        if (random_.chance(10)) {
            shape.amounts.push_back({"ephemeral-storage", random_.between(1, 20) * kGi});
        }
        if (devices_ && random_.chance(75)) {
            shape.amounts.push_back({"example.com/dev", device_amount()});
        }
        if (devices_ && random_.chance(20)) {
            shape.amounts.push_back({"example.com/nic", device_amount()});
        }
        ask_shapes_.push_back(shape);
    }
    if (odd_.is_at_the_limit()) {
        enlarge_shapes();
    }
}

// Nodes that have as much as may be said, and pods of which a few fit: sums come near to what the limits let them.
void Generator::enlarge_shapes() {
    for (Shape& shape : node_shapes_) {
        for (auto& [kind, amount] : shape.amounts) {
            const bool counted = kind == "pods" || kind.starts_with("example.com/");
            amount = counted ? amount : kLargestAmount - amount % 1'000;
        }
    }
    for (Shape& shape : ask_shapes_) {
        for (auto& [kind, amount] : shape.amounts) {
            const bool counted = kind == "pods" || kind.starts_with("example.com/") || amount == 0;
            amount = counted ? amount : kLargestAmount / (2 + amount % 7) - amount % 3;
        }
    }
}

void Generator::make_shims() {
    const std::int64_t count = odd_.has_many_shims() ? random_.between(4, 7) : random_.between(1, 3);
    for (std::int64_t i = 0; i < count; ++i) {
        ShimModel shim;
        shim.name = "shim-" + std::string(1, static_cast<char>('a' + i));
        const std::int64_t most = odd_.has_many_shims() ? 8 : crowded_ ? 5 : 40;
        const std::int64_t nodes = large_ && i == 0 ? random_.between(180, 330) : random_.between(1, most);
        for (std::int64_t n = 0; n < nodes; ++n) {
            shim.nodes.push_back(shim.name + "-node-" + std::to_string(n));
        }
        shim.nodes.push_back("shared-node");  // every shim would like to own this one
        for (std::int64_t n = random_.between(wide_ ? 10 : 1, wide_ ? 40 : 4); n > 0; --n) {
            shim.applications.push_back("app-" + std::to_string(n));
        }
        for (std::int64_t n = random_.between(1, 3); n > 0; --n) {
            shim.groups.push_back("group-" + std::to_string(n));
        }
        for (std::int64_t n = plain_ ? 0 : random_.between(2, 9); n > 0; --n) {
            shim.spec_seeds[static_cast<SpecNumber>(n)] = random_.next();
        }
        static const std::vector<std::string> none;
        DictId id = static_cast<DictId>(random_.between(1, 50));
        for (const auto* texts : std::initializer_list<const std::vector<std::string>*>{
                 &common_texts(), &shim.applications, &shim.groups, &shim.nodes, plain_ ? &none : &kube_texts(),
                 options_.queues ? &queue_texts_ : &none, options_.queues ? &user_texts() : &none}) {
            for (const std::string& text : *texts) {
                shim.ids[text] = id;
                id += static_cast<DictId>(random_.between(1, 3));
            }
        }
        if (options_.queues) {
            DictId tags = 30'000;
            for (const auto* texts : {&application_tag_keys(), &application_tag_values()}) {
                for (const std::string& text : *texts) {
                    shim.ids.try_emplace(text, tags++);
                }
            }
        }
        if (!plain_ && !plugins_) {  // without a draw: the rest of a history stays as it is
            DictId claims = 20'000;
            for (const std::string& text : claim_texts()) {
                shim.ids.emplace(text, claims++);
            }
        }
        DictId odd = 60'000;
        for (const std::string& text : odd_.has_odd_shapes() ? OddWorld::texts() : none) {
            shim.ids.emplace(text, odd++);
        }
        shim.ids["somebody"] = 4'000'000'000U;  // ids need not be dense
        if (plugins_) {
            name_plugins(shim);
        }
        shims_.push_back(shim);
    }
    for (ShimModel& shim : shims_) {  // names of others' nodes: for statements, and for mistakes
        for (const ShimModel& other : shims_) {
            for (std::size_t n = 0; n < std::min<std::size_t>(2, other.nodes.size()); ++n) {
                shim.ids.emplace(other.nodes[n], static_cast<DictId>(10'000 + shim.ids.size()));
            }
        }
    }
}

Event Generator::next(const oracle::Oracle& oracle) {
    Event event = choose(oracle);
    if (auto* const state = std::get_if<StateEvent>(&event); state != nullptr && pieces_ && piece_random_.chance(50)) {
        state->piece_steps = piece_random_.pick(std::vector<std::uint32_t>{1, 2, 3, 9, 40});
    }
    return event;
}

Event Generator::choose(const oracle::Oracle& oracle) {
    if (odd_.is_of_today() && clock_ns_ == 0) {
        clock_ns_ = kToday * 1'000 * kMs;
        return TickEvent{clock_ns_};
    }
    if (options_.queues && random_.chance(has_queues_ ? 3 : 70)) {
        has_queues_ = true;
        return QueuesEvent{wide_ ? random_wide_queues(random_) : random_queues(random_)};
    }
    for (ShimModel& shim : shims_) {
        if (!oracle.shims().contains(shim.name) && random_.chance(60)) {
            return connection_event(oracle, shim);
        }
    }
    ShimModel* shim = &shims_[random_.below(shims_.size())];
    for (ShimModel& other : shims_) {  // a resync holds everybody up, so it goes on most of the time
        const auto found = oracle.shims().find(other.name);
        if (found != oracle.shims().end() && found->second.resync_open && random_.chance(75)) {
            shim = &other;
        }
    }
    const std::uint64_t dice = random_.below(100);
    if (dice < 20) {
        return run();
    }
    if (dice < 26) {
        return tick(oracle);
    }
    if (dice < 30) {
        return hold(oracle);
    }
    if (dice < 33 && sink_may_refuse_) {
        sink_refuses_ = !sink_refuses_;
        return SinkEvent{sink_refuses_};
    }
    return shim_event(oracle, *shim);
}

Event Generator::shim_event(const oracle::Oracle& oracle, ShimModel& model) {
    const auto found = oracle.shims().find(model.name);
    if (found == oracle.shims().end() || !found->second.connection) {
        return connection_event(oracle, model);
    }
    const oracle::Shim& shim = found->second;
    if (random_.chance(2)) {
        return mistaken_event(oracle, model);
    }
    if (random_.chance(1)) {
        return connection_event(oracle, model);
    }
    if (shim.resync_open && !shim.resync_begun && model.planned_for != *shim.connection) {
        model.planned_for = *shim.connection;
        plan_resync(oracle, model);
    }
    if (!model.plan.empty() && (shim.resync_open || random_.chance(50))) {
        Event event = std::move(model.plan.front());
        model.plan.pop_front();
        return event;
    }
    if (shim.resync_open && random_.chance(60)) {
        const bool begin = !shim.resync_begun;
        return StateEvent{model.name, 0, false,
                          begin ? oracle::OwnedBody(oracle::OwnedResyncBegin{}) : oracle::OwnedResyncEnd{}};
    }
    if (placeholders_ && !shim.resync_open && placeholder_random_.chance(20)) {
        return StateEvent{model.name, 0, false, placeholders_gone(oracle, model)};
    }
    if (plugins_ && !shim.resync_open && plugin_random_.chance(40)) {
        if (oracle::OwnedAnswers found = answers(oracle, model); !found.answers.empty()) {
            return StateEvent{model.name, 0, false, std::move(found)};
        }
    }
    return plain_event(oracle, model);
}

Event Generator::connection_event(const oracle::Oracle& oracle, ShimModel& model) {
    const auto found = oracle.shims().find(model.name);
    const bool connected = found != oracle.shims().end() && found->second.connection.has_value();
    if (connected && random_.chance(50)) {
        return DisconnectEvent{model.name, false};
    }
    ConnectEvent event{model.name, model.instance, true, Received::last, 0};
    serve(event);
    const std::uint64_t dice = random_.below(100);
    if (dice < 25) {
        event.instance = ++model.instance;
    } else if (dice < 30) {
        event.knows_daemon = false;
    } else if (dice < 35) {
        event.received = Received::beyond;
    } else if (dice < 40) {
        event.received = Received::before_acknowledged;
    } else if (dice < 70) {
        event.received = Received::between;
        event.permille = static_cast<std::uint32_t>(random_.below(1001));
    }
    return event;
}

bool Generator::wants_dictionary(const oracle::Oracle& oracle, ShimModel& model) {
    return oracle.shims().at(model.name).dictionary.size() < model.ids.size() && random_.chance(20);
}

Event Generator::plain_event(const oracle::Oracle& oracle, ShimModel& model) {
    if (wants_dictionary(oracle, model)) {
        return StateEvent{model.name, 0, false, define_missing(oracle, model)};
    }
    StateEvent event{model.name, 0, false, {}};
    if (oracle.shims().at(model.name).applications.empty() && random_.chance(50)) {
        event.body = applications(oracle, model);
        return event;
    }
    if (random_.chance(confirm_percent_)) {
        event.body = confirmations(oracle, model);
        if (!std::get<oracle::OwnedReleases>(event.body).releases.empty()) {
            return event;
        }
    }
    const std::uint64_t dice = random_.below(100);
    if (dice < 22) {
        return acknowledge(model);
    }
    if (!plain_ && dice < 32) {
        event.body = dice < 25 ? oracle::OwnedBody(specs(oracle, model)) : objects(oracle, model);
        return event;
    }
    if (dice < 60) {
        event.body = asks(oracle, model);
    } else if (dice < 73) {
        event.body = releases(oracle, model);
    } else if (dice < 79) {
        event.body = nacks(oracle, model);
    } else if (dice < 94) {
        event.body = node_changes(oracle, model);
    } else if (dice < 97) {
        event.body = applications(oracle, model);
    } else if (dice < 98) {
        event.body = define(oracle, model);
    } else {
        event.body = forget(oracle, model);
    }
    return event;
}

// Things that only a faulty or unlucky shim does.
Event Generator::mistaken_event(const oracle::Oracle& oracle, ShimModel& model) {
    StateEvent event{model.name, 0, false, oracle::OwnedConfiguration{"partitions: []"}};
    switch (random_.below(10)) {
        case 0: return event;
        case 1: event.body = oracle::OwnedResyncEnd{}; return event;
        case 2: event.body = oracle::OwnedResyncBegin{}; return event;
        case 3: event.offset = random_.between(1, 3); return event;
        case 4: event.offset = -random_.between(1, 3); return event;
        case 5: event.former = true; return event;
        case 6: return AcknowledgeEvent{model.name, 1000, static_cast<std::uint32_t>(random_.between(1, 3)), false};
        case 7: return AcknowledgeEvent{model.name, 1000, 0, true};
        case 8: return DisconnectEvent{model.name, true};
        default: event.body = applications(oracle, model); return event;
    }
}

Event Generator::run() {
    const std::uint64_t dice = random_.below(10);
    if (dice == 0) {
        return RunEvent{0};
    }
    if (dice < 4) {
        return RunEvent{1 + random_.below(3)};
    }
    return RunEvent{dice < 8 ? 1 + random_.below(options_.batch + 10) : 1 + random_.below(3 * options_.batch + 1)};
}

Event Generator::tick(const oracle::Oracle& oracle) {
    const std::int64_t timer = oracle.next_timer_ns();
    switch (random_.below(7)) {
        case 0: return TickEvent{clock_ns_ - random_.between(0, 100)};  // a clock that stood still or went back
        case 1: clock_ns_ += random_.between(0, 100 * kMs); break;
        case 2: clock_ns_ += random_.between(0, 20'000 * kMs); break;
        case 3: clock_ns_ += random_.between(0, 150'000 * kMs); break;
        case 4: clock_ns_ = timer == INT64_MAX ? clock_ns_ + kMs : timer - 1; break;
        default: clock_ns_ = timer == INT64_MAX ? clock_ns_ + 1500 * kMs : timer; break;
    }
    clock_ns_ = std::max(clock_ns_, oracle.now());
    return TickEvent{clock_ns_};
}

Event Generator::hold(const oracle::Oracle& oracle) {
    const std::uint64_t owner = 1 + random_.below(5);
    if (random_.chance(30) || oracle.nodes().empty()) {
        return DropEvent{owner};
    }
    auto node = oracle.nodes().begin();
    std::advance(node, static_cast<std::ptrdiff_t>(random_.below(oracle.nodes().size())));
    HoldEvent event{owner, node->first, random_.pick(priorities_), {}};
    event.kept_from_below += event.kept_from_below < INT32_MAX && random_.chance(50) ? 1 : 0;
    for (const auto& [kind, amount] : node->second.capacity) {
        if (random_.chance(60)) {
            event.amounts.emplace_back(kind, random_.between(0, amount));
        }
    }
    if (random_.chance(6)) {
        event.node = "no-such-node";
    } else if (random_.chance(4)) {
        event.amounts.emplace_back("no.such/kind", 1);
    } else if (random_.chance(4) && !event.amounts.empty()) {
        event.amounts[0].second = -1;
    }
    return event;
}

Event Generator::acknowledge(ShimModel& model) {
    const bool all = random_.chance(60);
    return AcknowledgeEvent{model.name, all ? 1000 : static_cast<std::uint32_t>(random_.below(1001)), 0, false};
}

}  // namespace bayplan::property
