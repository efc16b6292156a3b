// The extenders of a KubeSchedulerConfiguration, which the shim serves as plugins of its partition (R-PLUGIN-1): a query goes to
// each of the pod's extenders, one after the other, with the nodes that the former ones let it have. Extenders with scores
// are asked about the nodes that are left, and the pod may have the best by these scores and the partition's totals alone.
//
//   query -> filter of the first -> filter of the second -> ... -> scores of the first -> ... -> answer
//
// Thread: one, the shim's; callbacks run inside turn(). Owns its connections.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube_shim/extender_messages.h"

namespace bayplan::kube_shim {

// Of a query: one for each node, or a failure.
struct ExtenderAnswer {
    std::uint64_t query = 0;
    std::vector<FilterVerdict> verdicts;
    std::string failure;
    std::vector<std::uint32_t> victims = {};  // of a yes to a query about victims: these may go, by index
};

class Extenders {
public:
    // Null: a certificate cannot be read, and `error` says why.
    static std::unique_ptr<Extenders> open(const std::vector<scheduler_config::Extender>&, std::string& error);

    using OnAnswer = std::function<void(const ExtenderAnswer&)>;
    using NodeText = std::function<std::string(const std::string& name)>;
    // `plugins`: that the pod needs, as plugins_of() has them. `node`: the object, for extenders that want whole ones.
    // `totals`: of the nodes, or none: then nobody is asked for scores, and the first node that passes is as good as any.
    void filter(std::uint64_t query, const std::vector<std::string>& plugins, std::string pod,
                std::vector<std::string> nodes, std::vector<std::int64_t> totals, const NodeText& node, OnAnswer);
    // May the pods go that would, from a node; or others?
    void preempt(std::uint64_t query, const std::vector<std::string>& plugins, std::string pod, ExtenderVictims victims,
                 OnAnswer);
    // False: no extender binds pods with these requests. The answer is as an API server's.
    bool bind(const std::vector<std::string_view>& resources, const PodName&, std::string_view node,
              HttpClient::OnAnswer);

    // False: nothing moved.
    bool turn();
    std::size_t running() const;

private:
    struct One {
        scheduler_config::Extender extender;
        std::unique_ptr<HttpClient> http;
    };
    struct Filtering {
        ExtenderAnswer answer;
        std::string pod;
        std::vector<std::string> nodes;    // of the query
        std::vector<std::int64_t> totals;  // of these, with extenders' scores from the answers on; or none
        std::vector<One*> chain;
        std::vector<One*> scorers;
        std::size_t next = 0;        // of the chain
        std::size_t next_score = 0;  // of the scorers
        NodeText node;
        OnAnswer on_answer;
    };
    using Shared = std::shared_ptr<Filtering>;

    struct Preemption {
        std::uint64_t query = 0;
        std::string pod;
        ExtenderVictims victims;
        std::vector<One*> chain;
        std::size_t next = 0;
        OnAnswer on_answer;
    };

    std::vector<One*> chain_of(const std::vector<std::string>& plugins, std::string scheduler_config::Extender::*verb);
    void ask_next(const Shared&);
    void score_next(const Shared&);
    static void choose(Filtering&);
    static std::vector<std::size_t> left_of(const Filtering&);
    static std::vector<std::string> names_of(const Filtering&, const std::vector<std::size_t>& places);
    void ask_next(const std::shared_ptr<Preemption>&);
    void take(const Shared&, const One&, const std::vector<std::size_t>& asked, const HttpAnswer&);

    std::vector<One> extenders_;
};

// True: it is asked about pods with these requests.
bool is_managed(const scheduler_config::Extender&, const std::vector<std::string_view>& resources);
// Its name as a plugin, by its address; and the names of all that filter, or have a word in preemption.
std::string plugin_of(const scheduler_config::Extender&);
bool is_plugin(const scheduler_config::Extender&);
std::vector<std::string> plugins_of(const std::vector<scheduler_config::Extender>&);

}  // namespace bayplan::kube_shim
