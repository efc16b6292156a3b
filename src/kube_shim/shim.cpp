// See shim.h.
#include "kube_shim/shim.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace bayplan::kube_shim {

namespace {

constexpr auto kIdle = std::chrono::milliseconds(500);
constexpr auto kReleasing = std::chrono::seconds(2);
constexpr auto kExtenders = std::chrono::milliseconds(1);    // between looks at their connections
constexpr auto kLeaseAnswer = std::chrono::milliseconds(2);  // between looks at the lease's connection
// Requests for victims that wait for those under way. More of them, and preemptors would be tried again, in vain, before
// theirs have gone: each time their back-off doubles.
constexpr std::size_t kVictimsWaiting = 32;
constexpr std::string_view kUnschedulable = "Unschedulable";
constexpr std::string_view kSchedulerError = "SchedulerError";
// Words of the engine that are no failures of an attempt.
constexpr std::string_view kGated = "waiting for scheduling gates";
constexpr std::string_view kNoNodeYet = "waiting for node ";

}  // namespace

Shim::Shim(ShimOptions options, MakePartition make_partition, Log log)
    : make_partition_(std::move(make_partition)),
      log_(std::move(log)),
      random_(options.seed),
      http_(options.access),
      requests_(http_),
      extenders_(std::move(options.extenders)),
      removals_(requests_, timers_, random_, log_),
      warm_(options.warm) {
    if (options.lease) {
        lease_http_ = std::make_unique<HttpClient>(std::move(options.access));
        elector_ = std::make_unique<Elector>(*lease_http_, std::move(*options.lease), log_);
        requests_.only_while([this] { return may_work(); });
    }
    binder_ = std::make_unique<Binder>(
        requests_, timers_, random_, [this](const PodName& pod, const std::string& node) { bound(pod, node); },
        [this](const PodName& pod, const std::string& why) { not_bound(pod, why); });
    if (extenders_ != nullptr) {
        binder_->post_elsewhere([this](const PodName& pod, const std::string& node, HttpClient::OnAnswer on_answer) {
            return bind_by_extender(pod, node, std::move(on_answer));
        });
    }
    returns_ = std::make_unique<ClaimReturns>(
        requests_, timers_, random_,
        [this](const std::string& claim, const std::string& why) { claim_kept(claim, why); });
    preparer_ = std::make_unique<Preparer>(
        requests_, timers_, random_, *returns_, removals_,
        [this](const StorageStep& step, const std::string& node) { return books_->storage_state(step, node); },
        [this](const PodName& pod, const std::string& node) { binder_->bind(pod, node); },
        [this](const PodName& pod, const std::string& why) { not_bound(pod, why); });
    reports_ = std::make_unique<PodReports>(requests_, timers_, random_, options.instance, log_);
    const bool workloads = options.books.gates.follow_workloads();
    books_ = std::make_unique<Books>(
        std::move(options.books), log_,
        [this](const std::string& key, const std::string& uid) {
            binder_->forget(key, uid);
            preparer_->forget(uid);
            books_->release_volumes(uid);
            reports_->forget(uid);
        },
        [this](const std::string& key) { on_nominated(key, {}, {}); });
    std::vector<Resource> resources(watched_resources().begin(), watched_resources().end());
    if (workloads) {
        resources.insert(resources.begin(), kWorkloads);
    }
    books_->hold_until_restated();
    books_->call_between([this] { turn_elector(); });
    for (const Resource& resource : resources) {
        list_watches_.push_back(std::make_unique<ListWatch>(resource, http_, *books_, random_, options.list_watch));
    }
}

Shim::~Shim() = default;

bool Shim::all_listed() const {
    return std::ranges::all_of(list_watches_, [](const auto& one) { return one->listed(); });
}

// False: it cannot go on.
bool Shim::begin() {
    if (deciding_ || !all_listed()) {
        return true;
    }
    const bool may = may_work();
    if (partition_ == nullptr && (may || warm_)) {
        std::string error;
        partition_ = make_partition_(*books_, *this, error);
        if (partition_ == nullptr) {
            failed_ = error;
            return false;
        }
    }
    const auto say = [this](std::string_view then) {
        log_(fmt::format("{} nodes and {} pods are there; {}", books_->nodes(), books_->pods(), then));
    };
    if (may) {
        deciding_ = true;
        partition_->decide();
        say("scheduling begins");
    } else if ((partition_ == nullptr || partition_->warm()) && !std::exchange(stands_by_, true)) {
        say("stands by");
    }
    return true;
}

