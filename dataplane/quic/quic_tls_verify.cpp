// The part of TLS that matters after a handshake: revocation lists, the verdict on a peer's certificate by credentials
// that were loaded later, and the protocol and name that were agreed on. See quic_tls.h.
//
// Thread: add_revocations(): the thread that loads credentials; verify_again(): the data plane's.
#include <gnutls/x509.h>

#include <algorithm>
#include <ctime>
#include <vector>

#include "quic/quic_errors.h"
#include "quic/quic_tls.h"

namespace bayplan::dataplane {

namespace {

// A list of certificates or revocation lists as GnuTLS gives it out, freed with its elements.
template <class Element, void (*deinit)(Element)>
struct List {
    Element* elements = nullptr;
    unsigned count = 0;
    List() = default;
    List(const List&) = delete;
    List& operator=(const List&) = delete;
    ~List() {
        for (unsigned i = 0; i < count; ++i) deinit(elements[i]);
        gnutls_free(elements);
    }
};
using Certificates = List<gnutls_x509_crt_t, gnutls_x509_crt_deinit>;
using Revocations = List<gnutls_x509_crl_t, gnutls_x509_crl_deinit>;

template <class Import>
int read_list(const std::string& file, Import&& import) {
    gnutls_datum_t text{};
    int rc = gnutls_load_file(file.c_str(), &text);
    if (rc != 0) return rc;
    rc = import(text);
    gnutls_free(text.data);
    return rc;
}

bool signed_by_one_of(gnutls_x509_crl_t list, const Certificates& authorities) {
    unsigned status = 0;
    if (gnutls_x509_crl_verify(list, authorities.elements, authorities.count, 0, &status) < 0) return false;
    // A list past its next update is still believed.
    return (status & ~static_cast<unsigned>(GNUTLS_CERT_REVOCATION_DATA_SUPERSEDED | GNUTLS_CERT_INVALID)) == 0;
}

}  // namespace

// Looked at one by one: GnuTLS would take a list of somebody else's authority without a word, and
// the operator would believe that it holds.
bool TlsCredentials::add_revocations(const TlsFiles& files, std::string& error) {
    Certificates authorities;
    Revocations lists;
    int rc = read_list(files.authority, [&](const gnutls_datum_t& text) {
        return gnutls_x509_crt_list_import2(&authorities.elements, &authorities.count, &text, GNUTLS_X509_FMT_PEM, 0);
    });
    if (rc >= 0) {
        rc = read_list(files.revoked, [&](const gnutls_datum_t& text) {
            return gnutls_x509_crl_list_import2(&lists.elements, &lists.count, &text, GNUTLS_X509_FMT_PEM, 0);
        });
    }
    const std::string what = "revocation list '" + files.revoked + "': ";
    if (rc < 0) {
        error = what + gnutls_strerror(rc);
        return false;
    }
    for (unsigned i = 0; i < lists.count; ++i) {
        if (signed_by_one_of(lists.elements[i], authorities)) continue;
        error = what + "list " + std::to_string(i + 1) + " is not signed by our CA";
        return false;
    }
    gnutls_x509_trust_list_t trusted = nullptr;
    gnutls_certificate_get_trust_list(credentials_, &trusted);
    rc = gnutls_x509_trust_list_add_crls(trusted, lists.elements, lists.count, 0, 0);
    if (rc != static_cast<int>(lists.count) || lists.count == 0) {
        error = what + "no usable list in it";
        return false;
    }
    lists.count = 0;  // they are the trust list's now
    return true;
}

bool TlsSession::verify_again(const TlsCredentials& credentials, std::string& why) const {
    if (&credentials == credentials_.get()) return true;
    unsigned count = 0;
    const gnutls_datum_t* chain = gnutls_certificate_get_peers(session_, &count);
    std::vector<gnutls_x509_crt_t> certificates;
    bool readable = chain != nullptr && count > 0;
    for (unsigned i = 0; readable && i < count; ++i) {
        gnutls_x509_crt_t each = nullptr;
        readable = gnutls_x509_crt_init(&each) == 0;
        if (readable) certificates.push_back(each);
        readable = readable && gnutls_x509_crt_import(each, &chain[i], GNUTLS_X509_FMT_DER) == 0;
    }
    unsigned status = GNUTLS_CERT_INVALID;
    if (readable) {
        gnutls_x509_trust_list_t trusted = nullptr;
        gnutls_certificate_get_trust_list(credentials.handle(), &trusted);
        gnutls_typed_vdata_st demand = key_purpose(server_);
        if (gnutls_x509_trust_list_verify_crt2(trusted, certificates.data(), count, &demand, 1, 0, &status, nullptr) <
            0) {
            status |= GNUTLS_CERT_INVALID;
        }
    }
    for (const gnutls_x509_crt_t each : certificates) gnutls_x509_crt_deinit(each);
    if (status == 0) return true;
    why = std::string(server_ ? "client" : "server") + " certificate \"" + peer_.name + "\" " +
          describe_certificate_status(status, server_);
    return false;
}

std::uint64_t TlsSession::peer_valid_ns() const {
    constexpr std::uint64_t kSecond_ns = 1'000'000'000;
    constexpr std::uint64_t kLongest_s = 100ULL * 366 * 24 * 3600;
    const std::int64_t now_s = std::time(nullptr);
    return peer_.ends_s <= now_s ? 0
                                 : std::min(static_cast<std::uint64_t>(peer_.ends_s - now_s), kLongest_s) * kSecond_ns;
}

gnutls_typed_vdata_st TlsSession::key_purpose(bool server) {
    const char* purpose = server ? GNUTLS_KP_TLS_WWW_CLIENT : GNUTLS_KP_TLS_WWW_SERVER;
    gnutls_typed_vdata_st demand{};
    demand.type = GNUTLS_DT_KEY_PURPOSE_OID;
    demand.data = reinterpret_cast<unsigned char*>(const_cast<char*>(purpose));
    return demand;
}

std::string describe_certificate_status(unsigned status, bool server) {
    if ((status & GNUTLS_CERT_PURPOSE_MISMATCH) != 0) {
        return server ? "is not for use by a client" : "is not for use by a server";
    }
    if ((status & GNUTLS_CERT_SIGNER_NOT_FOUND) != 0) return "is not signed by our CA";
    if ((status & GNUTLS_CERT_EXPIRED) != 0) return "has expired";
    if ((status & GNUTLS_CERT_NOT_ACTIVATED) != 0) return "is not valid yet";
    if ((status & GNUTLS_CERT_REVOKED) != 0) return "was revoked";
    if ((status & GNUTLS_CERT_INSECURE_ALGORITHM) != 0) return "uses an insecure algorithm";
    gnutls_datum_t text{};
    if (gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509, &text, 0) != 0) {
        return "does not verify";
    }
    std::string out = "does not verify: " + std::string(reinterpret_cast<char*>(text.data), text.size);
    gnutls_free(text.data);
    return out;
}

