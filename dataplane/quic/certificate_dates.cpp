// Dates read by GnuTLS.
//
// Thread: any.
#include "dataplane/certificate_dates.h"

#include <gnutls/x509.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <string>

namespace bayplan::dataplane {

namespace {

// Earliest of the dates that `date` gives for what `import` finds in the file.
template <class Element, class Import, class Date, class Free>
std::int64_t earliest(const std::string& file, Import import, Date date, Free free) {
    gnutls_datum_t text{};
    if (file.empty() || gnutls_load_file(file.c_str(), &text) != 0) return 0;
    Element* all = nullptr;
    unsigned count = 0;
    const bool readable = import(&all, &count, &text) >= 0;
    gnutls_free(text.data);
    if (!readable) return 0;
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (unsigned at = 0; at < count; ++at) {
        const std::time_t one = date(all[at]);
        if (one != static_cast<std::time_t>(-1)) first = std::min<std::int64_t>(first, one);
        free(all[at]);
    }
    gnutls_free(all);
    return first == std::numeric_limits<std::int64_t>::max() ? 0 : first;
}

}  // namespace

std::int64_t certificates_end_s(const std::string& file) {
    return earliest<gnutls_x509_crt_t>(
        file,
        [](gnutls_x509_crt_t** all, unsigned* count, const gnutls_datum_t* text) {
            return gnutls_x509_crt_list_import2(all, count, text, GNUTLS_X509_FMT_PEM, 0);
        },
        gnutls_x509_crt_get_expiration_time, gnutls_x509_crt_deinit);
}

CertificateDates certificate_dates(const TlsFiles& files) {
    return {certificates_end_s(files.certificate), certificates_end_s(files.authority),
            earliest<gnutls_x509_crl_t>(
                files.revoked,
                [](gnutls_x509_crl_t** all, unsigned* count, const gnutls_datum_t* text) {
                    return gnutls_x509_crl_list_import2(all, count, text, GNUTLS_X509_FMT_PEM, 0);
                },
                gnutls_x509_crl_get_next_update, gnutls_x509_crl_deinit)};
}

}  // namespace bayplan::dataplane
