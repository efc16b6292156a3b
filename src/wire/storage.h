// Memory that spans of a decoded message point to where the frame itself cannot serve. Private to
// src/wire.
//
// Thread and owner: the DecodedFrame's. The vectors keep their capacity from message to message, so
// that decoding allocates nothing once they have grown to the size of the traffic.
#pragma once

#include <string>
#include <vector>

#include "wire/codec.h"
#include "wire/line_room.h"

namespace bayplan::wire {

struct Storage {
    std::vector<DictEntry> entries;
    std::vector<NodeItem> nodes;
    std::vector<ApplicationItem> applications;
    std::vector<AskItem> asks;
    std::vector<ReleaseItem> releases;
    std::vector<NackItem> nacks;
    // These own what they hold. They are made anew for each message: kept, the capacity of lists
    // within lists could be driven up by a peer message by message, without bound.
    std::vector<SpecItem> specs;
    std::vector<ObjectItem> objects;
    std::vector<Decision> decisions;
    std::vector<PluginAnswer> answers;
    std::vector<PluginVerdict> verdicts;  // of all answers
    std::vector<PluginReason> reasons;    // likewise
    LineRoom lines;                       // texts made of lists of names (base/lines.h)
    std::string build;                    // of a hello, likewise; keeps its room
    std::vector<NamedCounter> counters;
    std::vector<ContainerState> states;
    std::vector<EventRecord> events;
    std::vector<EventAmount> event_amounts;  // of all events

    // Without what items of `specs` and `objects` own.
    std::size_t held_bytes() const {
        const auto of = [](const auto&... lists) { return ((lists.capacity() * sizeof(lists[0])) + ...); };
        return of(entries, nodes, applications, asks, releases, nacks, specs, objects, decisions, answers, verdicts,
                  reasons, build, counters, states, events, event_amounts) +
               lines.held_bytes();
    }
};

}  // namespace bayplan::wire
