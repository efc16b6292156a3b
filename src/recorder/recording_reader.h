// Reads the record of a run back, entry by entry.
//
// Thread: one. Owner: the caller of open(); it owns the file and the bytes that an entry's views
// point into. Errors: a file that is not a record is refused by open(); damage later on is told by
// next(), and all entries before it are good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bayplan/messages.h"
#include "wire/recording_codec.h"

namespace bayplan::recorder {

enum class RecordingStep {
    input,     // the entry holds an input
    finished,  // the orderly end; entry.attempts is the total
    torn,      // the file ends or is damaged here (a process killed, a disk full); fault() says how
};

struct RecordingEntry {
    std::uint64_t attempts = 0;  // committed before `input` was applied
    Input input;                 // views are valid until the next call of next()
};

class RecordingReader {
public:
    // nullptr: `error` says why the file cannot be read as a record.
    static std::unique_ptr<RecordingReader> open(const std::string& path, std::string& error);

    std::string_view configuration() const { return configuration_; }

    // After `finished` or `torn` the same answer comes again.
    RecordingStep next(RecordingEntry& entry);

    // Where and why the record is torn; empty otherwise.
    const std::string& fault() const { return fault_; }
    // Whether a sound entry stands behind the fault: then the file was not cut off, but is damaged.
    bool damaged() const { return damaged_; }

private:
    struct Closer {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    RecordingReader(std::FILE* file, std::string path, std::uint64_t file_bytes);

    bool read_header(std::string& error);
    bool read_start(std::string& error);
    bool read_payload(std::string& fault);
    RecordingStep torn(const std::string& what);
    std::uint64_t next_sound_entry();

    std::unique_ptr<std::FILE, Closer> file_;
    std::string path_;
    std::uint64_t file_bytes_;
    std::uint64_t offset_ = 0;
    std::string configuration_;
    std::string fault_;
    bool damaged_ = false;
    RecordingStep step_ = RecordingStep::input;
    std::uint64_t attempts_total_ = 0;
    std::vector<std::uint64_t> words_;  // the payload at hand, 8-aligned
    std::span<const std::byte> payload_;
    wire::RecordingDecoder decoder_;
};

}  // namespace bayplan::recorder
