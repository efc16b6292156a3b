// The pending order of a tree of queues: applications, their asks, what each has, and an order that follows every
// charge.
//
//   root:    tournament of children that have something to try, by priority and share, then by what waits, then by id
//   leaf:    two trees of applications, which run or not yet, by priority and age (fifo) or by priority and share (fair)
//   application: tree of runs of asks
//
// An ask is pending (outside, or inside where it can be taken), taken (charged as if placed), or allocated.
//
//   none --add_ask--> outside --insert--> inside --take--> taken --placed--> allocated --release--> none
//                        ^ ^---- remove ----+                 |
//                        +------------- give_back ------------+---------+
//
// Runs that a full queue has no room for stay where they are, and are passed over by what they need (NeedTree); a leaf that
// there is room for nothing of rests until room comes back. Runs that a used-up limit stands against leave the order until
// that has room again, as do runs that were looked at for nothing; lacking() says for what. Pending asks count for
// priorities and for what waits, wherever they are. Asks that are to be tried together are inside as one element: it needs
// room for all of them.
//
// Thread: the engine's. Calls that the states forbid are faults of the caller, and checked. A charge costs the path to root;
// nothing is allocated for it.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "base/ids.h"
#include "base/winner_tree.h"
#include "queue_tree/amounts.h"
#include "queue_tree/applications.h"
#include "queue_tree/ask_runs.h"
#include "queue_tree/guarantees.h"
#include "queue_tree/need_tree.h"
#include "queue_tree/order_words.h"
#include "queue_tree/queue_table.h"
#include "queue_tree/queue_usage.h"
#include "queue_tree/user_limits.h"

namespace bayplan::queue_tree {

class QueueTree {
public:
    QueueTree();
    QueueTree(const QueueTree&) = delete;
    QueueTree& operator=(const QueueTree&) = delete;

    // --- queues
    // All of it, or nothing, and why.
    bool reload(const queue_config::PartitionConfig&, std::string& why);
    // For placement rules, which make queues, and for the cleaner.
    QueueTable& queues() { return queues_; }
    const QueueTable& queues() const { return queues_; }
    // What of the nodes can be used, the maximum of root (none: any amount); and what there is, which shares are measured by.
    // False: it is what it was.
    bool set_capacity(const std::optional<Resources>& usable, const Resources& total);

    // --- applications
    ApplicationId add_application(QueueId leaf, User);
    // Its asks are gone before.
    void remove_application(ApplicationId);
    const Application& operator[](ApplicationId id) const { return applications_[raw(id)]; }

    // An application that is not allowed keeps its asks inside, and none of them can be taken.
    void allow(ApplicationId, bool);

    // --- asks
    // An ask of it is there (+1), or not any more (-1), waiting or not: an application with asks is not completing.
    void count_ask(ApplicationId, int sign);
    // It has been completing for long enough: its next ask is like its first.
    void complete(ApplicationId);
    // It starts when its placeholders have this together, each with its node.
    void want_placeholders(ApplicationId, const Resources&);
    // An ask of it that is outside is one.
    void is_placeholder(AskId);
    // Accepted, its placeholders' time is up: resuming or failing.
    void give_up(ApplicationId, ApplicationState);
    // Resuming, and its last placeholder has gone.
    void resume(ApplicationId);
    // From now on states that applications enter are noted; the caller takes them before it removes an application.
    void note_states() { notes_states_ = true; }
    // All since the last call, in order.
    std::vector<StateChange> take_state_changes() { return std::exchange(state_changes_, {}); }
    std::uint32_t resource(std::string_view name) { return names_.number_of(name); }
    const std::string& resource_name(std::uint32_t resource) const { return names_.name(resource); }
    // For one add_ask() or restate(), which keep it as long as they need it.
    RequestId request(Request sorted) { return requests_.id_of(sorted); }
    std::size_t requests() const { return requests_.in_use(); }
    void add_ask(AskId, ApplicationId, RequestId, const AskKey&);
    void add_ask(AskId, ApplicationId, const Resources&, std::int32_t priority, std::int64_t created);
    bool knows(AskId id) const { return raw(id) < asks_.size() && asks_[raw(id)].standing != Standing::none; }
    // One ask, or n of one application that are taken together, with the rank of the first.
    void insert(std::span<const AskId>);
    void insert(AskId id) { insert(std::span(&id, 1)); }
    void remove(AskId);
    AskId peek();                           // kNone: nothing can be taken
    std::span<const AskId> take_element();  // empty: likewise; valid until the next call
    AskId take();                           // where each is one ask
    void take(AskId);                       // outside, whatever is left
    void give_back(AskId);                  // taken and not placed, or allocated and not any more: outside again
    void placed(AskId);                     // taken, and it has its node
    bool is_taken(AskId id) const { return knows(id) && asks_[raw(id)].standing == Standing::taken; }
    bool is_placed(AskId id) const { return knows(id) && asks_[raw(id)].standing == Standing::allocated; }
    void restore(AskId);                                    // outside, and it runs already: taken and placed
    void release(AskId);                                    // outside or allocated, and over
    void resize(AskId, const Resources&);                   // outside or allocated, in place: whatever is left
    void restate(AskId, RequestId, std::int32_t priority);  // likewise; of an allocated one the priority is for later
    void regroup(AskId, std::uint64_t group);               // likewise

