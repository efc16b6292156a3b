// Where the spans of a decoded message point when the frame itself cannot serve. Private to
// src/wire.
//
// Thread and owner: those of the DecodedFrame. The vectors keep their capacity from message to
// message, so that decoding allocates nothing once they have grown to the size of the traffic.
#pragma once

#include <vector>

#include "wire/codec.h"

namespace bayplan::wire {

struct Storage {
    std::vector<DictEntry> entries;
    std::vector<NodeRecord> nodes;
    std::vector<ApplicationRecord> applications;
    std::vector<AskRecord> asks;
    std::vector<ReleaseRecord> releases;
    std::vector<NackRecord> nacks;
    // These own what they hold. They are made anew for each message: kept, the capacity of lists
    // within lists could be driven up by a peer message by message, without bound.
    std::vector<SpecRecord> specs;
    std::vector<ObjectRecord> objects;
    std::vector<Decision> decisions;
    std::vector<NamedCounter> counters;
};

}  // namespace bayplan::wire
