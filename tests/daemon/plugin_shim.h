// A shim that serves a plugin over a real connection: it keeps books of its pods, confirms each place as binding does, and
// answers queries when its test says so.
//
// Thread: the test's drives it, the client's own calls it back; one mutex keeps what both see. Owner: the test.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "bayplan/client.h"

namespace bayplan::testing {

struct SeenQuery {
    std::uint64_t number = 0;
    std::string pod;
    std::vector<std::string> nodes;
    std::chrono::steady_clock::time_point came;
};

class PluginShim final : public ClientHandler, public StateSource {
public:
    // Called on the client's thread with each query, which is noted already.
    using Plugin = std::function<void(PluginShim&, const SeenQuery&)>;
    static constexpr std::string_view kPlugin = "license";

    PluginShim(std::uint16_t udp_port, std::size_t nodes, Plugin plugin = {});
    ~PluginShim() override;

    void ask(const std::string& pod, bool needs_plugin);
    // Yes to every node, but for the first if so told.
    void answer(const SeenQuery&, bool first = true);
    // Yes to all that has no answer yet. A place that is confirmed changes its node: who waits there is asked about again.
    void answer_open();
    void cut() { client_->cut(); }
    // As another process with the same books: it begins with a resync.
    void restart();

    std::vector<SeenQuery> queries(const std::string& pod = "") const;  // of one pod, or of all
    std::vector<std::string> places(const std::string& pod) const;      // each time it was told one
    std::size_t placed() const;                                         // pods
    std::vector<std::string> faults() const;  // rejections, releases, answers that could not be sent
    std::vector<std::string> words(const std::string& pod) const;  // why it waits
    std::size_t resumes() const;
    std::size_t resyncs() const;
    bool settled() const { return client_->settled(); }

    void begin() override {}
    bool state(StateWriter&) override;
    void on_connected(HelloOutcome) override;
    void on_rejected(DecisionKind, std::string_view name, std::string_view reason) override;
    void on_allocated(std::string_view key, std::string_view node) override;
    void on_released(std::string_view key, Termination, std::string_view text) override;
    void on_waiting(std::string_view key, std::string_view text, bool) override;
    void on_query(std::uint64_t query, std::string_view key, std::span<const std::string_view> nodes,
                  std::span<const std::int64_t> totals) override;

private:
    struct Pod {
        bool needs_plugin = false;
        std::vector<std::string> places;
        std::vector<std::string> words;
    };

    void open();
    void state_nodes(StateWriter&) const;
    void state_pods(StateWriter&) const;
    void fault(std::string);

    const std::uint16_t udp_port_;
    const std::size_t nodes_;
    const Plugin plugin_;
    mutable std::mutex mutex_;
    std::map<std::string, Pod, std::less<>> pods_;
    std::vector<SeenQuery> queries_;
    std::set<std::uint64_t> answered_;
    std::vector<std::string> faults_;
    std::size_t resumes_ = 0;
    std::size_t resyncs_ = 0;
    std::unique_ptr<Client> client_;
};

}  // namespace bayplan::testing
