// Open, run, close.
//
// Thread: see the header.
#include "daemon/lcore_thread.h"

#include "threads/thread_role.h"

namespace bayplan::daemon {

LcoreThread::LcoreThread(dataplane::DataPlaneOptions options, dataplane::FrameHandler& handler,
                         Log& log)
    : options_(std::move(options)), handler_(handler), log_(log) {}

LcoreThread::~LcoreThread() {
    if (!thread_.joinable()) return;
    request_stop();
    join();
}

bool LcoreThread::start(std::string& error) {
    std::promise<std::string> ready;
    std::future<std::string> answer = ready.get_future();
    thread_ = std::thread(&LcoreThread::body, this, std::move(ready));
    error = answer.get();
    if (error.empty()) return true;
    thread_.join();
    return false;
}

void LcoreThread::request_stop() { plane_->request_stop(); }

void LcoreThread::join() {
    if (!thread_.joinable()) return;
    thread_.join();
    plane_.reset();
}

std::vector<dataplane::Counter> LcoreThread::counters() const {
    return plane_ ? plane_->counters() : final_counters_;
}

void LcoreThread::body(std::promise<std::string> ready) {
    std::string error;
    const auto take_role = [&] {
        if (threads::assume_role(threads::Role::data_plane, 0, error)) return;
        log_.warning("thread not pinned", {{"role", "data_plane"}, {"reason", error}});
        error.clear();
    };
    take_role();
    plane_ = dataplane::open_data_plane(options_, handler_, error);
    if (!plane_) {
        ready.set_value(error.empty() ? "the port could not be opened" : error);
        return;
    }
    take_role();
    port_name_ = plane_->port_name();
    udp_port_ = plane_->udp_port();
    dataplane::DataPlane& plane = *plane_;
    ready.set_value("");
    plane.run();
    final_counters_ = plane.counters();
}

}  // namespace bayplan::daemon