TlsDetails TlsSession::details() const {
    TlsDetails out;
    const auto text = [](const char* name) { return std::string(name == nullptr ? "" : name); };
    out.version = text(gnutls_protocol_get_name(gnutls_protocol_get_version(session_)));
    out.cipher = text(gnutls_cipher_get_name(gnutls_cipher_get(session_)));
    unsigned count = 0;
    const gnutls_datum_t* chain = gnutls_certificate_get_peers(session_, &count);
    gnutls_x509_crt_t certificate = nullptr;
    if (chain == nullptr || count == 0 || gnutls_x509_crt_init(&certificate) != 0) return out;
    if (gnutls_x509_crt_import(certificate, &chain[0], GNUTLS_X509_FMT_DER) == 0) {
        const auto name = [&](auto read) {
            gnutls_datum_t datum{};
            if (read(certificate, &datum, 0u) != 0) return std::string();
            const std::string_view raw(reinterpret_cast<const char*>(datum.data), datum.size);
            std::string printed = printable(raw, 1024);
            gnutls_free(datum.data);
            return printed;
        };
        out.subject = name(gnutls_x509_crt_get_dn3);
        out.issuer = name(gnutls_x509_crt_get_issuer_dn3);
        out.valid_from_s = gnutls_x509_crt_get_activation_time(certificate);
        out.valid_until_s = gnutls_x509_crt_get_expiration_time(certificate);
    }
    gnutls_x509_crt_deinit(certificate);
    return out;
}

}  // namespace bayplan::dataplane