    // --- who comes before whom: any two asks that are known
    bool before(AskId, AskId);
    // Is there room for all of them together, and is their application allowed? Of an ask that is inside: for its element.
    bool selectable(std::span<const AskId>);
    bool selectable(AskId id) { return selectable(std::span(&id, 1)); }

    // --- what is known
    const QueueUsage& usage();
    const UserLimits& limits() const { return limits_; }
    // Which asks hold something of them is the caller's to tell.
    Guarantees& guarantees() { return guarantees_; }
    // Of an ask that is known.
    Request requested(AskId id) const { return requests_[asks_[raw(id)].request]; }
    Resources allocated(ApplicationId id) const { return above_zero(amounts_(kAllocated, raw(id))); }
    Resources pending(ApplicationId id) const { return above_zero(amounts_(kPending, raw(id))); }
    // Asks that are inside, those alike behind one another: the first of each run, and the next behind an ask.
    template <typename Look>
    void for_each_first(Look&& look) const {
        runs_.for_each_first([&](AskId first, ApplicationId of) { look(first, applications_[raw(of)].leaf); });
    }
    // Another one after each ask that came inside or left.
    std::uint64_t order_changes() const { return runs_.changes(); }
    AskId next_alike(AskId id) const { return runs_.next(id); }
    // Of an ask that is inside alone: a queue's maximum leaves it no room, and nothing else is in its way.
    bool lacks_a_queue_alone(AskId) const;
    // By priority and age, of any queues.
    bool is_older(AskId a, AskId b) const { return key_of(a).comes_before(key_of(b)); }
    // Why a pending ask is not taken; empty: queues and limits have room for it.
    std::string lacking(AskId) const;

private:
    enum class Standing : std::uint8_t { none, outside, inside, taken, allocated };
    struct Ask {
        Standing standing = Standing::none;
        ApplicationId application = kNone<ApplicationId>;
        RequestId request{};
        AskKey key;
        bool placeholder = false;
    };
    // Runs and applications that wait for room in one queue, or of one limit; leaves that rest until the queue has room.
    struct Waiting {
        struct Alike {
            RequestId request;
            std::vector<RunId> runs;
        };
        std::vector<Alike> runs;
        boost::unordered_flat_map<std::uint32_t, std::uint32_t> by_request;  // where in `runs`
        std::vector<ApplicationId> applications;
        std::vector<QueueId> leaves;

