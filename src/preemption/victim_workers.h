// Threads that look for victims beside the engine's: a search is cut into pieces, which are handed out one by one to
// the threads that are free, the engine's included, and ends when all pieces are done. So a worker that loses its CPU
// delays a search by its one piece at most, and a worker that sleeps is not waited for.
//
// While a search goes on the engine's thread does nothing else, so nobody changes what it reads: the state needs
// no second copy for it, nor do results need to be checked again. Results do not depend on which thread looked at which
// piece.
//
// Thread: all calls from the engine's. Owner: Attempts.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace bayplan {

// The CPUs that searches ran on. Any thread.
class SeenCpus {
public:
    void note_this_thread() noexcept;
    std::vector<std::uint32_t> cpus() const;  // in order

private:
    static constexpr std::size_t kWords = 16;  // CPUs beyond 1,023 are not noted
    std::array<std::atomic<std::uint64_t>, kWords> seen_{};
};

class VictimWorkers {
public:
    // `start` is called on each worker before its first work (pins and names it); may be empty.
    VictimWorkers(std::uint32_t workers, std::function<void(std::uint32_t worker)> start);
    ~VictimWorkers();  // joins them
    VictimWorkers(const VictimWorkers&) = delete;
    VictimWorkers& operator=(const VictimWorkers&) = delete;

    std::uint32_t count() const { return static_cast<std::uint32_t>(threads_.size()); }

    // Calls look(piece) for each of 0 .. pieces-1, at the same time on several threads. Returns when all have
    // returned; `look` must not throw.
    using Look = std::function<void(std::uint32_t piece)>;
    void run(std::uint32_t pieces, const Look& look);

    // Where pieces were done, the caller's own too; it notes what it does without run().
    SeenCpus& seen() { return seen_; }
    const SeenCpus& seen() const { return seen_; }

    std::uint64_t pieces_by_workers() const { return pieces_by_workers_; }

private:
    void work(std::uint32_t worker);
    bool take_piece(std::unique_lock<std::mutex>&);

    std::function<void(std::uint32_t)> start_;
    SeenCpus seen_;
    std::vector<std::thread> threads_;

    // Guarded by mutex_.
    std::mutex mutex_;
    std::condition_variable work_came_;
    std::condition_variable work_done_;
    const Look* look_ = nullptr;
    std::uint32_t next_ = 0;  // piece to hand out
    std::uint32_t pieces_ = 0;
    std::uint32_t left_ = 0;  // pieces not done
    bool stopping_ = false;

    std::uint64_t pieces_by_workers_ = 0;  // guarded; read by the engine's thread between searches
};

}  // namespace bayplan