void Shim::turn_elector() {
    if (elector_ == nullptr) {
        return;
    }
    elector_->turn(Clock::now());
    if (elector_->asks()) {
        lease_http_->turn(std::chrono::milliseconds(0));
    }
}

bool Shim::turn(std::chrono::milliseconds wait_max) {
    turn_elector();  // before anything that waits is written
    if (elector_ != nullptr && elector_->lost()) {
        failed_ = "the lease is lost, and this process with it: another one works";
        return false;
    }
    moved_ = http_.turn(wait_for(wait_max));
    const Clock::time_point now = Clock::now();
    for (const auto& one : list_watches_) {
        one->turn(now);
    }
    if (!begin()) {
        return false;
    }
    if (partition_ != nullptr) {
        const auto send = [this](const StateBody& body) { return partition_->send(body); };
        if (books_->flush(send, partition_->settled()) && partition_->settled()) {
            books_->forget_unused(send);
        }
        partition_->may_go_on(requests_.waiting(RequestKind::victim) < kVictimsWaiting);
        moved_ = partition_->turn() || moved_;
        turn_extenders();
    }
    timers_.turn(Clock::now());
    requests_.turn(Clock::now());
    return true;
}

std::chrono::milliseconds Shim::wait_for(std::chrono::milliseconds most) const {
    if (moved_) {
        return std::chrono::milliseconds(0);
    }
    Clock::time_point due = std::min(timers_.next_due(), requests_.next_due());
    if (partition_ != nullptr) {
        due = std::min(due, partition_->next_due());
    }
    for (const auto& one : list_watches_) {
        due = std::min(due, one->next_due());
    }
    if (elector_ != nullptr) {
        due = std::min(due, elector_->asks() ? Clock::now() + kLeaseAnswer : elector_->next_due());
    }
    if (extenders_ != nullptr && (extenders_->running() > 0 || !answers_.empty())) {
        due = std::min(due, Clock::now() + kExtenders);
    }
    if (due == Clock::time_point::max()) {
        return most;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now());
    return std::clamp(left, std::chrono::milliseconds(0), most);
}

bool Shim::run() {
    while (!stopping_) {
        if (!turn(kIdle)) {
            return false;
        }
    }
    release();
    return true;
}

// A standby need not wait then until the lease is over.
void Shim::release() {
    if (elector_ == nullptr) {
        return;
    }
    elector_->release();
    for (const Clock::time_point end = Clock::now() + kReleasing; !elector_->released() && Clock::now() < end;) {
        lease_http_->turn(std::chrono::milliseconds(50));
    }
}

// --- decisions

void Shim::on_allocated(const std::string& key, std::string_view node, std::string_view devices) {
    const BookedPod* const pod = books_->find(key);
    if (pod == nullptr || !pod->stated) {
        return;  // gone meanwhile, which the partition hears or has heard
    }
    if (pod->node != 0) {
        // Somebody has bound it while this decision was under way.
        if (books_->text(pod->node) != node) {
            books_->take_back(key);
        }
        return;
    }
    const PodName name{key, pod->uid};
    books_->assume(key, node);
    ClaimSteps steps = books_->claims_to_prepare(key, node, devices);
    if (!steps.fault.empty()) {
        not_bound(name, steps.fault);
    } else if (steps.any()) {
        preparer_->prepare(name, std::string(node), std::move(steps), bind_time(*pod));
    } else {
        binder_->bind(name, node);
    }
}

std::chrono::seconds Shim::bind_time(const BookedPod& pod) const {
    const auto& config = books_->options().config;
    const scheduler_config::Profile* const profile = config ? config->profile_of(pod.scheduler()) : nullptr;
    return std::chrono::seconds(profile != nullptr ? profile->bind_timeout_s
                                                   : scheduler_config::Profile().bind_timeout_s);
}

void Shim::bound(const PodName& pod, const std::string& node) {
    preparer_->forget(pod.uid);
    books_->release_volumes(pod.uid);
    const BookedPod* const known = books_->find(pod.key);
    if (known == nullptr || known->uid != pod.uid) {
        return;
    }
    reports_->event({.regarding = pod,
                     .resource_version = known->resource_version,
                     .related = {},
                     .reason = "Scheduled",
                     .action = "Binding",
                     .note = fmt::format("Successfully assigned {} to {}", pod.key, node),
                     .scheduler = known->scheduler()});
}

void Shim::not_bound(const PodName& pod, const std::string& why) {
    log_(fmt::format("Pod {}: not bound: {}", pod.key, why));
    preparer_->undo(pod);
    books_->release_volumes(pod.uid);
    if (const BookedPod* const known = books_->find(pod.key); known != nullptr && known->uid == pod.uid) {
        books_->nack(pod.key, why);
    }
}

