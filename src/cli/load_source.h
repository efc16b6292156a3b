// States the books of a load: at the first connect the empty cluster (or what the journal knows),
// at any later resync all that is the case by then.
//
// Thread: the load's. Reads the book, owns its place in it.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "bayplan/client.h"
#include "cli/load_claims.h"
#include "cli/load_options.h"
#include "cli/pod_book.h"

namespace bayplan::cli {

class LoadSource final : public StateSource {
public:
    LoadSource(const LoadOptions&, PodBook&, const std::set<NodeIndex>& lost_nodes);

    void begin() override;
    bool state(StateWriter&) override;

    // The pod as the books have it: an ask, or with its node.
    PodStatement statement(PodIndex, const std::string& key) const;
    LoadClaims& claims() { return claims_; }

private:
    void make_specs();
    SpecNumber make_spec(const std::vector<std::string>& types, bool needs_plugin);
    Text text_of(const std::string&);
    SpecNumber spec_of(PodIndex) const;
    void state_specs(StateWriter&);
    void state_nodes(StateWriter&);
    void state_applications(StateWriter&);
    void state_pods(StateWriter&);

    const LoadOptions& options_;
    PodBook& book_;
    const std::set<NodeIndex>& lost_nodes_;
    std::vector<std::vector<NamedAmount>> node_amounts_;  // per node shape
    std::vector<std::vector<NamedAmount>> pod_amounts_;   // per pod shape
    std::vector<std::vector<NamedAttribute>> node_attributes_;
    std::vector<std::vector<std::string_view>> node_devices_;
    // Pods that want nodes of certain types share a spec per list of types; pods that need the plugin have specs of their own.
    std::vector<SpecItem> specs_;
    std::vector<std::string> spec_texts_;   // of which 1 is the first
    std::vector<SpecNumber> pod_specs_;     // per pod shape; 0: none
    std::vector<SpecNumber> plugin_specs_;  // the same, of pods that need the plugin
    std::vector<std::string> applications_;
    LoadClaims claims_;

    NodeIndex next_node_ = 0;
    PodIndex next_pod_ = 0;
    bool applications_stated_ = false;
    bool specs_stated_ = false;
};

}  // namespace bayplan::cli
