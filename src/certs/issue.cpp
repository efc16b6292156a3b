// See issue.h.
#include "certs/issue.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace bayplan::certs {

namespace {

constexpr unsigned kMay = 1;
constexpr std::time_t kDay = 86'400;

// Ends this file's work with a text; caught in issue().
void check(int code, const std::string& what) {
    if (code < 0) throw std::runtime_error(what + ": " + gnutls_strerror(code));
}

struct Key {
    Key() { check(gnutls_x509_privkey_init(&it), "a key"); }
    ~Key() { gnutls_x509_privkey_deinit(it); }
    Key(const Key&) = delete;
    Key& operator=(const Key&) = delete;
    gnutls_x509_privkey_t it = nullptr;
};

struct Certificate {
    Certificate() { check(gnutls_x509_crt_init(&it), "a certificate"); }
    ~Certificate() { gnutls_x509_crt_deinit(it); }
    Certificate(const Certificate&) = delete;
    Certificate& operator=(const Certificate&) = delete;
    gnutls_x509_crt_t it = nullptr;
};

std::string text_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) throw std::runtime_error(file + ": cannot be read: " + std::strerror(errno));
    return text.str();
}

gnutls_datum_t datum(const std::string& text) {
    return {reinterpret_cast<unsigned char*>(const_cast<char*>(text.data())), static_cast<unsigned>(text.size())};
}

