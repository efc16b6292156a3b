// See certificate_dates.h.
#include "daemon/certificate_dates.h"

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <ctime>
#include <memory>

namespace bayplan::daemon {

std::optional<std::int64_t> certificates_end_s(const std::string& file) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> from(BIO_new_file(file.c_str(), "r"), &BIO_free);
    std::optional<std::int64_t> earliest;
    while (from) {
        const std::unique_ptr<X509, decltype(&X509_free)> certificate(
            PEM_read_bio_X509(from.get(), nullptr, nullptr, nullptr), &X509_free);
        if (!certificate) break;
        std::tm end{};
        if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &end) != 1) continue;
        const std::int64_t seconds = timegm(&end);
        earliest = std::min(earliest.value_or(seconds), seconds);
    }
    ERR_clear_error();  // the end of the file is one
    return earliest;
}

}  // namespace bayplan::daemon
