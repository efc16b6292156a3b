// The shim client: drives one partition of a Bayplan daemon over a QUIC connection.
//
// The caller speaks in texts; the per-connection dictionary, numbering, acknowledgement,
// reconnecting and resynchronising happen inside. Two rules make it exact:
//   1. Books first. The caller enters a change in its own books before it submits it. When the
//      daemon asks for a resync, everything submitted but not yet applied is dropped and
//      StateSource states the books instead.
//   2. Callback first. A decision is acknowledged after the callbacks of its frame have returned,
//      so what they wrote to a journal is older than the acknowledgement.
//
// Thread: callbacks run on the client's thread: the one made by start(), or the caller of run() or
// turn(). Submitting is allowed from any thread, callbacks included. Errors: as return values;
// nothing throws. Ownership: spans and views given to a call are copied; those given to a callback
// live during it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bayplan/information.h"
#include "bayplan/messages.h"

namespace bayplan {

namespace dataplane {
class DataPlane;
class FrameHandler;
}  // namespace dataplane

// --- what a shim states, in texts. Units: bayplan/records.h. An empty text means "not given".
struct NamedAmount {
    std::string_view resource;
    std::int64_t value = 0;
};

struct NamedAttribute {
    std::string_view key;
    std::string_view value;
};

struct NamedTaint {
    std::string_view key;
    std::string_view value;
    TaintEffect effect = TaintEffect::no_schedule;
};

// Specs and objects are stated as records, whose texts are numbers of a table of the caller's own.
// This gives the text of such a number; it is called during the statement only, never for 0.
using TextOf = std::function<std::string_view(Text)>;

struct NodeStatement {
    std::string_view name;
    NodeAction action = NodeAction::create;
    std::span<const NamedAmount> capacity;
    std::span<const NamedAttribute> attributes;  // its labels
    std::span<const NamedTaint> taints = {};
    std::span<const NamedAmount> images = {};        // resource = image name, value = bytes
    std::span<const std::string_view> devices = {};  // kinds of the capacity that are devices
};

struct ApplicationStatement {
    std::string_view name;
    std::string_view queue;
    std::string_view user;
    std::span<const std::string_view> user_groups = {};
    std::span<const NamedAttribute> tags = {};  // as in ApplicationItem
};

struct PodStatement {
    std::string_view key;
    std::string_view application;
    std::string_view group;
    std::string_view node;  // given: runs there (once somebody states that node); not given: asks for a node
    std::string_view required_node;
    std::int32_t priority = 0;
    bool foreign = false;
    bool tolerates_unschedulable = false;
    std::int64_t created_s = 0;
    std::span<const NamedAmount> requests;
    std::span<const NamedAttribute> tags;
    SpecNumber spec = 0;  // stated before; 0 = none
    bool terminating = false;
    bool never_preempts = false;
    std::string_view nominated_node;
    std::int64_t started_ms = 0;
    std::int64_t node_cpu = -1;
    std::int64_t node_memory = -1;
    std::int64_t own_cpu = -1;
    std::int64_t own_memory = -1;
    QosClass qos = QosClass::unknown;
    std::int32_t grace_period_s = -1;
    bool preempted = false;
    std::string_view devices = {};  // of a running pod: what on_devices told
    // As in AskItem.
    bool daemonset = false;
    bool is_static = false;
    bool never_victim = false;
    bool originator = false;
    std::uint32_t group_min_available = 0;
    GroupFault group_fault = GroupFault::none;
    std::string_view group_topology_key;
    bool group_topology_preferred = false;
};

struct ReleaseStatement {
    std::string_view key;  // not given: everything of the application
    std::string_view application;
    Termination termination = Termination::stopped_by_rm;
    std::string_view message;
};

enum class Submitted : std::uint8_t {
    yes,
    full,     // nothing was taken: no room, a resync is going on, never connected yet, or it is
              // over: stopped, or refused by the daemon
    invalid,  // nothing was taken: an item breaks a limit of the protocol
};

enum class Wait : std::uint8_t { no, yes };

// A StateSource states the caller's books by this. Never answers `full`.
class StateWriter {
public:
    virtual ~StateWriter() = default;
    virtual Submitted specs(std::span<const SpecItem>, const TextOf&) = 0;
    virtual Submitted objects(std::span<const ObjectItem>, const TextOf&) = 0;
    virtual Submitted nodes(std::span<const NodeStatement>) = 0;
    virtual Submitted applications(std::span<const ApplicationStatement>) = 0;
    virtual Submitted pods(std::span<const PodStatement>) = 0;
    // True: the source should return, and go on at its next call.
    virtual bool full() const = 0;
};

// The caller's books, asked for at a resync. Nodes, objects, applications and pods that are not stated are removed.
class StateSource {
public:
    virtual ~StateSource() = default;
    virtual void begin() = 0;
    // States some more; true when everything has been stated. Specs first, then nodes, objects,
    // applications, pods: nothing is named before it was stated.
    virtual bool state(StateWriter&) = 0;
};

// Answers of the daemon. Every call is made on the client's thread.
class ClientHandler {
public:
    virtual ~ClientHandler() = default;
    // The connection is up: after a resume at once, after a resync when everything has been stated.
    virtual void on_connected(HelloOutcome) {}
    virtual void on_disconnected(std::string_view /*why*/) {}
    // The daemon refuses this shim; no further attempt is made, and a caller that waits to submit gets `full`.
    virtual void on_refused(std::string_view /*reason*/) {}

