// Applications with placeholders, their task groups, and the pods that take placeholders over. With its own stream of chance:
// histories without placeholders stay as they are.
//
// Thread and errors: see generator.h.
#include "generator.h"

namespace bayplan::property {

void Generator::expect_placeholders(const oracle::Oracle& oracle, const ShimModel& model,
                                    oracle::OwnedApplication& record) {
    if (!placeholders_ || !placeholder_random_.chance(70)) {
        return;
    }
    const auto times = static_cast<std::int64_t>(placeholder_random_.between(1, 3));
    for (const auto& [kind, amount] : ask_shapes_.front().amounts) {
        record.placeholder_ask.push_back({id_of(oracle, model, kind), amount * times});
    }
    const bool hard = placeholder_random_.chance(60);
    record.gang_style = hard ? GangStyle::hard : static_cast<GangStyle>(placeholder_random_.below(3));
    // Mostly brief: the time is over while some of them have no node yet.
    const std::int64_t most = placeholder_random_.chance(70) ? 2 : 20;
    record.placeholder_timeout_ms = placeholder_random_.chance(90) ? placeholder_random_.between(0, most) * 500
                                                                   : placeholder_random_.between(-1, 1) * INT64_MAX;
    // Pods of some worlds ask for nothing.
    const std::uint64_t odd = placeholder_random_.below(30);
    switch (record.placeholder_ask.empty() ? 30 : odd) {
        case 0: record.placeholder_ask.push_back({kUndefined, 1}); break;
        case 1: record.placeholder_ask.push_back(record.placeholder_ask.front()); break;
        case 2: record.placeholder_ask.front().value = -1; break;
        case 3: record.placeholder_ask.front().value *= 50; break;
        default: break;
    }
}

// Mostly all alike, so that asks fit placeholders, and these are whole now and then.
void Generator::join_task_group(const oracle::Oracle& oracle, const ShimModel& model, oracle::OwnedAsk& ask) {
    if (!placeholders_ || ask.foreign || !placeholder_random_.chance(45)) {
        return;
    }
    const std::size_t groups = std::min<std::size_t>(model.groups.size(), 2);
    ask.group = id_of(oracle, model, model.groups[placeholder_random_.below(groups)]);
    ask.group_min_available = placeholder_random_.chance(97) ? 0 : 2;
    ask.group_fault = GroupFault::none;
    ask.placeholder = placeholder_random_.chance(50);
    if (placeholder_random_.chance(85)) {
        ask.requests.clear();
        for (const auto& [kind, amount] : ask_shapes_.front().amounts) {
            const bool less = !ask.placeholder && placeholder_random_.chance(25);
            ask.requests.push_back({id_of(oracle, model, kind), less ? amount / 2 : amount});
        }
    }
    if (placeholder_random_.chance(80)) {
        ask.required_node = 0;
        ask.daemonset = false;
    }
    if (placeholder_random_.chance(2)) {
        ask.group = 0;
    }
}

// The shim has deleted what it was told to.
oracle::OwnedReleases Generator::placeholders_gone(const oracle::Oracle& oracle, const ShimModel& model) {
    oracle::OwnedReleases out;
    for (const auto& [sequence, ask] : oracle.asks()) {
        if (ask.shim == model.name && ask.sent_away && placeholder_random_.chance(60)) {
            out.releases.push_back({ask.key, 0});
        }
    }
    return out;
}

}  // namespace bayplan::property
