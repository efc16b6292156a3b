// Writes seeds for plugin_answers_fuzz: sound answers of each kind, and faulty ones.
//
// Usage: plugin_answers_corpus DIRECTORY
#include "seeds.h"

int main(int argc, char** argv) {
    constexpr std::string_view kSeeds[] = {
        R"(p{"query":7,"feasible":["n1"],"unschedulable":{"n2":"full"},"unresolvable":{"n3":"no"},"lasting":true})",
        R"(p{"query":7,"error":"down"})",
        R"(p{"query":7,"feasible":["n1","n1"]})",
        R"(n{"NodeNames":["n1","n3"],"FailedNodes":{"n2":"full"},"Error":""})",
        R"(n{"nodenames":["n9"],"FailedAndUnresolvableNodes":{"n2":"arch"}})",
        R"(w{"Nodes":{"items":[{"metadata":{"name":"n1"}}]},"NodeNames":null,"Error":"out of order"})",
        R"(v{"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"u1"},{"UID":"u3"}],"NumPDBViolations":1}}})",
        R"(v{"NodeNameToMetaVictims":{"n2":{"Pods":[]}},"Error":""})",
    };
    bayplan::fuzz::Seeds seeds;
    for (const std::string_view seed : kSeeds) {
        seeds.emplace_back("answer" + std::to_string(seeds.size()) + ".json", seed);
    }
    return bayplan::fuzz::write_seeds(argc, argv, seeds);
}
