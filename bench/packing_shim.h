// The messages of a shim whose nodes have devices: the cluster of a load, and a row of its pods as asks.
//
// Thread: its owner's. `Side` is the engine or the oracle: apply(Input).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "bayplan/messages.h"
#include "workload/workload.h"

namespace bayplan::bench {

// All nodes, then every arrival (indices of the load's pods) as an ask; its key is its place in the row.
template <typename Side>
class PackingShim {
public:
    PackingShim(const workload::Workload& load, const std::vector<std::uint32_t>& arrivals, Side& side)
        : load_(load), side_(side) {
        side_.apply(Connect{.connection = 1, .shim = "shim-bench", .shim_instance = 1});
        define();
        send(ResyncBeginMessage{});
        const ApplicationItem application{.application = kApplication, .queue = 0, .user = 0};
        send(ApplicationsMessage{.add = {&application, 1}, .remove = {}});
        state_nodes();
        send(ResyncEndMessage{});
        ask(arrivals);
    }

private:
    static constexpr DictId kApplication = 1, kLabel = 2, kFirstKind = 10, kFirstNode = 100;

    void send(const StateBody& body) {
        side_.apply(StateMessage{.connection = 1, .sequence = ++sequence_, .body = body});
    }

    DictId kind_of(const std::string& name) const {
        return kFirstKind + static_cast<DictId>(std::find(kinds_.begin(), kinds_.end(), name) - kinds_.begin());
    }

    std::vector<Amount> encode(const workload::Amounts& amounts) const {
        std::vector<Amount> encoded;
        for (const auto& [name, amount] : amounts) {
            encoded.push_back({kind_of(name), amount});
        }
        return encoded;
    }

    void define() {
        std::vector<DictEntry> entries = {{kApplication, "app"}, {kLabel, "instance-type"}};
        for (const std::string& kind : kinds_) {
            entries.push_back({kind_of(kind), kind});
        }
        for (std::size_t at = 0; at < load_.nodes.size(); ++at) {
            entries.push_back({node_id(at), load_.nodes[at].name});
        }
        for (std::size_t at = 0; at < load_.node_shapes.size(); ++at) {
            if (!load_.node_shapes[at].instance_type.empty()) {
                entries.push_back({type_id(at), load_.node_shapes[at].instance_type});
            }
        }
        send(DefineMessage{entries});
    }

    DictId node_id(std::size_t at) const { return kFirstNode + static_cast<DictId>(at); }
    DictId type_id(std::size_t shape) const { return node_id(load_.nodes.size() + shape); }

    void state_nodes() {
        const DictId devices = kind_of("gpu-milli");
        std::vector<std::vector<Amount>> capacities;
        std::vector<Attribute> types;
        for (std::size_t at = 0; at < load_.node_shapes.size(); ++at) {
            capacities.push_back(encode(load_.node_shapes[at].capacity));
            types.push_back({kLabel, type_id(at)});
        }
        std::vector<NodeItem> records;
        for (std::size_t at = 0; at < load_.nodes.size(); ++at) {
            const workload::NodeShape& shape = load_.node_shapes[load_.nodes[at].shape];
            NodeItem& record = records.emplace_back();
            record.node = node_id(at);
            record.capacity = capacities[load_.nodes[at].shape];
            if (!shape.instance_type.empty()) {
                record.attributes = {&types[load_.nodes[at].shape], 1};
            }
            if (!shape.devices.empty()) {
                record.devices = {&devices, 1};
            }
        }
        send(NodesMessage{records});
    }

    void ask(const std::vector<std::uint32_t>& arrivals) {
        std::vector<std::vector<Amount>> requests;
        for (const workload::Amounts& shape : load_.pod_shapes) {
            requests.push_back(encode(shape));
        }
        std::vector<std::string> keys;
        for (std::size_t at = 0; at < arrivals.size(); ++at) {
            keys.push_back(std::to_string(at));
        }
        std::vector<AskItem> records;
        for (std::size_t at = 0; at < arrivals.size(); ++at) {
            AskItem& record = records.emplace_back();
            record.key = keys[at];
            record.application = kApplication;
            record.requests = requests[load_.pods[arrivals[at]].shape];
        }
        send(AsksMessage{records});
    }

    const workload::Workload& load_;
    Side& side_;
    const std::vector<std::string> kinds_ = {"cpu", "memory", "pods", "gpu-milli"};
    std::uint64_t sequence_ = 0;
};

}  // namespace bayplan::bench
