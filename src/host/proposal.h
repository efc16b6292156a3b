// A profile for a host as it is found: which CPUs for which role, and what is worth asking of the host.
//
// Thread: any; pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "host/host_facts.h"

namespace bayplan::host {

struct ProposedProfile {
    config::ProfileConfig profile;
    std::vector<std::string> remarks;  // sentences for the head of the file
};

// Takes only CPUs that this process may use; nothing if there is none, with `error` saying so. `nics`: ports that the
// data plane is to have.
std::optional<ProposedProfile> propose_profile(const HostFacts&, const std::vector<Nic>& nics, std::string& error);

// The file: remarks as comments, then the profile.
std::string proposal_text(const ProposedProfile&);

}  // namespace bayplan::host