void Shim::report(const std::string& key, const StatusChange& change, std::string_view note, std::string_view reason) {
    const BookedPod* const pod = books_->find(key);
    if (pod == nullptr || pod->node != 0 || pod->assumed_node != 0) {
        return;  // it has a node by now
    }
    const PodName name{key, pod->uid};
    reports_->status(name, change, pod->words());
    if (!note.empty()) {
        reports_->event({.regarding = name,
                         .resource_version = pod->resource_version,
                         .related = {},
                         .type = "Warning",
                         .reason = std::string(reason),
                         .action = "Scheduling",
                         .note = std::string(note),
                         .scheduler = pod->scheduler()});
    }
}

void Shim::on_waiting(const std::string& key, std::string_view text) {
    if (text.starts_with(kGated) || text.starts_with(kNoNodeYet)) {
        return;  // the API server says the first itself; the second has a node
    }
    StatusChange change;
    change.condition = PodCondition{false, std::string(kUnschedulable), std::string(text)};
    report(key, change, text, "FailedScheduling");
    remove_former_claims(key);
}

// As Kubernetes does where a pod finds no node: claims that were made for its extended resources before keep devices from it.
void Shim::remove_former_claims(const std::string& key) {
    const BookedPod* const pod = books_->find(key);
    if (pod == nullptr || pod->extended == nullptr || pod->node != 0 || pod->assumed_node != 0) {
        return;
    }
    for (const std::string& claim : books_->extended_claims_of(pod->uid)) {
        removals_.remove(claim, pod->uid);
    }
}

void Shim::on_nominated(const std::string& key, std::string_view node, std::string_view) {
    StatusChange change;
    change.nominated_node = node;
    if (BookedPod* const pod = books_->find(key)) {
        pod->nominated_node = books_->converter().texts().id(node);
    }
    report(key, change, {}, {});
}

void Shim::on_released(const std::string& key, Termination termination, std::string_view text) {
    if (termination != Termination::preempted_by_scheduler) {
        books_->lost_node(key);
        return;
    }
    if (text.starts_with("preempted for ")) {
        preempt(key, {}, fmt::format("P{}", text.substr(1)));
        return;
    }
    preempt(key, preemptor_in(text), "Preempted by a pod of higher priority");
}

// `otherwise`: the note, if the preemptor is not known.
void Shim::preempt(const std::string& key, std::string_view preemptor, std::string otherwise) {
    const BookedPod* const victim = books_->find(key);
    if (victim == nullptr) {
        return;
    }
    const std::string by(preemptor);
    const BookedPod* const winner = books_->find(by);
    const std::string scheduler = winner != nullptr ? winner->scheduler() : victim->scheduler();
    const PodName name{key, victim->uid};
    PodEvent event{.regarding = name,
                   .resource_version = victim->resource_version,
                   .related = {},
                   .reason = "Preempted",
                   .action = "Preempting",
                   .note = {},
                   .scheduler = scheduler};
    if (winner != nullptr) {
        event.related = PodName{by, winner->uid};
        event.note = fmt::format("Preempted by pod {} on node {}", winner->uid,
                                 books_->text(victim->assumed_node != 0 ? victim->assumed_node : victim->node));
    } else {
        event.note = std::move(otherwise);
    }
    books_->set_preempted(key, true);
    reports_->end_victim(name, by, scheduler, [this, event](bool deleted) {
        if (deleted) {
            reports_->event(event);
        } else {
            books_->set_preempted(event.regarding.key, false);
        }
    });
}

// "for SHIM/NAMESPACE/NAME"
void Shim::on_claim_given_back(const std::string& claim, std::string_view text) {
    const std::size_t slash = text.find('/');
    const BookedPod* const pod =
        slash == std::string_view::npos ? nullptr : books_->find(std::string(text.substr(slash + 1)));
    log_(fmt::format("Claim {}: given back {}", claim, text));
    books_->give_back(claim);
    returns_->give_back(claim, pod == nullptr ? std::string() : pod->uid);
}

void Shim::claim_kept(const std::string& claim, const std::string& why) {
    log_(fmt::format("Claim {}: not given back: {}", claim, why));
    books_->keep(claim);
}

void Shim::on_rejected(DecisionKind kind, std::string_view name, std::string_view text) {
    log_(fmt::format("the partition rejects {}: {}", name, text));
    if (kind == DecisionKind::ask_rejected) {
        StatusChange change;
        change.condition = PodCondition{false, std::string(kSchedulerError), std::string(text)};
        report(std::string(name), change, {}, {});
    }
}

}  // namespace bayplan::kube_shim
