// A client and a scripted daemon turned by one thread until a condition holds.
//
// Thread: the test's. Owner: the test.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "bayplan/client.h"
#include "certificates.h"
#include "scripted_daemon.h"

namespace bayplan::testing {

// Keeps what the client says, in order, as text.
class Listener : public ClientHandler {
public:
    void on_connected(HelloOutcome outcome) override {
        heard.push_back(outcome == HelloOutcome::resume ? "resumed" : "resynced");
    }
    void on_disconnected(std::string_view why) override { gone.emplace_back(why); }
    void on_refused(std::string_view reason) override { refused = reason; }
    void on_accepted(DecisionKind, std::string_view name) override { hear("accepted", name); }
    void on_rejected(DecisionKind, std::string_view name, std::string_view reason) override {
        hear("rejected", name, reason);
    }
    void on_allocated(std::string_view key, std::string_view node) override { hear("allocated", key, node); }
    void on_released(std::string_view key, Termination, std::string_view text) override { hear("released", key, text); }
    void on_waiting(std::string_view key, std::string_view text, bool) override { hear("waiting", key, text); }
    void on_claim_given_back(std::string_view claim, std::string_view text) override {
        hear("given back", claim, text);
    }
    bool on_decisions_end() override {
        heard.push_back("end");
        return may_acknowledge;
    }

    std::vector<std::string> heard;
    std::vector<std::string> gone;
    std::string refused;
    bool may_acknowledge = true;

private:
    void hear(std::string_view what, std::string_view name, std::string_view text = {}) {
        heard.push_back(std::string(what) + " " + std::string(name) + (text.empty() ? "" : " " + std::string(text)));
    }
};

// Books with two nodes, one application, and the pods that the test enters.
class Books final : public StateSource {
public:
    void begin() override { ++begun; }
    bool state(StateWriter& writer) override {
        if (!specs.empty()) {
            writer.specs(specs, text_of);
        }
        const NamedAmount capacity[] = {{"cpu", 4'000}};
        const NodeStatement nodes[] = {{"n1", NodeAction::create, capacity, {}},
                                       {"n2", NodeAction::create, capacity, {}}};
        writer.nodes(nodes);
        if (!objects.empty()) {
            writer.objects(objects, text_of);
        }
        const ApplicationStatement application{"app", "root.default", user};
        writer.applications({&application, 1});
        writer.pods(pods);
        return true;
    }

    std::vector<SpecItem> specs;
    std::vector<ObjectItem> objects;
    TextOf text_of;  // of both
    std::vector<PodStatement> pods;
    std::string_view user;  // of the application
    int begun = 0;
};

// Of shim-a to this daemon; comes back quickly.
inline ClientOptions options_to(const ScriptedDaemon& daemon) {
    ClientOptions options = options_of("shim-a", daemon.udp_port());
    options.reconnect_initial_ms = 1;
    options.reconnect_max_ms = 20;
    return options;
}

class ClientWorld {
public:
    explicit ClientWorld(std::size_t kept_bytes_max = 32u << 20, bool gives_claims_back = false) {
        daemon.when_greeted = [this](const SeenHello&) { daemon.reply(resync(100)); };
        ClientOptions options = options_to(daemon);
        options.kept_bytes_max = kept_bytes_max;
        options.gives_claims_back = gives_claims_back;
        std::string error;
        client = Client::open(options, listener, &books, error);
        EXPECT_NE(client, nullptr) << error;
    }

    static HelloReply resync(std::uint64_t daemon_instance) {
        return {HelloOutcome::resync, daemon_instance, 0, 1'000, {}};
    }
    static HelloReply resume(std::uint64_t daemon_instance, std::uint64_t state_applied) {
        return {HelloOutcome::resume, daemon_instance, state_applied, 1'000, {}};
    }

    // Turns both until the condition holds; false after a generous while.
    template <typename Condition>
    bool until(Condition condition) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (!condition()) {
            if (std::chrono::steady_clock::now() > deadline) {
                return false;
            }
            daemon.turn();
            client->turn();
        }
        return true;
    }

    // Connected, stated, and everything applied.
    bool settle() {
        return until([&] { return !daemon.state.empty() && daemon.state.back().ends_with("end"); }) &&
               daemon.applied(daemon.last_sequence) && until([&] { return client->settled(); });
    }

    Listener listener;
    Books books;
    ScriptedDaemon daemon;
    std::unique_ptr<Client> client;
};

inline Decision allocated(std::string_view key, std::string_view node) {
    return {DecisionKind::allocated, Termination::unknown, false, false, 0, 0, key, node, {}};
}

}  // namespace bayplan::testing
