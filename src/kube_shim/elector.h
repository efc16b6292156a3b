// Which of several processes works: the holder of a Lease of the API server. No consensus of our own.
//
//   standby --the lease is nobody's, or was not renewed for its duration--> leads --renewed in time--> leads
//   leads --not renewed in time, or another one holds it--> lost, for good
//
// A standby measures by its own clock since when it has seen the lease unchanged: clocks need not agree. A holder believes in its
// lease for `renew_deadline` from the moment when it sent the last renewal that was taken, which is shorter than others wait: who
// wakes up late has lost before it has asked. Each write hangs on the version that was read.
//
// Thread: one, the shim's. Refers to the client, which outlives it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "kube_shim/http_client.h"

namespace bayplan::kube_shim {

struct LeaseOptions {
    std::string name_space = "bayplan";
    std::string name = "bayplan-kube";
    std::string identity;  // of this process
    std::chrono::milliseconds duration{15'000};
    std::chrono::milliseconds renew_deadline{10'000};  // shorter than the duration
    std::chrono::milliseconds retry{2'000};            // shorter than the deadline
};

class Elector {
public:
    using Log = std::function<void(const std::string&)>;

    Elector(HttpClient& http, LeaseOptions options, Log log)
        : http_(http), options_(std::move(options)), log_(std::move(log)) {}

    void turn(Clock::time_point now);
    bool leads(Clock::time_point now) const { return leading_ && !lost_ && now < valid_until_; }
    // An answer is waited for.
    bool asks() const { return request_ != 0; }
    // It has led, and must not write any more.
    bool lost() const { return lost_; }
    // Lets go of the lease, so that a standby need not wait; takes none any more. Waits for the answer to a request under way:
    // a renewal makes the version that the release must name. Over when released().
    void release();
    bool released() const { return !leading_ && request_ == 0; }
    Clock::time_point next_due() const;

private:
    struct Lease {
        std::string version;
        std::string holder;
        std::string renewed;
        std::string acquired;
        std::chrono::seconds duration{0};
        std::int64_t transitions = 0;
    };

    void send(HttpRequest, void (Elector::*take)(const HttpAnswer&));
    void take_read(const HttpAnswer&);
    void take_write(const HttpAnswer&);
    void take_release(const HttpAnswer&);
    void observe(const Lease&, Clock::time_point now);
    void write(const std::optional<Lease>& before);
    std::optional<Lease> read(const HttpAnswer&) const;
    std::string path() const;

    HttpClient& http_;
    const LeaseOptions options_;
    Log log_;
    bool leading_ = false;
    bool lost_ = false;
    bool releasing_ = false;
    HttpClient::Id request_ = 0;
    Clock::time_point sent_{};         // the last write
    Clock::time_point valid_until_{};  // of a holder
    Clock::time_point next_{};         // request
    bool look_ = true;                 // before the next write: what is known of the lease may be old
    std::optional<Lease> seen_;
    Clock::time_point seen_at_{};  // since when it has not changed
};

}  // namespace bayplan::kube_shim
