// The part of the session that informs: nothing is decided by it (bayplan/information.h).
//
// Thread: the data plane's.
#include <utility>

#include <fmt/format.h>

#include "client/session.h"

namespace bayplan::client {

namespace {

// So that it fits the smallest frame that a daemon may take.
constexpr std::size_t kDumpBytesMax = (1u << 20) - 1'024;

}  // namespace

// False: the message is none of these.
bool Session::take_information(const wire::Message& message) {
    if (const auto* states = std::get_if<wire::ContainerStatesFrame>(&message)) {
        handler_.on_container_states(states->states);
    } else if (const auto* events = std::get_if<wire::EventsFrame>(&message)) {
        handler_.on_events(events->events);
    } else if (const auto* configuration = std::get_if<wire::ConfigurationFrame>(&message)) {
        handler_.on_configuration(configuration->partition, configuration->text);
    } else if (const auto* request = std::get_if<wire::StateDumpRequest>(&message)) {
        dump_ = handler_.on_state_dump();
        dump_token_ = request->token;
        if (dump_->size() > kDumpBytesMax) {
            dump_ = fmt::format(R"({{"Error":"the state has {} bytes, and {} may be told"}})", dump_->size(),
                                kDumpBytesMax);
        }
    } else {
        return false;
    }
    return true;
}

std::size_t Session::send_dump(dataplane::DataPlane& plane) {
    if (!dump_ || !plane.send(*connection_, dataplane::Stream::control,
                              encoder_.encode(wire::StateDumpFrame{dump_token_, *dump_}))) {
        return 0;
    }
    dump_.reset();
    return 1;
}

}  // namespace bayplan::client
