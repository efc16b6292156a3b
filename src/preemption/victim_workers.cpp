// Handing out pieces of a search to pinned threads; see victim_workers.h.
#include "preemption/victim_workers.h"

#include <sched.h>

#include <bit>

namespace bayplan {

void SeenCpus::note_this_thread() noexcept {
    const int cpu = sched_getcpu();
    if (cpu < 0 || static_cast<std::size_t>(cpu) >= kWords * 64) {
        return;
    }
    std::atomic<std::uint64_t>& word = seen_[static_cast<std::size_t>(cpu) / 64];
    const std::uint64_t bit = std::uint64_t{1} << (cpu % 64);
    if ((word.load(std::memory_order_relaxed) & bit) == 0) {
        word.fetch_or(bit, std::memory_order_relaxed);
    }
}

std::vector<std::uint32_t> SeenCpus::cpus() const {
    std::vector<std::uint32_t> cpus;
    for (std::uint32_t word = 0; word < kWords; ++word) {
        for (std::uint64_t left = seen_[word].load(std::memory_order_relaxed); left != 0; left &= left - 1) {
            cpus.push_back(word * 64 + static_cast<std::uint32_t>(std::countr_zero(left)));
        }
    }
    return cpus;
}

VictimWorkers::VictimWorkers(std::uint32_t workers, std::function<void(std::uint32_t)> start)
    : start_(std::move(start)) {
    for (std::uint32_t worker = 0; worker < workers; ++worker) {
        threads_.emplace_back([this, worker] { work(worker); });
    }
}

VictimWorkers::~VictimWorkers() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    work_came_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

// Does one piece, if there is one left to hand out.
bool VictimWorkers::take_piece(std::unique_lock<std::mutex>& lock) {
    if (next_ == pieces_) {
        return false;
    }
    const std::uint32_t piece = next_++;
    const Look& look = *look_;
    lock.unlock();
    seen_.note_this_thread();
    look(piece);
    lock.lock();
    if (--left_ == 0) {
        work_done_.notify_one();
    }
    return true;
}

void VictimWorkers::work(std::uint32_t worker) {
    if (start_) {
        start_(worker);
    }
    std::unique_lock lock(mutex_);
    for (;;) {
        work_came_.wait(lock, [&] { return next_ < pieces_ || stopping_; });
        if (stopping_) {
            return;
        }
        while (take_piece(lock)) {
            ++pieces_by_workers_;
        }
    }
}

void VictimWorkers::run(std::uint32_t pieces, const Look& look) {
    std::unique_lock lock(mutex_);
    look_ = &look;
    next_ = 0;
    pieces_ = left_ = pieces;
    lock.unlock();
    work_came_.notify_all();
    lock.lock();
    while (take_piece(lock)) {
    }
    work_done_.wait(lock, [&] { return left_ == 0; });
    look_ = nullptr;
    pieces_ = next_ = 0;
}

}  // namespace bayplan
