// A configuration on disk for a test: a folder of its own with certificate files that exist.
//
// Thread: the test's.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/load.h"

namespace bayplan::config {

class ConfigFolder {
public:
    ConfigFolder();
    ~ConfigFolder();
    ConfigFolder(const ConfigFolder&) = delete;
    ConfigFolder& operator=(const ConfigFolder&) = delete;

    std::string write(std::string_view name, std::string_view text) const;  // the file's path
    const std::filesystem::path& path() const { return folder_; }

private:
    std::filesystem::path folder_;
};

// CPUs 0-3 online, 0-1 allowed, on any machine.
threads::HostCpus four_cpus_two_allowed();
threads::HostCpus many_cpus(std::size_t count);  // all allowed

// Faults of a text as lines, with the folder left out of all paths.
std::vector<std::string> faults_of(std::string_view yaml, std::string_view profile = {});

// A configuration without fault, to which a test appends.
extern const std::string_view kSoundConfig;

}  // namespace bayplan::config
