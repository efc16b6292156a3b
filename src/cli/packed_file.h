// A file that is written whole or not at all, packed as its name says: .gz, .zst, or not.
//
// Thread: one. Owns the file until it is ended.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace bayplan::cli {

class PackedFile {
public:
    // `fault` says why it cannot be written; then nothing else may be called.
    PackedFile(const std::string& path, std::string& fault);
    ~PackedFile();  // without end(): nothing is left of it
    PackedFile(const PackedFile&) = delete;
    PackedFile& operator=(const PackedFile&) = delete;

    bool write(std::string_view text);
    // In its place, under its name.
    bool end();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace bayplan::cli
