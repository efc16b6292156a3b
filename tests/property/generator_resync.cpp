// A whole resync, as a shim that has started again would send it: what it still knows, most of it
// right.
//
// Thread and errors: see generator.h.
#include <algorithm>

#include "generator.h"

namespace bayplan::property {

oracle::OwnedDefine Generator::define_missing(const oracle::Oracle& oracle, ShimModel& model) {
    oracle::OwnedDefine define;
    const auto& known = oracle.shims().at(model.name).dictionary;
    for (const auto& [text, id] : model.ids) {
        const bool has_text =
            std::any_of(known.begin(), known.end(), [&text = text](const auto& entry) { return entry.second == text; });
        if (!has_text) {
            // A forgotten id may come back with another text's meaning; so sometimes another id is
            // used.
            define.entries.emplace_back(random_.chance(80) ? id : id + 20'000, text);
        }
    }
    return define;
}

void Generator::plan_resync(const oracle::Oracle& oracle, ShimModel& model) {
    model.plan.clear();
    const auto add = [&](oracle::OwnedBody body) {
        model.plan.push_back(StateEvent{model.name, 0, false, std::move(body)});
    };
    if (random_.chance(15)) {  // rejected, numbered and acknowledged before the resync begins
        for (std::int64_t i = random_.between(1, 20); i > 0; --i) {
            add(oracle::OwnedNacks{{"too-early"}});
        }
        model.plan.push_back(AcknowledgeEvent{model.name, 1000, 0, false});
    }
    oracle::OwnedDefine define;
    for (const auto& [text, id] : model.ids) {
        if (random_.chance(99)) {
            define.entries.emplace_back(id, text);
        }
    }
    add(define);
    add(oracle::OwnedResyncBegin{});
    oracle::OwnedApplications applications;
    for (const std::string& name : model.applications) {
        if (random_.chance(95)) {
            const std::string queue = random_.chance(50) ? "root.default" : "root.other";
            const DictId queue_id = random_.chance(60) ? 0 : id_of(oracle, model, queue);
            applications.add.push_back({id_of(oracle, model, name), queue_id});
            choose_queue(oracle, model, applications.add.back());
            tag(oracle, model, applications.add.back());
            expect_placeholders(oracle, model, applications.add.back());
        }
    }
    add(applications);
    plan_kube(oracle, model, ids(oracle, model));
    restate_nodes(oracle, model);
    new_nodes(oracle, model);
    restate_asks(oracle, model);
    if (random_.chance(97)) {
        add(oracle::OwnedResyncEnd{});
    }
}

void Generator::restate_nodes(const oracle::Oracle& oracle, ShimModel& model) {
    oracle::OwnedNodes nodes;
    for (const auto& [name, node] : oracle.nodes()) {
        if (node.shim != model.name || random_.chance(8)) {
            continue;
        }
        oracle::OwnedNode record = create_node(oracle, model, name);
        if (random_.chance(70)) {
            record.capacity = amounts_of(oracle, model, node.capacity);
            record.devices.clear();
            for (const auto& [kind, count] : node.facts.devices) {
                record.devices.push_back(id_of(oracle, model, kind));
            }
        }
        record.action = node.schedulable ? NodeAction::create : NodeAction::create_drain;
        nodes.nodes.push_back(record);
    }
    if (!nodes.nodes.empty()) {
        model.plan.push_back(StateEvent{model.name, 0, false, nodes});
    }
}

void Generator::new_nodes(const oracle::Oracle& oracle, ShimModel& model) {
    const std::uint64_t wanted_percent = random_.chance(80) ? 90 : 20;
    oracle::OwnedNodes nodes;
    for (const std::string& name : model.nodes) {
        if (oracle.nodes().contains(name) || !random_.chance(wanted_percent)) {
            continue;
        }
        nodes.nodes.push_back(create_node(oracle, model, name));
        if (nodes.nodes.size() >= 60) {
            model.plan.push_back(StateEvent{model.name, 0, false, nodes});
            nodes.nodes.clear();
        }
    }
    model.plan.push_back(StateEvent{model.name, 0, false, nodes});
}

void Generator::restate_asks(const oracle::Oracle& oracle, ShimModel& model) {
    oracle::OwnedAsks stated;
    for (const auto& [sequence, ask] : oracle.asks()) {
        if (ask.shim == model.name && random_.chance(93)) {
            stated.asks.push_back(restated(oracle, model, ask));
        }
    }
    if (!stated.asks.empty()) {
        model.plan.push_back(StateEvent{model.name, 0, false, stated});
    }
}

}  // namespace bayplan::property
