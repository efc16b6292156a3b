// Writes encoded messages of every kind as seeds for wire_decoder_fuzz.
//
// Usage: wire_corpus DIRECTORY [SEEDS_PER_KIND]
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "item_maker.h"
#include "wire/codec.h"

int main(int argc, char** argv) {
    using namespace bayplan::wire;
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s DIRECTORY [SEEDS_PER_KIND]\n", argv[0]);
        return 2;
    }
    const std::filesystem::path directory = argv[1];
    const unsigned long rounds = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 4;
    std::filesystem::create_directories(directory);
    Encoder encoder;
    for (unsigned long round = 0; round < rounds; ++round) {
        ItemMaker maker(round, Limits{});
        for (std::size_t kind = 0; kind < ItemMaker::kMessageKinds; ++kind) {
            const auto bytes = encoder.encode(maker.message(kind, round == 0 ? Extent::empty : Extent::small));
            std::ofstream file(directory / (std::to_string(kind) + "-" + std::to_string(round)), std::ios::binary);
            file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
            if (!file) {
                std::fprintf(stderr, "%s: cannot be written\n", directory.c_str());
                return 1;
            }
        }
    }
    return 0;
}
