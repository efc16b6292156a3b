// Faults of the files of a server's TLS configuration, and those to come soon: for operators, before a start.
//
// Thread: any. Errors are what it returns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dataplane/data_plane.h"

namespace bayplan::dataplane {

struct CertificateFinding {
    bool fault = false;  // a server cannot start with it, or no peer will accept it; else it will be so, or may
    std::string what;
};

// `addresses`: by which peers reach the server, names or IP addresses. `now_s`: since 1970.
std::vector<CertificateFinding> check_certificates(const TlsFiles&, std::span<const std::string> addresses,
                                                   std::int64_t now_s);

// Of a certificate and its key alone, or of one of them: dates, and who may read the key.
std::vector<CertificateFinding> check_dates(const std::string& certificate, std::int64_t now_s);
std::vector<CertificateFinding> check_secret(const std::string& file);

}  // namespace bayplan::dataplane
