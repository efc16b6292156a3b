// The daemon's answers to a load, and the books' totals at the end. See load_run.h.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/load_run.h"
#include "cli/process_use.h"

namespace bayplan::cli {

namespace {

// Of certificates: who tries again with the same ones is refused again. (A shim that lives for long tries on: its files may
// be renewed meanwhile.)
bool is_for_good(std::string_view why) {
    return why.find("TLS alert") != std::string_view::npos || why.find("certificate") != std::string_view::npos;
}

}  // namespace

void LoadRun::on_connected(HelloOutcome outcome) {
    connected_ = true;
    changed();
    if (outcome == HelloOutcome::resync) {
        // The daemon knows of no place that would have to be refused, and pods may have lost
        // theirs.
        to_refuse_.clear();
        plugin_.forget();
        if (asking_) {
            collect_unasked();
        }
    }
}

void LoadRun::on_disconnected(std::string_view why) {
    if (over_) {
        return;  // we are leaving
    }
    if (client_->counters().connects == 0 && is_for_good(why)) {
        end(LoadEnd::refused, std::string(why));
        return;
    }
    if (connected_ || (disconnect_why_ != why && client_->counters().connects > 0)) {
        progress_.say("not connected: " + std::string(why));
    } else if (disconnect_why_.empty()) {
        progress_.say("waiting for the appliance: " + std::string(why));
    }
    if (connected_) {
        disconnected_ns_ = now_ns();
    }
    connected_ = false;
    disconnect_why_ = why;
}

void LoadRun::on_refused(std::string_view reason) { end(LoadEnd::refused, std::string(reason)); }

void LoadRun::on_rejected(DecisionKind kind, std::string_view name, std::string_view reason) {
    changed();
    if (kind == DecisionKind::ask_rejected && book_.rejected(name, reason) == Told::news) {
        return;
    }
    bool current = false;
    if (book_.find(name, current)) {
        return;  // a release or a refusal that crossed the loss of a node: both want the same
    }
    if (result_.rejected_other++ == 0) {
        result_.first_rejection = std::string(name) + ": " + std::string(reason);
    }
}

bool LoadRun::to_churn(PodIndex pod) const {
    return disturbed_[pod] == 0 && std::floor((pod + 1) * options_.churn) != std::floor(pod * options_.churn);
}

bool LoadRun::to_nack(PodIndex pod) const {
    return disturbed_[pod] == 0 && std::floor((pod + 1) * options_.nack) != std::floor(pod * options_.nack);
}

void LoadRun::on_query(std::uint64_t query, std::string_view key, std::span<const std::string_view> nodes,
                       std::span<const std::int64_t>) {
    plugin_.asked(query, key, nodes, now_ns());
    changed();
}

void LoadRun::on_devices(std::string_view, std::string_view devices) { told_devices_ = devices; }

void LoadRun::on_allocated(std::string_view key, std::string_view node) {
    changed();
    last_allocation_ns_ = last_change_ns_;
    ++result_.allocations;
    PodIndex pod = 0;
    const std::string devices = std::exchange(told_devices_, {});
    if (book_.allocated(key, node, pod) != Told::news) {
        ++result_.duplicates;
        return;
    }
    book_.set_devices(pod, devices);
    if (to_nack(pod)) {
        disturbed_[pod] = 1;
        book_.refuse(pod);
        to_refuse_.push_back(pod);
        return;
    }
    if (journal_ != nullptr) {
        journal_->allocated(key, node, devices);
    }
    placed(pod);
}

void LoadRun::placed(PodIndex pod) {
    latencies_.add(last_change_ns_ - book_[pod].intended_ns);
    if (options_.plugin_share < 1 && !options_.needs_plugin(pod)) {
        latencies_without_plugin_.add(last_change_ns_ - book_[pod].intended_ns);
        last_without_plugin_ns_ = last_change_ns_;
    }
    const bool all_leave = options_.release_after_ns >= 0 && options_.churn <= 0;
    if (all_leave || to_churn(pod)) {
        const std::int64_t stay = std::max<std::int64_t>(options_.release_after_ns, 0);
        to_leave_.push_back({last_change_ns_ + stay, pod, book_[pod].incarnation});
    }
}

void LoadRun::on_released(std::string_view key, Termination termination, std::string_view) {
    changed();
    PodIndex pod = 0;
    if (book_.released(key, pod) != Told::news) {
        return;
    }
    if (termination == Termination::preempted_by_scheduler) {
        doom(pod);
    } else {
        gone(pod);
    }
}

void LoadRun::on_nominated(std::string_view, std::string_view node, std::string_view) {
    changed();
    result_.nominations += node.empty() ? 0 : 1;
}

void LoadRun::on_claim_given_back(std::string_view claim, std::string_view) {
    changed();
    ++result_.claims_given_back;
    if (const std::optional<PodIndex> pod = source_.claims().give_back(claim)) {
        to_state_claims_.push_back(*pod);
    }
}

void LoadRun::on_waiting(std::string_view key, std::string_view text, bool) {
    changed();
    book_.waiting(key, text);
}

bool LoadRun::on_decisions_end() {
    if (allocations_at_cpu_ != result_.allocations) {
        allocations_at_cpu_ = result_.allocations;
        cpu_at_last_allocation_ns_ = process_cpu_ns(daemon_pid_);
        own_cpu_at_last_allocation_ns_ = process_cpu_ns(getpid());
    }
    return write_journal();
}

namespace {

std::optional<std::uint64_t> switches_since(pid_t pid, std::optional<std::uint64_t> before) {
    const auto now = involuntary_switches(pid);
    // Threads that have ended take their counts with them.
    return now && before ? std::optional(*now - std::min(*before, *now)) : std::nullopt;
}

std::optional<double> cores(std::optional<std::int64_t> first_ns, std::optional<std::int64_t> last_ns, double seconds) {
    return first_ns && last_ns ? std::optional(static_cast<double>(*last_ns - *first_ns) * 1e-9 / seconds)
                               : std::nullopt;
}

}  // namespace

std::optional<LoadResult::WithoutPlugin> LoadRun::without_plugin() {
    if (last_without_plugin_ns_ <= first_ask_ns_) {
        return std::nullopt;
    }
    const double seconds = static_cast<double>(last_without_plugin_ns_ - first_ask_ns_) * 1e-9;
    return LoadResult::WithoutPlugin{.pods_per_s = static_cast<double>(latencies_without_plugin_.size()) / seconds,
                                     .p50_us = latencies_without_plugin_.percentile_us(0.50),
                                     .p99_us = latencies_without_plugin_.percentile_us(0.99)};
}

LoadResult LoadRun::result() {
    result_.asks = book_.size();
    result_.finished = book_.count(PodState::finished);
    result_.placed = book_.count(PodState::placed) + result_.finished;
    result_.unplaced = book_.count(PodState::waiting) + book_.count(PodState::rejected);
    const std::uint64_t asked = book_.count(PodState::asked);
    result_.lost = result_.end == LoadEnd::settled ? asked : 0;
    result_.pending = book_.count(PodState::unasked) + asked - result_.lost;
    result_.renewed = book_.renewals() - renewals_before_;
    result_.overcommitted = book_.overcommitted();
    result_.reasons = book_.reasons();
    if (last_allocation_ns_ > first_ask_ns_) {
        result_.seconds = static_cast<double>(last_allocation_ns_ - first_ask_ns_) * 1e-9;
        result_.pods_per_s = static_cast<double>(result_.allocations) / result_.seconds;
        result_.cores_include_shim = daemon_pid_ == getpid();
        result_.daemon_cores = cores(cpu_at_first_ask_ns_, cpu_at_last_allocation_ns_, result_.seconds);
        result_.shim_cores = cores(own_cpu_at_first_ask_ns_, own_cpu_at_last_allocation_ns_, result_.seconds);
    }
    result_.p50_us = latencies_.percentile_us(0.50);
    result_.p99_us = latencies_.percentile_us(0.99);
    result_.p999_us = latencies_.percentile_us(0.999);
    result_.without_plugin = without_plugin();
    result_.switches_of_daemon = switches_since(daemon_pid_, switches_of_daemon_before_);
    result_.switches_of_shim = switches_since(getpid(), switches_of_shim_before_);
    result_.port = client_->port_name();
    result_.port_counters = client_->port_counters();
    result_.client = client_->counters();
    return std::move(result_);
}

}  // namespace bayplan::cli
