// Writes seeds for record_fuzz: entries of every kind by themselves, and one file of all of them.
//
// Usage: record_corpus DIRECTORY
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "record_maker.h"
#include "recorder/record_file.h"
#include "wire/journal_codec.h"

namespace {

using namespace bayplan;

std::string bytes_of(const auto& plain) { return {reinterpret_cast<const char*>(&plain), sizeof plain}; }

bool write(const std::filesystem::path& path, char mode, const std::string& bytes) {
    std::ofstream file(path, std::ios::binary);
    file << mode << bytes;
    return static_cast<bool>(file.flush());
}

void append_entry(std::string& file, std::span<const std::byte> payload) {
    const std::uint64_t checksum = recorder::checksum_of(payload, file.size());
    file += bytes_of(recorder::EntryHeader{static_cast<std::uint32_t>(payload.size()), 0, checksum});
    file.append(reinterpret_cast<const char*>(payload.data()), payload.size());
}

}  // namespace

int main(int argc, char** argv) {
    using namespace bayplan::wire;
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
        return 2;
    }
    const std::filesystem::path directory = argv[1];
    std::filesystem::create_directories(directory);
    JournalEncoder encoder;
    std::string file = bytes_of(recorder::FileHeader{});
    bool written = true;
    const auto add = [&](const std::string& name, const JournalEntry& entry) {
        const std::span<const std::byte> payload = encoder.encode(entry);
        append_entry(file, payload);
        written &= write(directory / name, 0, {reinterpret_cast<const char*>(payload.data()), payload.size()});
    };
    add("start", JournalStart{"{\"name\":\"default\"}"});
    RecordMaker maker(1, Limits{});
    for (std::size_t kind = 0; kind < RecordMaker::kInputKinds; ++kind) {
        add("input-" + std::to_string(kind), JournalInput{kind, maker.input(kind, Extent::small)});
    }
    add("finish", JournalFinish{7});
    if (!written || !write(directory / "file", 1, file)) {
        std::fprintf(stderr, "%s: cannot be written\n", directory.c_str());
        return 1;
    }
    return 0;
}
