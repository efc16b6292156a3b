// Which shapes of specs, objects, settings and worlds occurred, of the kind that a careless generator would never make.
//
// Thread and errors: see coverage.h.
#include <algorithm>
#include <charconv>

#include "coverage.h"
#include "kube_match.h"
#include "odd_world.h"

namespace bayplan::property {

namespace {

using oracle::KubeRequirement;
using oracle::KubeSpec;

// Kinds of a pod's volumes are 1 to 9; a volume's source has no claim of its own, so that its kinds begin at 3.
constexpr int kKinds = 9;
constexpr int kFirstSource = 3;
constexpr AccessMode kModes[] = {AccessMode::read_write_once, AccessMode::read_only_many, AccessMode::read_write_many,
                                 AccessMode::read_write_once_pod};
constexpr std::int64_t kNearTheLimit = kLargestAmount / 10;

constexpr const char* kShapes[] = {"port of SCTP",
                                   "a number to compare with that is none",
                                   "a number to compare with that 64 bits do not hold",
                                   "three node terms",
                                   "owner ReplicationController",
                                   "set ReplicationController",
                                   "volume meant for a claim",
                                   "volume bound to a claim",
                                   "volume with three node terms",
                                   "block volume",
                                   "class with several topologies",
                                   "ask of today",
                                   "ask near the limit",
                                   "node at the limit",
                                   "more than three shims",
                                   "depth above 2",
                                   "odd number of shards",
                                   "white-list without NodeResourcesFit",
                                   "nomination with devices, a volume, a claim on devices and a budget"};

std::string of_kind(const char* what, int kind) { return std::string(what) + " of kind " + std::to_string(kind); }
std::string of_mode(const char* what, AccessMode mode) {
    return std::string(what) + " of access mode " + std::to_string(static_cast<int>(mode));
}

bool has(std::uint8_t modes, AccessMode mode) { return (modes & static_cast<std::uint8_t>(mode)) != 0; }

// Each requirement of node terms that compares numbers: its value.
std::vector<std::string> compared(const KubeSpec& spec) {
    std::vector<std::string> out;
    const auto add = [&](const oracle::KubeNodeTerm& term) {
        for (const KubeRequirement& one : term.labels) {
            const bool compares = one.op == LabelOperator::greater || one.op == LabelOperator::less;
            if (compares && one.values.size() == 1) out.push_back(one.values[0]);
        }
    };
    for (const auto& term : spec.required_nodes.value_or(std::vector<oracle::KubeNodeTerm>())) add(term);
    for (const auto& weighted : spec.preferred_nodes) add(weighted.term);
    return out;
}

std::errc fault_of(const std::string& number) {
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), value);
    return fault == std::errc() && end != number.data() + number.size() ? std::errc::invalid_argument : fault;
}

bool budgets_cover(const oracle::Oracle& oracle, const oracle::Ask& ask) {
    return std::ranges::any_of(oracle.objects().budgets, [&](const auto& entry) {
        const auto& budget = entry.second;
        return budget.name_space == ask.pod.spec->name_space && budget.selector &&
               oracle::selector_matches(*budget.selector, ask.pod.spec->labels);
    });
}

}  // namespace

void Coverage::expect_shapes() {
    for (const char* const shape : kShapes) counts_[std::string("shape: ") + shape] = 0;
    for (int kind = 1; kind <= kKinds; ++kind) counts_["shape: " + of_kind("volume of a pod", kind)] = 0;
    for (int kind = kFirstSource; kind <= kKinds; ++kind) counts_["shape: " + of_kind("volume", kind)] = 0;
    for (const AccessMode mode : kModes) {
        counts_["shape: " + of_mode("claim", mode)] = 0;
        counts_["shape: " + of_mode("volume", mode)] = 0;
    }
}

void Coverage::add(const EngineOptions& options) {
    count("shape: depth above 2", options.depth > 2);
    count("shape: odd number of shards", options.shards > 1 && options.shards % 2 == 1);
    count("shape: white-list without NodeResourcesFit",
          !options.predicates.empty() && std::ranges::count(options.predicates, "NodeResourcesFit") == 0);
}

