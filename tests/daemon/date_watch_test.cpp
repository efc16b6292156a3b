// Dates of certificates are told when files come into force, and every day again.
#include "daemon/date_watch.h"

#include <gtest/gtest.h>

namespace bayplan::daemon {
namespace {

constexpr std::int64_t kNow_s = 1'800'000'000;
constexpr std::int64_t kDay_s = DateWatch::kDay_s;
using Warnings = std::vector<DateWatch::Warning>;

TEST(DateWatch, tells_each_date_that_is_near_or_over_and_no_other) {
    DateWatch watch;
    EXPECT_EQ(watch.use_shims({}, kNow_s), Warnings{}) << "no date";
    EXPECT_EQ(watch.use_shims({kNow_s + 31 * kDay_s, kNow_s + 400 * kDay_s, kNow_s + 1}, kNow_s), Warnings{});
    EXPECT_EQ(watch.use_shims({kNow_s + 30 * kDay_s, kNow_s - 2 * kDay_s, kNow_s - 3 * kDay_s}, kNow_s),
              (Warnings{{"a certificate of the daemon ends soon", "data_plane.tls.certificate", 30},
                        {"a certificate of the daemon has ended", "data_plane.tls.authority", 2},
                        {"a newer revocation list is overdue", "data_plane.tls.revoked", 3}}));
    EXPECT_EQ(watch.use_rest(kNow_s + kDay_s, kNow_s),
              (Warnings{{"a certificate of the daemon ends soon", "rest_tls_cert", 1}}));
}

TEST(DateWatch, tells_a_date_that_comes_near_while_the_daemon_runs_and_again_each_day) {
    DateWatch watch;
    EXPECT_EQ(watch.look(kNow_s), Warnings{}) << "nothing is in use";
    EXPECT_EQ(watch.use_shims({kNow_s + 31 * kDay_s, 0, 0}, kNow_s), Warnings{});
    EXPECT_EQ(watch.use_rest(0, kNow_s), Warnings{});
    EXPECT_EQ(watch.look(kNow_s + kDay_s - 1), Warnings{}) << "not yet a day";
    const Warnings near = watch.look(kNow_s + kDay_s);
    EXPECT_EQ(near, (Warnings{{"a certificate of the daemon ends soon", "data_plane.tls.certificate", 30}}));
    EXPECT_EQ(watch.look(kNow_s + kDay_s + 1), Warnings{}) << "said a second ago";
    EXPECT_EQ(watch.look(kNow_s + 2 * kDay_s).size(), 1u);
    EXPECT_EQ(watch.look(kNow_s + 40 * kDay_s).front().text, "a certificate of the daemon has ended");
}

}  // namespace
}  // namespace bayplan::daemon
