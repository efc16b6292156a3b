// The record of a run against any bytes: as the payload of an entry (first byte even), whose checksum somebody may well
// have made right, and as a whole file (odd). Accepted bytes survive being encoded and decoded again.
//
// Built by clang with -fsanitize=fuzzer,address; seeds come from record_corpus.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "aligned_bytes.h"
#include "describe.h"
#include "recorder/recording_reader.h"
#include "wire/recording_codec.h"

namespace {

using namespace bayplan;
using namespace bayplan::wire;

[[noreturn]] void found(const char* what, const std::string& detail) {
    std::fprintf(stderr, "%s: %s\n", what, detail.c_str());
    std::abort();
}

std::string described(const RecordingItem& entry) {
    if (const auto* start = std::get_if<RecordingStart>(&entry)) {
        return "start " + std::string(start->configuration);
    }
    if (const auto* finish = std::get_if<RecordingFinish>(&entry)) {
        return "finish " + std::to_string(finish->attempts_total);
    }
    const auto& input = std::get<RecordingInput>(entry);
    return "input " + std::to_string(input.attempts_before) + " " + describe(input.input);
}

void decode_payload(std::span<const std::uint8_t> bytes) {
    static RecordingDecoder decoder;
    static RecordingDecoder again;
    static RecordingEncoder encoder;
    AlignedBytes input(std::as_bytes(bytes));
    std::string error;
    if (!decoder.decode(input.bytes(), error)) {
        if (error.empty()) {
            found("refused without a reason", "");
        }
        return;
    }
    const std::string first = described(decoder.entry());
    AlignedBytes encoded(encoder.encode(decoder.entry()));
    if (!again.decode(encoded.bytes(), error)) {
        found("accepted once and refused when encoded anew", error);
    }
    if (const std::string second = described(again.entry()); first != second) {
        found("changed by a round trip", first + "\n-----\n" + second);
    }
}

void read_file(std::span<const std::uint8_t> bytes) {
    static const int file = ::memfd_create("record", 0);
    static const std::string path = "/proc/self/fd/" + std::to_string(file);
    if (::ftruncate(file, 0) != 0 ||
        ::pwrite(file, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        found("no file", path);
    }
    std::string error;
    const auto reader = recorder::RecordingReader::open(path, error);
    if (reader == nullptr) {
        if (error.empty()) {
            found("refused without a reason", "");
        }
        return;
    }
    recorder::RecordingEntry entry;
    recorder::RecordingStep step;
    while ((step = reader->next(entry)) == recorder::RecordingStep::input) {
        describe(entry.input);
    }
    if (step == recorder::RecordingStep::torn && reader->fault().empty()) {
        found("torn without a reason", "");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::span<const std::uint8_t> rest(data + 1, size - 1);
    data[0] % 2 == 0 ? decode_payload(rest) : read_file(rest);
    return 0;
}
