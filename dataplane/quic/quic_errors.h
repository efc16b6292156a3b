// Why a connection ended, in words for the log of either side.
//
// Thread: any. A peer's text is made printable before it goes anywhere.
#pragma once

#include <ngtcp2/ngtcp2.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bayplan::dataplane {

// Application error codes of CONNECTION_CLOSE that the data plane itself uses; users of
// DataPlane::close() stay below.
inline constexpr std::uint64_t kErrorFraming = 0x10000;   // a frame that cannot be
inline constexpr std::uint64_t kErrorStream = 0x10001;    // a stream ended or opened out of turn
inline constexpr std::uint64_t kErrorOversize = 0x10002;  // our own user's frame over the limit
inline constexpr std::uint64_t kErrorShutdown = 0x10003;  // the data plane stops

// Transport error code CONNECTION_REFUSED (RFC 9000 section 20.1).
inline constexpr std::uint64_t kTransportConnectionRefused = 0x2;

// Bytes from outside as text: printable ASCII, the rest as '?', at most `size_max`.
std::string printable(std::string_view bytes, std::size_t size_max);

// `by_peer`: the alert came from the peer (it refused us); else it is ours.
std::string describe_tls_alert(std::uint8_t alert, bool by_peer, bool server);

// A received CONNECTION_CLOSE in words. `server`: we are the server.
std::string describe_peer_close(const ngtcp2_connection_close_error&, bool server);

}  // namespace bayplan::dataplane
