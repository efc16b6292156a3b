// Edges between threads that a library promises and that ThreadSanitizer cannot see, because the library is not built for
// it (Debian's oneTBB): what one thread did before `happens_before(x)` happens before what another does after
// `happens_after(x)`. Each call stands beside the line of the library that makes the edge, and only where its
// documentation promises it: an edge too many would hide a race. Nothing at all in a build without that sanitizer.
//
// Thread: any. Owner: nobody; the address is a name, what lies there is not touched. Errors: none.
// Source: sanitizer/tsan_interface.h of the compiler's runtime.
#pragma once

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace bayplan {

inline void happens_before([[maybe_unused]] const void* name) noexcept {
#ifdef __SANITIZE_THREAD__
    __tsan_release(const_cast<void*>(name));
#endif
}

inline void happens_after([[maybe_unused]] const void* name) noexcept {
#ifdef __SANITIZE_THREAD__
    __tsan_acquire(const_cast<void*>(name));
#endif
}

}  // namespace bayplan
