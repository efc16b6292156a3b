// See gateway_world.h.
#include "gateway_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "certificates.h"

namespace bayplan::testing {

GatewayWorld::GatewayWorld(std::size_t inbox_frames, std::size_t outbox_batches,
                           const std::function<void(config::DataPlaneConfig&)>& configure)
    : partitions(2) {
    partitions[0].name = "default";
    partitions[0].shims = {"shim-*"};
    partitions[1].name = "second";
    partitions[1].shims = {"shim-b"};
    options.address = "127.0.0.1";
    options.udp_port = 0;
    options.transport.tls = tls_of("server");
    options.transport.send_buffer_bytes = 256u << 10;
    options.transport.frame_bytes_max = 128u << 10;
    options.outbox_batches = static_cast<std::uint32_t>(outbox_batches);
    if (configure) configure(options);
    config::LogConfig log_options;
    log_options.level = config::LogLevel::debug;
    log_options.format = config::LogFormat::text;
    log = std::make_unique<daemon::Log>(log_options, [this](std::string_view line) {
        const std::lock_guard lock(mutex_);
        lines_.emplace_back(line);
    });
    for (std::size_t i = 0; i < partitions.size(); ++i) {
        inboxes.push_back(std::make_unique<daemon::Inbox>(inbox_frames, 4u << 20));
    }
    gateway =
        std::make_unique<daemon::Gateway>(partitions, std::vector{inboxes[0].get(), inboxes[1].get()}, options, *log);
    std::string error;
    plane = dataplane::open_data_plane(config::data_plane_options(options), *gateway, error);
    if (!plane) throw std::runtime_error(error);
}

RawShim& GatewayWorld::connect(const std::string& certificate_name) {
    shims.push_back(std::make_unique<RawShim>(certificate_name, plane->udp_port()));
    RawShim& shim = *shims.back();
    EXPECT_TRUE(until([&] { return shim.open; })) << log_text();
    return shim;
}

RawShim& GatewayWorld::admitted(const std::string& certificate_name, const std::string& partition) {
    RawShim& shim = connect(certificate_name);
    EXPECT_TRUE(shim.hello(partition));
    const std::size_t index = partition == partitions[0].name ? 0 : 1;
    EXPECT_TRUE(until([&] { return inboxes[index]->depth() > 0; })) << log_text();
    daemon::InboxItem item = take(index);
    auto* connect_item = std::get_if<daemon::ConnectItem>(&item);
    EXPECT_NE(connect_item, nullptr);
    if (connect_item != nullptr) {
        last_outbox = connect_item->outbox;
        last_connect = *connect_item;
    }
    return shim;
}

bool GatewayWorld::until(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        turn();
    }
    return true;
}

void GatewayWorld::turn() {
    plane->turn();
    for (const auto& shim : shims) shim->turn();
}

std::string GatewayWorld::log_text() const {
    const std::lock_guard lock(mutex_);
    std::string text;
    for (const std::string& line : lines_) text += line;
    return text;
}

bool GatewayWorld::logged(std::string_view part) const { return log_text().find(part) != std::string::npos; }

bool GatewayWorld::logged_of(std::string_view message, std::string_view shim) const {
    const std::lock_guard lock(mutex_);
    const std::string start = fmt::format(" msg=\"{}\" connection=", message);
    const std::string end = fmt::format(" shim={} address=127.0.0.1:", shim);
    return std::any_of(lines_.begin(), lines_.end(), [&](const std::string& line) {
        const std::size_t at = line.find(start);
        return at != std::string::npos && line.find(end, at) != std::string::npos;
    });
}

daemon::InboxItem GatewayWorld::take(std::size_t partition) {
    daemon::InboxItem item;
    inboxes[partition]->take(std::span(&item, 1));
    // As an engine does; with frames the test is done when it says so.
    daemon::InboxItem done;
    if (const auto* connect = std::get_if<daemon::ConnectItem>(&item)) done = *connect;
    if (const auto* disconnect = std::get_if<daemon::DisconnectItem>(&item)) done = *disconnect;
    if (!std::holds_alternative<std::monostate>(done)) inboxes[partition]->done(done);
    return item;
}

std::shared_ptr<DecisionBatch> batch_of(std::uint64_t first_sequence, std::size_t count, std::size_t text_bytes) {
    auto batch = std::make_shared<DecisionBatch>();
    batch->first_sequence = first_sequence;
    for (std::size_t i = 0; i < count; ++i) {
        // Every text differs: the encoder writes equal ones once.
        std::string text = fmt::format("ask-{}", first_sequence + i);
        const std::size_t name_bytes = text.size();
        if (text_bytes > 0) text += fmt::format("{:x>{}}", first_sequence + i, text_bytes);
        batch->text.push_back(std::make_unique<char[]>(text.size()));
        std::memcpy(batch->text.back().get(), text.data(), text.size());
        const std::string_view kept(batch->text.back().get(), text.size());
        batch->decisions.push_back({DecisionKind::allocated, Termination::unknown, false, false, 0, 0,
                                    kept.substr(0, name_bytes), "node-1", kept.substr(name_bytes)});
    }
    return batch;
}

}  // namespace bayplan::testing
