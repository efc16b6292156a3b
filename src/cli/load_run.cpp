// See load_run.h. The turns of the run; what the daemon says is in load_answers.cpp.
#include "cli/load_run.h"

#include <algorithm>
#include <cmath>

#include <unistd.h>

#include <fmt/format.h>

#include "cli/process_use.h"

namespace bayplan::cli {

namespace {

constexpr std::size_t kMessagesPerTurn = 32;  // keeps a turn short, so that answers are read soon
constexpr std::size_t kLeavingPerMessage = 256;
// Asks without a word are called lost only after this: longer than any backoff of the daemon.
constexpr std::int64_t kSilenceNs = 15'000'000'000;
// Lets the last acknowledgement leave before the connection is closed.
constexpr std::int64_t kFarewellNs = 100'000'000;

}  // namespace

LoadRun::LoadRun(const LoadOptions& options, const workload::Workload& load)
    : options_(options),
      load_(load),
      book_(load),
      source_(options, book_, lost_nodes_),
      plugin_(options.plugin_answer_ns, options.plugin_refuses),
      progress_(options.quiet),
      disturbed_(load.pods.size(), 0) {}

std::unique_ptr<LoadRun> LoadRun::make(const LoadOptions& options, const workload::Workload& load, std::string& error) {
    std::unique_ptr<LoadRun> run(new LoadRun(options, load));
    if (options.journal.empty()) {
        return run;
    }
    const auto sync = options.journal_sync ? client::Journal::Sync::machine : client::Journal::Sync::process;
    run->journal_ = LoadJournal::open(options.journal, sync, run->book_, run->lost_nodes_, error);
    if (run->journal_ == nullptr) {
        return nullptr;
    }
    run->nodes_gone_ = !run->lost_nodes_.empty();
    run->result_.restored = run->book_.count(PodState::placed);
    run->renewals_before_ = run->book_.renewals();
    for (PodIndex pod = 0; pod < run->book_.size(); ++pod) {
        // A pod with a history was disturbed before, or has the right to be left alone.
        const PodEntry& entry = run->book_[pod];
        run->disturbed_[pod] = entry.incarnation > 0 || entry.state != PodState::unasked;
    }
    return run;
}

LoadResult LoadRun::run(Client& client, const std::function<bool()>& interrupted) {
    client_ = &client;
    interrupted_ = interrupted;
    start_ns_ = last_change_ns_ = disconnected_ns_ = now_ns();
    if (journal_ != nullptr && (result_.restored > 0 || journal_->torn_bytes() > 0)) {
        progress_.say(fmt::format("journal: {} records, {} pods placed, {} torn bytes cut off", journal_->records(),
                                  result_.restored, journal_->torn_bytes()));
    }
    client.run();
    progress_.finish();
    return result();
}

std::int64_t LoadRun::now_ns() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void LoadRun::end(LoadEnd how, std::string why) {
    if (!over_) {
        over_ = true;
        result_.end = how;
        result_.why = std::move(why);
        client_->request_stop();
    }
}

std::size_t LoadRun::on_turn() {
    if (over_) {
        return 0;
    }
    // Asking begins when the daemon has taken the cluster in: the clock is about scheduling.
    if (!asking_ && connected_ && client_->settled()) {
        asking_ = true;
        switches_of_daemon_before_ = involuntary_switches(daemon_pid_);
        switches_of_shim_before_ = involuntary_switches(getpid());
        collect_unasked();
        start_ns_ = now_ns();
    }
    std::size_t work = 0;
    if (asking_ && connected_) {
        work = leave() + let_go() + refuse() + state_claims() + answer_queries() + feed();
        disturb();
        // Before the next turn sends what was submitted just now.
        write_journal();
    }
    check_end();
    show();
    return work;
}

void LoadRun::collect_unasked() {
    to_ask_.clear();
    for (PodIndex pod = 0; pod < book_.size(); ++pod) {
        if (book_[pod].state == PodState::unasked) {
            to_ask_.push_back(pod);
        }
    }
}

// --- asking

std::uint64_t LoadRun::due_asks(std::int64_t now) const {
    if (options_.rate <= 0) {
        return to_ask_.size();
    }
    const double elapsed_s = static_cast<double>(now - start_ns_) * 1e-9;
    const auto due = static_cast<std::uint64_t>(std::floor(elapsed_s * options_.rate)) + 1;
    return due > asked_ ? due - asked_ : 0;
}

std::size_t LoadRun::feed() {
    std::size_t work = 0;
    std::vector<PodIndex> batch;
    for (std::size_t i = 0; i < kMessagesPerTurn; ++i) {
        const std::size_t count =
            std::min<std::size_t>({to_ask_.size(), std::max(options_.batch, 1u), due_asks(now_ns())});
        if (count == 0) {
            break;
        }
        batch.assign(to_ask_.begin(), to_ask_.begin() + static_cast<std::ptrdiff_t>(count));
        if (!submit_asks(batch)) {
            break;
        }
        to_ask_.erase(to_ask_.begin(), to_ask_.begin() + static_cast<std::ptrdiff_t>(count));
        work += count;
    }
    return work;
}

bool LoadRun::submit_asks(const std::vector<PodIndex>& batch) {
    std::vector<std::string> keys;
    keys.reserve(batch.size());
    std::vector<PodStatement> statements;
    statements.reserve(batch.size());
    for (const PodIndex pod : batch) {
        statements.push_back(source_.statement(pod, keys.emplace_back(book_.key(pod))));
    }
    std::string why;
    const Submitted submitted = client_->pods(statements, Wait::no, &why);
    if (submitted != Submitted::yes) {
        if (submitted == Submitted::invalid) {
            end(LoadEnd::broken, "an ask cannot be sent: " + why);
        }
        return false;
    }
    const std::int64_t now = now_ns();
    if (first_ask_ns_ == 0) {
        first_ask_ns_ = now;
        cpu_at_first_ask_ns_ = process_cpu_ns(daemon_pid_);
        own_cpu_at_first_ask_ns_ = process_cpu_ns(getpid());
    }
    for (const PodIndex pod : batch) {
        // Open loop: a late sender is part of the latency.
        const std::int64_t intended =
            options_.rate <= 0
                ? now
                : start_ns_ + static_cast<std::int64_t>(static_cast<double>(asked_) * 1e9 / options_.rate);
        book_.ask(pod, intended);
        ++asked_;
    }
    changed();
    return true;
}

// --- leaving and refusing

std::size_t LoadRun::leave() {
    const std::int64_t now = now_ns();
    std::vector<PodIndex> batch;
    std::size_t taken = 0;
    while (taken < to_leave_.size() && to_leave_[taken].when_ns <= now && batch.size() < kLeavingPerMessage) {
        const Leaving& leaving = to_leave_[taken++];
        const PodEntry& entry = book_[leaving.pod];
        if (entry.state == PodState::placed && entry.incarnation == leaving.incarnation) {
            batch.push_back(leaving.pod);
        }
    }
    if (!batch.empty() && !submit_leaving(batch)) {
        return 0;
    }
    to_leave_.erase(to_leave_.begin(), to_leave_.begin() + static_cast<std::ptrdiff_t>(taken));
    return batch.size();
}

bool LoadRun::submit_leaving(const std::vector<PodIndex>& batch) {
    std::vector<std::string> keys;
    keys.reserve(batch.size());
    std::vector<ReleaseStatement> releases;
    for (const PodIndex pod : batch) {
        ReleaseStatement& release = releases.emplace_back();
        release.key = keys.emplace_back(book_.key(pod));
    }
    if (client_->releases(releases) != Submitted::yes) {
        return false;
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
        if (to_churn(batch[i])) {
            disturbed_[batch[i]] = 1;
            gone(batch[i]);
            continue;
        }
        if (journal_ != nullptr) {
            journal_->finished(keys[i]);
        }
        book_.finish(batch[i]);
    }
    changed();
    return true;
}

// The pod lost its place; a new one takes its name.
void LoadRun::gone(PodIndex pod) {
    if (journal_ != nullptr) {
        journal_->gone(book_.key(pod));
    }
    book_.renew(pod);
    to_ask_.push_back(pod);
}

std::size_t LoadRun::refuse() {
    std::vector<std::string> keys;
    keys.reserve(std::min(to_refuse_.size(), kLeavingPerMessage));
    std::vector<NackItem> nacks;
    for (const PodIndex pod : to_refuse_) {
        if (keys.size() == kLeavingPerMessage) {
            break;
        }
        nacks.push_back({keys.emplace_back(book_.key(pod)), "refused by the load, as told"});
    }
    if (nacks.empty() || client_->nacks(nacks) != Submitted::yes) {
        return 0;
    }
    to_refuse_.erase(to_refuse_.begin(), to_refuse_.begin() + static_cast<std::ptrdiff_t>(nacks.size()));
    result_.nacked += nacks.size();
    changed();
    return nacks.size();
}

std::size_t LoadRun::state_claims() {
    const std::size_t count = std::min(to_state_claims_.size(), kLeavingPerMessage);
    std::vector<ObjectItem> items;
    for (std::size_t i = 0; i < count; ++i) {
        items.push_back(source_.claims().statement(to_state_claims_[i]));
    }
    if (items.empty() || client_->objects(items, source_.claims().texts()) != Submitted::yes) {
        return 0;
    }
    to_state_claims_.erase(to_state_claims_.begin(), to_state_claims_.begin() + static_cast<std::ptrdiff_t>(count));
    changed();
    return count;
}

std::size_t LoadRun::answer_queries() {
    const std::size_t answered = plugin_.answer(now_ns(), [this](std::span<const PluginAnswer> answers) {
        return client_->answers(answers) == Submitted::yes;
    });
    if (answered > 0) {
        result_.plugin_answers = plugin_.answers();
        result_.plugin_refusals = plugin_.refusals();
        changed();
    }
    return answered;
}

// --- disturbing

void LoadRun::disturb() {
    const std::uint64_t spoken = book_.size() - book_.count(PodState::unasked) - book_.count(PodState::asked);
    if (!nodes_gone_ && options_.nodes_lost > 0 && 2 * spoken >= book_.size()) {
        lose_nodes();
    }
    if (options_.cut_after > 0 && cuts_done_ < options_.cuts &&
        result_.allocations - allocations_at_cut_ >= options_.cut_after) {
        allocations_at_cut_ = result_.allocations;
        ++cuts_done_;
        client_->cut();
    }
    const std::int64_t now = now_ns();
    if (options_.pause_reads_ns > 0 && resume_reads_ns_ == 0 && result_.allocations >= options_.pause_after) {
        resume_reads_ns_ = now + options_.pause_reads_ns;
        reading_ = false;
        client_->set_reading(false);
        progress_.say("reading nothing, as told");
    }
    if (!reading_ && now >= resume_reads_ns_) {
        reading_ = true;
        client_->set_reading(true);
        changed();
        progress_.say("reading again");
    }
}

void LoadRun::lose_nodes() {
    const std::uint64_t all = load_.nodes.size();
    const std::uint64_t count = std::min<std::uint64_t>(options_.nodes_lost, all);
    std::set<NodeIndex> lost;
    std::vector<NodeStatement> statements;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto node = static_cast<NodeIndex>(i * all / count);
        lost.insert(node);
        statements.push_back({load_.nodes[node].name, NodeAction::decommission, {}, {}});
    }
    if (client_->nodes(statements) != Submitted::yes) {
        return;
    }
    for (const NodeIndex node : lost) {
        if (journal_ != nullptr) {
            journal_->node_lost(load_.nodes[node].name);
        }
    }
    lost_nodes_ = std::move(lost);
    nodes_gone_ = true;
    result_.nodes_lost = count;
    changed();
    progress_.say(fmt::format("{} nodes taken out of service, as told", count));
}

