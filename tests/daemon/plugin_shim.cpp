// See plugin_shim.h.
#include "plugin_shim.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "certificates.h"

namespace bayplan::testing {

namespace {

constexpr SpecNumber kNeedsPlugin = 1;
constexpr NamedAmount kCapacity[] = {{"cpu", 100'000}, {"pods", 110}};
constexpr NamedAmount kRequests[] = {{"cpu", 400}, {"pods", 1}};

PodStatement statement(std::string_view key, bool needs_plugin, std::string_view node) {
    PodStatement pod;
    pod.key = key;
    pod.application = "app";
    pod.requests = kRequests;
    pod.node = node;
    pod.spec = needs_plugin ? kNeedsPlugin : 0;
    return pod;
}

}  // namespace

PluginShim::PluginShim(std::uint16_t udp_port, std::size_t nodes, Plugin plugin)
    : udp_port_(udp_port), nodes_(nodes), plugin_(std::move(plugin)) {
    open();
}

PluginShim::~PluginShim() { client_->stop(); }

void PluginShim::open() {
    ClientOptions options = options_of("shim-a", udp_port_);
    options.plugins.emplace_back(kPlugin);
    options.reconnect_initial_ms = 1;
    std::string error;
    client_ = Client::open(options, *this, this, error);
    ASSERT_NE(client_, nullptr) << error;
    client_->start();
}

void PluginShim::restart() {
    client_.reset();
    open();
}

// --- what it states

bool PluginShim::state(StateWriter& writer) {
    SpecItem record;
    record.number = kNeedsPlugin;
    record.spec.plugins.push_back(1);
    writer.specs({&record, 1}, [](Text) { return kPlugin; });
    state_nodes(writer);
    const ApplicationStatement application{"app", "", ""};
    writer.applications({&application, 1});
    state_pods(writer);
    return true;
}

void PluginShim::state_nodes(StateWriter& writer) const {
    std::vector<std::string> names;
    for (std::size_t i = 1; i <= nodes_; ++i) names.push_back(fmt::format("n{}", i));
    std::vector<NodeStatement> nodes;
    for (const std::string& name : names) nodes.push_back({name, NodeAction::create, kCapacity, {}});
    writer.nodes(nodes);
}

void PluginShim::state_pods(StateWriter& writer) const {
    const std::lock_guard lock(mutex_);
    std::vector<PodStatement> pods;
    for (const auto& [key, pod] : pods_) {
        pods.push_back(statement(key, pod.needs_plugin, pod.places.empty() ? std::string_view() : pod.places.front()));
    }
    writer.pods(pods);
}

void PluginShim::ask(const std::string& pod, bool needs_plugin) {
    {
        const std::lock_guard lock(mutex_);
        pods_[pod].needs_plugin = needs_plugin;
    }
    const PodStatement asked = statement(pod, needs_plugin, {});
    ASSERT_EQ(client_->pods({&asked, 1}, Wait::yes), Submitted::yes);
}

void PluginShim::answer(const SeenQuery& query, bool first) {
    std::vector<PluginVerdict> verdicts(query.nodes.size(), PluginVerdict::feasible);
    if (!first) verdicts.front() = PluginVerdict::unschedulable;
    const PluginAnswer answer{.query = query.number, .verdicts = verdicts};
    if (client_->answers({&answer, 1}) != Submitted::yes) fault(fmt::format("no room to answer {}", query.number));
    const std::lock_guard lock(mutex_);
    answered_.insert(query.number);
}

void PluginShim::answer_open() {
    for (const SeenQuery& query : queries()) {
        bool open = false;
        {
            const std::lock_guard lock(mutex_);
            open = !answered_.contains(query.number);
        }
        if (open) answer(query);
    }
}

// --- what it is told

void PluginShim::on_connected(HelloOutcome outcome) {
    const std::lock_guard lock(mutex_);
    ++(outcome == HelloOutcome::resume ? resumes_ : resyncs_);
}

void PluginShim::on_query(std::uint64_t query, std::string_view key, std::span<const std::string_view> nodes,
                          std::span<const std::int64_t>) {
    const SeenQuery seen{query, std::string(key), {nodes.begin(), nodes.end()}, std::chrono::steady_clock::now()};
    {
        const std::lock_guard lock(mutex_);
        queries_.push_back(seen);
    }
    if (plugin_) plugin_(*this, seen);
}

void PluginShim::on_allocated(std::string_view key, std::string_view node) {
    bool needs_plugin = false;
    {
        const std::lock_guard lock(mutex_);
        Pod& pod = pods_.find(key)->second;
        pod.places.emplace_back(node);
        needs_plugin = pod.needs_plugin;
    }
    const PodStatement bound = statement(key, needs_plugin, node);
    if (client_->pods({&bound, 1}) != Submitted::yes) fault(fmt::format("no room to confirm {}", key));
}

void PluginShim::on_rejected(DecisionKind, std::string_view name, std::string_view reason) {
    fault(fmt::format("{} is rejected: {}", name, reason));
}

void PluginShim::on_released(std::string_view key, Termination, std::string_view text) {
    fault(fmt::format("{} is released: {}", key, text));
}

void PluginShim::on_waiting(std::string_view key, std::string_view text, bool) {
    const std::lock_guard lock(mutex_);
    pods_.find(key)->second.words.emplace_back(text);
}

void PluginShim::fault(std::string text) {
    const std::lock_guard lock(mutex_);
    faults_.push_back(std::move(text));
}

// --- what its test looks at

std::vector<SeenQuery> PluginShim::queries(const std::string& pod) const {
    const std::lock_guard lock(mutex_);
    std::vector<SeenQuery> result;
    for (const SeenQuery& query : queries_) {
        if (pod.empty() || query.pod == pod) result.push_back(query);
    }
    return result;
}

std::vector<std::string> PluginShim::places(const std::string& pod) const {
    const std::lock_guard lock(mutex_);
    return pods_.at(pod).places;
}

std::size_t PluginShim::placed() const {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (const auto& [key, pod] : pods_) count += pod.places.empty() ? 0 : 1;
    return count;
}

std::vector<std::string> PluginShim::faults() const {
    const std::lock_guard lock(mutex_);
    return faults_;
}

std::vector<std::string> PluginShim::words(const std::string& pod) const {
    const std::lock_guard lock(mutex_);
    return pods_.at(pod).words;
}

std::size_t PluginShim::resumes() const {
    const std::lock_guard lock(mutex_);
    return resumes_;
}

std::size_t PluginShim::resyncs() const {
    const std::lock_guard lock(mutex_);
    return resyncs_;
}

}  // namespace bayplan::testing
