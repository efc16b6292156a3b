// Inputs and results of an attempt; owns the objects that its state points to, if they are not as stated.
//
// Thread and errors: see oracle.h.
#pragma once

#include <optional>
#include <string>

#include "oracle.h"

namespace bayplan::oracle {

struct Oracle::Look {
    Look(const Oracle&, const Ask&);
    Look(const Look&) = delete;
    Look& operator=(const Look&) = delete;

    std::optional<KubeObjects> assumed;
    KubeState state;
    KubeAnswer answer;
    std::string avoided;              // the node that refused it lately, if there is another
    bool refused_by_plugins = false;  // nodes that the predicates would let it have
};

}  // namespace bayplan::oracle
