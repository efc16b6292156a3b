// ngtcp2's callbacks as methods of QuicConnection, and the table of them.
//
// Thread: the data plane's, from inside ngtcp2 calls. Errors: a callback that fails has noted why
// (QuicConnection::end) before it returns NGTCP2_ERR_CALLBACK_FAILURE.
#include "quic/quic_connection.h"

#include <gnutls/crypto.h>
#include <ngtcp2/ngtcp2_crypto.h>

#include <algorithm>

#include "quic/quic_errors.h"

namespace bayplan::dataplane {

struct QuicConnection::Callbacks {
    static QuicConnection& self(void* user_data) { return *static_cast<QuicConnection*>(user_data); }

    static int handshake_completed(ngtcp2_conn*, void* user_data) {
        auto& connection = self(user_data);
        if (!connection.tls_->alpn_agreed()) {
            connection.end(Ending::Kind::local_tls, 120, describe_tls_alert(120, false, false));
            return NGTCP2_ERR_CALLBACK_FAILURE;
        }
        connection.tls_done_ = true;
        if (connection.tls_->chain_was_known()) connection.counters_.add(Count::chains_known);
        if (!connection.owner_.may_open(connection) || !connection.open_streams()) return NGTCP2_ERR_CALLBACK_FAILURE;
        if (!connection.server_) return 0;
        give_token(connection);
        connection.establish();
        return 0;
    }

    static int recv_crypto_data(ngtcp2_conn* conn, ngtcp2_crypto_level level, std::uint64_t offset,
                                const std::uint8_t* data, std::size_t size, void* user_data) {
        self(user_data).handshake_forward_ = true;
        return ngtcp2_crypto_recv_crypto_data_cb(conn, level, offset, data, size, user_data);
    }

    // For the next connection: not sending it costs that one a round trip at most.
    static void give_token(QuicConnection& connection) {
        const auto token = connection.owner_.new_token(connection.path().remote);
        if (!token.empty()) ngtcp2_conn_submit_new_token(connection.conn_, token.data(), token.size());
    }
    static int recv_new_token(ngtcp2_conn*, const ngtcp2_vec* token, void* user_data) {
        auto& connection = self(user_data);
        connection.owner_.on_new_token(connection.path().remote, {token->base, token->len});
        return 0;
    }

    static int handshake_confirmed(ngtcp2_conn*, void* user_data) {
        auto& connection = self(user_data);
        if (!connection.server_) connection.establish();
        return 0;
    }

    static int recv_stream_data(ngtcp2_conn*, std::uint32_t flags, std::int64_t stream_id, std::uint64_t,
                                const std::uint8_t* data, std::size_t size, void* user_data, void*) {
        return self(user_data).receive_stream(stream_id, {data, size}, (flags & NGTCP2_STREAM_DATA_FLAG_FIN) != 0);
    }

    static int acked_stream_data(ngtcp2_conn*, std::int64_t stream_id, std::uint64_t, std::uint64_t size,
                                 void* user_data, void*) {
        auto& connection = self(user_data);
        connection.authenticated_ = true;
        if (auto* stream = connection.stream_by_id(stream_id)) {
            stream->out.acknowledge(static_cast<std::size_t>(size));
            const bool all = stream->out.buffered_bytes() == stream->out.unsent_bytes();
            stream->waits_since = all ? 0 : connection.received_at_;
            connection.packet_size_.acknowledged(connection.received_at_);
        }
        return 0;
    }

    static int stream_ended(void* user_data, const char* how) {
        self(user_data).end(Ending::Kind::local_application, kErrorStream, how);
        return NGTCP2_ERR_CALLBACK_FAILURE;
    }
    static int stream_reset(ngtcp2_conn*, std::int64_t, std::uint64_t, std::uint64_t, void* user_data, void*) {
        return stream_ended(user_data, "the peer reset a stream");
    }
    static int stream_stop_sending(ngtcp2_conn*, std::int64_t, std::uint64_t, void* user_data, void*) {
        return stream_ended(user_data, "the peer stopped reading a stream");
    }