        std::vector<RunId>& alike(RequestId);
        void forget_empty();
    };
    // In which of them a run or an application waits.
    struct Blocker {
        QueueId queue = kNoQueue;
        LimitId limit = kNoLimit;
        bool exists() const { return queue != kNoQueue || limit != kNoLimit; }
    };
    struct ApplicationBefore {
        const QueueTree* tree;
        bool operator()(ApplicationId a, ApplicationId b) const;
    };
    struct ApplicationNode {
        QueueTree* tree;
        NeedNode<ApplicationId>& operator()(ApplicationId id) const { return tree->places_[raw(id)].node; }
    };
    struct ApplicationNeed {
        const QueueTree* tree;
        const Room& operator()(ApplicationId id) const { return tree->places_[raw(id)].need; }
    };
    using ApplicationTree = NeedTree<ApplicationId, ApplicationBefore, ApplicationNode, ApplicationNeed>;
    // What a queue is compared by, in one cache line, as it was when it last took its place: an order whose keys change while
    // others move would be none. Its share and its priority, or the other way round; what waits, more of it first; its place
    // among its siblings by name.
    static constexpr std::size_t kWaits = 5;  // of the first resources by name; more are looked up
    using QueueKey = OrderWords<kWaits + 3>;
    static constexpr std::size_t kFirstWait = 2, kName = kFirstWait + kWaits;
    struct alignas(kCacheLine) QueuePlace {
        QueueKey key{};
    };
    // Likewise of an application: its priority, if that comes first; its largest shares, or its age; priority, age, and the
    // order in which applications came.
    static constexpr std::size_t kShares = 3;  // more are looked up
    struct ApplicationKey {
        OrderWords<kShares + 4> words{};
        bool has_more_shares() const { return (words.back() & 1U) != 0; }
    };
    struct QueueBefore {
        const QueueTree* tree;
        bool operator()(QueueId a, QueueId b) const;
    };
    struct QueuePosition {
        QueueTree* tree;
        std::uint32_t& operator()(QueueId id) const { return tree->orders_[raw(id)].position; }
    };
    using QueueTournament = WinnerTree<QueueId, QueueBefore, QueuePosition>;
    // A queue's children or applications that have something to try.
    struct alignas(kCacheLine) Order {
        explicit Order(QueueTree* tree)
            : running(ApplicationBefore{tree}, ApplicationNode{tree}, ApplicationNeed{tree}),
              others(ApplicationBefore{tree}, ApplicationNode{tree}, ApplicationNeed{tree}),
              children(QueueBefore{tree}, QueuePosition{tree}),
              before{tree} {}

        // Members that every taking looks at come first.
        std::uint32_t position = kNotInHeap;
        bool rests = false;       // of a leaf: there is room for none of them
        ApplicationTree running;  // count already against maxapplications
        ApplicationTree others;
        QueueTournament children;
        ApplicationBefore before;
        std::vector<QueueId> rests_for;  // queues that have it among their leaves

        // Of all applications, room or not.
        ApplicationId first() const {
            if (running.empty() || others.empty()) return running.empty() ? others.front() : running.front();
            const ApplicationId of_running = running.front();
            const ApplicationId of_others = others.front();
            return before(of_others, of_running) ? of_others : of_running;
        }
        bool has_applications() const { return !running.empty() || !others.empty(); }
        bool has_something() const { return !children.empty() || (!rests && has_applications()); }
    };
    // A run that there is room for, as far as a search sees, and others that it looked at for nothing.
    struct Found {
        ApplicationId application = kNone<ApplicationId>;
        RunId run = kNoRun;
        std::vector<RunId> runs;
        std::vector<ApplicationId> applications;
    };
    struct alignas(kCacheLine) Place {
        ApplicationKey key;          // and flags and links: all that a taking looks at, unless its run ends
        bool among_running = false;  // in which of its leaf's trees
        bool allowed = true;
        std::uint32_t waits_at = 0;  // among the applications there
        Blocker blocker;             // of the whole application
        NeedNode<ApplicationId> node;
        Room need;  // the least of its runs
    };

    // Of an application's runs together: perhaps others than they were, or the same.
    enum class Needs : bool { others, same };

    // Of an application, as its last taking left it: what its next looks at, far apart in memory.
    struct Next {
        RunId run = kNoRun;
        AskId ask = kNone<AskId>;
        AskId after = kNone<AskId>;
        std::array<LimitId, 2> limits{kNoLimit, kNoLimit};
    };

