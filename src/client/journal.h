// An append-only file of records: what a shim must still know after kill -9.
//
// A record is `u32 length, u32 checksum of the length, u32 checksum of the payload, payload` (little
// endian); the file begins with a magic line. Records are collected and written with one write() by
// flush(), which the shim calls before it acknowledges. A killed writer leaves at most a torn tail: an
// incomplete last record, or zeros, which open() cuts off. A wrong checksum, of a length too, is no torn
// tail but damage: open() refuses, because records behind it may have been acknowledged.
// Files of the former format, whose lengths have no checksum, are read and written on as they are.
// Files are the owner's alone (mode 0600).
//
// Thread: the owner's. Errors: as text; after a failed flush nothing may be acknowledged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace bayplan::client {

class Journal {
public:
    enum class Sync : std::uint8_t {
        process,  // survives the end of the process: write()
        machine,  // survives the end of the machine: write() and fdatasync()
    };

    // Opens or makes the file, calls `replay` for each record there is, and cuts off a torn tail.
    // Locked against a second process. Null with the reason in `error` on failure.
    static std::unique_ptr<Journal> open(const std::string& path, Sync,
                                         const std::function<void(std::string_view)>& replay, std::string& error);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    void append(std::string_view record);  // not empty; collected until flush()
    bool flush(std::string& error);

    std::uint64_t torn_bytes() const { return torn_bytes_; }  // cut off by open()
    std::uint64_t records() const { return records_; }        // read by open() and appended since

private:
    Journal(int file, std::string path, Sync sync) : file_(file), path_(std::move(path)), sync_(sync) {}
    bool read(const std::function<void(std::string_view)>& replay, std::string& error);
    bool read_records(std::string_view all, std::size_t& good, const std::function<void(std::string_view)>& replay);

    int file_;
    std::string path_;
    Sync sync_;
    bool former_ = false;  // the file has the former format
    std::string collected_;
    std::uint64_t torn_bytes_ = 0;
    std::uint64_t records_ = 0;
};

}  // namespace bayplan::client
