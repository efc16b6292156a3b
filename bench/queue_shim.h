// Trees of queues with applications and asks in all of them, as one shim's messages; or the same applications in one leaf.
//
// Thread: one. Owner: its caller.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "measure/scheduler.h"
#include "numbered_names.h"

namespace bayplan::bench {

struct QueueLoad {
    std::string name;
    std::uint32_t nodes = 0;
    std::uint32_t parents = 0;       // below root; 0: leaves are
    std::uint32_t leaves = 1;        // of each parent
    std::uint32_t applications = 1;  // of each leaf
    std::uint32_t asks = 1;          // of each application
    std::uint32_t users = 1;         // to whom applications belong by turns
    bool fair = false;               // leaves sort applications by shares
    bool limited = false;            // root and each leaf limit every user
    bool bounded = true;             // each leaf has a maximum

    std::uint32_t all_leaves() const { return std::max(parents, 1U) * leaves; }
    std::uint32_t all_queues() const { return all_leaves() + parents; }
    std::uint32_t all_applications() const { return all_leaves() * applications; }
    std::uint32_t all_asks() const { return all_applications() * asks; }
};

enum class Queues : std::uint8_t { one_leaf, tree };

// A queues.yaml of the load. Guarantees differ from leaf to leaf, and by `variant`; maxima and limits bind nobody.
inline std::string queues_text(const QueueLoad& load, std::uint32_t variant) {
    const std::uint64_t cores = load.all_asks() / 10 + 1;
    const std::string limits =
        fmt::format("limits: [{{limit: each, users: ['*'], maxapplications: {}, maxresources: {{vcore: {}}}}}]",
                    load.all_applications(), cores);
    std::string text = "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n";
    text += load.limited ? "    " + limits + "\n" : "";
    text += "    queues:\n";
    const auto add_leaf = [&](std::uint32_t number, const char* indent) {
        text += fmt::format("{}- name: leaf-{}\n{}  resources: {{guaranteed: {{vcore: {}}}", indent, number, indent,
                            1 + (number + variant) % 4);
        text += load.bounded ? fmt::format(", max: {{vcore: {}}}}}\n", cores + 4) : "}\n";
        text += load.fair ? fmt::format("{}  properties: {{application.sort.policy: fair}}\n", indent) : "";
        text += load.limited ? fmt::format("{}  {}\n", indent, limits) : "";
    };
    for (std::uint32_t leaf = 0; leaf < load.all_leaves(); ++leaf) {
        if (load.parents > 0 && leaf % load.leaves == 0) {
            text += fmt::format("    - name: parent-{}\n      queues:\n", leaf / load.leaves);
        }
        add_leaf(leaf, load.parents > 0 ? "      " : "    ");
    }
    return text;
}

// States the load to `Side`, the engine or the oracle: apply(Input).
template <typename Side>
class QueueShim {
public:
    QueueShim(const QueueLoad& load, Queues queues, Side& side) : load_(load), queues_(queues), side_(side) {
        if (queues_ == Queues::tree) {
            reload(0);
        }
        side_.apply(Connect{.connection = 1, .shim = "shim-bench", .shim_instance = 1});
        define();
        send(ResyncBeginMessage{});
        state_applications();
        state_nodes();
        send(ResyncEndMessage{});
    }

    void reload(std::uint32_t variant) {
        const std::string text = queues_text(load_, variant);
        side_.apply(QueuesText{.partition = "default", .text = text});
    }

    // Every ask, one of each application by turns.
    void ask_all() {
        constexpr std::uint32_t kOfMessage = 256;
        const std::array amounts = {Amount{kCpu, 100}, Amount{kPods, 1}};
        std::vector<std::string> keys(kOfMessage);
        std::vector<AskItem> records;
        const std::uint32_t applications = load_.all_applications();
        for (std::uint32_t first = 0; first < load_.all_asks(); first += kOfMessage) {
            records.clear();
            for (std::uint32_t at = first; at < std::min(load_.all_asks(), first + kOfMessage); ++at) {
                keys[at - first] = fmt::format("pod-{:07}", at);
                AskItem& record = records.emplace_back();
                record.key = keys[at - first];
                record.application = first_application() + at % applications;
                record.requests = amounts;
            }
            send(AsksMessage{records});
        }
    }

private:
    static constexpr DictId kCpu = 1, kPods = 2, kFirstUser = 10;

    DictId first_leaf() const { return kFirstUser + load_.users; }
    DictId first_application() const { return first_leaf() + load_.all_leaves(); }
    DictId first_node() const { return first_application() + load_.all_applications(); }

    void send(const StateBody& body) {
        side_.apply(StateMessage{.connection = 1, .sequence = ++sequence_, .body = body});
    }

    std::string path_of(std::uint32_t leaf) const {
        return load_.parents > 0 ? fmt::format("root.parent-{}.leaf-{}", leaf / load_.leaves, leaf)
                                 : fmt::format("root.leaf-{}", leaf);
    }

    void define() {
        NumberedNames names;
        names.add(kCpu, "cpu");
        names.add(kPods, "pods");
        names.add(kFirstUser, load_.users, [](std::uint32_t n) { return fmt::format("user-{}", n); });
        names.add(first_leaf(), load_.all_leaves(), [&](std::uint32_t n) { return path_of(n); });
        names.add(first_application(), load_.all_applications(),
                  [](std::uint32_t n) { return fmt::format("app-{}", n); });
        names.add(first_node(), load_.nodes, [](std::uint32_t n) { return fmt::format("node-{}", n); });
        send(DefineMessage{names.entries()});
    }

    void state_applications() {
        std::vector<ApplicationItem> records;
        for (std::uint32_t n = 0; n < load_.all_applications(); ++n) {
            ApplicationItem& record = records.emplace_back();
            record.application = first_application() + n;
            record.user = kFirstUser + n % load_.users;
            record.queue = queues_ == Queues::tree ? first_leaf() + n % load_.all_leaves() : 0;
        }
        send(ApplicationsMessage{.add = records, .remove = {}});
    }

    // Each has room for its part of the asks, and for one more.
    void state_nodes() {
        const std::int64_t pods = load_.all_asks() / load_.nodes + 1;
        const std::array capacity = {Amount{kCpu, 100 * pods}, Amount{kPods, pods}};
        send(NodesMessage{nodes_alike(first_node(), load_.nodes, capacity)});
    }

    const QueueLoad& load_;
    const Queues queues_;
    Side& side_;
    std::uint64_t sequence_ = 0;
};

}  // namespace bayplan::bench
