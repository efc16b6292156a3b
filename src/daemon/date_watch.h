// Certificates that end soon and revocation lists that are overdue: said when files come into force, and every day again.
//
// Thread: main.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "dataplane/certificate_dates.h"

namespace bayplan::daemon {

// Of the files in use. Seconds since 1970; 0: no date.
struct DatesInUse {
    dataplane::CertificateDates shims;
    std::int64_t rest_certificate_s = 0;
};

class DateWatch {
public:
    static constexpr std::int64_t kDay_s = std::int64_t{24} * 3600;
    static constexpr std::int64_t kSoon_s = 30 * kDay_s;

    struct Warning {
        std::string_view text;
        std::string_view of;    // the setting that names the file
        std::int64_t days = 0;  // that are left, or since the date
        bool operator==(const Warning&) const = default;
    };

    // Files came into force: the warnings about them at once. When files are refused, the dates of those in use stay.
    std::vector<Warning> use_shims(const dataplane::CertificateDates&, std::int64_t now_s);
    std::vector<Warning> use_rest(std::int64_t ends_s, std::int64_t now_s);
    // All warnings again, once a day.
    std::vector<Warning> look(std::int64_t now_s);
    const DatesInUse& dates() const { return dates_; }

private:
    std::vector<Warning> warnings_of_shims(std::int64_t now_s) const;
    std::vector<Warning> warnings_of_rest(std::int64_t now_s) const;

    DatesInUse dates_;
    std::int64_t said_s_ = 0;  // 0: nothing is in use yet
};

}  // namespace bayplan::daemon
