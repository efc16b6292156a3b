// The flags of `bayplan simulate` about DaemonSet pods.
//
// Thread: main.
#pragma once

#include <optional>

#include <CLI/CLI.hpp>

#include "options/engine_options.h"

namespace bayplan::cli {

struct DaemonsetArguments {
    DaemonsetOptions options;
    std::optional<bool> enabled;  // not given: as the rules that were chosen have it

    DaemonsetOptions with(Compat compat) const {
        DaemonsetOptions made = options;
        made.enabled = enabled.value_or(PreemptionOptions::of(compat).daemonset.enabled);
        return made;
    }
};

// A bad value is an error that names the flag. The arguments must outlive the parsing.
void add_daemonset_options(CLI::App&, DaemonsetArguments&);

}  // namespace bayplan::cli
