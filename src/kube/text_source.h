// A file, or standard input, as a stream of text; what gzip or zstd has packed is unpacked on the way.
//
// Thread: one. Owns the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace bayplan::kube {

class TextSource {
public:
    virtual ~TextSource() = default;

    // Up to so many bytes; 0: there are no more, or a fault, which `why` says.
    virtual std::size_t read(char* to, std::size_t size, std::string& why) = 0;
    // Bytes of the file itself that have been read.
    virtual std::uint64_t position() const = 0;
};

// "-" is standard input. Null: it cannot be read, and `why` says why.
std::unique_ptr<TextSource> open_source(const std::string& path, std::string& why);

}  // namespace bayplan::kube
