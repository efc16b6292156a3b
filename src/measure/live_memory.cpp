// See live_memory.h. jemalloc tells the number in builds that have it, the C library in sanitized builds.
#include "measure/live_memory.h"

#include <malloc.h>
#include <unistd.h>

#include <cstdio>

#ifdef BAYPLAN_JEMALLOC
#include <jemalloc/jemalloc.h>
#endif

namespace bayplan::measure {

std::int64_t live_bytes() {
#ifdef BAYPLAN_JEMALLOC
    std::uint64_t epoch = 1;
    std::size_t size = sizeof epoch;
    mallctl("epoch", &epoch, &size, &epoch, size);
    std::size_t allocated = 0;
    size = sizeof allocated;
    if (mallctl("stats.allocated", &allocated, &size, nullptr, 0) == 0) return static_cast<std::int64_t>(allocated);
#endif
    return static_cast<std::int64_t>(mallinfo2().uordblks);
}

std::int64_t resident_bytes() {
    std::FILE* const file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr) return 0;
    long long total = 0;
    long long resident = 0;
    const int fields = std::fscanf(file, "%lld %lld", &total, &resident);
    std::fclose(file);
    return fields == 2 ? resident * sysconf(_SC_PAGESIZE) : 0;
}

}  // namespace bayplan::measure
