// How a QuicConnection begins: ngtcp2 settings, transport parameters, TLS. See quic_connection.h.
//
// Thread: the data plane's.
#include <gnutls/crypto.h>
#include <ngtcp2/ngtcp2_crypto.h>

#include <algorithm>

#include "quic/quic_connection.h"

namespace bayplan::dataplane {

namespace {

// Data-centre round trips are 10 us to 1 ms; the RFC's 333 ms would make the first loss cost a
// second.
constexpr ngtcp2_duration kInitialRtt = NGTCP2_MILLISECONDS;
// Bounds how long a lost last packet stays unnoticed; acknowledgements of bursts are immediate
// anyway.
constexpr ngtcp2_duration kAckDelayMax = 2 * NGTCP2_MILLISECONDS;
constexpr ngtcp2_duration kHandshakeTimeout = 5 * NGTCP2_SECONDS;
constexpr std::uint64_t kReceivePayloadMin = 1500;
// A peer that moves needs ids that nobody saw on its old path.
constexpr std::uint64_t kSpareCids = 4;

ngtcp2_cid to_ngtcp2(const Cid& cid) {
    ngtcp2_cid out;
    ngtcp2_cid_init(&out, cid.bytes.data(), cid.size);
    return out;
}

}  // namespace

QuicConnection::QuicConnection(const Setup& setup)
    : options_(setup.options),
      owner_(setup.owner),
      counters_(setup.counters),
      id_(setup.id),
      server_(setup.server),
      paths_(setup.path),
      streams_{StreamState(setup.options), StreamState(setup.options), StreamState(setup.options)},
      packet_size_(setup.options.payload_bytes_max),
      patience_(setup.now) {
    // Each side opens its own streams once, so QUIC's numbering fixes their ids.
    auto& control = streams_[static_cast<std::size_t>(Stream::control)];
    control.id = 0;
    control.sends = control.receives = true;
    auto& state = streams_[static_cast<std::size_t>(Stream::state)];
    state.id = 2;
    state.sends = !server_;
    state.receives = server_;
    auto& decisions = streams_[static_cast<std::size_t>(Stream::decisions)];
    decisions.id = 3;
    decisions.sends = server_;
    decisions.receives = !server_;
}

QuicConnection::~QuicConnection() {
    // Before the send buffers: ngtcp2 points into them.
    if (conn_ != nullptr) ngtcp2_conn_del(conn_);
}

void QuicConnection::fill_settings(ngtcp2_settings& settings, std::uint64_t now) const {
    ngtcp2_settings_default(&settings);
    settings.cc_algo = NGTCP2_CC_ALGO_CUBIC;
    settings.initial_ts = now;
    settings.initial_rtt = kInitialRtt;
    settings.max_tx_udp_payload_size = options_.payload_bytes_max;
    settings.no_tx_udp_payload_size_shaping = 1;
    settings.no_pmtud = 1;
    settings.handshake_timeout = kHandshakeTimeout;
    // No auto-tuning of windows: memory per connection is what the options say. No qlog, ever: its
    // encoder of transport parameters is where ngtcp2's known vulnerabilities are.
    settings.max_window = 0;
    settings.max_stream_window = 0;
    settings.qlog.write = nullptr;
}

void QuicConnection::fill_parameters(ngtcp2_transport_params& parameters) const {
    ngtcp2_transport_params_default(&parameters);
    const std::uint64_t window = options_.receive_window_bytes;
    parameters.initial_max_stream_data_bidi_local = window;
    parameters.initial_max_stream_data_bidi_remote = window;
    parameters.initial_max_stream_data_uni = window;
    // Either side receives on two streams; a blocked one must not eat the other's credit.
    parameters.initial_max_data = 2 * window;
    parameters.initial_max_streams_bidi = server_ ? 1 : 0;
    parameters.initial_max_streams_uni = 1;
    parameters.max_idle_timeout = options_.idle_timeout_ms * NGTCP2_MILLISECONDS;
    parameters.max_udp_payload_size = std::max<std::uint64_t>(options_.payload_bytes_max, kReceivePayloadMin);
    parameters.max_ack_delay = kAckDelayMax;
    parameters.disable_active_migration = 0;
    parameters.active_connection_id_limit = kSpareCids;
}

void QuicConnection::add_cid(const Cid& cid) {
    cids_.push_back(cid);
    owner_.on_cid_added(*this, cid);
}

bool QuicConnection::attach_tls(const Setup& setup, std::string& error) {
    tls_ = std::make_unique<TlsSession>();
    if (!tls_->open(setup.credentials, server_, setup.alpn, error)) return false;
    if (!server_) tls_->expect_name(options_.server_name);
    tls_->attach(conn_);
    return true;
}

bool QuicConnection::begin_server(const Setup& setup, const ngtcp2_pkt_hd& first, const AddressProof& proof,
                                  std::string& error) {
    ngtcp2_settings settings;
    fill_settings(settings, setup.now);
    ngtcp2_transport_params parameters;
    fill_parameters(parameters);
    parameters.original_dcid = first.dcid;
    if (proof.token) settings.token = first.token;
    if (proof.before_retry != nullptr) {
        parameters.original_dcid = *proof.before_retry;
        parameters.retry_scid = first.dcid;
        parameters.retry_scid_present = 1;
    }
    const Cid own = owner_.make_cid();
    parameters.stateless_reset_token_present =
        owner_.reset_token(own, std::span<std::uint8_t, kResetTokenBytes>(parameters.stateless_reset_token));
    const ngtcp2_cid scid = to_ngtcp2(own);
    const int rc = ngtcp2_conn_server_new(&conn_, &first.scid, &scid, &paths_.current_place(), first.version,
                                          &callbacks(true), &settings, &parameters, nullptr, this);
    if (rc != 0) {
        error = ngtcp2_strerror(rc);
        return false;
    }
    if (!attach_tls(setup, error)) return false;
    add_cid(own);
    // Until the client has heard our id it repeats its first packet under the id it made up.
    add_cid(Cid(first.dcid));
    return true;
}

bool QuicConnection::begin_client(const Setup& setup, std::string& error) {
    ngtcp2_settings settings;
    fill_settings(settings, setup.now);
    ngtcp2_transport_params parameters;
    fill_parameters(parameters);
    std::vector<std::uint8_t> token = setup.token;  // ngtcp2 copies it
    settings.token = {token.data(), token.size()};
    const Cid own = owner_.make_cid();
    const ngtcp2_cid scid = to_ngtcp2(own);
    // The server replaces it by its own. All of it is random: its first byte is what spreads
    // connections over the lcores of a device with one queue.
    ngtcp2_cid dcid = scid;
    if (gnutls_rnd(GNUTLS_RND_NONCE, dcid.data, dcid.datalen) != 0) {
        error = "no randomness for a connection id";
        return false;
    }
    const int rc = ngtcp2_conn_client_new(&conn_, &dcid, &scid, &paths_.current_place(), NGTCP2_PROTO_VER_V1,
                                          &callbacks(false), &settings, &parameters, nullptr, this);
    if (rc != 0) {
        error = ngtcp2_strerror(rc);
        return false;
    }
    if (!attach_tls(setup, error)) return false;
    // The client alone keeps an idle connection alive; three pings fit into the timeout.
    ngtcp2_conn_set_keep_alive_timeout(conn_, options_.idle_timeout_ms * NGTCP2_MILLISECONDS / 4);
    add_cid(own);
    return true;
}

}  // namespace bayplan::dataplane
