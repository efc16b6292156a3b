// See quic_tls.h.
#include "quic/quic_tls.h"

#include <arpa/inet.h>
#include <gnutls/crypto.h>
#include <gnutls/x509.h>
#include <ngtcp2/ngtcp2_crypto_gnutls.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/check.h"
#include "dataplane/certificate_dates.h"
#include "quic/quic_errors.h"

namespace bayplan::dataplane {

namespace {

constexpr const char* kPriority =
    "NORMAL:-VERS-ALL:+VERS-TLS1.3:-CIPHER-ALL:+AES-128-GCM:+AES-256-GCM:"
    "-GROUP-ALL:+GROUP-X25519:+GROUP-SECP256R1:%DISABLE_TLS13_COMPAT_MODE";

struct Certificate {
    gnutls_x509_crt_t handle = nullptr;
    Certificate() = default;
    Certificate(const Certificate&) = delete;
    Certificate& operator=(const Certificate&) = delete;
    ~Certificate() {
        if (handle != nullptr) gnutls_x509_crt_deinit(handle);
    }
    bool read(const gnutls_datum_t& bytes) {
        return gnutls_x509_crt_init(&handle) == 0 && gnutls_x509_crt_import(handle, &bytes, GNUTLS_X509_FMT_DER) == 0;
    }
};

// The peer's own certificate comes first.
std::span<const gnutls_datum_t> chain_of_peer(gnutls_session_t session) {
    unsigned count = 0;
    const gnutls_datum_t* chain = gnutls_certificate_get_peers(session, &count);
    return chain == nullptr ? std::span<const gnutls_datum_t>() : std::span(chain, count);
}

// The one common name of a certificate. Several would leave open which of them is authorised.
bool read_common_name(std::span<const gnutls_datum_t> chain, std::string& name, std::string& why) {
    Certificate certificate;
    if (chain.empty() || !certificate.read(chain.front())) {
        why = "certificate cannot be read";
        return false;
    }
    char text[256];
    std::size_t size = sizeof text;
    if (gnutls_x509_crt_get_dn_by_oid(certificate.handle, GNUTLS_OID_X520_COMMON_NAME, 0, 0, text, &size) != 0 ||
        size == 0) {
        why = "certificate has no usable common name";
        return false;
    }
    name.assign(text, size);
    if (printable(name, sizeof text) != name) {
        why = "certificate has unprintable bytes in its common name";
        return false;
    }
    std::size_t second = sizeof text;
    if (gnutls_x509_crt_get_dn_by_oid(certificate.handle, GNUTLS_OID_X520_COMMON_NAME, 1, 0, text, &second) !=
        GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE) {
        why = "certificate has several common names";
        return false;
    }
    return true;
}

// By its alternative names; the common name does not count.
bool is_named(std::span<const gnutls_datum_t> chain, const std::string& name) {
    Certificate certificate;
    if (chain.empty() || !certificate.read(chain.front())) return false;
    unsigned char address[sizeof(in6_addr)];
    for (const auto& [family, size] : {std::pair{AF_INET, sizeof(in_addr)}, std::pair{AF_INET6, sizeof(in6_addr)}}) {
        if (inet_pton(family, name.c_str(), address) == 1) {
            return gnutls_x509_crt_check_ip(certificate.handle, address, static_cast<unsigned>(size), 0) != 0;
        }
    }
    std::size_t any = 0;
    const int alternative = gnutls_x509_crt_get_subject_alt_name(certificate.handle, 0, nullptr, &any, nullptr);
    return alternative != GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE &&
           gnutls_x509_crt_check_hostname(certificate.handle, name.c_str()) != 0;
}

std::string bytes_of_file(const std::string& name) {
    std::ifstream file(name, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return bytes.str();
}

}  // namespace

std::shared_ptr<const TlsCredentials> TlsCredentials::load(const TlsFiles& files, bool server, std::string& error) {
    std::shared_ptr<TlsCredentials> out(new TlsCredentials);
    int rc = gnutls_certificate_allocate_credentials(&out->credentials_);
    if (rc != 0) {
        error = std::string("TLS: ") + gnutls_strerror(rc);
        return nullptr;
    }
    rc = gnutls_certificate_set_x509_trust_file(out->credentials_, files.authority.c_str(), GNUTLS_X509_FMT_PEM);
    if (rc <= 0) {
        error = "CA file '" + files.authority + "': " + (rc == 0 ? "no certificate in it" : gnutls_strerror(rc));
        return nullptr;
    }
    if (server || !files.certificate.empty()) {
        rc = gnutls_certificate_set_x509_key_file(out->credentials_, files.certificate.c_str(), files.key.c_str(),
                                                  GNUTLS_X509_FMT_PEM);
        if (rc != 0) {
            error = "certificate '" + files.certificate + "' with key '" + files.key + "': " + gnutls_strerror(rc);
            return nullptr;
        }
    }
    out->authority_ends_s_ = certificates_end_s(files.authority);
    if (!files.revoked.empty() && !out->add_revocations(files, error)) return nullptr;
    rc = gnutls_priority_init(&out->priority_, kPriority, nullptr);
    if (rc != 0) {
        error = std::string("TLS priorities: ") + gnutls_strerror(rc);
        return nullptr;
    }
    if (!out->read_root(files)) {
        error = "key '" + files.key + "' cannot be read";
        return nullptr;
    }
    return out;
}

TlsCredentials::~TlsCredentials() {
    if (priority_ != nullptr) gnutls_priority_deinit(priority_);
    if (credentials_ != nullptr) gnutls_certificate_free_credentials(credentials_);
}

TlsSession::~TlsSession() {
    if (session_ != nullptr) gnutls_deinit(session_);
}

bool TlsCredentials::read_root(const TlsFiles& files) {
    if (files.key.empty()) return gnutls_rnd(GNUTLS_RND_KEY, root_.data(), root_.size()) == 0;
    const std::string key = bytes_of_file(files.key);
    const std::string certificate = bytes_of_file(files.certificate);
    return !key.empty() && gnutls_hmac_fast(GNUTLS_MAC_SHA256, key.data(), key.size(), certificate.data(),
                                            certificate.size(), root_.data()) == 0;
}

void TlsCredentials::derive_secret(std::string_view label, std::span<std::uint8_t, 32> out) const {
    const int rc =
        gnutls_hmac_fast(GNUTLS_MAC_SHA256, root_.data(), root_.size(), label.data(), label.size(), out.data());
    BP_CHECK_OP(rc, ==, 0);  // a hash of bytes in memory
}

bool TlsSession::open(std::shared_ptr<const TlsCredentials> shared, bool server, std::string_view alpn,
                      std::string& error) {
    credentials_ = std::move(shared);
    const TlsCredentials& credentials = *credentials_;
    server_ = server;
    alpn_ = alpn;
    // FORCE_CLIENT_CERT: without it GnuTLS hides a certificate of an authority that the server did
    // not name, and the refusal would read "no certificate".
    const unsigned flags = server ? GNUTLS_SERVER | GNUTLS_NO_TICKETS | GNUTLS_NO_AUTO_SEND_TICKET
                                  : GNUTLS_CLIENT | GNUTLS_NO_TICKETS | GNUTLS_FORCE_CLIENT_CERT;
    int rc = gnutls_init(&session_, flags);
    if (rc == 0) rc = gnutls_priority_set(session_, credentials.priority());
    if (rc == 0) rc = gnutls_credentials_set(session_, GNUTLS_CRD_CERTIFICATE, credentials.handle());
    if (rc == 0) {
        const gnutls_datum_t protocol = {reinterpret_cast<unsigned char*>(alpn_.data()),
                                         static_cast<unsigned>(alpn_.size())};
        rc = gnutls_alpn_set_protocols(session_, &protocol, 1, GNUTLS_ALPN_MANDATORY);
    }
    if (rc == 0) {
        rc = server ? ngtcp2_crypto_gnutls_configure_server_session(session_)
                    : ngtcp2_crypto_gnutls_configure_client_session(session_);
    }
    if (rc != 0) {
        error = std::string("TLS session: ") + gnutls_strerror(rc);
        return false;
    }
    if (server) gnutls_certificate_server_set_request(session_, GNUTLS_CERT_REQUIRE);
    gnutls_session_set_verify_function(session_, verify_peer);
    return true;
}

void TlsSession::attach(ngtcp2_conn* connection) {
    connection_ = connection;
    reference_.user_data = this;
    reference_.get_conn = [](ngtcp2_crypto_conn_ref* reference) {
        return static_cast<TlsSession*>(reference->user_data)->connection_;
    };
    gnutls_session_set_ptr(session_, &reference_);
    ngtcp2_conn_set_tls_native_handle(connection, session_);
}

bool TlsSession::alpn_agreed() const {
    gnutls_datum_t selected{};
    if (gnutls_alpn_get_selected_protocol(session_, &selected) != 0) return false;
    return std::string_view(reinterpret_cast<char*>(selected.data), selected.size) == alpn_;
}

int TlsSession::verify_peer(gnutls_session_t session) {
    auto* reference = static_cast<ngtcp2_crypto_conn_ref*>(gnutls_session_get_ptr(session));
    return static_cast<TlsSession*>(reference->user_data)->accept_peer() ? 0 : GNUTLS_E_CERTIFICATE_ERROR;
}

bool TlsSession::accept_peer() {
    const auto chain = chain_of_peer(session_);
    const std::int64_t now_s = std::time(nullptr);
    const auto key = VerifiedChains::key_of(chain);
    auto known = key ? credentials_->verified().find(*key, now_s) : std::nullopt;
    chain_was_known_ = known.has_value();
    if (known) {
        peer_ = std::move(*known);
    } else {
        if (!verify_chain()) return false;
        peer_.ends_s = VerifiedChains::earliest_end_s(chain.first(1));
        const std::int64_t ends_s = std::min(VerifiedChains::earliest_end_s(chain), credentials_->authority_ends_s());
        if (key) credentials_->verified().keep(*key, peer_, ends_s, now_s);
    }
    const bool misnamed = !expected_name_.empty() && !is_named(chain, expected_name_);
    if (!misnamed) return true;
    refusal_ =
        std::string(server_ ? "client" : "server") + " certificate \"" + peer_.name + "\" is not for " + expected_name_;
    peer_ = {};
    return false;
}

// Sets the peer's name.
bool TlsSession::verify_chain() {
    gnutls_typed_vdata_st demand = key_purpose(server_);
    unsigned status = 0;
    const int rc = gnutls_certificate_verify_peers(session_, &demand, 1, &status);
    const char* whose = server_ ? "client" : "server";
    if (rc != 0) {
        refusal_ = std::string(whose) + " certificate: " + gnutls_strerror(rc);
        return false;
    }
    std::string name;
    std::string why;
    const bool named = read_common_name(chain_of_peer(session_), name, why);
    if (status != 0) {
        refusal_ = std::string(whose) + " certificate" + (named ? " \"" + name + "\" " : " ") +
                   describe_certificate_status(status, server_);
        return false;
    }
    if (!named) {
        refusal_ = std::string(whose) + " " + why;
        return false;
    }
    peer_.name = std::move(name);
    return true;
}

}  // namespace bayplan::dataplane