    virtual void on_accepted(DecisionKind, std::string_view /*name*/) {}
    virtual void on_rejected(DecisionKind, std::string_view /*name*/, std::string_view /*reason*/) {}
    virtual void on_allocated(std::string_view /*key*/, std::string_view /*node*/) {}
    // Before on_allocated: which of the node's devices the pod has, to be kept and stated again with it.
    virtual void on_devices(std::string_view /*key*/, std::string_view /*devices*/) {}
    virtual void on_released(std::string_view /*key*/, Termination, std::string_view /*text*/) {}
    // `scale_up`: an autoscaler should take the pod into account.
    virtual void on_waiting(std::string_view /*key*/, std::string_view /*text*/, bool /*scale_up*/) {}
    // The pod's nominated node, to be kept under kNominatedNodeKey; none = it has none any more.
    virtual void on_nominated(std::string_view /*key*/, std::string_view /*node*/, std::string_view /*text*/) {}
    // With ClientOptions::gives_claims_back: the claim on devices, NAMESPACE/NAME, has no allocation and no reservation
    // any more. The shim clears both on its object, and states it so. `text`: for which pod.
    virtual void on_claim_given_back(std::string_view /*claim*/, std::string_view /*text*/) {}
    // The shim's plugins are asked: may the pod run on these nodes? The first is the node that it would get; it counts
    // as there until Client::answers() with this number. May be answered at once or later, by any thread that may
    // submit; not at all: the daemon asks again after its deadline. `totals`: of these nodes by the daemon's scores, less
    // that of the first; none where it is not the best by them. A shim with scores of its own refuses all but the best by both.
    virtual void on_query(std::uint64_t /*query*/, std::string_view /*key*/,
                          std::span<const std::string_view> /*nodes*/, std::span<const std::int64_t> /*totals*/) {}
    // With ClientOptions::judges_victims: who may go from the node, so that the pod may have it? Of `victims`, each
    // SHIM/KEY, most easily the first; the first `needed` of them go for the sake of the daemon's predicates. Answered
    // likewise, by one verdict; a yes says how many of the first, or which (PluginAnswer::first_victims, victims).
    struct VictimsQuery {
        std::uint64_t query = 0;
        std::string_view key;
        std::string_view node;
        std::span<const std::string_view> victims;
        std::uint32_t needed = 0;      // none: the plugins refused the node, and no predicate does
        std::uint32_t violations = 0;  // of disruption budgets, by these
    };
    virtual void on_victims_query(const VictimsQuery&) {}
    // --- for information: nothing is decided by these, and what is lost with a connection is not told again. Each is
    // called only if ClientOptions asks for it.
    // Pods that are placed, wait for room, fail, or are not tried; a state may be told again.
    virtual void on_container_states(std::span<const ContainerState>) {}
    virtual void on_events(std::span<const EventRecord>) {}
    // The queues of the partition, as an operator gave them to the daemon: once connected, and whenever they change.
    virtual void on_configuration(std::string_view /*partition*/, std::string_view /*text*/) {}
    // The shim's own state, as JSON: an operator looks at the state of all.
    virtual std::string on_state_dump() { return "{}"; }

    // Last call of a decisions frame: the place to flush. True: the frame may be acknowledged.
    // False: not yet (a disk is full); asked again every turn, connected or not, and no decision is
    // taken meanwhile. A daemon met again before it is true repeats the frame, which is skipped.
    virtual bool on_decisions_end() { return true; }

    // Once per turn of the loop. Returns work done; 0 lets the loop sleep.
    virtual std::size_t on_turn() { return 0; }
};

enum class ClientPort : std::uint8_t { kernel, dpdk };

struct ClientOptions {
    std::string host;  // name or IP address of the daemon
    std::uint16_t udp_port = 4433;
    std::string partition = "default";
    std::string version = "bayplan client";  // of the shim's software, for the daemon's log

    // Facts of how it was built, for operators: buildVersion, arch, and the like.
    std::vector<std::pair<std::string, std::string>> build_info;

    // Predicates that the shim serves: pods whose specs name them are asked about by ClientHandler::on_query.
    std::vector<std::string> plugins;
    // They judge victims too, by ClientHandler::on_victims_query: only then pods that need them may preempt.
    bool judges_victims = false;
    // The shim carries out ClientHandler::on_claim_given_back: only then claims on devices that it states are given back.
    bool gives_claims_back = false;

    // The handler wants to be told, or tells: YuniKorn's ContainerSchedulingStateUpdater, EventPlugin,
    // ConfigurationPlugin and StateDumpPlugin.
    bool wants_container_states = false;
    bool wants_events = false;
    bool wants_configuration = false;
    bool tells_its_state = false;

    // PEM files. The certificate's common name is the shim's identity.
    std::string certificate;
    std::string key;
    std::string authority;

