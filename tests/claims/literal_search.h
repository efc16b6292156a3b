// The search of devices once more, word by word: every choice in order, nothing remembered, nothing bounded. For worlds of
// few devices. Selectors are from kSelectors alone, which it reads by itself.
//
// Thread: the test's. It shares the records with the product, and nothing that decides.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/claims/claims_world.h"

namespace bayplan::testing {

inline constexpr std::array<std::string_view, 6> kSelectors = {
    "true",
    "false",
    "device.driver == \"a.io\"",
    "device.attributes[\"a.io\"].color == \"red\"",  // an error for a device that has none
    "\"color\" in device.attributes[\"a.io\"]",
    "device.attributes[\"a.io\"].numa == 0",
};

struct LiteralWorld {
    std::vector<ResourceSlice> slices;
    std::map<Text, DeviceClass> classes;
    std::vector<ResourceClaim> others;  // of other pods, allocated
    std::vector<ResourceClaim> claims;  // of the pod, in its order
    bool quirks = false;
};

struct LiteralOutcome {
    std::string said;  // the devices as an `allocated` decision tells them, or the reason
    bool is_error = false;
    std::int64_t score = 0;
    std::vector<std::string> nodes;  // of each claim that is allocated here, as shown by show_terms
};

std::string show_terms(const std::optional<std::vector<NodeTerm>>&, const TextTable&);

LiteralOutcome literal_search(const LiteralWorld&, const NodeFacts&, const TextTable&);

}  // namespace bayplan::testing
