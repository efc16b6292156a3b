// The part of Daemon about certificates: read again on a signal, and until when they are good.
//
// Thread: main.
#include <algorithm>
#include <ctime>

#include "daemon/certificate_dates.h"
#include "daemon/daemon.h"

namespace bayplan::daemon {

void Daemon::reload_tls() {
    const dataplane::TlsFiles& files = config_.data_plane.transport.tls;
    std::string error;
    if (lcores_->reload_tls(error)) {
        log_->info("certificates read again", {{"certificate", files.certificate}, {"revoked", files.revoked}});
        note_certificate("shims", files.certificate);
        look_at_dates();
    } else {
        log_->error("certificates not read again, the old ones stay", {{"reason", error}});
    }
}

// Called when a certificate is in force: the file may change before it is read again.
void Daemon::note_certificate(std::string_view whom, const std::string& file) {
    std::erase_if(certificates_, [&](const auto& one) { return one.first == whom; });
    if (file.empty()) return;
    if (const auto end = certificates_end_s(file)) certificates_.emplace_back(whom, *end);
}

void Daemon::look_at_dates() {
    constexpr std::int64_t kSoon_s = std::int64_t{30} * 24 * 3600;
    dates_ = dataplane::certificate_dates(config_.data_plane.transport.tls);
    const std::int64_t now_s = std::time(nullptr);
    for (const std::int64_t ends_s : {dates_.certificate_s, dates_.authority_s}) {
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
        note_certificate("rest", config_.rest.certificate);
    } else {
        log_->error("the REST certificate is not read again, the old one stays", {{"reason", error}});
    }
}

}  // namespace bayplan::daemon
