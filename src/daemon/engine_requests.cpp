// Wishes of operators, besides an engine's work: new queues, answers to questions, a shim forgotten, an audit.
//
// Thread: see engine_thread.h.
#include <fmt/ranges.h>
#include <sys/random.h>

#include "daemon/engine_thread.h"

namespace bayplan::daemon {
namespace {

constexpr std::size_t kBrokenLawsTold = 10;  // of one audit

}  // namespace

// --- queues

// The first input of all, so that a recording has it too.
std::string EngineThread::load_queues() {
    const std::string& file = options_.partition.queues_file;
    if (file.empty()) return {};
    GivenQueues queues;
    std::vector<std::string> faults;
    if (!read_queues_file(file, options_.partition.name, queues, faults))
        return fmt::format("{}", fmt::join(faults, "\n"));
    apply(QueuesText{options_.partition.name, queues.text, queues.read});
    return engine_->queues_fault().empty() ? std::string() : fmt::format("{}: {}", file, engine_->queues_fault());
}

void EngineThread::give_queues(GivenQueues queues) {
    {
        const std::lock_guard held(queues_lock_);
        queues_given_ = std::move(queues);
    }
    queues_wait_.store(true, std::memory_order_release);
    waker_.notify();
}

void EngineThread::take_queues() {
    std::optional<GivenQueues> queues;
    {
        const std::lock_guard held(queues_lock_);
        queues.swap(queues_given_);
    }
    if (!queues) return;
    apply(QueuesText{options_.partition.name, queues->text, queues->read});
    const std::string& partition = options_.partition.name;
    const std::string& fault = engine_->queues_fault();
    if (fault.empty()) {
        log_.info("queues read again", {{"partition", partition}, {"queues", engine_->queues().size()}});
    } else {
        log_.error("queues not read again, the old ones stay", {{"partition", partition}, {"reason", fault}});
    }
}

std::string EngineThread::refused_queues() {
    take_queues();
    return engine_->queues_fault();
}

// --- questions

void EngineThread::drain(bool drained) {
    drained_.store(drained, std::memory_order_relaxed);
    waker_.notify();
}

std::optional<std::string> EngineThread::ask(std::function<std::string()> question, Clock::time_point deadline) {
    // Shared: after the deadline the thread still answers, and nobody listens.
    const auto answer = std::make_shared<std::promise<std::string>>();
    std::future<std::string> heard = answer->get_future();
    {
        const std::lock_guard held(questions_lock_);
        questions_.push_back([answer, question = std::move(question)] { answer->set_value(question()); });
    }
    questions_wait_.store(true, std::memory_order_release);
    waker_.notify();
    if (heard.wait_until(deadline) != std::future_status::ready) return std::nullopt;
    return heard.get();
}

void EngineThread::answer_questions() {
    std::vector<std::function<void()>> all;
    {
        const std::lock_guard held(questions_lock_);
        all.swap(questions_);
    }
    for (const auto& question : all) question();
}

// In the shim's place: a hello, an empty statement, the end of the connection. All of it is input like any other, so a
// recording has it.
std::string EngineThread::forget_shim(const std::string& shim) {
    const auto seen = shims_seen_.find(shim);
    if (seen == shims_seen_.end()) return fmt::format("no shim '{}' has been here", shim);
    if (seen->second != 0) return fmt::format("the shim '{}' is connected", shim);
    const ConnectionId connection = next_own_connection_++;
    std::uint64_t instance = 0;
    while (getrandom(&instance, sizeof instance, 0) != sizeof instance) {
    }
    instance &= ~(std::uint64_t{1} << 63);  // records keep it as a signed number
    apply(Connect{connection, shim, instance, 0, 0});
    apply(StateMessage{connection, 1, ResyncBeginMessage{}});
    apply(StateMessage{connection, 2, ResyncEndMessage{}});
    apply(Disconnect{connection});
    log_.info("shim forgotten", {{"partition", options_.partition.name}, {"shim", shim}});
    return {};
}

// --- audits

std::string EngineThread::audit() {
    const std::vector<std::string> broken = audit_now(engine_->things());
    return fmt::format("{}", fmt::join(broken, "\n"));
}

void EngineThread::audit_if_due() {
    const Clock::time_point now = Clock::now();
    if (!self_audit_.is_due(now) || engine_->has_work()) return;
    const std::uint64_t things = engine_->things();
    if (self_audit_.may_begin(things, now)) audit_now(things);
}

std::vector<std::string> EngineThread::audit_now(std::uint64_t things) {
    heartbeat_.does("an audit");
    std::vector<std::string> broken;
    const Clock::time_point began = Clock::now();
    engine_->audit(broken);
    if (options_.more_laws) options_.more_laws(broken);
    const Clock::time_point ended = Clock::now();
    self_audit_.took(things, ended - began, ended);
    laws_broken_ += broken.size();
    for (std::size_t i = 0; i < std::min(broken.size(), kBrokenLawsTold); ++i) {
        log_.error("a law is broken", {{"partition", options_.partition.name}, {"law", broken[i]}});
    }
    if (!broken.empty() && options_.on_broken_law) options_.on_broken_law();
    return broken;
}

}  // namespace bayplan::daemon
