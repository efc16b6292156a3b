// The shim: follows an API server, states it to a partition, and carries out what that decides.
//
//   list_watch -> books -> partition -> decisions -> binder, pod_reports -> API server -> list_watch -> ...
//
// Thread: one, the caller's of run(). Owns everything but the partition's factory.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube_shim/binder.h"
#include "kube_shim/books.h"
#include "kube_shim/claim_removals.h"
#include "kube_shim/claim_returns.h"
#include "kube_shim/elector.h"
#include "kube_shim/extenders.h"
#include "kube_shim/list_watch.h"
#include "kube_shim/paced_requests.h"
#include "kube_shim/partition.h"
#include "kube_shim/pod_reports.h"

namespace bayplan::kube_shim {

struct ShimOptions {
    ApiAccess access;
    BooksOptions books;
    ListWatchOptions list_watch;
    std::optional<LeaseOptions> lease;          // of several processes its holder works
    bool warm = false;                          // a standby's partition is made before it has the lease
    std::shared_ptr<Extenders> extenders = {};  // of the books' configuration; null: there are none
    std::uint64_t seed = 0;                     // of jitter
    std::string instance;                       // of this process, in events
};

class Shim final : private DecisionHandler {
public:
    using Log = std::function<void(const std::string&)>;
    // Makes the partition, once the API server's objects are all there. It decides when it may.
    using MakePartition = std::function<std::unique_ptr<Partition>(Books&, DecisionHandler&, std::string& error)>;

    Shim(ShimOptions, MakePartition, Log);
    ~Shim() override;

    // Until stop() (any thread, also a signal's handler). False: the partition could not be made, or the lease was lost.
    bool run();
    void stop() { stopping_ = true; }
    // One round; waits for at most so long for something to happen.
    bool turn(std::chrono::milliseconds wait_max);

    // The last round did something: the next one may have more to do at once.
    bool moved() const { return moved_; }
    bool begun() const { return deciding_; }
    std::string failed() const { return failed_; }
    const Binder& binder() const { return *binder_; }
    const Preparer& preparer() const { return *preparer_; }
    const PodReports& reports() const { return *reports_; }
    const Books& books() const { return *books_; }
    const PacedRequests& requests() const { return requests_; }
    const std::vector<std::unique_ptr<ListWatch>>& list_watches() const { return list_watches_; }

private:
    void on_allocated(const std::string& key, std::string_view node, std::string_view devices) override;
    void on_released(const std::string& key, Termination, std::string_view text) override;
    void on_waiting(const std::string& key, std::string_view text) override;
    void on_nominated(const std::string& key, std::string_view node, std::string_view text) override;
    void on_claim_given_back(const std::string& claim, std::string_view text) override;
    void on_query(std::uint64_t query, const std::string& key, std::vector<std::string> nodes,
                  std::vector<std::int64_t> totals) override;
    void on_victims_query(const VictimsQuery&) override;
    void on_rejected(DecisionKind, std::string_view name, std::string_view text) override;

    void bound(const PodName&, const std::string& node);
    bool bind_by_extender(const PodName&, const std::string& node, HttpClient::OnAnswer);
    void turn_extenders();
    void not_bound(const PodName&, const std::string& why);
    std::chrono::seconds bind_time(const BookedPod&) const;
    void remove_former_claims(const std::string& key);
    void claim_kept(const std::string& claim, const std::string& why);
    void preempt(const std::string& key, std::string_view preemptor, std::string otherwise);
    bool begin();
    bool all_listed() const;
    void turn_elector();
    bool may_work() const { return elector_ == nullptr || elector_->leads(Clock::now()); }
    void release();
    std::chrono::milliseconds wait_for(std::chrono::milliseconds most) const;
    void report(const std::string& key, const StatusChange&, std::string_view event_note, std::string_view reason);

    MakePartition make_partition_;
    Log log_;
    Random random_;
    HttpClient http_;
    std::unique_ptr<HttpClient> lease_http_;  // a connection of its own: no page of a list is in its way
    Timers timers_;
    PacedRequests requests_;
    std::unique_ptr<Elector> elector_;      // null: it always works
    std::shared_ptr<Extenders> extenders_;  // null: there are none
    std::deque<ExtenderAnswer> answers_;    // for which the partition had no room
    std::unique_ptr<Binder> binder_;
    std::unique_ptr<ClaimReturns> returns_;
    ClaimRemovals removals_;
    std::unique_ptr<Preparer> preparer_;  // refers to both
    std::unique_ptr<PodReports> reports_;
    std::unique_ptr<Books> books_;
    std::vector<std::unique_ptr<ListWatch>> list_watches_;
    std::unique_ptr<Partition> partition_;  // refers to the books
    std::string failed_;
    const bool warm_;
    bool stands_by_ = false;  // and has said so
    bool deciding_ = false;
    bool moved_ = false;
    std::atomic<bool> stopping_ = false;
};

}  // namespace bayplan::kube_shim