    void note_next(ApplicationId);
    void fetch_next() const;
    bool stale() const { return stale_ || seen_version_ != queues_.version(); }
    void settle();  // brings orders up to date after a change of the whole
    void fit();
    void resolve_limits();
    void rebuild_orders();
    void number_by_name();
    void choose_key_resources();
    bool settle_key(QueueId);  // true: it is another
    bool comes_before(QueueId, QueueId) const;
    void write_key(ApplicationId, ApplicationKey&) const;
    bool write_shares(ApplicationId, ApplicationKey&) const;
    using Shares = boost::container::small_vector<double, 8>;
    Shares shares_of(ApplicationId) const;  // the largest first
    bool comes_before(ApplicationId, const ApplicationKey&, ApplicationId, const ApplicationKey&) const;
    void add_to_pending(const Ask&, int sign);
    std::vector<Amount> sum_of(std::span<const AskId>) const;
    void leave_element(AskId, RunId);
    void charge_taken(AskId);
    void charge(const Ask&, int sign);
    const AskKey& key_of(AskId) const;
    RequestId request_of(AskId) const;  // of its element, while it is inside
    void begin(ApplicationId);
    void count_running(ApplicationId, bool counted);
    void update_state(ApplicationId);
    void enter(ApplicationId, ApplicationState);
    void settle_application(ApplicationId, Needs = Needs::others);
    void put_in_order(ApplicationId, Needs = Needs::others);
    void settle_queue(QueueId);
    void search(QueueId leaf);
    void search_once(QueueId leaf);
    void search(const ApplicationTree&, const Room&);
    void park_looked_at();
    QueueId short_of(QueueId leaf, const Room& need) const;
    void rest(QueueId leaf);
    void rest_for(QueueId leaf, QueueId queue);
    void wake_leaves(QueueId);

    void park(RunId, Blocker);
    void unpark(RunId);
    void park(ApplicationId, Blocker);
    void add_placeholder(const Ask&, int sign);
    void count_placeholder(const Ask&, int sign);
    void start(ApplicationId);
    void update_counted(ApplicationId);
    void unblock(ApplicationId);
    void wake_runs(ApplicationId);  // room came back on the path of it
    void wake_runs(Waiting&);
    void wake_applications(Waiting&);
    void wake_all();  // out of order: orders are made anew afterwards
    Waiting& waiting_at(const Blocker&);
    void set_blocker(RunId, Blocker);
    Blocker lacking(const Application&, Request) const;
    Blocker full(const Application&) const;
    Resources above_zero(std::span<const std::int64_t> row) const;

    QueueTable queues_;
    ResourceNames names_;
    RequestTable requests_{names_};
    QueueUsage usage_{queues_, names_};
    UserLimits limits_{queues_, names_};
    Guarantees guarantees_{queues_, names_, requests_};
    AskRuns runs_{requests_};
    Found found_;  // by the last search
    std::optional<Resources> usable_ = Resources();
    Resources total_;
    std::vector<Ask> asks_;
    std::vector<Application> applications_;
    std::vector<ApplicationId> free_applications_;
    std::vector<Place> places_;
    std::vector<Order> orders_;
    std::vector<QueuePlace> keys_;              // by queue
    std::vector<std::uint32_t> key_resources_;  // which keys have
    std::vector<Waiting> at_queue_;
    std::vector<Waiting> at_limit_;
    std::vector<Blocker> run_blockers_;
    static constexpr std::size_t kAllocated = 0, kPending = 1;
    AmountTables<2> amounts_{{0, 0}};  // by application
    std::uint32_t fitted_resources_ = 0;
    std::uint64_t next_ask_ = 0;
    std::vector<AskId> taken_;  // by the last take
    std::vector<ApplicationId> next_of_leaf_;
    std::vector<Next> next_of_application_;
    std::vector<StateChange> state_changes_;
    bool notes_states_ = false;
    std::uint32_t next_application_ = 0;
    std::uint64_t seen_version_ = 0;  // of queues
    bool stale_ = true;
    bool limits_stale_ = false;
};

}  // namespace bayplan::queue_tree
