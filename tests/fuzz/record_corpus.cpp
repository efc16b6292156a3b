// Writes seeds for record_fuzz: entries of every kind by themselves, and one file of all of them.
//
// Usage: record_corpus DIRECTORY
#include <cstddef>
#include <string>

#include "record_maker.h"
#include "recorder/record_file.h"
#include "seeds.h"
#include "wire/journal_codec.h"

namespace {

using namespace bayplan;

std::string bytes_of(const auto& plain) { return {reinterpret_cast<const char*>(&plain), sizeof plain}; }

void append_entry(std::string& file, std::span<const std::byte> payload) {
    const std::uint64_t checksum = recorder::checksum_of(payload, file.size());
    file += bytes_of(recorder::EntryHeader{static_cast<std::uint32_t>(payload.size()), 0, checksum});
    file.append(reinterpret_cast<const char*>(payload.data()), payload.size());
}

}  // namespace

int main(int argc, char** argv) {
    using namespace bayplan::wire;
    JournalEncoder encoder;
    fuzz::Seeds seeds;
    std::string file = bytes_of(recorder::FileHeader{});
    const auto add = [&](const std::string& name, const JournalEntry& entry) {
        const std::span<const std::byte> payload = encoder.encode(entry);
        append_entry(file, payload);
        seeds.emplace_back(name, '\0' + std::string(reinterpret_cast<const char*>(payload.data()), payload.size()));
    };
    add("start", JournalStart{"{\"name\":\"default\"}"});
    RecordMaker maker(1, Limits{});
    for (std::size_t kind = 0; kind < RecordMaker::kInputKinds; ++kind) {
        add("input-" + std::to_string(kind), JournalInput{kind, maker.input(kind, Extent::small)});
    }
    add("finish", JournalFinish{7});
    seeds.emplace_back("file", '\1' + file);
    return fuzz::write_seeds(argc, argv, seeds);
}
