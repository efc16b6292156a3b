// TLS for QUIC by GnuTLS: what identifies us, what we demand of a peer, and why a peer was refused.
//
// TLS 1.3 only, AES-GCM only (GnuTLS' ChaCha20 is nine times slower), X25519 or P-256, ALPN
// "bayplan/1", both sides show a certificate signed by the configured authority, whose extended key
// usage, if it has one, must name its role: else any client's certificate could pose as the server.
// No session tickets: a resumed session would skip the verification.
//
// Thread: TlsCredentials is read-only after load(), apart from the verified chains, and may be shared;
// a TlsSession belongs to its connection. Errors: null or false, and a text.
#pragma once

#include <gnutls/gnutls.h>
#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "dataplane/data_plane.h"
#include "quic/verified_chains.h"

namespace bayplan::dataplane {

inline constexpr std::string_view kAlpn = "bayplan/1";

// GnuTLS' verification status in words, to follow "certificate ...". `server`: we are the server.
std::string describe_certificate_status(unsigned status, bool server);

// Of one role, a client's or a server's.
class TlsCredentials {
public:
    // A client may come without certificate and key (it will be refused); a server may not.
    static std::shared_ptr<const TlsCredentials> load(const TlsFiles&, bool server, std::string& error);
    ~TlsCredentials();
    TlsCredentials(const TlsCredentials&) = delete;
    TlsCredentials& operator=(const TlsCredentials&) = delete;

    // 32 bytes that follow from the key, the certificate and `label`: secrets that outlive the process without a file of
    // their own. Random where there is no key.
    void derive_secret(std::string_view label, std::span<std::uint8_t, 32> out) const;

    gnutls_certificate_credentials_t handle() const { return credentials_; }
    gnutls_priority_t priority() const { return priority_; }
    VerifiedChains& verified() const { return verified_; }
    std::int64_t authority_ends_s() const { return authority_ends_s_; }

private:
    TlsCredentials() = default;
    bool add_revocations(const TlsFiles&, std::string& error);
    bool read_root(const TlsFiles&);
    gnutls_certificate_credentials_t credentials_ = nullptr;
    gnutls_priority_t priority_ = nullptr;
    std::array<std::uint8_t, 32> root_{};  // of all secrets
    std::int64_t authority_ends_s_ = 0;    // the earliest of its file
    mutable VerifiedChains verified_;      // by these; with a lock of its own
};

class TlsSession {
public:
    TlsSession() = default;
    ~TlsSession();
    TlsSession(const TlsSession&) = delete;
    TlsSession& operator=(const TlsSession&) = delete;

    bool open(std::shared_ptr<const TlsCredentials>, bool server, std::string_view alpn, std::string& error);
    // Of the peer, a DNS name or an IP address; before the handshake. Empty: any.
    void expect_name(std::string name) { expected_name_ = std::move(name); }
    // Ties the two libraries together; `connection` must outlive the last packet.
    void attach(ngtcp2_conn* connection);

    // After the handshake: whether the peer's certificate also passes by other credentials (other
    // CA, revocation lists). If not, why. Costs nothing for the credentials of the handshake.
    bool verify_again(const TlsCredentials&, std::string& why) const;
    // After the handshake: how long the peer's certificate is valid from now on. 0: no longer.
    std::uint64_t peer_valid_ns() const;
    // After the handshake: false if the peer did not agree on our protocol.
    bool alpn_agreed() const;
    // Subject common name of the verified certificate; empty before verification.
    const std::string& peer_name() const { return peer_.name; }
    // Whether the peer's chain was not verified again (VerifiedChains).
    bool chain_was_known() const { return chain_was_known_; }
    // After the handshake.
    TlsDetails details() const;
    // Why verification refused the peer; empty if it did not.
    const std::string& refusal() const { return refusal_; }

private:
    static int verify_peer(gnutls_session_t session);
    bool accept_peer();
    bool verify_chain();
    // The key purpose that a peer's certificate must have, if it names purposes.
    static gnutls_typed_vdata_st key_purpose(bool server);

    std::shared_ptr<const TlsCredentials> credentials_;  // the session points into them
    gnutls_session_t session_ = nullptr;
    ngtcp2_conn* connection_ = nullptr;
    ngtcp2_crypto_conn_ref reference_{};
    bool server_ = false;
    std::string alpn_;
    std::string expected_name_;
    VerifiedPeer peer_;
    bool chain_was_known_ = false;
    std::string refusal_;
};

}  // namespace bayplan::dataplane
