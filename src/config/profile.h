// The profile: a file of its own, or inline.
//
// Thread: main.
#pragma once

#include "config/config.h"
#include "config/setting.h"

namespace bayplan::config {

void read_profile(ProfileConfig&, const YamlNode&, const std::string& path, ReadContext&);
std::string print_profile(const ProfileConfig&, int indent);

}  // namespace bayplan::config
