// Temporary folders with configuration files.
#include "config_file.h"

#include <cstdlib>
#include <fstream>

namespace bayplan::config {

const std::string_view kSoundConfig =
    "partitions:\n"
    "  - name: default\n"
    "    shims: \"*\"\n"
    "data_plane:\n"
    "  tls: {certificate: c.pem, key: k.pem, authority: ca.pem}\n";

ConfigFolder::ConfigFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "bayplan-config-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    for (const char* name : {"c.pem", "k.pem", "ca.pem"}) write(name, "");
}

ConfigFolder::~ConfigFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::string ConfigFolder::write(std::string_view name, std::string_view text) const {
    const std::string file = (folder_ / name).string();
    std::ofstream(file, std::ios::binary) << text;
    return file;
}

threads::HostCpus four_cpus_two_allowed() {
    std::string error;
    return {*threads::CpuSet::parse("0-3", error), *threads::CpuSet::parse("0-1", error)};
}

threads::HostCpus many_cpus(std::size_t count) {
    threads::HostCpus host;
    for (std::size_t cpu = 0; cpu < count; ++cpu) host.online.add(cpu);
    host.allowed = host.online;
    return host;
}

std::vector<std::string> faults_of(std::string_view yaml, std::string_view profile) {
    const ConfigFolder folder;
    if (!profile.empty()) folder.write("p.yaml", profile);
    Config config;
    Faults faults;
    const bool sound = load_config(folder.write("b.yaml", yaml), four_cpus_two_allowed(), config, faults);
    std::vector<std::string> lines;
    for (const Fault& fault : faults) {
        std::string line = fault.to_string();
        const std::string prefix = folder.path().string() + "/";
        for (std::size_t at = line.find(prefix); at != std::string::npos; at = line.find(prefix)) {
            line.erase(at, prefix.size());
        }
        lines.push_back(line);
    }
    if (sound != lines.empty()) lines.push_back("load_config said otherwise");
    return lines;
}

}  // namespace bayplan::config
