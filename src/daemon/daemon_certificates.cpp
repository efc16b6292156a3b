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

void Daemon::warn(const std::vector<DateWatch::Warning>& warnings) {
    for (const DateWatch::Warning& one : warnings) log_->warning(one.text, {{"of", one.of}, {"days", one.days}});
}

// Called when just these files came into force: when files are refused, the dates of the files in use stay.
void Daemon::note_shims_dates() {
    warn(date_watch_.use_shims(dataplane::certificate_dates(config_.data_plane.transport.tls), std::time(nullptr)));
}

// Likewise.
void Daemon::note_rest_date() {
    warn(date_watch_.use_rest(dataplane::certificates_end_s(config_.rest.certificate), std::time(nullptr)));
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
