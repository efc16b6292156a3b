// The items of a history that predicates and scores look at: specs, objects, and what asks and
// nodes say of them.
//
// Thread and errors: see generator.h.
#include "generator.h"

#include <algorithm>
#include <iterator>

namespace bayplan::property {

namespace {

// One of its lists gets as long as it may be, or longer by one.
void lengthen(PodSpec& spec, Random& random) {
    const std::size_t more = random.below(2);
    const PodTerm term = spec.affinity.empty() ? PodTerm{} : spec.affinity[0];
    switch (random.below(7)) {
        case 0: spec.affinity.resize(64 + more, term); break;
        case 1: spec.tolerations.resize(64 + more); break;
        case 2: spec.images.resize(256 + more); break;
        case 3: spec.ports.resize(256 + more); break;
        case 4: spec.gates.resize(64 + more, spec.name_space); break;
        case 5:
            spec.required_nodes.emplace().resize(1);
            spec.required_nodes->front().labels.resize(1);
            spec.required_nodes->front().labels[0].values.resize(1'024 + more, spec.name_space);
            break;
        default:
            spec.anti_affinity.resize(1);
            spec.anti_affinity[0].topology_key = spec.name_space;
            spec.anti_affinity[0].namespaces.resize(256 + more, spec.name_space);
            break;
    }
}
// As much as may be in all lists together, or a little more.
void fill(PodSpec& spec, Random& random) {
    const std::size_t values = random.chance(40) ? 800 : 830;
    spec.preferred_nodes.resize(5);
    for (WeightedNodeTerm& weighted : spec.preferred_nodes) {
        weighted.term.labels.resize(1);
        weighted.term.labels[0].values.resize(values);
    }
}

}  // namespace

IdOf Generator::ids(const oracle::Oracle& oracle, const ShimModel& model) const {
    std::map<std::string, DictId> known;  // of two ids with one text the lower one
    for (const auto& [id, text] : oracle.shims().at(model.name).dictionary) {
        known.emplace(text, id);
    }
    for (const auto& [text, id] : model.ids) {
        known.emplace(text, id);
    }
    return [known](const std::string& text) {
        const auto found = known.find(text);
        return found == known.end() ? kUndefined : found->second;
    };
}

SpecItem Generator::spec_record(const oracle::Oracle& oracle, const ShimModel& model, SpecNumber number) const {
    const auto seed = model.spec_seeds.find(number);
    if (seed == model.spec_seeds.end()) {
        return {number, {}};
    }
    Random content(seed->second);
    SpecItem item{number, random_spec(content, ids(oracle, model), model.nodes)};
    need_plugins(ids(oracle, model), seed->second, item.spec);
    odd_.change(item.spec, seed->second, ids(oracle, model));
    return item;
}

oracle::OwnedSpecs Generator::specs(const oracle::Oracle& oracle, ShimModel& model) {
    oracle::OwnedSpecs out;
    const auto& known = oracle.shims().at(model.name).specs;
    for (std::int64_t i = random_.between(1, 3); i > 0; --i) {
        const auto number = static_cast<SpecNumber>(random_.between(1, model.spec_seeds.size()));
        if (!known.contains(number) && random_.chance(70)) {  // another pod template
            model.spec_seeds[number] = random_.next();
        }
        out.define.push_back(spec_record(oracle, model, number));
        if (random_.chance(4 * spoil_percent_)) {
            spoil(out.define.back());
        }
    }
    if (random_.chance(30)) {
        out.forget.push_back(static_cast<SpecNumber>(random_.between(0, model.spec_seeds.size())));
    }
    return out;
}

void Generator::spoil(SpecItem& record) {
    switch (random_.below(8)) {
        case 0: record.number = 0; break;
        case 1: record.spec.images.push_back(kUndefined); break;
        case 2:
            record.spec.labels.push_back(record.spec.labels.empty() ? Label{kUndefined, 0} : record.spec.labels[0]);
            break;
        case 3: record.spec.affinity.push_back({}); break;
        case 4:
            record.spec.spread.push_back({});
            record.spec.spread.back().topology_key = record.spec.labels.empty() ? 0 : record.spec.labels[0].key;
            record.spec.spread.back().max_skew = 0;
            break;
        case 5: record.spec.preferred_nodes.push_back({random_.chance(50) ? -1 : 101, {}}); break;
        case 6: {
            Random apart = random_;  // what else happens does not depend on it
            if (apart.chance(45)) {
                record.number = 9'999;
            } else if (apart.chance(60)) {
                lengthen(record.spec, apart);
            } else {
                fill(record.spec, apart);
            }
            break;
        }
        default:  // the same number, another content
            record.spec.owner.kind = record.spec.labels.empty() ? 0 : record.spec.labels[0].key;
            break;
    }
}

oracle::OwnedObjects Generator::objects(const oracle::Oracle& oracle, ShimModel& model) {
    oracle::OwnedObjects out;
    const IdOf id = ids(oracle, model);
    for (std::int64_t i = random_.between(1, 4); i > 0; --i) {
        out.objects.push_back(random_object(random_, id, model.nodes));
        odd_.change(out.objects.back(), id, model.nodes);
    }
    if (random_.chance(spoil_percent_)) {
        out.objects.push_back({Namespace{kUndefined, {}}, false});
    }
    return out;
}

// All specs, in a few messages, and what objects there are.
void Generator::plan_kube(const oracle::Oracle& oracle, ShimModel& model, const IdOf& id) {
    if (model.spec_seeds.empty()) {
        return;
    }
    oracle::OwnedSpecs specs;
    for (const auto& [number, seed] : model.spec_seeds) {
        if (random_.chance(95)) {
            Random content(seed);
            specs.define.push_back({number, random_spec(content, id, model.nodes)});
            need_plugins(id, seed, specs.define.back().spec);
            odd_.change(specs.define.back().spec, seed, id);
        }
    }
    model.plan.push_back(StateEvent{model.name, 0, false, specs});
    if (random_.chance(85)) {
        std::vector<ObjectItem> objects = first_objects(random_, id, model.nodes);
        for (ObjectItem& item : objects) {
            odd_.change(item, id, model.nodes);
        }
        std::ranges::move(odd_.first_objects(id), std::back_inserter(objects));
        model.plan.push_back(StateEvent{model.name, 0, false, oracle::OwnedObjects{std::move(objects)}});
    }
    if (!oracle.objects().claims.empty() && random_.chance(50)) {
        model.plan.push_back(StateEvent{model.name, 0, false, objects(oracle, model)});
    }
}

void Generator::ask_for_nodes(const oracle::Oracle& oracle, ShimModel& model, oracle::OwnedAsk& ask) {
    const auto& known = oracle.shims().at(model.name).specs;
    ask.spec = 0;
    if (!known.empty() && random_.chance(80)) {
        auto spec = known.begin();
        std::advance(spec, static_cast<std::ptrdiff_t>(random_.below(known.size())));
        ask.spec = spec->first;
    }
    model.spec_of[ask.key] = ask.spec;
    if (model.spec_seeds.empty()) {
        return;
    }
    const auto scored = [&](std::int64_t most) { return random_.chance(15) ? random_.between(-1, most) : -1; };
    ask.node_cpu = scored(1000);
    ask.own_cpu = scored(1000);
    ask.node_memory = scored(std::int64_t{1} << 30);
    ask.own_memory = scored(std::int64_t{1} << 30);
    if (random_.chance(spoil_percent_)) {
        switch (random_.below(3)) {
            case 0: ask.spec = 8'888; break;
            case 1: ask.own_cpu = -2; break;
            default: ask.nominated_node = kUndefined; break;
        }
    }
}

}  // namespace bayplan::property
