// The part of the generator about predicates that shims serve: which, who needs them, and what they answer. It draws from
// numbers of its own: seeds keep what they made before there were plugins.
#include "generator.h"

namespace bayplan::property {

namespace {

const std::vector<std::string>& plugin_texts() {
    static const std::vector<std::string> texts = {"license", "vendor.example.com/rack"};
    return texts;
}

constexpr DictId kFirstPluginId = 50'000;

}  // namespace

Random plugin_random(std::uint64_t seed) { return Random(seed ^ 0x51a9'17d0'6e2b'c84fU); }

bool is_plugin_world(std::uint64_t seed) { return plugin_random(seed).chance(kPluginPercent); }

PluginOptions random_plugins(Random& random) {
    PluginOptions out;
    out.deadline_ns = random.chance(50) ? 5'000 * kMs : random.between(1, 4'000) * kMs;
    out.nodes = random.pick(std::vector<std::uint32_t>{1, 1, 2, 3, 16});
    out.queries_max = random.chance(25) ? static_cast<std::uint32_t>(random.between(1, 4)) : 4'096;
    return out;
}

// Most shims serve all, and give claims back; one may come back with less.
void Generator::serve(ConnectEvent& event) {
    event.gives_claims_back = give_back_random_.chance(85);
    event.judges_victims = plugins_ && victim_random_.chance(80);
    for (const std::string& name : plugin_texts()) {
        event.plugins += plugins_ && plugin_random_.chance(93) ? name + "\n" : "";
    }
}

void Generator::name_plugins(ShimModel& shim) {
    DictId id = kFirstPluginId;
    for (const std::string& name : plugin_texts()) {
        shim.ids[name] = ++id;
    }
}

// The same each time that the spec is stated.
void Generator::need_plugins(const IdOf& id, std::uint64_t seed, PodSpec& spec) const {
    Random content(seed ^ 0x70c5'91e2'4d16'aa03U);
    if (plugins_ && content.chance(40)) {
        spec.plugins.push_back(id(plugin_texts()[content.below(2)]));
        if (content.chance(20)) {
            spec.plugins.push_back(id(plugin_texts()[1]));
        }
    }
}

oracle::OwnedAnswer Generator::answer_to(const oracle::Ask& ask) {
    oracle::OwnedAnswer out{.query = ask.query, .lasting = plugin_random_.chance(25)};
    if (plugin_random_.chance(4)) {
        out.failure = "cache is not synced";
    }
    const std::uint64_t refusals = plugin_random_.pick(std::vector<std::uint64_t>{0, 0, 20, 60, 100});
    static const std::vector<std::string> reasons = {"no license left", "wrong rack", "", std::string(300, 'r')};
    for (std::size_t i = 0; i < ask.asked.size(); ++i) {
        const bool refused = plugin_random_.chance(refusals);
        out.verdicts.push_back(!refused                    ? PluginVerdict::feasible
                               : plugin_random_.chance(50) ? PluginVerdict::unschedulable
                                                           : PluginVerdict::unresolvable);
        if (plugin_random_.chance(70)) {
            const std::string numbered = plugin_random_.chance(30) ? "reason " + std::to_string(ask.query * 8 + i) : "";
            out.reasons.emplace_back(static_cast<std::uint32_t>(i + plugin_random_.below(2) * plugin_random_.below(2)),
                                     numbered.empty() ? plugin_random_.pick(reasons) : numbered);
        }
    }
    if (ask.state == oracle::AskState::asking) {
        choose_victims(ask, out);
    }
    switch (plugin_random_.below(60)) {
        case 0: out.verdicts.push_back(PluginVerdict::feasible); break;
        case 1: out.verdicts.pop_back(); break;
        case 2: out.verdicts.back() = PluginVerdict::unknown; break;
        case 3: out.query += 1; break;
        default: break;
    }
    return out;
}

// A yes mostly; sometimes a fault.
void Generator::choose_victims(const oracle::Ask& ask, oracle::OwnedAnswer& answer) {
    const std::uint64_t offered = ask.offered.size();
    if (victim_random_.chance(70)) {
        answer.verdicts = {PluginVerdict::feasible};
    }
    if (victim_random_.chance(50)) {
        answer.first_victims = static_cast<std::uint32_t>(victim_random_.between(ask.needed, offered));
    } else {
        for (std::uint32_t victim = 0; victim < offered; ++victim) {
            if (victim_random_.chance(40)) {
                answer.victims.push_back(victim);
            }
        }
    }
    switch (victim_random_.below(30)) {
        case 0: answer.first_victims += 1; break;
        case 1: answer.first_victims = static_cast<std::uint32_t>(victim_random_.below(ask.needed + 1)); break;
        case 2: answer.victims.push_back(static_cast<std::uint32_t>(victim_random_.below(offered + 1))); break;
        case 3: answer.victims.assign(offered + 1, 0); break;
        case 4: answer.victims.clear(); break;
        default: break;
    }
}

// Some of what is open; empty: nothing is, or the shim is silent this time.
oracle::OwnedAnswers Generator::answers(const oracle::Oracle& oracle, const ShimModel& model) {
    oracle::OwnedAnswers out;
    const bool all = plugin_random_.chance(50);
    for (const auto& [sequence, ask] : oracle.asks()) {
        if (ask.query != 0 && (ask.shim == model.name ? all || plugin_random_.chance(40) : plugin_random_.chance(3))) {
            out.answers.push_back(answer_to(ask));
            if (plugin_random_.chance(5)) {
                out.answers.push_back(out.answers.back());
            }
        }
    }
    return out;
}

}  // namespace bayplan::property
