// Checks of a version against itself. See answers.h.

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "answers/amounts.h"
#include "answers/answers.h"

namespace bayplan::answers {

using read_model::AmountList;
using read_model::Version;

namespace {

bool any_negative(const Version& version, const AmountList& amounts) {
    return std::ranges::any_of(stated(version, amounts), [](const auto& amount) { return amount.second < 0; });
}

// Go's %q of a list.
std::string list(const std::vector<std::string>& names) {
    std::string all;
    for (const std::string& name : names) all += fmt::format("{}{:?}", all.empty() ? "" : " ", name);
    return "[" + all + "]";
}

// Names of things that a check found something wrong with.
struct Findings {
    std::vector<std::string> negative_partitions, negative_nodes, uneven_partitions;
    std::vector<std::string> ratios;
    std::vector<std::string> no_application, no_node;  // pods
};

void look_at_node(const Version& version, std::uint32_t id, const read_model::Node& node, Findings& findings,
                  AmountList& on_nodes) {
    AmountList allocated, occupied;
    for (const std::uint32_t pod_id : version.pods_on(id)) {
        const read_model::Pod& pod = *version.pods.find(pod_id);
        const bool foreign = pod.is(read_model::kForeign);
        read_model::add(foreign ? occupied : allocated, version.shape(pod).requests);
        if (!foreign && version.applications.find(pod.application) == nullptr) {
            findings.no_application.emplace_back(version.keys.text(pod_id));
        }
    }
    AmountList available = node.facts->capacity;
    read_model::add(available, allocated, -1);
    read_model::add(available, occupied, -1);
    // Less than nothing is available where pods that others put there, or shims by force, have more than there is.
    for (const AmountList* amounts :
         std::initializer_list<const AmountList*>{&node.facts->capacity, &allocated, &occupied, &available}) {
        if (any_negative(version, *amounts)) {
            findings.negative_nodes.push_back(node.facts->name);
            break;
        }
    }
    read_model::add(on_nodes, allocated);
}

void look_at(const Version& version, const Place& place, Findings& findings) {
    AmountList on_nodes, of_applications;
    std::size_t reserved = 0;
    version.nodes.for_each([&](std::uint32_t id, const read_model::Node& node) {
        look_at_node(version, id, node, findings, on_nodes);
        reserved += version.reserved_on(id).size();
    });
    version.applications.for_each([&](std::uint32_t id, const read_model::Application&) {
        read_model::add(of_applications, version.sums(id).used);
        for (const std::uint32_t pod_id : version.pods_of(id)) {
            const read_model::Pod& pod = *version.pods.find(pod_id);
            if (pod.state == read_model::PodState::allocated && version.nodes.find(pod.node) == nullptr) {
                findings.no_node.emplace_back(version.keys.text(pod_id));
            }
        }
    });
    if (any_negative(version, version.capacity()) || any_negative(version, of_applications)) {
        findings.negative_partitions.push_back(place.partition);
    }
    if (sums(version, on_nodes) != sums(version, of_applications)) {
        findings.uneven_partitions.push_back(place.partition);
    }
    const double nodes = version.node_count;
    findings.ratios.push_back(fmt::format("{:.6f}", nodes == 0 ? 0 : static_cast<double>(reserved) / nodes));
}

struct Check {
    std::string_view name;
    std::string_view description;
    std::string diagnosis;
    bool succeeded = true;
};

std::string text_of(const std::vector<Check>& checks) {
    JsonText json;
    json.begin_object();
    json.member("Healthy", std::ranges::all_of(checks, &Check::succeeded));
    json.name("HealthChecks");
    json.begin_array();
    for (const Check& check : checks) {
        json.begin_object();
        json.member("Name", check.name);
        json.member("Succeeded", check.succeeded);
        json.member("Description", check.description);
        json.member("DiagnosisMessage", std::string_view(check.diagnosis));
        json.end_object();
    }
    json.end_array();
    json.end_object();
    return json.take();
}

}  // namespace

std::string health(const std::vector<std::pair<VersionPtr, Place>>& partitions, std::uint64_t laws_broken) {
    Findings found;
    for (const auto& [version, place] : partitions) look_at(*version, place, found);
    const auto check = [](std::string_view name, std::string_view description, std::string_view before,
                          const std::vector<std::string>& wrong) {
        return Check{name, description, std::string(before) + list(wrong), wrong.empty()};
    };
    return text_of({
        {"Scheduling errors", "Check for scheduling error entries in metrics",
         fmt::format("There were {} scheduling errors logged in the metrics", laws_broken), laws_broken == 0},
        {"Failed nodes", "Check for failed nodes entries in metrics",
         "There were 0 failed nodes logged in the metrics"},
        check("Negative resources", "Check for negative resources in the partitions",
              "Partitions with negative resources: ", found.negative_partitions),
        check("Negative resources", "Check for negative resources in the nodes",
              "Nodes with negative resources: ", found.negative_nodes),
        check("Consistency of data",
              "Check if total partition resource == sum of the node resources from the partition",
              "Partitions with inconsistent data: ", found.uneven_partitions),
        // Available is what the others leave: it cannot be otherwise.
        check("Consistency of data",
              "Check if node total resource = allocated resource + occupied resource + available resource",
              "Nodes with inconsistent data: ", {}),
        {"Reservation check", "Check the reservation nr compared to the number of nodes",
         fmt::format("Reservation/node nr ratio: [{}]", fmt::join(found.ratios, " "))},
        check("Orphan allocation on node check", "Check if there are orphan allocations on the nodes",
              "Orphan allocations: ", found.no_application),
        check("Orphan allocation on app check", "Check if there are orphan allocations on the applications",
              "OrphanAllocations: ", found.no_node),
    });
}

}  // namespace bayplan::answers
