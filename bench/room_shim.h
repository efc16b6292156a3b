// Parents whose maxima are used up by one leaf each, and beside it leaves with asks under their guarantees, as one shim's
// messages.
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

struct RoomLoad {
    std::string name;
    std::uint32_t nodes = 0;
    std::uint32_t parents = 0;
    std::uint32_t leaves = 0;        // with asks, of each parent
    std::uint32_t applications = 0;  // of each leaf
    std::uint32_t asks = 0;          // of each application

    std::uint32_t all_leaves() const { return parents * leaves; }
    std::uint32_t all_applications() const { return all_leaves() * applications; }
    std::uint32_t all_asks() const { return all_applications() * asks; }
};

enum class Claims : std::uint8_t { wait, in_vain, find };

// States the load to `Side`, the engine or the oracle: apply(Input). Each leaf is guaranteed one of its asks, and each parent may
// have as many pods as it has leaves.
template <typename Side>
class RoomShim {
public:
    RoomShim(const RoomLoad& load, Claims claims, Side& side) : load_(load), claims_(claims), side_(side) {
        const std::string text = queues();
        side_.apply(QueuesText{.partition = "default", .text = text});
        side_.apply(Connect{.connection = 1, .shim = "shim-bench", .shim_instance = 1});
        define();
        send(ResyncBeginMessage{});
        state_applications();
        state_nodes();
        send(ResyncEndMessage{});
    }

    // Pods that use up every maximum. In vain: nobody of the leaves beside theirs is above them.
    void use_up() {
        ask("used", load_.all_leaves(), first_user_of_room(), load_.parents, claims_ == Claims::in_vain ? 10 : 0);
    }
    void ask_for_room() { ask("pod", load_.all_asks(), first_application(), load_.all_applications(), 0); }

private:
    static constexpr DictId kCpu = 1, kPods = 2, kUser = 3, kFirstQueue = 10;

    DictId first_user_of_room() const { return kFirstQueue + load_.parents + load_.all_leaves(); }
    DictId first_application() const { return first_user_of_room() + load_.parents; }
    DictId first_node() const { return first_application() + load_.all_applications(); }

    void send(const StateBody& body) {
        side_.apply(StateMessage{.connection = 1, .sequence = ++sequence_, .body = body});
    }

    std::string queues() const {
        const char* const delay = claims_ == Claims::wait ? "1h" : "1s";
        std::string text = "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n";
        for (std::uint32_t parent = 0; parent < load_.parents; ++parent) {
            text += fmt::format("    - name: parent-{}\n      resources: {{max: {{vcore: {}m}}}}\n      queues:\n",
                                parent, 100 * load_.leaves);
            text += "      - name: full\n";
            for (std::uint32_t leaf = 0; leaf < load_.leaves; ++leaf) {
                text += fmt::format(
                    "      - {{name: leaf-{}, resources: {{guaranteed: {{vcore: 100m}}}}, "
                    "properties: {{preemption.delay: {}}}}}\n",
                    leaf, delay);
            }
        }
        return text;
    }

    void define() {
        NumberedNames names;
        names.add(kCpu, "cpu");
        names.add(kPods, "pods");
        names.add(kUser, "somebody");
        names.add(kFirstQueue, load_.parents, [](std::uint32_t n) { return fmt::format("root.parent-{}.full", n); });
        names.add(kFirstQueue + load_.parents, load_.all_leaves(), [&](std::uint32_t n) {
            return fmt::format("root.parent-{}.leaf-{}", n / load_.leaves, n % load_.leaves);
        });
        names.add(first_user_of_room(), load_.parents, [](std::uint32_t n) { return fmt::format("app-full-{}", n); });
        names.add(first_application(), load_.all_applications(),
                  [](std::uint32_t n) { return fmt::format("app-{}", n); });
        names.add(first_node(), load_.nodes, [](std::uint32_t n) { return fmt::format("node-{}", n); });
        send(DefineMessage{names.entries()});
    }

    void state_applications() {
        std::vector<ApplicationItem> records;
        const auto add = [&](DictId first, std::uint32_t count, DictId first_queue, std::uint32_t queues) {
            for (std::uint32_t n = 0; n < count; ++n) {
                records.push_back({.application = first + n, .queue = first_queue + n % queues, .user = kUser});
            }
        };
        add(first_user_of_room(), load_.parents, kFirstQueue, load_.parents);
        add(first_application(), load_.all_applications(), kFirstQueue + load_.parents, load_.all_leaves());
        send(ApplicationsMessage{.add = records, .remove = {}});
    }

    // All pods that there may be fit twice: nodes lack no room.
    void state_nodes() {
        const std::int64_t pods = 2 * load_.all_leaves() / load_.nodes + 1;
        const std::array capacity = {Amount{kCpu, 100 * pods}, Amount{kPods, pods}};
        send(NodesMessage{nodes_alike(first_node(), load_.nodes, capacity)});
    }

    // One of each application by turns.
    void ask(const std::string& kind, std::uint32_t count, DictId first, std::uint32_t applications,
             std::int32_t priority) {
        constexpr std::uint32_t kOfMessage = 256;
        const std::array amounts = {Amount{kCpu, 100}, Amount{kPods, 1}};
        std::vector<std::string> keys(kOfMessage);
        std::vector<AskItem> records;
        for (std::uint32_t at = 0; at < count; ++at) {
            keys[at % kOfMessage] = fmt::format("{}-{:07}", kind, at);
            AskItem& record = records.emplace_back();
            record.key = keys[at % kOfMessage];
            record.application = first + at % applications;
            record.priority = priority;
            record.requests = amounts;
            if (records.size() == kOfMessage || at + 1 == count) {
                send(AsksMessage{records});
                records.clear();
            }
        }
    }

    const RoomLoad& load_;
    const Claims claims_;
    Side& side_;
    std::uint64_t sequence_ = 0;
};

}  // namespace bayplan::bench