void Coverage::count_shapes(const StateEvent& event) {
    const auto* const objects = std::get_if<oracle::OwnedObjects>(&event.body);
    for (const ObjectItem& item : objects == nullptr ? std::vector<ObjectItem>() : objects->objects) {
        if (const auto* const claim = std::get_if<VolumeClaim>(&item.object)) {
            for (const AccessMode mode : kModes)
                count("shape: " + of_mode("claim", mode), has(claim->access_modes, mode));
        }
        if (const auto* const volume = std::get_if<Volume>(&item.object)) {
            for (const AccessMode mode : kModes) {
                count("shape: " + of_mode("volume", mode), has(volume->access_modes, mode));
            }
            count("shape: " + of_kind("volume", static_cast<int>(volume->source)));
            count("shape: volume meant for a claim", volume->claim != 0 && !volume->claim_has_uid);
            count("shape: volume bound to a claim", volume->claim != 0 && volume->claim_has_uid);
            count("shape: volume with three node terms", volume->nodes && volume->nodes->size() == 3);
            count("shape: block volume", volume->block_mode);
        }
        if (const auto* const storage = std::get_if<StorageClass>(&item.object)) {
            count("shape: class with several topologies", storage->allowed_topologies.size() > 1);
        }
    }
    const auto near_the_limit = [](const std::vector<Amount>& amounts) {
        return std::ranges::any_of(
            amounts, [](const Amount& one) { return one.value > kNearTheLimit && one.value <= kLargestAmount; });
    };
    if (const auto* const asks = std::get_if<oracle::OwnedAsks>(&event.body)) {
        for (const oracle::OwnedAsk& ask : asks->asks) {
            count("shape: ask of today", ask.created_s >= kToday && ask.started_ms >= kToday * 1'000);
            count("shape: ask near the limit", near_the_limit(ask.requests));
        }
    }
    if (const auto* const nodes = std::get_if<oracle::OwnedNodes>(&event.body)) {
        for (const oracle::OwnedNode& node : nodes->nodes) {
            count("shape: node at the limit", near_the_limit(node.capacity));
        }
    }
}

void Coverage::count_shapes(const oracle::Oracle& oracle) {
    count("shape: more than three shims", oracle.shims().size() > 3);
    for (const auto& [name, shim] : oracle.shims()) {
        for (const auto& [at, spec] : shim.specs) {
            for (const oracle::KubePort& port : spec->ports)
                count("shape: port of SCTP", port.protocol == Protocol::sctp);
            for (const std::string& number : compared(*spec)) {
                const std::errc fault = fault_of(number);
                count("shape: a number to compare with that is none", fault == std::errc::invalid_argument);
                count("shape: a number to compare with that 64 bits do not hold",
                      fault == std::errc::result_out_of_range);
            }
            count("shape: three node terms", spec->required_nodes && spec->required_nodes->size() >= 3);
            count("shape: owner ReplicationController", spec->owner_kind == "ReplicationController");
            for (const oracle::KubePodVolume& volume : spec->volumes) {
                count("shape: " + of_kind("volume of a pod", static_cast<int>(volume.kind)));
            }
        }
    }
    for (const auto& entry : oracle.objects().pod_sets) {
        count("shape: set ReplicationController", entry.second.kind == "ReplicationController");
    }
    for (const auto& [sequence, ask] : oracle.asks()) {
        const KubeSpec& spec = *ask.pod.spec;
        const bool devices = std::ranges::any_of(
            ask.requests, [](const auto& one) { return one.first == "example.com/dev" && one.second > 0; });
        count("shape: nomination with devices, a volume, a claim on devices and a budget",
              !ask.nominated_node.empty() && devices && !spec.volumes.empty() && !spec.resource_claims.empty() &&
                  budgets_cover(oracle, ask));
    }
}

}  // namespace bayplan::property
