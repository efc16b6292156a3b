// Writes seeds for record_fuzz: entries of every kind by themselves, and one file of all of them.
//
// Usage: record_corpus DIRECTORY
#include <cstddef>
#include <string>

#include "item_maker.h"
#include "recorder/recording_file.h"
#include "seeds.h"
#include "wire/recording_codec.h"

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
    RecordingEncoder encoder;
    fuzz::Seeds seeds;
    std::string file = bytes_of(recorder::FileHeader{});
    const auto add = [&](const std::string& name, const RecordingItem& entry) {
        const std::span<const std::byte> payload = encoder.encode(entry);
        append_entry(file, payload);
        seeds.emplace_back(name, '\0' + std::string(reinterpret_cast<const char*>(payload.data()), payload.size()));
    };
    add("start", RecordingStart{"{\"name\":\"default\"}"});
    ItemMaker maker(1, Limits{});
    for (std::size_t kind = 0; kind < ItemMaker::kInputKinds; ++kind) {
        add("input-" + std::to_string(kind), RecordingInput{kind, maker.input(kind, Extent::small)});
    }
    add("finish", RecordingFinish{7});
    seeds.emplace_back("file", '\1' + file);
    return fuzz::write_seeds(argc, argv, seeds);
}
