// Tells ThreadSanitizer where a buffer goes from one thread to another. The hand-over itself
// happens in DPDK's compiled drivers and pools, with the barriers it needs, but the sanitizer does
// not see into those libraries and would take each for a race. Nothing is generated in other
// builds.
//
// Thread: hand_over() by the thread that gives a buffer away, take_over() by the thread that gets
// the buffer.
#pragma once

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

#include <span>

struct rte_mbuf;

namespace bayplan::dataplane {

inline void hand_over([[maybe_unused]] rte_mbuf* buffer) {
#if defined(__SANITIZE_THREAD__)
    __tsan_release(buffer);
#endif
}

inline void take_over([[maybe_unused]] rte_mbuf* buffer) {
#if defined(__SANITIZE_THREAD__)
    __tsan_acquire(buffer);
#endif
}

inline void hand_over(std::span<rte_mbuf*> buffers) {
    for (rte_mbuf* buffer : buffers) hand_over(buffer);
}

inline void take_over(std::span<rte_mbuf*> buffers) {
    for (rte_mbuf* buffer : buffers) take_over(buffer);
}

}  // namespace bayplan::dataplane
