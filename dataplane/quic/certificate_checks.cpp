// See certificate_checks.h. Keys and certificates are loaded as a server loads them, and its chain is verified as a peer does.
//
// Thread: any.
#include "dataplane/certificate_checks.h"

#include <arpa/inet.h>
#include <gnutls/x509.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "dataplane/certificate_dates.h"
#include "quic/quic_tls.h"

namespace bayplan::dataplane {

namespace {

constexpr std::int64_t kDay_s = 24 * 3600;
constexpr std::int64_t kSoon_s = 30 * kDay_s;

// A file's certificates, the own one first.
class Chain {
public:
    explicit Chain(const std::string& file) {
        gnutls_datum_t text{};
        if (file.empty() || gnutls_load_file(file.c_str(), &text) != 0) return;
        if (gnutls_x509_crt_list_import2(&all_, &count_, &text, GNUTLS_X509_FMT_PEM, 0) < 0) count_ = 0;
        gnutls_free(text.data);
    }
    ~Chain() {
        for (unsigned at = 0; at < count_; ++at) gnutls_x509_crt_deinit(all_[at]);
        gnutls_free(all_);
    }
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;

    bool empty() const { return count_ == 0; }
    gnutls_x509_crt_t own() const { return all_[0]; }
    std::span<gnutls_x509_crt_t> all() const { return {all_, count_}; }

private:
    gnutls_x509_crt_t* all_ = nullptr;
    unsigned count_ = 0;
};

bool is_for(gnutls_x509_crt_t certificate, const std::string& address) {
    unsigned char bytes[sizeof(in6_addr)];
    for (const auto& [family, size] : {std::pair{AF_INET, sizeof(in_addr)}, std::pair{AF_INET6, sizeof(in6_addr)}}) {
        if (inet_pton(family, address.c_str(), bytes) == 1) {
            return gnutls_x509_crt_check_ip(certificate, bytes, static_cast<unsigned>(size), 0) != 0;
        }
    }
    return gnutls_x509_crt_check_hostname(certificate, address.c_str()) != 0;
}

bool is_any_address(const std::string& address) { return address == "0.0.0.0" || address == "::"; }

// As a shim that knows the authority verifies it; dates are told apart from that.
void check_signature(const TlsFiles& files, const Chain& chain, std::vector<CertificateFinding>& findings) {
    gnutls_x509_trust_list_t trusted = nullptr;
    if (gnutls_x509_trust_list_init(&trusted, 0) != 0) return;
    gnutls_x509_trust_list_add_trust_file(trusted, files.authority.c_str(),
                                          files.revoked.empty() ? nullptr : files.revoked.c_str(), GNUTLS_X509_FMT_PEM,
                                          0, GNUTLS_TL_VERIFY_CRL);
    gnutls_typed_vdata_st purpose{};
    purpose.type = GNUTLS_DT_KEY_PURPOSE_OID;
    purpose.data = reinterpret_cast<unsigned char*>(const_cast<char*>(GNUTLS_KP_TLS_WWW_SERVER));
    unsigned status = 0;
    const unsigned flags = GNUTLS_VERIFY_DISABLE_TIME_CHECKS | GNUTLS_VERIFY_DISABLE_CRL_CHECKS * files.revoked.empty();
    const int rc = gnutls_x509_trust_list_verify_crt2(
        trusted, chain.all().data(), static_cast<unsigned>(chain.all().size()), &purpose, 1, flags, &status, nullptr);
    gnutls_x509_trust_list_deinit(trusted, 1);
    if (rc == 0 && status == 0) return;
    const std::string why = rc == 0 ? describe_certificate_status(status, false) : gnutls_strerror(rc);
    findings.push_back({true, "certificate '" + files.certificate + "' " + why + " ('" + files.authority +
                                  "'): shims that know this authority will refuse the daemon"});
}

void append(std::vector<CertificateFinding>& to, std::vector<CertificateFinding> more) {
    for (CertificateFinding& one : more) to.push_back(std::move(one));
}

}  // namespace

std::vector<CertificateFinding> check_dates(const std::string& certificate, std::int64_t now_s) {
    std::vector<CertificateFinding> findings;
    for (const Chain chain(certificate); gnutls_x509_crt_t one : chain.all()) {
        const std::int64_t begins_s = gnutls_x509_crt_get_activation_time(one);
        const std::int64_t ends_s = gnutls_x509_crt_get_expiration_time(one);
        const auto days = [](std::int64_t seconds) { return std::to_string(seconds / kDay_s) + " days"; };
        const std::string name = "certificate '" + certificate + "' ";
        if (ends_s <= now_s) {
            findings.push_back({true, name + "ended " + days(now_s - ends_s) + " ago"});
        } else if (begins_s > now_s) {
            findings.push_back({true, name + "begins in " + days(begins_s - now_s)});
        } else if (ends_s - now_s <= kSoon_s) {
            findings.push_back({false, name + "ends in " + days(ends_s - now_s)});
        }
    }
    return findings;
}

std::vector<CertificateFinding> check_secret(const std::string& file) {
    struct stat status {};
    if (file.empty() || stat(file.c_str(), &status) != 0) return {};  // who loads it says so
    constexpr mode_t kOthers = S_IRWXO | S_IWGRP;
    if ((status.st_mode & kOthers) == 0) return {};
    return {{false, "'" + file + "' is open to others than its owner and group; chmod 0640 or 0600"}};
}

std::vector<CertificateFinding> check_certificates(const TlsFiles& files, std::span<const std::string> addresses,
                                                   std::int64_t now_s) {
    std::string error;
    if (TlsCredentials::load(files, true, error) == nullptr) return {{true, error}};
    std::vector<CertificateFinding> findings = check_secret(files.key);
    append(findings, check_dates(files.certificate, now_s));
    append(findings, check_dates(files.authority, now_s));
    const Chain chain(files.certificate);
    if (chain.empty()) return findings;
    check_signature(files, chain, findings);
    for (const std::string& address : addresses) {
        if (address.empty() || is_any_address(address) || is_for(chain.own(), address)) continue;
        findings.push_back({false, "certificate '" + files.certificate + "' is not for " + address +
                                       ": shims that connect to it by this address will refuse the daemon"});
    }
    const std::int64_t due_s = certificate_dates(files).revoked_s;
    if (due_s != 0 && due_s <= now_s) {
        findings.push_back({false, "'" + files.revoked + "': a newer revocation list is overdue for " +
                                       std::to_string((now_s - due_s) / kDay_s) + " days"});
    }
    return findings;
}

}  // namespace bayplan::dataplane
