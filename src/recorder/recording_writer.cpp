// Buffered, checksummed writing of a recording; see recording_writer.h.
#include "recorder/recording_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/recording_file.h"

namespace bayplan::recorder {
namespace {

constexpr std::size_t kBufferBytes = 128 * 1024;

template <class Header>
std::span<const std::byte> bytes_of(const Header& header) {
    return std::as_bytes(std::span(&header, 1));
}

}  // namespace

std::unique_ptr<RecordingWriter> RecordingWriter::open(const std::string& path, std::string_view configuration,
                                                       std::string& error, std::function<void()> on_thread,
                                                       const RecordingLimits& limits) {
    std::uint64_t bytes_max = 0;
    if (!keep_earlier_runs(path, limits, bytes_max, error)) {
        return nullptr;
    }
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) {
        error = fmt::format("{}: cannot be written: {}", path, std::strerror(errno));
        return nullptr;
    }
    sync_folder_of(path);
    std::unique_ptr<RecordingWriter> writer(new RecordingWriter(file, path, bytes_max, std::move(on_thread)));
    writer->append_bytes(bytes_of(FileHeader{}));
    writer->append(wire::RecordingStart{configuration}, {});
    if (!writer->flush_and_wait()) {
        error = writer->error();
        return nullptr;
    }
    return writer;
}

RecordingWriter::RecordingWriter(int file, std::string path, std::uint64_t bytes_max, std::function<void()> on_thread)
    : file_(file), path_(std::move(path)), bytes_max_(bytes_max), behind_(file, kBufferBytes, std::move(on_thread)) {
    buffer_.reserve(kBufferBytes);
}

RecordingWriter::~RecordingWriter() {
    flush_and_wait();
    close(file_);
}

void RecordingWriter::write(std::uint64_t attempts_before, const Input& input, std::span<const std::byte> frame) {
    append(wire::RecordingInput{attempts_before, input}, frame);
}

void RecordingWriter::finish(std::uint64_t attempts_total) {
    append(wire::RecordingFinish{attempts_total}, {});
    finished_ = true;
    if (flush_and_wait() && fdatasync(file_) != 0 && errno != EINVAL) {  // EINVAL: a pipe or a device
        fail(std::strerror(errno));
    }
}

bool RecordingWriter::flush() {
    behind_.hand_over(buffer_);
    notice_failure();
    return ok();
}

bool RecordingWriter::flush_and_wait() {
    flush();
    behind_.wait_until_written();
    notice_failure();
    return ok();
}

void RecordingWriter::append(const wire::RecordingItem& entry, std::span<const std::byte> frame) {
    if (!ok() || finished_) {
        return;
    }
    const std::span<const std::byte> payload = encoder_.encode(entry, frame);
    EntryHeader header;
    if (offset_ + sizeof header + payload.size() > bytes_max_) {
        flush_and_wait();
        fail("record_bytes_max is reached");
        return;
    }
    header.payload_bytes = static_cast<std::uint32_t>(payload.size());
    header.checksum = checksum_of(payload, offset_);
    append_bytes(bytes_of(header));
    append_bytes(payload);
}

void RecordingWriter::append_bytes(std::span<const std::byte> bytes) {
    offset_ += bytes.size();
    while (!bytes.empty()) {
        const auto part = bytes.first(std::min(bytes.size(), kBufferBytes - buffer_.size()));
        buffer_.insert(buffer_.end(), part.begin(), part.end());
        bytes = bytes.subspan(part.size());
        if (buffer_.size() == kBufferBytes) {
            flush();
        }
    }
}

void RecordingWriter::notice_failure() {
    if (const int failed = behind_.error(); failed != 0 && ok()) {
        fail(std::strerror(failed));
    }
}

void RecordingWriter::fail(const std::string& why) {
    error_ = fmt::format("{}: the record ends after {} bytes: {}", path_, behind_.bytes_written(), why);
}

}  // namespace bayplan::recorder
