// Victims of a DaemonSet pod on its node: filter, classes, sort order and strategies of the simple preemptor
// (engine/rules/daemonsets.md). Numbers in, a choice out: nothing here knows of tables.
//
// A class of pods is a row of kVictimClasses, a strategy one of kStrategies (daemonset_victims.cpp).
// Thread: any; pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "options/engine_options.h"

namespace bayplan {

// From the class that goes first to the last resort.
enum class VictimClass : std::uint8_t { regular, owner, optout };
inline constexpr std::array<std::string_view, 3> kVictimClasses = {"regular", "owner", "optout"};

// Why a pod of the node is no candidate; the first that holds.
enum class VictimFilter : std::uint8_t { none, daemonset, terminating, static_pod, foreign, priority, useless };
std::string_view to_string(VictimFilter);

// A resource of which the node has too little.
struct NeededResource {
    std::int64_t asked = 0;  // by the DaemonSet pod; above 0
    std::int64_t need = 0;   // above 0
    bool has_size = true;    // false: of `pods` each has one, which says nothing of a pod's size
};

struct NodePod {
    std::int32_t priority = 0;
    std::int64_t started_ms = 0;  // 0: not known, the youngest
    std::string key;
    std::uint64_t sequence = 0;  // tells pods of one key apart
    VictimClass victim_class = VictimClass::regular;
    bool daemonset = false;
    bool terminating = false;
    bool is_static = false;
    bool foreign = false;
};

// Amounts of the needed resources stand pod by pod: the amounts of pod p begin at p * needed.size().
struct VictimQuestion {
    std::int32_t priority = 0;  // of the DaemonSet pod
    std::vector<NeededResource> needed;
    std::vector<NodePod> pods;
    std::vector<std::int64_t> amounts;
};

struct VictimAnswer {
    struct Choice {
        VictimStrategy strategy = VictimStrategy::single;
        VictimClass last_class = VictimClass::regular;  // the last that was let in
        std::vector<std::uint32_t> victims;             // by index of the question's pods
        std::vector<std::uint32_t> spared;
        double deviation_percent = 0;  // of a single one
    };
    std::vector<VictimFilter> filtered;                 // by pod
    std::array<std::vector<std::uint32_t>, 3> classes;  // by class, in sort order
    std::optional<Choice> chosen;
};

VictimAnswer choose_daemonset_victims(const VictimQuestion&, const DaemonsetOptions&);

}  // namespace bayplan
