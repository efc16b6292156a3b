// The part of Daemon about certificates: read again on a signal, and until when they are good.
//
// Thread: main.
#include <ctime>

#include "daemon/daemon.h"

namespace bayplan::daemon {

void Daemon::reload_tls(std::vector<std::string>& faults) {
    const dataplane::TlsFiles& files = config_.data_plane.transport.tls;
    std::string error;
    if (lcores_->reload_tls(error)) {
        log_->info("certificates read again", {{"certificate", files.certificate}, {"revoked", files.revoked}});
        note_shims_dates();
    } else {
        log_->error("certificates not read again, the old ones stay", {{"reason", error}});
        faults.push_back("certificates: " + error);
    }
}

void Daemon::warn_of_end(std::int64_t ends_s) {
    constexpr std::int64_t kSoon_s = std::int64_t{30} * 24 * 3600;
    const std::int64_t now_s = std::time(nullptr);
    if (ends_s == 0 || ends_s - now_s > kSoon_s) return;
    log_->warning("a certificate of the daemon ends soon", {{"days", (ends_s - now_s) / (24 * 3600)}});
}

// Called when just these files came into force: when files are refused, the dates of the files in use stay.
void Daemon::note_shims_dates() {
    dates_ = dataplane::certificate_dates(config_.data_plane.transport.tls);
    warn_of_end(dates_.certificate_s);
    warn_of_end(dates_.authority_s);
    const std::int64_t now_s = std::time(nullptr);
    if (dates_.revoked_s != 0 && dates_.revoked_s < now_s) {
        log_->warning("a newer revocation list is overdue", {{"days", (now_s - dates_.revoked_s) / (24 * 3600)}});
    }
}

// Likewise.
void Daemon::note_rest_date() {
    rest_certificate_s_ = dataplane::certificates_end_s(config_.rest.certificate);
    warn_of_end(rest_certificate_s_);
}

void Daemon::reload_rest_tls(std::vector<std::string>& faults) {
    std::string error;
    if (!rest_) return;
    if (rest_->reload_tls(error)) {
        note_rest_date();
    } else {
        log_->error("the REST certificate is not read again, the old one stays", {{"reason", error}});
        faults.push_back("the REST certificate: " + error);
    }
}

}  // namespace bayplan::daemon
