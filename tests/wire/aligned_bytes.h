// Bytes in a heap block of exactly their size, so that the address sanitizer sees a read past the
// end.
//
// Thread: the test's.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

namespace bayplan::wire {

class AlignedBytes {
public:
    explicit AlignedBytes(std::span<const std::byte> bytes)
        : data_(static_cast<std::byte*>(::operator new(bytes.size()))), size_(bytes.size()) {
        if (!bytes.empty()) {
            std::memcpy(data_.get(), bytes.data(), bytes.size());
        }
    }

    std::span<std::byte> bytes() { return {data_.get(), size_}; }

private:
    struct Free {
        void operator()(std::byte* data) const { ::operator delete(data); }
    };

    std::unique_ptr<std::byte, Free> data_;  // operator new aligns to 16
    std::size_t size_;
};

}  // namespace bayplan::wire
