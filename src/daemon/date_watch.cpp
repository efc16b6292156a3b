// The warnings for given dates.
//
// Thread: main.
#include "daemon/date_watch.h"

namespace bayplan::daemon {

using Warnings = std::vector<DateWatch::Warning>;

static void warn_of_end(std::string_view of, std::int64_t ends_s, std::int64_t now_s, Warnings& out) {
    if (ends_s == 0 || ends_s - now_s > DateWatch::kSoon_s) return;
    const std::int64_t left_s = ends_s - now_s;
    const std::string_view text =
        left_s > 0 ? "a certificate of the daemon ends soon" : "a certificate of the daemon has ended";
    out.push_back({text, of, (left_s > 0 ? left_s : -left_s) / DateWatch::kDay_s});
}

Warnings DateWatch::use_shims(const dataplane::CertificateDates& dates, std::int64_t now_s) {
    dates_.shims = dates;
    said_s_ = now_s;
    return warnings_of_shims(now_s);
}

Warnings DateWatch::use_rest(std::int64_t ends_s, std::int64_t now_s) {
    dates_.rest_certificate_s = ends_s;
    return warnings_of_rest(now_s);
}

Warnings DateWatch::look(std::int64_t now_s) {
    if (said_s_ == 0 || now_s - said_s_ < kDay_s) return {};
    said_s_ = now_s;
    Warnings all = warnings_of_shims(now_s);
    const Warnings of_rest = warnings_of_rest(now_s);
    all.insert(all.end(), of_rest.begin(), of_rest.end());
    return all;
}

Warnings DateWatch::warnings_of_shims(std::int64_t now_s) const {
    Warnings out;
    warn_of_end("data_plane.tls.certificate", dates_.shims.certificate_s, now_s, out);
    warn_of_end("data_plane.tls.authority", dates_.shims.authority_s, now_s, out);
    if (dates_.shims.revoked_s != 0 && dates_.shims.revoked_s < now_s) {
        const std::int64_t days = (now_s - dates_.shims.revoked_s) / kDay_s;
        out.push_back({"a newer revocation list is overdue", "data_plane.tls.revoked", days});
    }
    return out;
}

Warnings DateWatch::warnings_of_rest(std::int64_t now_s) const {
    Warnings out;
    warn_of_end("rest_tls_cert", dates_.rest_certificate_s, now_s, out);
    return out;
}

}  // namespace bayplan::daemon
