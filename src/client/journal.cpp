// See journal.h.
#include "client/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace bayplan::client {

namespace {

constexpr std::string_view kMagic = "bayplan journal 2\n";
constexpr std::string_view kFormerMagic = "bayplan journal 1\n";  // its headers have no checksum of their own
constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kFormerHeaderBytes = 8;

constexpr std::array<std::uint32_t, 256> crc_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit) {
            value = (value >> 1) ^ ((value & 1) != 0 ? 0x82F63B78u : 0u);  // Castagnoli, reflected
        }
        table[i] = value;
    }
    return table;
}

std::uint32_t crc32c(std::string_view bytes) {
    static constexpr auto kTable = crc_table();
    std::uint32_t crc = ~0u;
    for (const char byte : bytes) {
        crc = kTable[(crc ^ static_cast<std::uint8_t>(byte)) & 0xFF] ^ (crc >> 8);
    }
    return ~crc;
}

void put_u32(std::string& out, std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) {
        out.push_back(static_cast<char>((value >> shift) & 0xFF));
    }
}

std::uint32_t get_u32(const char* bytes) {
    std::uint32_t value = 0;
    for (int i = 3; i >= 0; --i) {
        value = (value << 8) | static_cast<std::uint8_t>(bytes[i]);
    }
    return value;
}

std::string system_error(const std::string& path, const char* what) {
    return fmt::format("{}: {}: {}", path, what, std::strerror(errno));
}

// A file system may leave zeros of a write that was under way when the power went.
bool is_zeros(std::string_view bytes) { return bytes.find_first_not_of('\0') == std::string_view::npos; }

// A new file is there after a power cut once its directory is written.
bool sync_directory_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    const int file = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool done = file >= 0 && fsync(file) == 0;
    if (file >= 0) {
        close(file);
    }
    return done;
}

bool read_file(int file, std::string& content) {
    struct stat status {};
    if (fstat(file, &status) != 0) {
        return false;
    }
    content.resize(static_cast<std::size_t>(status.st_size));
    for (std::size_t done = 0; done < content.size();) {
        const ssize_t got = pread(file, content.data() + done, content.size() - done, static_cast<off_t>(done));
        if (got <= 0) {
            return false;
        }
        done += static_cast<std::size_t>(got);
    }
    return true;
}

}  // namespace

std::unique_ptr<Journal> Journal::open(const std::string& path, Sync sync,
                                       const std::function<void(std::string_view)>& replay, std::string& error) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) {
        error = system_error(path, "open");
        return nullptr;
    }
    std::unique_ptr<Journal> journal(new Journal(file, path, sync));
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
        error = path + ": in use by another process";
        return nullptr;
    }
    return journal->read(replay, error) ? std::move(journal) : nullptr;
}

Journal::~Journal() { close(file_); }

bool Journal::read(const std::function<void(std::string_view)>& replay, std::string& error) {
    std::string content;
    if (!read_file(file_, content)) {
        error = system_error(path_, "read");
        return false;
    }
    const std::string_view all = content;
    std::size_t good = 0;
    if (all.size() >= kMagic.size()) {
        former_ = all.starts_with(kFormerMagic);
        if (!former_ && !all.starts_with(kMagic)) {
            error = path_ + ": is not a journal (give another file)";
            return false;
        }
        good = kMagic.size();
        if (!read_records(all, good, replay)) {
            error = fmt::format("{}: byte {}: record is damaged", path_, good);
            return false;
        }
    } else if (kMagic.substr(0, all.size()) != all) {
        error = path_ + ": is not a journal (give another file)";
        return false;
    }
    torn_bytes_ = all.size() - good;
    if (torn_bytes_ != 0 && ftruncate(file_, static_cast<off_t>(good)) != 0) {
        error = system_error(path_, "truncate");
        return false;
    }
    if (good == 0) {
        collected_ = kMagic;
    }
    if (all.empty() && sync_ == Sync::machine && !sync_directory_of(path_)) {
        error = system_error(path_, "sync its directory");
        return false;
    }
    return true;
}

// From `good`, which is moved to the end of the last whole record. False: the record there is damaged.
bool Journal::read_records(std::string_view all, std::size_t& good,
                           const std::function<void(std::string_view)>& replay) {
    const std::size_t header_bytes = former_ ? kFormerHeaderBytes : kHeaderBytes;
    while (all.size() - good >= header_bytes && !is_zeros(all.substr(good))) {
        const char* const header = all.data() + good;
        if (!former_ && crc32c({header, 4}) != get_u32(header + 4)) {
            return false;
        }
        const std::uint32_t length = get_u32(header);
        if (length > all.size() - good - header_bytes) {
            break;
        }
        const std::string_view record = all.substr(good + header_bytes, length);
        if (crc32c(record) != get_u32(header + header_bytes - 4)) {
            return false;
        }
        replay(record);
        ++records_;
        good += header_bytes + length;
    }
    return true;
}

void Journal::append(std::string_view record) {
    put_u32(collected_, static_cast<std::uint32_t>(record.size()));
    if (!former_) {
        put_u32(collected_, crc32c(std::string_view(collected_).substr(collected_.size() - 4)));
    }
    put_u32(collected_, crc32c(record));
    collected_ += record;
    ++records_;
}

bool Journal::flush(std::string& error) {
    std::size_t done = 0;
    while (done < collected_.size()) {
        const ssize_t written = write(file_, collected_.data() + done, collected_.size() - done);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            error = system_error(path_, "write");
            return false;
        }
        done += static_cast<std::size_t>(written);
    }
    if (done != 0 && sync_ == Sync::machine && fdatasync(file_) != 0) {
        error = system_error(path_, "fdatasync");
        return false;
    }
    collected_.clear();
    return true;
}

}  // namespace bayplan::client
