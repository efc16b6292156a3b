// A small history about the topology keys that the specs of a shim may name: R-LIMIT-42 ff.
#include "rare_cases.h"

namespace bayplan::property::rare {

namespace {

constexpr DictId kFirstKey = 1'000;
constexpr DictId kKeys = 257;

// 64 keys in each of four lists, which a pod may have and be placed.
PodSpec naming(DictId first, DictId end, Text app) {
    PodSpec spec;
    spec.name_space = kSpace;
    spec.labels = {{kApp, app}};
    for (DictId key = first; key < end; ++key) {
        PodTerm term;
        term.topology_key = kFirstKey + key;
        SpreadConstraint constraint;
        constraint.topology_key = kFirstKey + key;
        constraint.hard = false;
        switch (key / 64) {
            case 0: spec.preferred_affinity.push_back({1, term}); break;
            case 1: spec.preferred_anti_affinity.push_back({1, term}); break;
            case 2: spec.anti_affinity.push_back(term); break;
            default: spec.spread.push_back(constraint);
        }
    }
    return spec;
}

}  // namespace

std::vector<Case> many_topology_keys() {
    oracle::OwnedDefine names;
    for (DictId at = 0; at < kKeys; ++at) {
        names.entries.push_back({kFirstKey + at, "key-" + std::to_string(at)});
    }
    const PodSpec all_but_last = naming(0, kKeys - 1, kApp);
    const PodSpec last = naming(kKeys - 1, kKeys, kApp);
    const auto define = [](SpecNumber number, const PodSpec& spec) { return oracle::OwnedSpecs{{{number, spec}}, {}}; };
    const auto forget = [](SpecNumber number) { return oracle::OwnedSpecs{{}, {number}}; };
    const Case at_first{"the specs of a shim name 256 topology keys at most",
                        {names, define(1, all_but_last), define(2, last), define(3, naming(0, kKeys - 1, kUsed)),
                         define(4, all_but_last), oracle::OwnedAsks{{ask("x", 4)}}},
                        "1 0 place s/x west - -"};
    Case later = at_first;
    later.about = "keys of specs that are forgotten give room";
    later.messages.pop_back();
    for (const SpecNumber number : {1, 3}) {
        later.messages.push_back(forget(number));
        later.messages.push_back(define(2, last));
    }
    later.messages.push_back(forget(4));
    later.messages.push_back(define(2, last));
    later.messages.push_back(define(1, naming(1, kKeys - 1, kApp)));
    later.messages.push_back(define(3, naming(0, 1, kApp)));
    later.messages.push_back(oracle::OwnedAsks{{ask("x", 1)}});
    later.expected = "1 0 place s/x west - -";
    return {at_first, later};
}

}  // namespace bayplan::property::rare
