// The public face of the client: opens the port, owns session, data plane and thread, and checks
// submissions before they are queued. Thread: see bayplan/client.h.
#include "bayplan/client.h"

#include <thread>

#include "client/port.h"
#include "client/session.h"
#include "client/statement_limits.h"
#include "dataplane/data_plane.h"

namespace bayplan {

struct Client::Parts {
    Parts(const ClientOptions& options, std::string address, ClientHandler& handler, StateSource* source)
        : session(options, std::move(address), handler, source) {}

    // Checks, queues, and wakes the loop if it is another thread's.
    template <typename Items, typename Append>
    Submitted submit(const Items& items, Wait wait, std::string* why, Append append) {
        if (!client::within_limits(items, why)) {
            return Submitted::invalid;
        }
        return submit(wait, append);
    }

    template <typename Append>
    Submitted submit(Wait wait, Append append) {
        const Submitted taken = session.submit(wait, append);
        if (taken == Submitted::yes && !session.on_own_thread()) {
            plane->wake();
        }
        return taken;
    }

    client::Session session;
    std::unique_ptr<dataplane::DataPlane> plane;  // after the session: its calls end first
    std::thread thread;
};

Client::Client(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Client::~Client() { stop(); }

std::unique_ptr<Client> Client::open(const ClientOptions& options, ClientHandler& handler, StateSource* source,
                                     std::string& error) {
    std::string address;
    if (!client::resolve(options, address, error)) {
        return nullptr;
    }
    auto parts = std::make_unique<Parts>(options, address, handler, source);
    parts->plane = client::open_port(options, address, parts->session, error);
    if (parts->plane == nullptr) {
        return nullptr;
    }
    return std::unique_ptr<Client>(new Client(std::move(parts)));
}

void Client::start() {
    // Until the thread runs, no thread is the client's own, not even a caller that made turns
    // before: stop() must know.
    parts_->session.own_thread_is({});
    parts_->thread = std::thread([this] { run(); });
}

void Client::stop() {
    request_stop();
    if (!parts_->session.on_own_thread() && parts_->thread.joinable()) {
        parts_->thread.join();
    }
}

void Client::run() {
    parts_->session.own_thread_is(std::this_thread::get_id());
    parts_->plane->run();
}

void Client::request_stop() {
    parts_->session.stop();
    parts_->plane->request_stop();
}

std::size_t Client::turn() {
    parts_->session.own_thread_is(std::this_thread::get_id());
    return parts_->plane->turn();
}

Submitted Client::specs(std::span<const SpecItem> define, const TextOf& text_of, std::span<const SpecNumber> forget,
                        Wait wait, std::string* why) {
    if (!client::within_limits(define, text_of, why)) {
        return Submitted::invalid;
    }
    return parts_->submit(wait, [&](client::StateWindow& outbox) { outbox.specs(define, text_of, forget); });
}

Submitted Client::objects(std::span<const ObjectItem> all, const TextOf& text_of, Wait wait, std::string* why) {
    if (!client::within_limits(all, text_of, why)) {
        return Submitted::invalid;
    }
    return parts_->submit(wait, [&](client::StateWindow& outbox) { outbox.objects(all, text_of); });
}

Submitted Client::nodes(std::span<const NodeStatement> all, Wait wait, std::string* why) {
    return parts_->submit(all, wait, why, [&](client::StateWindow& outbox) { outbox.nodes(all); });
}

Submitted Client::applications(std::span<const ApplicationStatement> all, std::span<const std::string_view> remove,
                               Wait wait, std::string* why) {
    if (!client::within_limits(remove, why)) {
        return Submitted::invalid;
    }
    return parts_->submit(all, wait, why, [&](client::StateWindow& outbox) { outbox.applications(all, remove); });
}

Submitted Client::pods(std::span<const PodStatement> all, Wait wait, std::string* why) {
    return parts_->submit(all, wait, why, [&](client::StateWindow& outbox) { outbox.pods(all); });
}

Submitted Client::releases(std::span<const ReleaseStatement> all, Wait wait, std::string* why) {
    return parts_->submit(all, wait, why, [&](client::StateWindow& outbox) { outbox.releases(all); });
}

Submitted Client::nacks(std::span<const NackItem> all, Wait wait, std::string* why) {
    return parts_->submit(all, wait, why, [&](client::StateWindow& outbox) { outbox.nacks(all); });
}

Submitted Client::answers(std::span<const PluginAnswer> all, Wait wait, std::string* why) {
    return parts_->submit(all, wait, why, [&](client::StateWindow& outbox) { outbox.answers(all); });
}

Submitted Client::forget(std::span<const std::string_view> texts) {
    return parts_->submit(texts, Wait::no, nullptr, [&](client::StateWindow& outbox) { outbox.forget(texts); });
}

bool Client::settled() const { return parts_->session.settled(); }
ClientCounters Client::counters() const { return parts_->session.counters(); }
std::string Client::port_name() const { return parts_->plane->port_name(); }

std::vector<std::pair<std::string, std::uint64_t>> Client::port_counters() const { return parts_->plane->counters(); }

void Client::set_reading(bool reading) {
    parts_->session.set_reading(reading);
    parts_->plane->wake();
}

void Client::cut() {
    parts_->session.cut();
    parts_->plane->wake();
}

}  // namespace bayplan