// Through a file beside it, so that nobody ever sees half of it.
void write_file(const std::string& file, const std::string& text, mode_t mode) {
    const std::string beside = file + ".new";
    const int out = open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    const bool written =
        out >= 0 && write(out, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(out) == 0;
    const int why = errno;
    if (out >= 0) close(out);
    if (!written || std::rename(beside.c_str(), file.c_str()) != 0) {
        throw std::runtime_error(file + ": cannot be written: " + std::strerror(written ? errno : why));
    }
}

template <typename Export>
std::string exported(Export give, const char* what) {
    gnutls_datum_t out{nullptr, 0};
    check(give(&out), what);
    const std::string text(reinterpret_cast<char*>(out.data), out.size);
    gnutls_free(out.data);
    return text;
}

void add_host(const Certificate& made, const std::string& host) {
    std::array<unsigned char, 16> address{};
    if (inet_pton(AF_INET, host.c_str(), address.data()) == 1) {
        check(
            gnutls_x509_crt_set_subject_alt_name(made.it, GNUTLS_SAN_IPADDRESS, address.data(), 4, GNUTLS_FSAN_APPEND),
            host);
    } else if (inet_pton(AF_INET6, host.c_str(), address.data()) == 1) {
        check(
            gnutls_x509_crt_set_subject_alt_name(made.it, GNUTLS_SAN_IPADDRESS, address.data(), 16, GNUTLS_FSAN_APPEND),
            host);
    } else {
        check(gnutls_x509_crt_set_subject_alt_name(made.it, GNUTLS_SAN_DNSNAME, host.data(),
                                                   static_cast<unsigned>(host.size()), GNUTLS_FSAN_APPEND),
              host);
    }
}

void fill(const Certificate& made, const Key& key, const Wanted& wanted) {
    std::array<unsigned char, 16> serial{};
    check(gnutls_rnd(GNUTLS_RND_NONCE, serial.data(), serial.size()), "a serial number");
    serial[0] &= 0x7f;  // positive
    const std::time_t now = std::time(nullptr);
    check(gnutls_x509_crt_set_version(made.it, 3), "the version");
    check(gnutls_x509_crt_set_serial(made.it, serial.data(), serial.size()), "the serial number");
    check(gnutls_x509_crt_set_activation_time(made.it, now - kDay), "the first day");  // clocks differ
    check(gnutls_x509_crt_set_expiration_time(made.it, now + wanted.days * kDay), "the last day");
    check(gnutls_x509_crt_set_dn_by_oid(made.it, GNUTLS_OID_X520_COMMON_NAME, 0, wanted.name.data(),
                                        static_cast<unsigned>(wanted.name.size())),
          "the name " + wanted.name);
    check(gnutls_x509_crt_set_key(made.it, key.it), "the key");
    std::array<unsigned char, 64> id{};
    std::size_t size = id.size();
    check(gnutls_x509_crt_get_key_id(made.it, 0, id.data(), &size), "the key's id");
    check(gnutls_x509_crt_set_subject_key_id(made.it, id.data(), size), "the key's id");
    if (wanted.role == Role::authority) {
        check(gnutls_x509_crt_set_basic_constraints(made.it, kMay, 0), "constraints");
        check(gnutls_x509_crt_set_key_usage(made.it, GNUTLS_KEY_KEY_CERT_SIGN | GNUTLS_KEY_CRL_SIGN), "the usage");
        return;
    }
    check(gnutls_x509_crt_set_basic_constraints(made.it, 0, -1), "constraints");
    check(gnutls_x509_crt_set_key_usage(made.it, GNUTLS_KEY_DIGITAL_SIGNATURE), "the usage");
    const char* const purpose = wanted.role == Role::daemon ? GNUTLS_KP_TLS_WWW_SERVER : GNUTLS_KP_TLS_WWW_CLIENT;
    check(gnutls_x509_crt_set_key_purpose_oid(made.it, purpose, 0), "the purpose");
    for (const std::string& host : wanted.hosts) add_host(made, host);
}

void sign(const Certificate& made, const Key& key, const std::string& folder, Role role) {
    if (role == Role::authority) {
        check(gnutls_x509_crt_sign2(made.it, made.it, key.it, GNUTLS_DIG_SHA256, 0), "the signature");
        return;
    }
    const std::string certificate_text = text_of(folder + "/ca.pem");
    const std::string key_text = text_of(folder + "/ca.key");
    Certificate authority;
    Key authoritys;
    const gnutls_datum_t certificate = datum(certificate_text);
    const gnutls_datum_t its_key = datum(key_text);
    check(gnutls_x509_crt_import(authority.it, &certificate, GNUTLS_X509_FMT_PEM), folder + "/ca.pem");
    check(gnutls_x509_privkey_import(authoritys.it, &its_key, GNUTLS_X509_FMT_PEM), folder + "/ca.key");
    const std::time_t authority_until = gnutls_x509_crt_get_expiration_time(authority.it);
    if (const std::time_t until = gnutls_x509_crt_get_expiration_time(made.it); until > authority_until) {
        throw std::runtime_error(folder + "/ca.pem: holds for " +
                                 std::to_string((authority_until - std::time(nullptr)) / kDay) +
                                 " days more: no certificate by it can hold longer");
    }
    check(gnutls_x509_crt_sign2(made.it, authority.it, authoritys.it, GNUTLS_DIG_SHA256, 0), "the signature");
}

void make(const std::string& folder, const Wanted& wanted) {
    Key key;
    check(gnutls_x509_privkey_generate(key.it, GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0),
          "a key");
    Certificate made;
    fill(made, key, wanted);
    sign(made, key, folder, wanted.role);
    const std::string file = folder + "/" + wanted.file;
    write_file(file + ".key",
               exported(
                   [&](gnutls_datum_t* out) {
                       return gnutls_x509_privkey_export2_pkcs8(key.it, GNUTLS_X509_FMT_PEM, nullptr, GNUTLS_PKCS_PLAIN,
                                                                out);
                   },
                   "the key"),
               S_IRUSR | S_IWUSR);
    write_file(file + ".pem",
               exported([&](gnutls_datum_t* out) { return gnutls_x509_crt_export2(made.it, GNUTLS_X509_FMT_PEM, out); },
                        "the certificate"),
               S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
}

}  // namespace

Issued issue(const std::string& folder, const Wanted& wanted, bool renew) {
    const std::string file = folder + "/" + wanted.file + ".pem";
    std::error_code error;
    const bool there = std::filesystem::exists(file, error);
    if (there && (!renew || wanted.role == Role::authority)) return {{}, file, {}};
    try {
        make(folder, wanted);
    } catch (const std::runtime_error& fault) {
        return {{}, {}, fault.what()};
    }
    return {file, {}, {}};
}

}  // namespace bayplan::certs
