// Writes the seeds of a generator: a file each, in the directory that it is told. Thread: main.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace bayplan::fuzz {

using Seeds = std::vector<std::pair<std::string, std::string>>;  // file name, contents; empty ones could not be made

// The program's exit status.
inline int write_seeds(int argc, char** argv, const Seeds& seeds) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
        return 2;
    }
    const std::filesystem::path directory = argv[1];
    std::filesystem::create_directories(directory);
    for (const auto& [name, contents] : seeds) {
        std::ofstream file(directory / name, std::ios::binary);
        file << contents;
        if (contents.empty() || !file.flush()) {
            std::fprintf(stderr, "%s: seed %s cannot be made or written\n", directory.c_str(), name.c_str());
            return 1;
        }
    }
    return 0;
}

}  // namespace bayplan::fuzz
