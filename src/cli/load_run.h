// One run of a load: states the cluster, asks, answers decisions, disturbs as told, and knows when
// it is over.
//
//   stating (the first connect is a resync) -> asking -> settling -> over
//
// Thread: the caller's of run(); every callback comes on it. Owner: books, journal, latencies are
// its own; workload and options outlive it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

#include "bayplan/client.h"
#include "cli/latencies.h"
#include "cli/load_journal.h"
#include "cli/load_options.h"
#include "cli/load_plugin.h"
#include "cli/load_result.h"
#include "cli/load_source.h"
#include "cli/pod_book.h"
#include "terminal/progress.h"

namespace bayplan::cli {

class LoadRun final : public ClientHandler {
public:
    // Null with the reason if the journal cannot be used.
    static std::unique_ptr<LoadRun> make(const LoadOptions&, const workload::Workload&, std::string& error);

    StateSource& source() { return source_; }

    // The process whose CPU time the result gives; may be this one.
    void watch_cpu_of(pid_t daemon) { daemon_pid_ = daemon; }

    // Drives the client until the load is over. `interrupted` is polled.
    LoadResult run(Client&, const std::function<bool()>& interrupted);

    void on_connected(HelloOutcome) override;
    void on_disconnected(std::string_view why) override;
    void on_refused(std::string_view reason) override;
    void on_rejected(DecisionKind, std::string_view name, std::string_view reason) override;
    void on_allocated(std::string_view key, std::string_view node) override;
    void on_devices(std::string_view key, std::string_view devices) override;
    void on_released(std::string_view key, Termination, std::string_view text) override;
    void on_waiting(std::string_view key, std::string_view text, bool scale_up) override;
    void on_nominated(std::string_view key, std::string_view node, std::string_view text) override;
    void on_claim_given_back(std::string_view claim, std::string_view text) override;
    void on_query(std::uint64_t query, std::string_view key, std::span<const std::string_view> nodes,
                  std::span<const std::int64_t> totals) override;
    bool on_decisions_end() override;
    std::size_t on_turn() override;

private:
    struct Leaving {
        std::int64_t when_ns = 0;
        PodIndex pod = 0;
        std::uint32_t incarnation = 0;
    };

    LoadRun(const LoadOptions&, const workload::Workload&);

    std::int64_t now_ns() const;
    void changed() { last_change_ns_ = now_ns(); }
    void end(LoadEnd, std::string why);
    void collect_unasked();

    // The parts of a turn; each returns work done.
    std::size_t feed();
    std::uint64_t due_asks(std::int64_t now) const;
    bool submit_asks(const std::vector<PodIndex>&);
    std::size_t leave();  // releases that are due
    bool submit_leaving(const std::vector<PodIndex>&);
    void gone(PodIndex);
    void doom(PodIndex);   // a victim: it has its grace period
    std::size_t let_go();  // victims whose grace is over
    std::size_t refuse();
    std::size_t state_claims();  // that were given back
    std::size_t answer_queries();
    void disturb();
    void lose_nodes();
    void check_end();
    bool nothing_due() const;
    bool write_journal();

    bool to_churn(PodIndex) const;
    bool to_nack(PodIndex) const;
    void placed(PodIndex);
    std::optional<LoadResult::WithoutPlugin> without_plugin();
    LoadResult result();
    void show();

    const LoadOptions& options_;
    const workload::Workload& load_;
    PodBook book_;
    std::set<NodeIndex> lost_nodes_;
    LoadSource source_;
    std::unique_ptr<LoadJournal> journal_;
    Latencies latencies_;
    Latencies latencies_without_plugin_;  // of these alone, if only some pods need the plugin
    LoadPlugin plugin_;
    terminal::Progress progress_;
    Client* client_ = nullptr;
    std::function<bool()> interrupted_;

    std::deque<PodIndex> to_ask_;    // in order; pods that are to be asked for again come to the end
    std::deque<Leaving> to_leave_;   // in order of time
    std::deque<Leaving> to_let_go_;  // likewise
    std::deque<PodIndex> to_refuse_;
    std::deque<PodIndex> to_state_claims_;
    std::vector<char> disturbed_;  // pods that were churned or nacked already

    bool over_ = false;
    bool connected_ = false;
    bool asking_ = false;
    bool reading_ = true;
    bool nodes_gone_ = false;
    LoadResult result_;
    std::int64_t start_ns_ = 0;
    std::int64_t disconnected_ns_ = 0;
    std::int64_t first_ask_ns_ = 0;
    std::int64_t last_allocation_ns_ = 0;
    std::int64_t last_without_plugin_ns_ = 0;
    std::int64_t last_change_ns_ = 0;
    pid_t daemon_pid_ = 0;  // 0: not known
    std::optional<std::int64_t> cpu_at_first_ask_ns_;
    std::optional<std::int64_t> cpu_at_last_allocation_ns_;
    std::optional<std::int64_t> own_cpu_at_first_ask_ns_;
    std::optional<std::int64_t> own_cpu_at_last_allocation_ns_;
    std::uint64_t allocations_at_cpu_ = 0;
    std::optional<std::uint64_t> switches_of_daemon_before_;  // before the first ask
    std::optional<std::uint64_t> switches_of_shim_before_;
    std::int64_t resume_reads_ns_ = 0;  // 0: not paused yet
    std::uint64_t asked_ = 0;           // for the open loop
    std::uint64_t allocations_at_cut_ = 0;
    std::uint64_t renewals_before_ = 0;  // in earlier runs of this journal
    std::uint32_t cuts_done_ = 0;
    std::string disconnect_why_;
    std::string told_devices_;  // of the pod whose place is told next
};

}  // namespace bayplan::cli
