// Crowds of pod terms; see oracle_terms.h.
#include <algorithm>
#include <set>

#include "oracle_terms.h"

namespace bayplan::oracle {

namespace {

struct CountedTerm {
    int list = 0;          // of the spec
    KubePodTerm term;      // with its namespaces
    std::size_t time = 0;  // equal ones before it in the list
    bool operator==(const CountedTerm&) const = default;
};

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

bool wants_label(const CountedTerm& counted, const std::string& key, const std::string& value) {
    const std::vector<KubeRequirement> some = wants(counted);
    return std::any_of(some.begin(), some.end(), [&](const KubeRequirement& requirement) {
        return requirement.key == key && std::count(requirement.values.begin(), requirement.values.end(), value) > 0;
    });
}

bool crowded(const CountedTerm& counted, const std::vector<CountedTerm>& others, std::size_t most) {
    const auto count = [&](auto&& is_one) {
        return static_cast<std::size_t>(std::count_if(others.begin(), others.end(), [&](const CountedTerm& other) {
            return counted_together(counted, other) && is_one(other);
        }));
    };
    const std::vector<KubeRequirement> some = wants(counted);
    if (some.empty()) {
        return count([](const CountedTerm& other) { return wants(other).empty(); }) >= most;
    }
    return std::all_of(some.begin(), some.end(), [&](const KubeRequirement& requirement) {
        return std::any_of(requirement.values.begin(), requirement.values.end(), [&](const std::string& value) {
            return count([&](const CountedTerm& other) { return wants_label(other, requirement.key, value); }) >= most;
        });
    });
}

}  // namespace

std::string crowd_fault(const std::vector<std::shared_ptr<const KubeSpec>>& of_shim, const KubeSpec& spec,
                        std::size_t most) {
    std::vector<CountedTerm> there;
    for (const auto& other : of_shim) {
        if (*other == spec) {
            return "";
        }
        for (const CountedTerm& term : terms_of(*other)) {
            if (std::find(there.begin(), there.end(), term) == there.end()) {
                there.push_back(term);
            }
        }
    }
    for (const CountedTerm& term : terms_of(spec)) {
        if (std::find(there.begin(), there.end(), term) != there.end()) {
            continue;
        }
        if (crowded(term, there, most)) {
            return "more than " + std::to_string(most) + " pod terms want one label";
        }
        there.push_back(term);
    }
    return "";
}

}  // namespace bayplan::oracle
