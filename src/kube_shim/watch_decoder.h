// The body of a watch to events: lines of JSON, which arrive in pieces of any size.
//
// Thread: one. Owns the bytes of the line that has not ended yet. Errors: what is no event is a fault, and the decoder says so
// from then on: the stream is to be begun anew, since nobody knows what was in it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/document_reader.h"

namespace bayplan::kube_shim {

enum class WatchEvent : std::uint8_t { added, modified, deleted, bookmark, error };

class WatchDecoder {
public:
    // The object's views live during the call.
    using OnEvent = std::function<void(WatchEvent, const kube::ReadObject&)>;
    // Of one line: some objects are large, none is larger than what etcd takes (1.5 MiB) and its JSON.
    static constexpr std::size_t kLineBytesMax = 32u << 20;

    // False: the stream makes no sense, and `fault` says why.
    bool feed(std::string_view bytes, const OnEvent&);

    const std::string& fault() const { return fault_; }
    std::size_t kept_bytes() const { return line_.size(); }

private:
    bool take_line(const OnEvent&);

    std::string line_;
    std::string fault_;
};

}  // namespace bayplan::kube_shim