// --- the end

bool LoadRun::nothing_due() const {
    return to_ask_.empty() && to_leave_.empty() && to_let_go_.empty() && to_refuse_.empty() &&
           to_state_claims_.empty() && client_->settled() && (nodes_gone_ || options_.nodes_lost == 0);
}

void LoadRun::check_end() {
    const std::int64_t now = now_ns();
    if (interrupted_()) {
        end(LoadEnd::interrupted,
            fmt::format("interrupted after {:.1f} s", static_cast<double>(now - start_ns_) * 1e-9));
        return;
    }
    if (!connected_ && now - disconnected_ns_ >= options_.connect_timeout_ns) {
        const double seconds = static_cast<double>(options_.connect_timeout_ns) * 1e-9;
        const std::string silence =
            fmt::format("no answer from {}:{} within {} s", options_.client.host, options_.client.udp_port, seconds);
        end(LoadEnd::unreachable, disconnect_why_.empty() ? silence : disconnect_why_);
        return;
    }
    if (options_.timeout_ns > 0 && now - start_ns_ >= options_.timeout_ns) {
        end(LoadEnd::timed_out, "not settled in the time given");
        return;
    }
    if (!asking_ || !connected_ || !reading_) {
        last_change_ns_ = now;  // silence means nothing while nobody listens
        return;
    }
    if (!nothing_due()) {
        return;
    }
    const std::int64_t quiet = now - last_change_ns_;
    const bool silent = book_.count(PodState::asked) > 0;
    const bool unplaced = book_.count(PodState::waiting) > 0;
    if (silent     ? quiet >= std::max(options_.settle_ns, kSilenceNs)
        : unplaced ? quiet >= options_.settle_ns && !options_.wait_unschedulable
                   : quiet >= kFarewellNs) {
        end(LoadEnd::settled, {});
    }
}

