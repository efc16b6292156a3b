// Open, run, close.
//
// Thread: see the header.
#include "daemon/lcore_threads.h"

#include <algorithm>

#include "threads/thread_role.h"

namespace bayplan::daemon {

std::vector<dataplane::Counter> sum_of(const std::vector<std::vector<dataplane::Counter>>& all) {
    std::vector<dataplane::Counter> sum = all.front();
    for (std::size_t i = 1; i < all.size(); ++i) {
        for (const auto& [name, value] : all[i]) {
            const auto found =
                std::find_if(sum.begin(), sum.end(), [&name = name](const auto& each) { return each.first == name; });
            if (found != sum.end()) found->second += value;
        }
    }
    return sum;
}

LcoreThreads::LcoreThreads(dataplane::DataPlaneOptions options, std::vector<dataplane::FrameHandler*> handlers,
                           Log& log)
    : options_(std::move(options)), handlers_(std::move(handlers)), log_(log), final_counters_(handlers_.size()) {}

LcoreThreads::~LcoreThreads() {
    if (threads_.empty()) return;
    request_stop();
    join();
}

bool LcoreThreads::start(std::string& error) {
    std::promise<std::string> ready;
    std::future<std::string> answer = ready.get_future();
    threads_.emplace_back(&LcoreThreads::open, this, std::move(ready));
    error = answer.get();
    if (!error.empty()) {
        threads_.front().join();
        threads_.clear();
        return false;
    }
    for (std::size_t i = 1; i < count(); ++i) {
        threads_.emplace_back([this, i] {
            take_role(i);
            run(i);
        });
    }
    return true;
}

void LcoreThreads::request_stop() {
    for (const auto& plane : planes_) plane->request_stop();
}

void LcoreThreads::join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    planes_.clear();
}

void LcoreThreads::wake() {
    for (const auto& plane : planes_) plane->wake();
}

bool LcoreThreads::reload_tls(std::string& error) {
    // Each reads the files for itself; the first to fail is the first of all, unless the files are
    // being replaced this very moment, and then the next signal settles it.
    return std::all_of(planes_.begin(), planes_.end(), [&](const auto& plane) { return plane->reload_tls(error); });
}

std::vector<dataplane::Counter> LcoreThreads::counters(std::size_t lcore) const {
    return planes_.empty() ? final_counters_[lcore] : planes_[lcore]->counters();
}

std::vector<dataplane::Counter> LcoreThreads::counters() const {
    std::vector<std::vector<dataplane::Counter>> all;
    for (std::size_t i = 0; i < count(); ++i) all.push_back(counters(i));
    return sum_of(all);
}

void LcoreThreads::look_at_device() {
    if (!planes_.empty()) planes_.front()->look_at_device();
}

void LcoreThreads::take_role(std::size_t lcore) {
    std::string error;
    if (!threads::assume_role(threads::Role::data_plane, lcore, error))
        log_.warning("thread not pinned", {{"role", "data_plane"}, {"reason", error}});
}

void LcoreThreads::open(std::promise<std::string> ready) {
    take_role(0);
    std::string error;
    planes_ = dataplane::open_data_planes(options_, handlers_, error);
    if (planes_.empty()) {
        ready.set_value(error.empty() ? "the port could not be opened" : error);
        return;
    }
    take_role(0);
    port_name_ = planes_.front()->port_name();
    udp_port_ = planes_.front()->udp_port();
    ready.set_value("");
    run(0);
}

void LcoreThreads::run(std::size_t lcore) {
    dataplane::DataPlane& plane = *planes_[lcore];
    plane.run();
    if (lcore == 0) plane.look_at_device();  // main waits for this thread's end, and looks no more
    final_counters_[lcore] = plane.counters();
}

}  // namespace bayplan::daemon
