// Writes the record of a run: everything an engine was given, in order, so that the run can be
// repeated to the byte.
//
// Thread: the engine's, and no other. Owner: whoever opened it; it owns the file. Entries are
// gathered in a buffer of 128 KiB, and nothing is allocated per entry once it runs; a full buffer
// goes to the kernel in one write, which is short enough not to be felt as a pause of the engine. A
// process that is killed loses what lies in the buffer, never what was written before: call flush()
// now and then to keep that short.
//
// Errors: the first failed write ends the record (a record with a gap would replay to something
// else); later entries are dropped, and error() says why. The run itself goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bayplan/messages.h"
#include "wire/recording_codec.h"

namespace bayplan::recorder {

class RecordingWriter {
public:
    // Creates the file and writes the start of the run with the configuration it runs under. A
    // record that lies at `path` already is kept as `path`.previous. nullptr: `error` says why.
    static std::unique_ptr<RecordingWriter> open(const std::string& path, std::string_view configuration,
                                                 std::string& error);

    // Writes what is buffered. Without finish() before, a reader reports the record as torn.
    ~RecordingWriter();
    RecordingWriter(const RecordingWriter&) = delete;
    RecordingWriter& operator=(const RecordingWriter&) = delete;

    // `attempts_before`: attempts committed before this input was applied. `frame`: the bytes which
    // a StateMessage was decoded from; empty for one made in process.
    void write(std::uint64_t attempts_before, const Input& input, std::span<const std::byte> frame = {});

    // The orderly end; nothing may be written after it. Waits until the disk has the file.
    void finish(std::uint64_t attempts_total);

    // Hands what is buffered to the kernel. False when the record has failed.
    bool flush();

    bool ok() const { return error_.empty(); }
    const std::string& error() const { return error_; }

private:
    RecordingWriter(int file, std::string path);

    void append(const wire::RecordingItem& entry, std::span<const std::byte> frame);
    void append_bytes(std::span<const std::byte> bytes);
    void write_through(std::span<const std::byte> bytes);
    void fail(int error_number);

    int file_;
    std::string path_;
    std::string error_;
    bool finished_ = false;
    std::uint64_t offset_ = 0;  // in the file, of the next byte appended
    std::vector<std::byte> buffer_;
    wire::RecordingEncoder encoder_;
};

}  // namespace bayplan::recorder
