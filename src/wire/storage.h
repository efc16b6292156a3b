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
    std::vector<Decision> decisions;
};

}  // namespace bayplan::wire