bool LoadRun::write_journal() {
    std::string error;
    if (journal_ != nullptr && !journal_->flush(error)) {
        end(LoadEnd::broken, error);
        return false;
    }
    return true;
}

void LoadRun::show() {
    const std::int64_t now = now_ns();
    if (!progress_.due(now)) {
        return;
    }
    if (!connected_ && !asking_) {
        const auto second = [](std::int64_t ns) { return static_cast<std::uint64_t>(ns / 1'000'000'000); };
        const std::uint64_t passed = second(now - disconnected_ns_);
        const std::uint64_t at_most = second(options_.connect_timeout_ns);
        progress_.draw(0, at_most, "", fmt::format("waiting for the appliance: {} of {} s", passed, at_most));
    }
    if (!asking_) {
        return;
    }
    const std::uint64_t placed = book_.count(PodState::placed) + book_.count(PodState::finished);
    const std::uint64_t unplaced = book_.count(PodState::waiting) + book_.count(PodState::rejected);
    const double seconds = static_cast<double>(now - start_ns_) * 1e-9;
    progress_.draw(
        placed + unplaced, book_.size(), "pods",
        fmt::format("placed {} of {}, unplaced {}, {:.0f}/s{}", placed, book_.size(), unplaced,
                    static_cast<double>(result_.allocations) / seconds, connected_ ? "" : ", not connected"));
}

}  // namespace bayplan::cli
