// Messages that inform a shim and decide nothing: states of its pods, events, configuration; and its own state, which
// it tells when it is asked. YuniKorn's ContainerSchedulingStateUpdater, EventPlugin, ConfigurationPlugin, StateDumpPlugin.
//
// Thread: plain data. Texts are the giver's, and live during the call.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace bayplan {

// Numbers are YuniKorn's SchedulingState.
enum class SchedulingState : std::uint8_t {
    unknown = 0,
    skipped = 1,    // it is not tried: gates, or a group that cannot be tried
    scheduled = 2,  // it has a node
    reserved = 3,   // it waits for room on a node
    failed = 4,     // no node takes it
};

struct ContainerState {
    std::string_view ask;
    SchedulingState state = SchedulingState::unknown;
    std::string_view reason;
};

struct EventAmount {
    std::string_view resource;
    std::int64_t value = 0;
};

// As YuniKorn's EventRecord: the numbers of type, change and detail are its.
struct EventRecord {
    std::uint8_t type = 0;
    std::uint8_t change = 0;
    std::uint32_t detail = 0;
    std::int64_t time_ns = 0;  // since 1970
    std::string_view object;
    std::string_view reference;
    std::string_view message;
    std::span<const EventAmount> amounts;
};

}  // namespace bayplan
