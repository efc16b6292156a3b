// See elector.h. The Lease: Kubernetes 1.35, coordination.k8s.io/v1, as client-go's leader election uses it.
#include "kube_shim/elector.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "kube_shim/answer_object.h"
#include "kube_shim/pod_requests.h"

namespace bayplan::kube_shim {

namespace {

constexpr std::chrono::milliseconds kPatience{1'000};

std::int64_t whole_number(std::string_view text) {
    std::int64_t made = 0;
    std::from_chars(text.data(), text.data() + text.size(), made);
    return made;
}

// Names and times of a lease need no escapes.
std::string member(std::string_view name, std::string_view text) { return fmt::format(R"("{}":"{}")", name, text); }

}  // namespace

std::string Elector::path() const {
    return fmt::format("/apis/coordination.k8s.io/v1/namespaces/{}/leases", url_escaped(options_.name_space));
}

Clock::time_point Elector::next_due() const {
    const Clock::time_point end = leading_ && !lost_ ? valid_until_ : Clock::time_point::max();
    return request_ != 0 ? end : std::min(end, next_);
}

void Elector::turn(Clock::time_point now) {
    if (leading_ && now >= valid_until_ && !std::exchange(lost_, true)) {
        log_("the lease was not renewed in time");
    }
    if (lost_ || request_ != 0 || now < next_) {
        return;
    }
    next_ = now + options_.retry;
    if (leading_ && !look_) {
        write(seen_);
        return;
    }
    HttpRequest request;
    request.path = path() + "/" + url_escaped(options_.name);
    send(std::move(request), &Elector::take_read);
}

void Elector::send(HttpRequest request, void (Elector::*take)(const HttpAnswer&)) {
    // Within the deadline there is time for another one.
    request.timeout = std::max(options_.retry, std::min(kPatience, options_.renew_deadline / 2));
    request_ = http_.start(std::move(request), [this, take](HttpAnswer&& answer) {
        request_ = 0;
        (this->*take)(answer);
        if (releasing_ && request_ == 0 && leading_) {
            release();
        }
    });
}

std::optional<Elector::Lease> Elector::read(const HttpAnswer& answer) const {
    std::optional<Lease> made;
    read_answer(answer, [&](const kube::Value& lease) {
        const kube::Value& spec = lease["spec"];
        made = Lease{std::string(lease["metadata"]["resourceVersion"].text()),
                     std::string(spec["holderIdentity"].text()),
                     std::string(spec["renewTime"].text()),
                     std::string(spec["acquireTime"].text()),
                     std::chrono::seconds(whole_number(spec["leaseDurationSeconds"].text())),
                     whole_number(spec["leaseTransitions"].text())};
    });
    return made;
}

void Elector::observe(const Lease& lease, Clock::time_point now) {
    if (!seen_ || seen_->version != lease.version) {
        seen_at_ = now;
    }
    seen_ = lease;
}

void Elector::take_read(const HttpAnswer& answer) {
    const Clock::time_point now = Clock::now();
    if (answer.status == 404 && !releasing_) {
        write(std::nullopt);
        return;
    }
    const std::optional<Lease> lease = answer.ok() ? read(answer) : std::nullopt;
    if (!lease) {
        log_("lease: " + refusal_of(answer));
        return;
    }
    observe(*lease, now);
    const bool ours = lease->holder == options_.identity;
    if (leading_ && !ours) {
        lost_ = true;
        log_(fmt::format("the lease is {}'s", lease->holder));
    } else if (releasing_) {
        return;  // nobody takes what he is about to let go of
    } else if (ours || lease->holder.empty() || now >= seen_at_ + lease->duration) {
        write(lease);
    } else {
        next_ = std::min(next_, seen_at_ + lease->duration);
    }
}

void Elector::write(const std::optional<Lease>& before) {
    const std::string now = time_text(std::chrono::system_clock::now(), true);
    const bool renewal = before && before->holder == options_.identity;
    const std::int64_t transitions = before ? before->transitions + (renewal ? 0 : 1) : 0;
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(options_.duration).count();
    const std::string spec =
        fmt::format(R"("spec":{{{},{},{},"leaseDurationSeconds":{},"leaseTransitions":{}}})",
                    member("holderIdentity", options_.identity),
                    member("acquireTime", renewal && !before->acquired.empty() ? before->acquired : now),
                    member("renewTime", now), seconds, transitions);
    HttpRequest request;
    request.method = before ? "PATCH" : "POST";
    request.path = before ? path() + "/" + url_escaped(options_.name) : path();
    request.content_type = before ? "application/merge-patch+json" : "application/json";
    request.body = before
                       ? fmt::format(R"({{"metadata":{{{}}},{}}})", member("resourceVersion", before->version), spec)
                       : fmt::format(R"({{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{{{}}},{}}})",
                                     member("name", options_.name), spec);
    sent_ = Clock::now();
    send(std::move(request), &Elector::take_write);
}

void Elector::take_write(const HttpAnswer& answer) {
    const std::optional<Lease> lease = answer.ok() ? read(answer) : std::nullopt;
    if (!lease) {
        look_ = true;
        if (answer.status == 409) {
            next_ = Clock::now();
        } else {
            log_("lease: " + refusal_of(answer));
        }
        return;
    }
    observe(*lease, Clock::now());
    look_ = false;
    valid_until_ = sent_ + options_.renew_deadline;
    if (!std::exchange(leading_, true)) {
        log_(fmt::format("holds the lease {}/{}", options_.name_space, options_.name));
    }
}

void Elector::release() {
    releasing_ = true;
    if (request_ != 0) {
        return;  // its answer brings us back here, if we hold the lease then
    }
    if (!leading_ || lost_ || !seen_) {
        leading_ = false;
        return;
    }
    HttpRequest request;
    request.method = "PATCH";
    request.path = path() + "/" + url_escaped(options_.name);
    request.content_type = "application/merge-patch+json";
    request.body = fmt::format(R"({{"metadata":{{{}}},"spec":{{"holderIdentity":""}}}})",
                               member("resourceVersion", seen_->version));
    send(std::move(request), &Elector::take_release);
}

void Elector::take_release(const HttpAnswer&) { leading_ = false; }

}  // namespace bayplan::kube_shim
