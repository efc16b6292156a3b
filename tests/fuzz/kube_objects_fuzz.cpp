// Readers (JSON, YAML, timelines) and converter against any text.
//
// Checked besides the sanitizers: what a dump sends can be applied: ids were defined before, amounts are in
// their range and of distinct kinds, asks name nodes and specs that were sent, keys are not given twice.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "kube/cluster_dump.h"
#include "sim/events.h"

namespace {

using namespace bayplan;

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

class Receiver {
public:
    void take(const StateBody& body) {
        std::visit([this](const auto& message) { one(message); }, body);
    }

private:
    void known(DictId id) const { require(id <= defined_); }
    void amounts(std::span<const Amount> list) const {
        std::set<DictId> kinds;
        for (const Amount& amount : list) {
            require(amount.resource != 0 && amount.resource <= defined_ && kinds.insert(amount.resource).second);
            require(amount.value >= 0 && amount.value <= kube::kAmountMax);
        }
    }
    void one(const DefineMessage& message) {
        for (const DictEntry& entry : message.entries) {
            require(entry.id == ++defined_ && !entry.text.empty() && entry.text.size() <= 512);
        }
    }
    void one(const SpecsMessage& message) {
        for (const SpecItem& record : message.define) {
            require(record.number == ++specs_);
            known(record.spec.name_space);
            for (const Label& label : record.spec.labels) {
                require(label.key <= defined_ && label.value <= defined_);
            }
        }
    }
    void one(const NodesMessage& message) {
        for (const NodeItem& node : message.nodes) {
            require(node.node != 0 && nodes_.insert(node.node).second);
            known(node.node);
            amounts(node.capacity);
            amounts(node.images);
        }
    }
    void one(const ApplicationsMessage& message) {
        for (const ApplicationItem& record : message.add) {
            known(record.application);
        }
    }
    void one(const ObjectsMessage& message) {
        for (const ObjectItem& record : message.objects) {
            if (const auto* const claim = std::get_if<ResourceClaim>(&record.object)) {
                known(claim->name);
                for (const DeviceRequest& request : claim->requests) {
                    known(request.kind);
                    require(request.kind == 0 || (request.demands.size() == 1 && request.demands[0].count > 0));
                }
            }
        }
    }
    void one(const AsksMessage& message) {
        for (const AskItem& ask : message.asks) {
            require(ask.key.size() > 1 && keys_.insert(std::string(ask.key)).second);
            require(ask.spec >= 1 && ask.spec <= specs_);
            require(ask.node == 0 || nodes_.contains(ask.node));
            require(ask.nominated_node == 0 || nodes_.contains(ask.nominated_node));
            amounts(ask.requests);
            require(ask.node_cpu >= 0 && ask.own_memory >= 0 && ask.own_cpu >= 0 && ask.node_memory >= 0);
        }
    }
    template <typename Other>
    void one(const Other&) {}

    DictId defined_ = 0;
    SpecNumber specs_ = 0;
    std::set<DictId> nodes_;
    std::set<std::string> keys_;
};

void read(const std::string& text, bool defaults) {
    kube::ClusterDump dump({.defaults = defaults, .schedulers = {}, .extended_resources = defaults});
    dump.read_text(text, "fuzz");
    dump.finish();
    Receiver receiver;
    const auto take = [&](const StateBody& body) { receiver.take(body); };
    dump.send_state(take, 7);
    dump.send_asks(take, 7);
    for (const kube::ObjectFault& fault : dump.faults()) {
        require(!fault.what.empty());
    }
}

void read_timeline(const std::string& text) {
    kube::ObjectConverter converter(true);
    std::vector<sim::Event> events;
    std::vector<kube::ObjectFault> faults;
    const bool good = sim::read_events(text, "fuzz", converter, events, faults);
    require(good == faults.empty());
    if (!good) {
        return;
    }
    std::int64_t before = 0;
    for (const sim::Event& event : events) {
        require(event.at_ms >= before);
        before = event.at_ms;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    read(text, false);
    read(text, true);
    read_timeline(text);
    return 0;
}
