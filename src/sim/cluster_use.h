// How full the nodes of a dump are: what the pods on them request, as the dump has it and as a simulation leaves it.
//
// Thread: one. The dump must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kube/cluster_dump.h"

namespace bayplan::sim {

struct Use {
    std::int64_t capacity = 0;  // cpu in thousandths, others as they are
    std::int64_t before = 0;
    std::int64_t after = 0;
};

// Some nodes together, or one.
struct UseRow {
    std::string name;
    std::size_t nodes = 0;
    std::vector<Use> uses;  // one per resource
};

struct UseReport {
    std::vector<std::string> resources;  // cpu, memory, pods; then others that a node has and a pod wants, by name
    UseRow all;
    std::vector<UseRow> zones;  // by name; nodes without the label: "-"
    std::vector<UseRow> types;
    std::vector<UseRow> nodes;  // in the order of the dump
};

class ClusterUse {
public:
    explicit ClusterUse(const kube::ClusterDump&);

    // A pod that is made during the simulation; it must stay where it is.
    void add(const kube::ConvertedPod&);
    void place(std::string_view pod, std::string_view node);
    void gone(std::string_view pod);

    UseReport report() const;

    struct Room {
        std::int64_t capacity = 0;
        std::int64_t used = 0;
    };
    // The node's place in the dump.
    std::optional<std::size_t> find(std::string_view node) const;
    Room room(std::size_t node, Text resource) const;
    // Pods that have a node now, and its place.
    template <typename Look>
    void for_each_placed(Look look) const {
        for (const auto& [key, pod] : pods_) {
            if (pod.node != kNowhere) look(*pod.converted, pod.node);
        }
    }

private:
    using Amounts = std::vector<std::int64_t>;  // by resource
    struct Node {
        std::string_view zone;
        std::string_view type;
        Amounts capacity;
        Amounts before;
        Amounts after;
    };
    struct Pod {
        const kube::ConvertedPod* converted;
        std::size_t node;  // kNowhere: on none
    };
    static constexpr std::size_t kNowhere = ~std::size_t{0};

    void know_resources();
    void add_node(const kube::ConvertedNode&);
    void count(const std::vector<Amount>& requests, std::int64_t sign, Amounts& sums) const;
    std::vector<Use> uses_of(const Node&) const;

    const kube::ClusterDump& dump_;
    std::vector<Text> resources_;
    std::unordered_map<Text, std::size_t> column_of_;
    std::vector<Node> nodes_;
    std::unordered_map<std::string_view, std::size_t> node_of_;
    std::unordered_map<std::string_view, Pod> pods_;
};

}  // namespace bayplan::sim