    ClientPort port = ClientPort::kernel;
    std::vector<std::string> eal_arguments;  // dpdk only, as are the next
    std::string device;
    std::string address;   // own IPv4 address
    std::string address6;  // own IPv6 address; one of the two is needed
    // A daemon outside the prefix is reached through the gateway. 0: it is on the link.
    std::uint8_t prefix_length = 0;
    std::uint8_t prefix_length6 = 0;
    std::string gateway;
    std::string gateway6;
    std::uint16_t vlan = 0;  // 0: frames are not tagged
    bool poll = false;       // never sleep; default: sleep adaptively
    // Given: opens the port instead of the options above (an in-process ring pair, tests).
    std::function<std::unique_ptr<dataplane::DataPlane>(dataplane::FrameHandler&, std::string& error)> open_port;

    std::uint64_t shim_instance = 0;           // 0 = a random one
    std::size_t kept_bytes_max = 32u << 20;    // state messages kept until the daemon has applied them
    std::uint32_t connect_timeout_ms = 5'000;  // for handshake and hello
    std::uint32_t idle_timeout_ms = 10'000;    // silence after which the daemon is taken for gone
    std::uint16_t payload_bytes_max = 1'452;   // UDP payload of one packet; the daemon has a setting of this name
    std::uint32_t reconnect_initial_ms = 50;   // doubles with every failure in a row
    std::uint32_t reconnect_max_ms = 2'000;
    // Before it connects again after another process of the same name took its place. The daemon refuses it for good if
    // that is sooner than 5 minutes and the other is still there.
    std::uint32_t replaced_wait_ms = 600'000;
    // Name or address that the daemon's certificate must have; empty: `host`.
    std::string server_name;
};

// Monotonic, except `kept_*`.
struct ClientCounters {
    std::uint64_t connects = 0;
    std::uint64_t disconnects = 0;
    std::uint64_t resumes = 0;
    std::uint64_t resyncs = 0;
    std::uint64_t messages = 0;       // state messages made
    std::uint64_t messages_sent = 0;  // handed to the transport, repeats included
    std::uint64_t decisions = 0;
    std::uint64_t decisions_repeated = 0;  // received again after a reconnect, and skipped
    std::uint64_t acknowledgements = 0;
    std::uint64_t kept_messages = 0;  // now: not yet applied by the daemon
    std::uint64_t kept_bytes = 0;     // now
};

class Client {
public:
    // Opens the port and begins to connect with the first turn. `source` may be null: then a resync
    // states nothing. Both outlive the client. Null with the reason in `error` on failure.
    static std::unique_ptr<Client> open(const ClientOptions&, ClientHandler&, StateSource*, std::string& error);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    // A thread of the client's own; stop() ends it with a graceful close and may be called twice. A
    // callback's stop() does not wait for the end of the thread, which it runs on; one from
    // elsewhere, or the destructor, still does.
    void start();
    void stop();
    // Or the caller's thread: run() until request_stop() (any thread), or one turn().
    void run();
    void request_stop();
    std::size_t turn();

    // Submit one batch; taken whole or not at all. With Wait::yes it blocks until there is room or
    // the client is stopped or refused (on its own thread it never blocks). `why` gets the fault of an invalid batch.
    Submitted specs(std::span<const SpecItem> define, const TextOf&, std::span<const SpecNumber> forget = {},
                    Wait = Wait::no, std::string* why = nullptr);
    Submitted objects(std::span<const ObjectItem>, const TextOf&, Wait = Wait::no, std::string* why = nullptr);
    Submitted nodes(std::span<const NodeStatement>, Wait = Wait::no, std::string* why = nullptr);
    Submitted applications(std::span<const ApplicationStatement>, std::span<const std::string_view> remove = {},
                           Wait = Wait::no, std::string* why = nullptr);
    Submitted pods(std::span<const PodStatement>, Wait = Wait::no, std::string* why = nullptr);
    Submitted releases(std::span<const ReleaseStatement>, Wait = Wait::no, std::string* why = nullptr);
    Submitted nacks(std::span<const NackItem>, Wait = Wait::no, std::string* why = nullptr);
    // Answers to queries (ClientHandler::on_query). The daemon ignores a late answer.
    Submitted answers(std::span<const PluginAnswer>, Wait = Wait::no, std::string* why = nullptr);
    // These texts will not be used soon: frees their places in the dictionary. Unknown ones are
    // skipped.
    Submitted forget(std::span<const std::string_view> texts);

    // Everything submitted has been applied by the daemon. Any thread.
    bool settled() const;
    ClientCounters counters() const;  // any thread
    std::string port_name() const;
    std::vector<std::pair<std::string, std::uint64_t>> port_counters() const;  // any thread

    // For tests of the other side. Not reading: decisions stay in the transport until flow control
    // stops the daemon. Cutting: the connection is dropped and a new one made. Any thread.
    void set_reading(bool);
    void cut();

private:
    struct Parts;
    explicit Client(std::unique_ptr<Parts>);
    std::unique_ptr<Parts> parts_;
};

}  // namespace bayplan
