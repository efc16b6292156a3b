// Until when the files of a TLS configuration are good, for operators to see.
//
// Thread: any. Errors: a file that cannot be read has no date.
#pragma once

#include <cstdint>
#include <string>

#include "dataplane/data_plane.h"

namespace bayplan::dataplane {

// In s since 1970, the earliest of each file; 0: no date.
struct CertificateDates {
    std::int64_t certificate_s = 0;  // the own chain ends
    std::int64_t authority_s = 0;    // its authority's ends
    std::int64_t revoked_s = 0;      // a newer revocation list is due; it holds on, but says nothing new
    bool operator==(const CertificateDates&) const = default;
};

CertificateDates certificate_dates(const TlsFiles&);
// The same of one file of certificates.
std::int64_t certificates_end_s(const std::string& file);

}  // namespace bayplan::dataplane
