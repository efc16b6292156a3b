// Crowds of pod terms; see oracle_terms.h.
#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "oracle_terms.h"

namespace bayplan::oracle {

namespace {

std::vector<CountedTerm> terms_of(const KubeSpec& spec) {
    std::vector<CountedTerm> all;
    int list = 0;
    for (const auto* terms :
         {&spec.affinity, &spec.anti_affinity, &spec.preferred_affinity, &spec.preferred_anti_affinity}) {
        for (const KubePodTerm& term : *terms) {
            CountedTerm counted{list, term, 0};
            if (term.namespaces.empty() && !term.namespace_selector) {
                counted.term.namespaces = {spec.name_space};
            }
            while (std::find(all.begin(), all.end(), counted) != all.end()) {
                ++counted.time;
            }
            all.push_back(counted);
        }
        ++list;
    }
    return all;
}

bool counted_together(const CountedTerm& a, const CountedTerm& b) {
    const auto sole = [](const KubePodTerm& term) { return term.namespaces.size() == 1 && !term.namespace_selector; };
    return sole(a.term) == sole(b.term) && (!sole(a.term) || a.term.namespaces == b.term.namespaces);
}

// Its requirements that want labels.
std::vector<KubeRequirement> wants(const CountedTerm& counted) {
    std::vector<KubeRequirement> some;
    for (const KubeRequirement& requirement : counted.term.selector.value_or(KubeSelector{})) {
        if (requirement.op == LabelOperator::in) {
            some.push_back(requirement);
        }
    }
    return some;
}

// Of the others that are counted together with it.
std::size_t found_by_label(const CountedTerm& counted, const std::vector<FoundTerm>& others, const std::string& key,
                           const std::string& value) {
    return static_cast<std::size_t>(std::count_if(others.begin(), others.end(), [&](const FoundTerm& other) {
        return counted_together(counted, other.term) && other.by && other.by->key == key &&
               std::count(other.by->values.begin(), other.by->values.end(), value) > 0;
    }));
}

struct Choice {
    std::optional<KubeRequirement> by;
    std::size_t others = 0;
};

Choice choose(const CountedTerm& counted, const std::vector<FoundTerm>& others) {
    Choice best;
    for (const KubeRequirement& requirement : wants(counted)) {
        std::size_t most = 0;
        for (const std::string& value : requirement.values) {
            most = std::max(most, found_by_label(counted, others, requirement.key, value));
        }
        if (!best.by || most < best.others) {
            best = {requirement, most};
        }
    }
    if (!best.by) {
        best.others = static_cast<std::size_t>(std::count_if(others.begin(), others.end(), [&](const FoundTerm& other) {
            return counted_together(counted, other.term) && !other.by;
        }));
    }
    return best;
}

bool is_of(const CountedTerm& term, const std::vector<std::shared_ptr<const KubeSpec>>& specs) {
    return std::any_of(specs.begin(), specs.end(), [&](const auto& spec) {
        const std::vector<CountedTerm> terms = terms_of(*spec);
        return std::find(terms.begin(), terms.end(), term) != terms.end();
    });
}

}  // namespace

std::string crowd_fault(const std::vector<std::shared_ptr<const KubeSpec>>& of_shim, const KubeSpec& spec,
                        std::size_t most, std::vector<FoundTerm>& found) {
    std::erase_if(found, [&](const FoundTerm& one) { return !is_of(one.term, of_shim); });
    if (std::any_of(of_shim.begin(), of_shim.end(), [&](const auto& one) { return *one == spec; })) {
        return "";
    }
    for (const CountedTerm& term : terms_of(spec)) {
        if (std::any_of(found.begin(), found.end(), [&](const FoundTerm& one) { return one.term == term; })) {
            continue;
        }
        const Choice choice = choose(term, found);
        if (choice.others >= most) {
            return "more than " + std::to_string(most) + " pod terms want one label";
        }
        found.push_back({term, choice.by});
    }
    return "";
}

bool more_keys_than(std::size_t most, const std::vector<std::shared_ptr<const KubeSpec>>& of_shim,
                    const KubeSpec& spec) {
    std::set<std::string> keys;
    const auto name_keys = [&](const KubeSpec& one) {
        for (const CountedTerm& counted : terms_of(one)) {
            keys.insert(counted.term.topology_key);
        }
        for (const KubeSpread& constraint : one.spread) {
            keys.insert(constraint.topology_key);
        }
    };
    for (const auto& one : of_shim) {
        name_keys(*one);
    }
    name_keys(spec);
    return keys.size() > most;
}

}  // namespace bayplan::oracle