    static int get_new_connection_id(ngtcp2_conn*, ngtcp2_cid* cid, std::uint8_t* token, std::size_t size,
                                     void* user_data) {
        auto& connection = self(user_data);
        const Cid made = connection.owner_.make_cid();
        const std::span<std::uint8_t, kResetTokenBytes> out(token, kResetTokenBytes);
        if (made.size != size || !connection.owner_.reset_token(made, out)) return NGTCP2_ERR_CALLBACK_FAILURE;
        ngtcp2_cid_init(cid, made.bytes.data(), made.size);
        connection.add_cid(made);
        return 0;
    }

    static int remove_connection_id(ngtcp2_conn*, const ngtcp2_cid* cid, void* user_data) {
        auto& connection = self(user_data);
        const Cid gone(*cid);
        std::erase(connection.cids_, gone);
        connection.owner_.on_cid_removed(gone);
        return 0;
    }

    static int recv_stateless_reset(ngtcp2_conn*, const ngtcp2_pkt_stateless_reset*, void* user_data) {
        self(user_data).was_reset_ = true;
        return 0;
    }

    // ngtcp2 makes the next keys in advance: the first time at the end of the handshake, then once
    // per update, whichever side began it.
    static int update_key(ngtcp2_conn* conn, std::uint8_t* rx_secret, std::uint8_t* tx_secret,
                          ngtcp2_crypto_aead_ctx* rx_context, std::uint8_t* rx_iv, ngtcp2_crypto_aead_ctx* tx_context,
                          std::uint8_t* tx_iv, const std::uint8_t* current_rx_secret,
                          const std::uint8_t* current_tx_secret, std::size_t secret_size, void* user_data) {
        auto& connection = self(user_data);
        if (++connection.keys_made_ > 1) connection.counters_.add(Count::key_updates);
        return ngtcp2_crypto_update_key_cb(conn, rx_secret, tx_secret, rx_context, rx_iv, tx_context, tx_iv,
                                           current_rx_secret, current_tx_secret, secret_size, user_data);
    }

    static void random_bytes(std::uint8_t* out, std::size_t size, const ngtcp2_rand_ctx*) {
        // Of no security weight (RFC 9000 grease and probes), so a failure is not worth an ending.
        if (gnutls_rnd(GNUTLS_RND_NONCE, out, size) != 0) std::fill_n(out, size, std::uint8_t{0});
    }

    static ngtcp2_callbacks table(bool server) {
        ngtcp2_callbacks out{};
        out.client_initial = server ? nullptr : ngtcp2_crypto_client_initial_cb;
        out.recv_retry = server ? nullptr : ngtcp2_crypto_recv_retry_cb;
        out.recv_client_initial = server ? ngtcp2_crypto_recv_client_initial_cb : nullptr;
        out.recv_crypto_data = recv_crypto_data;
        out.encrypt = ngtcp2_crypto_encrypt_cb;
        out.decrypt = ngtcp2_crypto_decrypt_cb;
        out.hp_mask = ngtcp2_crypto_hp_mask_cb;
        out.update_key = update_key;
        out.delete_crypto_aead_ctx = ngtcp2_crypto_delete_crypto_aead_ctx_cb;
        out.delete_crypto_cipher_ctx = ngtcp2_crypto_delete_crypto_cipher_ctx_cb;
        out.get_path_challenge_data = ngtcp2_crypto_get_path_challenge_data_cb;
        out.version_negotiation = ngtcp2_crypto_version_negotiation_cb;
        out.rand = random_bytes;
        out.handshake_completed = handshake_completed;
        out.handshake_confirmed = handshake_confirmed;
        out.recv_stream_data = recv_stream_data;
        out.acked_stream_data_offset = acked_stream_data;
        out.stream_reset = stream_reset;
        out.stream_stop_sending = stream_stop_sending;
        out.get_new_connection_id = get_new_connection_id;
        out.remove_connection_id = remove_connection_id;
        out.recv_stateless_reset = recv_stateless_reset;
        out.recv_new_token = server ? nullptr : recv_new_token;
        return out;
    }
};

const ngtcp2_callbacks& QuicConnection::callbacks(bool server) {
    static const ngtcp2_callbacks kServer = Callbacks::table(true);
    static const ngtcp2_callbacks kClient = Callbacks::table(false);
    return server ? kServer : kClient;
}

}  // namespace bayplan::dataplane
