// Small histories in which one rule decides: texts of their dictionary, and their shape.
//
// Thread: the test's.
#pragma once

#include <string>
#include <vector>

#include "lockstep.h"

namespace bayplan::property::rare {

enum Text : DictId {
    kCpu = 1,
    kEast,
    kWest,
    kApplication,
    kZone,
    kSpace,
    kApp,
    kClass,
    kUsed,
    kUnbound,
    kVolume,
    kHost,
    kRealZone,
    kService,
    kGpu,
    kDriver,
    kSelector,
    kClaim,
    kUid,
    kMetadataName,
    kStartOfSelector,
    kEndOfSelector,
    kKind
};

struct Case {
    const char* about;
    std::vector<oracle::OwnedBody> messages;    // after nodes west and east, west at the lower slot
    const char* expected;                       // the last line of the log
    std::vector<oracle::OwnedBody> later = {};  // after attempts; more attempts follow
    bool gives_claims_back = false;
};

inline oracle::OwnedAsk ask(const std::string& key, SpecNumber spec, DictId on_node = 0) {
    return {.key = key, .application = kApplication, .node = on_node, .requests = {{kCpu, 1}}, .spec = spec};
}

// rare_claims.cpp
std::vector<Case> claims_given_back();
std::vector<Case> large_slices();
std::vector<Case> devices_for_kinds();
// rare_keys.cpp
std::vector<Case> many_topology_keys();

}  // namespace bayplan::property::rare
