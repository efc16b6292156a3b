// Answers to the queries of a simulation's engine (R-PLUGIN-36): by a program of the user's, behind cli/plugin_process.h.
//
// Thread: main. Owner: the caller of a simulation, which it outlives.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bayplan/messages.h"

namespace bayplan::sim {

struct PluginQuestion {
    std::uint64_t query = 0;
    std::string pod;                 // "namespace/name"
    std::string object;              // the pod as JSON, in one line
    std::vector<std::string> nodes;  // it would get the first
    std::vector<std::int64_t> totals =
        {};  // of these by the scores here, or none where the first is not the best by them
    // Of a question who may go from the one node, so that the pod gets it: those, most easily the first. Else none.
    std::vector<std::string> victims = {};
    std::uint32_t needed = 0;  // of these: so many go for the sake of the predicates here
};

struct PluginReply {
    std::vector<PluginVerdict> verdicts;  // one for each node, in their order
    std::vector<std::string> reasons;     // likewise; empty texts say nothing
    std::string failure;                  // not empty: there are no verdicts, and why
    bool lasting = false;                 // they do not hang on the pods of the nodes
    // Of a yes about victims, one of these: so many from the first on, or which, by index.
    std::uint32_t first_victims = 0;
    std::vector<std::uint32_t> victims = {};
};

// The program is broken: nothing more can be decided.
class PluginFault : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class PluginServer {
public:
    virtual ~PluginServer() = default;
    // A reply for each question, in their order. Throws PluginFault.
    virtual std::vector<PluginReply> answer(const std::vector<PluginQuestion>&) = 0;
};

struct PluginHost {
    std::string name = {};           // by which reasons call it, and pods need it
    PluginServer* server = nullptr;  // null: there is none
    bool judges_victims = false;     // it is asked, too, who may go for a pod
};

}  // namespace bayplan::sim
