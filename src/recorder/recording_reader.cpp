// Checks and decodes the entries of a record. See record_reader.h.
#include "recorder/recording_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/stat.h>

#include "recorder/recording_file.h"

namespace bayplan::recorder {
namespace {

// Many times the largest entry.
constexpr std::uint64_t kLookedAtBehindAFault = 16u << 20;

template <class Header>
bool read_whole(std::FILE* file, Header& header) {
    return std::fread(&header, sizeof header, 1, file) == 1;
}

}  // namespace

std::unique_ptr<RecordingReader> RecordingReader::open(const std::string& path, std::string& error) {
    std::FILE* file = std::fopen(path.c_str(), "rbe");
    struct stat status {};
    if (file == nullptr || fstat(fileno(file), &status) != 0) {
        error = fmt::format("{}: cannot be read: {}", path, std::strerror(errno));
        if (file != nullptr) {
            std::fclose(file);
        }
        return nullptr;
    }
    std::unique_ptr<RecordingReader> reader(
        new RecordingReader(file, path, static_cast<std::uint64_t>(status.st_size)));
    if (!reader->read_header(error) || !reader->read_start(error)) {
        return nullptr;
    }
    return reader;
}

RecordingReader::RecordingReader(std::FILE* file, std::string path, std::uint64_t file_bytes)
    : file_(file), path_(std::move(path)), file_bytes_(file_bytes) {}

bool RecordingReader::read_header(std::string& error) {
    FileHeader header;
    if (!read_whole(file_.get(), header) || header.magic != FileHeader{}.magic) {
        error = fmt::format("{}: is not a record of a run", path_);
        return false;
    }
    if (header.version != kFormatVersion) {
        error = fmt::format("{}: has format version {}, this program reads version {}", path_, header.version,
                            kFormatVersion);
        return false;
    }
    offset_ = sizeof header;
    return true;
}

bool RecordingReader::read_start(std::string& error) {
    std::string fault;
    if (!read_payload(fault) || !decoder_.decode(payload_, fault)) {
        error = fmt::format("{}: the start of the run cannot be read: {}", path_, fault);
        return false;
    }
    const auto* start = std::get_if<wire::RecordingStart>(&decoder_.entry());
    if (start == nullptr) {
        error = fmt::format("{}: does not begin with the start of a run", path_);
        return false;
    }
    configuration_ = start->configuration;
    return true;
}

bool RecordingReader::read_payload(std::string& fault) {
    EntryHeader header;
    const std::uint64_t rest = file_bytes_ - std::min(offset_, file_bytes_);
    if (rest == 0) {
        fault = "the record ends without the end of the run";
        return false;
    }
    if (rest < sizeof header || !read_whole(file_.get(), header) || header.payload_bytes > rest - sizeof header) {
        fault = "the last entry is cut off";
        return false;
    }
    words_.resize((header.payload_bytes + 7) / 8);
    std::byte* const data = reinterpret_cast<std::byte*>(words_.data());
    payload_ = {data, header.payload_bytes};
    if (std::fread(data, 1, payload_.size(), file_.get()) != payload_.size()) {
        fault = "the last entry is cut off";
        return false;
    }
    if (header.zero != 0 || header.checksum != checksum_of(payload_, offset_)) {
        fault = "the checksum of the entry is wrong";
        return false;
    }
    offset_ += sizeof header + payload_.size();
    return true;
}

RecordingStep RecordingReader::torn(const std::string& what) {
    fault_ = fmt::format("{}: at byte {}: {}; {} bytes from there on are not used", path_, offset_, what,
                         file_bytes_ - std::min(offset_, file_bytes_));
    if (const std::uint64_t sound = next_sound_entry(); sound != 0) {
        damaged_ = true;
        fault_ += fmt::format(", though a sound entry begins at byte {}: the file is damaged, not cut off", sound);
    }
    return step_ = RecordingStep::torn;
}

// Behind the fault; 0: there is none. Entries lie 8-aligned, and their checksums know their places, so that only a true one
// is taken for one.
std::uint64_t RecordingReader::next_sound_entry() {
    const std::uint64_t faulty = offset_;
    const std::uint64_t end = std::min(file_bytes_, faulty + kLookedAtBehindAFault);
    std::string ignored;
    for (offset_ = faulty + 8; offset_ + sizeof(EntryHeader) <= end; offset_ += 8) {
        const std::uint64_t at = offset_;
        if (std::fseek(file_.get(), static_cast<long>(at), SEEK_SET) != 0) break;
        if (read_payload(ignored)) {
            offset_ = faulty;
            return at;
        }
    }
    offset_ = faulty;
    return 0;
}

RecordingStep RecordingReader::next(RecordingEntry& entry) {
    entry = {};
    if (step_ != RecordingStep::input) {
        entry.attempts = attempts_total_;
        return step_;
    }
    const std::uint64_t began = offset_;
    std::string fault;
    if (!read_payload(fault)) {
        return torn(fault);
    }
    if (!decoder_.decode(payload_, fault)) {
        offset_ = began;
        return torn(fault);
    }
    if (const auto* input = std::get_if<wire::RecordingInput>(&decoder_.entry())) {
        entry.attempts = input->attempts_before;
        entry.input = input->input;
        return RecordingStep::input;
    }
    if (const auto* finish = std::get_if<wire::RecordingFinish>(&decoder_.entry())) {
        entry.attempts = attempts_total_ = finish->attempts_total;
        return step_ = RecordingStep::finished;
    }
    offset_ = began;
    return torn("a second start of a run");
}

}  // namespace bayplan::recorder
