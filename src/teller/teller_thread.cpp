// The loop of the teller's thread: tells what lies in the ring, and sleeps when there is nothing.
//
// Thread: the teller's.
#include "teller/announcer.h"

namespace bayplan {

namespace {

constexpr std::size_t kRecordsAtOnce = 256;
// Looks at an empty ring before the first sleep: a turn of the engine that comes right after the last one then costs it
// no wake-up. Few, because the engine may be waiting for this CPU.
constexpr int kEmptyLooksBeforeSleep = 32;
constexpr std::int64_t kSecond = 1'000'000'000;
// While a connection has no room. Its lcore wakes the engine, and that the teller, when there is; this is for the case
// that both cross.
constexpr std::int64_t kOfferAgainAfter = 10'000'000;

}  // namespace

void Announcer::run(const std::function<void()>& start) {
    if (start) {
        start();
    }
    int empty_looks = 0;
    bool taken = false;
    while (true) {
        const std::uint32_t epoch = waker_.epoch();
        const bool stop = stop_.load(std::memory_order_acquire);  // before the look: nothing is announced after it
        taken = taken || take_teller();
        if (!taken) {  // the engine's thread tells just now, and wakes this one again if there is more
            waker_.wait(epoch, kSecond);
        } else if (ring_.read(kRecordsAtOnce, [this](const Record& record) { teller_.tell(record); }) > 0) {
            empty_looks = 0;
        } else if (stop) {
            break;
        } else if (++empty_looks < kEmptyLooksBeforeSleep) {
            __builtin_ia32_pause();
        } else if (teller_.waits_for_room()) {
            waker_.wait(epoch, kOfferAgainAfter);
            teller_.flush();
        } else {
            leave_teller();
            taken = false;
            waker_.wait(epoch, kSecond);
        }
    }
}

}  // namespace bayplan
