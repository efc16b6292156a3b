// The part of Daemon about certificates: read again on a signal, and until when they are good.
//
// Thread: main.
#include <ctime>

#include "daemon/daemon.h"

namespace bayplan::daemon {

void Daemon::reload_tls() {
    const dataplane::TlsFiles& files = config_.data_plane.transport.tls;
    std::string error;
    if (lcores_->reload_tls(error)) {
        log_->info("certificates read again", {{"certificate", files.certificate}, {"revoked", files.revoked}});
        look_at_dates();
    } else {
        log_->error("certificates not read again, the old ones stay", {{"reason", error}});
    }
}

// Called when the files are in force: they may change before they are read again.
void Daemon::look_at_dates() {
    constexpr std::int64_t kSoon_s = std::int64_t{30} * 24 * 3600;
    dates_ = dataplane::certificate_dates(config_.data_plane.transport.tls);
    rest_certificate_s_ = dataplane::certificates_end_s(config_.rest.certificate);
    const std::int64_t now_s = std::time(nullptr);
    for (const std::int64_t ends_s : {dates_.certificate_s, dates_.authority_s, rest_certificate_s_}) {
        if (ends_s == 0 || ends_s - now_s > kSoon_s) continue;
        log_->warning("a certificate of the daemon ends soon", {{"days", (ends_s - now_s) / (24 * 3600)}});
    }
    if (dates_.revoked_s != 0 && dates_.revoked_s < now_s) {
        log_->warning("a newer revocation list is overdue", {{"days", (now_s - dates_.revoked_s) / (24 * 3600)}});
    }
}

void Daemon::reload_rest_tls() {
    std::string error;
    if (!rest_) return;
    if (rest_->reload_tls(error)) {
        look_at_dates();
    } else {
        log_->error("the REST certificate is not read again, the old one stays", {{"reason", error}});
    }
}

}  // namespace bayplan::daemon
