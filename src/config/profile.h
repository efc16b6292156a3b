// The profile: a file of its own, or inline.
//
// Thread: main.
#pragma once

#include "config/config.h"
#include "config/setting.h"

namespace bayplan::config {

void read_profile(ProfileConfig&, const YamlNode&, const std::string& path, ReadContext&);
std::string print_profile(const ProfileConfig&, int indent);

// A profile's file on its own, for the tools of the host. CPUs need not exist here: that is for check to say.
bool load_profile(const std::string& file, ProfileConfig&, Faults&);
// All of it as a file that load_profile reads to an equal profile.
std::string profile_text(const ProfileConfig&);

}  // namespace bayplan::config
