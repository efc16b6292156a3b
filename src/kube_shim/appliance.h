// The partition by a running daemon, at the other end of the client library's connection.
//
// The books are the client's StateSource: at a resync everything is stated from them, in portions. Changes that come while there
// is no connection wait in the books' queue.
//
// Thread: one, the shim's, which makes the client's turns. Owns the client; books and handler outlive it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bayplan/client.h"
#include "kube_shim/books.h"
#include "kube_shim/partition.h"
#include "kube_shim/untold.h"

namespace bayplan::kube_shim {

class AppliancePartition final : public Partition, private ClientHandler, private StateSource {
public:
    using OnFault = std::function<void(const std::string&)>;

    // Null: the client could not be opened, and `error` says why. It connects, and connects again, by itself.
    static std::unique_ptr<AppliancePartition> open(const ClientOptions&, Books&, DecisionHandler&, OnFault,
                                                    std::string& error);

    bool send(const StateBody&) override;
    bool answer(const PluginAnswer&) override;
    bool settled() const override { return connected_ && client_->settled(); }
    bool turn() override { return client_->turn() > 0; }
    // The shim does not wait for its socket.
    Clock::time_point next_due() const override { return Clock::now() + std::chrono::milliseconds(1); }

private:
    AppliancePartition(Books& books, DecisionHandler& handler, OnFault on_fault)
        : books_(books), handler_(handler), on_fault_(std::move(on_fault)) {}

    void begin() override;
    bool state(StateWriter&) override;

    void on_connected(HelloOutcome) override;
    void on_disconnected(std::string_view why) override;
    void on_refused(std::string_view reason) override;
    void on_rejected(DecisionKind, std::string_view name, std::string_view reason) override;
    void on_devices(std::string_view key, std::string_view devices) override;
    void on_allocated(std::string_view key, std::string_view node) override;
    void on_released(std::string_view key, Termination, std::string_view text) override;
    void on_waiting(std::string_view key, std::string_view text, bool scale_up) override;
    void on_nominated(std::string_view key, std::string_view node, std::string_view text) override;
    void on_claim_given_back(std::string_view claim, std::string_view text) override;
    void on_query(std::uint64_t query, std::string_view key, std::span<const std::string_view> nodes,
                  std::span<const std::int64_t> totals) override;
    void on_victims_query(const ClientHandler::VictimsQuery&) override;

    template <typename Target>
    bool send_to(Target&, const StateBody&);
    template <typename Target>
    bool define_specs(Target&);

    Books& books_;
    DecisionHandler& handler_;
    OnFault on_fault_;
    Untold specs_;
    bool connected_ = false;
    std::string devices_;             // of the allocation that is told next
    std::unique_ptr<Client> client_;  // last: it calls this object
};

}  // namespace bayplan::kube_shim
