// Bytes that the shims of a partition may have stated, together and each: R-BYTES-1 ff. engine/byte_counts.h says how
// many bytes a statement counts as; the number follows from the statement, never from an allocator, so that a replay
// agrees.
//
// Thread: the engine's.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/check.h"

namespace bayplan {

class ByteBudget {
public:
    // `most`: of all shims together; 0: no limit.
    explicit ByteBudget(std::uint64_t most) : most_(most) {}

    // `own`: the shim's.
    void add(std::uint64_t& own, std::uint64_t bytes) {
        own += bytes;
        all_ += bytes;
    }
    void give_back(std::uint64_t& own, std::uint64_t bytes) {
        BP_CHECK_OP(bytes, <=, own);
        own -= bytes;
        all_ -= bytes;
    }
    std::uint64_t all() const { return all_; }
    // Bytes that the shim may have: half of what the others leave. So no shim can take all, and all never have more
    // than there is.
    std::uint64_t most_of(std::uint64_t own) const {
        return most_ == 0 ? UINT64_MAX : (most_ - std::min(most_, all_ - own)) / 2;
    }

private:
    std::uint64_t most_;
    std::uint64_t all_ = 0;
};

}  // namespace bayplan
