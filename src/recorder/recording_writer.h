// Writes the recording of a run: everything an engine was given, in order, so that the run can be
// repeated to the byte.
//
// Thread: the engine's, and no other. Owner: the caller that opened it; it owns the file. Entries are
// gathered in a buffer of 128 KiB, and nothing is allocated per entry once it runs; a full buffer
// goes to a thread that writes it (write_behind.h), so that the disk does not stall the engine: only
// when 64 buffers wait for the disk does the engine wait too, and waits() counts it. A process that is
// killed loses what lies in buffers, never what was written before: call flush() now and then to keep
// that short.
//
// A recording that has reached its limit of bytes ends likewise, with the last entry that fits.
//
// Errors: the first failed write ends the recording (one with a gap would replay to something else);
// later entries are dropped, and error() says why, once flush() or a full buffer has come upon it. The
// run itself goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bayplan/messages.h"
#include "recorder/earlier_runs.h"
#include "recorder/write_behind.h"
#include "wire/recording_codec.h"

namespace bayplan::recorder {

class RecordingWriter {
public:
    // Creates the file and writes the start of the run with the configuration it runs under. A
    // recording that lies at `path` already is kept (earlier_runs.h). `on_thread` is called first on the
    // thread that writes. nullptr: `error` says why.
    static std::unique_ptr<RecordingWriter> open(const std::string& path, std::string_view configuration,
                                                 std::string& error, std::function<void()> on_thread = {},
                                                 const RecordingLimits& limits = {});

    // Writes what is buffered. Without finish() before, a reader reports the recording as torn.
    ~RecordingWriter();
    RecordingWriter(const RecordingWriter&) = delete;
    RecordingWriter& operator=(const RecordingWriter&) = delete;

    // `attempts_before`: attempts committed before this input was applied. `frame`: the bytes which
    // a StateMessage was decoded from; empty for one made in process.
    void write(std::uint64_t attempts_before, const Input& input, std::span<const std::byte> frame = {});

    // The orderly end; nothing may be written after it. Waits until the disk has the file.
    void finish(std::uint64_t attempts_total);

    // Hands what is buffered to the thread that writes. False when the recording has failed.
    bool flush();

    // The same, and waits until the kernel has it.
    bool flush_and_wait();

    bool ok() const { return error_.empty(); }
    const std::string& error() const { return error_; }
    std::uint64_t waits() const { return behind_.waits(); }  // how often the disk was 64 buffers behind

private:
    RecordingWriter(int file, std::string path, std::uint64_t bytes_max, std::function<void()> on_thread);

    void append(const wire::RecordingItem& entry, std::span<const std::byte> frame);
    void append_bytes(std::span<const std::byte> bytes);
    void notice_failure();
    void fail(const std::string& why);

    int file_;
    std::string path_;
    const std::uint64_t bytes_max_;
    std::string error_;
    bool finished_ = false;
    std::uint64_t offset_ = 0;  // in the file, of the next byte appended
    WriteBehind::Buffer buffer_;
    wire::RecordingEncoder encoder_;
    WriteBehind behind_;
};

}  // namespace bayplan::recorder
