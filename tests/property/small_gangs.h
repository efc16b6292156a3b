// Small histories of pod groups: members of two or three groups come in every order with attempts, a deadline and one trouble,
// on nodes that take one group whole and a member of the next.
//
// Thread: plain data. Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "history.h"

namespace bayplan::property {

enum class GangStep { a, b, c, attempt, deadline, trouble };  // a, b, c: the next member of that group comes

// Happens besides, once; to the first member of group a where a pod is meant.
enum class GangTrouble {
    none,
    release,       // the shim says that it is gone
    refuse,        // its node does not take it
    gate,          // it is stated again, with a scheduling gate
    lower,         // it is stated again, with a minimum of 1
    lose_small,    // the smaller node is gone
    lose_large,    // no group fits any more
    drain_node,    // it takes nobody
    duplicate,     // the shim's last message comes once more
    gap,           // a message is lost: the connection is cut, and made again
    late,          // the shim has connected again, and a release comes by the connection before
    lost_answers,  // it connects again, and has heard of nothing
    clock_back,
    clock_ahead,  // by a month
};
constexpr int kGangTroubles = static_cast<int>(GangTrouble::clock_ahead) + 1;

struct SmallGangs {
    EngineOptions options;
    GangTrouble trouble = GangTrouble::none;
    std::uint32_t minimum = 2;    // of each group
    std::int64_t last_cpu = 1;    // of its last member; of all others 1
    std::vector<GangStep> steps;  // in order
};

std::string gang_pod(char group, std::uint32_t member);

// The steps; then time passes and everything is tried until nothing is left to be tried.
History history_of(const SmallGangs&);
// The end: all pods go, and `kRoom` others come, so many as the nodes took at the beginning.
constexpr std::uint32_t kRoom = 3;
constexpr std::uint32_t kRoomOfLarge = 2;
std::vector<Event> probing(const SmallGangs&);
std::string probe(std::uint32_t number);

}  // namespace bayplan::property
