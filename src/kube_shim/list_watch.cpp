// See list_watch.h.
#include "kube_shim/list_watch.h"

#include <utility>

#include <fmt/format.h>

namespace bayplan::kube_shim {

namespace {

// A watch that lived for so long was well: the next failure is a first one.
constexpr auto kWell = std::chrono::seconds(5);
constexpr int kGone = 410;
constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

// The server's words in a Status object, or its answer's first line.
std::string reason_of(const HttpAnswer& answer) {
    if (!answer.error.empty()) {
        return answer.error;
    }
    return fmt::format("status {}: {}", answer.status,
                       answer.body.substr(0, std::min<std::size_t>(200, answer.body.find('\n'))));
}

// The page's token, where it is said before the items, as API servers do, and needs no reading of escapes.
std::string_view early_token(std::string_view body) {
    constexpr std::string_view kName = R"("continue":")";
    const std::size_t at = body.find(kName);
    if (at == std::string_view::npos || at > body.find(R"("items")")) {
        return {};
    }
    const std::string_view token =
        body.substr(at + kName.size(), body.find('"', at + kName.size()) - at - kName.size());
    return token.find('\\') == std::string_view::npos ? token : std::string_view();
}

}  // namespace

ListWatch::ListWatch(const Resource& resource, HttpClient& http, ObjectSink& sink, Random& random,
                     const ListWatchOptions& options)
    : resource_(resource),
      http_(http),
      sink_(sink),
      random_(random),
      options_(options),
      backoff_(options.backoff_initial, options.backoff_longest) {}

ListWatch::~ListWatch() { http_.cancel(request_); }

void ListWatch::turn(Clock::time_point now) {
    if (waits_for_stream() && now >= stream_due()) {
        http_.cancel(std::exchange(request_, 0));
        stop_streaming("nothing comes of a stream");
    }
    if (state_ != State::resting || now < due_) {
        return;
    }
    if (version_.empty() && options_.streams && can_stream_ && continue_token_.empty()) {
        stream();
    } else if (version_.empty()) {
        list();
    } else {
        watch();
    }
}

void ListWatch::say(std::string_view what) { sink_.fault(fmt::format("{}: {}", resource_.path, what)); }

void ListWatch::rest(std::chrono::milliseconds wait) {
    state_ = State::resting;
    due_ = Clock::now() + wait;
}

void ListWatch::fail(const HttpAnswer& answer, std::string_view doing) {
    ++counters_.failures;
    std::chrono::milliseconds wait = backoff_.next(random_);
    if (answer.retry_after) {
        wait = std::max<std::chrono::milliseconds>(wait, *answer.retry_after);
    }
    say(fmt::format("{}: {}; again in {} ms", doing, reason_of(answer), wait.count()));
    rest(wait);
}

// --- list

void ListWatch::list() {
    state_ = State::listing;
    if (continue_token_.empty()) {
        ++counters_.lists;
        in_list_ = true;
        sink_.begin_list(resource_.kind);
    }
    std::string path = fmt::format("{}?limit={}", resource_.path, options_.page);
    if (!resource_.query.empty()) {
        path += fmt::format("&{}", resource_.query);
    }
    if (!continue_token_.empty()) {
        path += "&continue=" + url_escaped(continue_token_);
    }
    HttpRequest request;
    request.path = std::move(path);
    request.timeout = options_.list_timeout;
    request_ = http_.start(std::move(request), [this](HttpAnswer&& answer) { take_page(std::move(answer)); });
}

void ListWatch::take_page(HttpAnswer&& answer) {
    request_ = 0;
    if (answer.status == kGone && !continue_token_.empty()) {
        // The rest of this list is gone; what was read of it does not count as a list.
        ++counters_.expired;
        continue_token_.clear();
        rest(backoff_.next(random_));
        return;
    }
    if (answer.status == 404 && resource_.optional) {
        absent();
        return;
    }
    if (!answer.ok()) {
        fail(answer, "list");  // the next try goes on with this page
        return;
    }
    ++counters_.pages;
    // The server makes the next page while this one is read.
    const std::string early(early_token(answer.body));
    if (!early.empty()) {
        continue_token_ = early;
        list();
        http_.send();
    }
    std::vector<kube::ObjectFault> faults;
    kube::ListPage page;
    answer.body.reserve(answer.body.size() + kube::kTextPadding);
    kube::read_list_page(
        answer.body, std::string(resource_.path), [this](const kube::ReadObject& object) { sink_.put(object); }, page,
        faults);
    if (faults.empty() && page.resource_version.empty()) {
        faults.push_back({std::string(resource_.path), "", "metadata.resourceVersion", "is missing"});
    }
    if (!faults.empty()) {
        HttpAnswer broken;
        broken.error = faults.front().to_string();
        http_.cancel(std::exchange(request_, 0));
        continue_token_.clear();
        fail(broken, "list");
        return;
    }
    if (!early.empty() && early == page.continue_token) {
        return;
    }
    http_.cancel(std::exchange(request_, 0));
    continue_token_ = page.continue_token;
    if (!continue_token_.empty()) {
        list();
        return;
    }
    version_ = page.resource_version;
    end_list();
    watch();
}

// --- the list as a stream

void ListWatch::stream() {
    state_ = State::listing;
    streaming_ = true;
    ++counters_.lists;
    in_list_ = true;
    sink_.begin_list(resource_.kind);
    start_watch(
        fmt::format("{}?watch=1&allowWatchBookmarks=true&sendInitialEvents=true"
                    "&resourceVersionMatch=NotOlderThan",
                    resource_.path));
}

// False: the event is one of the watch that follows.
bool ListWatch::take_streamed(WatchEvent event, const kube::ReadObject& object) {
    if (!streaming_ || event == WatchEvent::error) {
        return false;
    }
    if (event == WatchEvent::deleted) {
        sink_.remove(object);
        return true;
    }
    if (event != WatchEvent::bookmark) {
        sink_.put(object);
        return true;
    }
    if (object.value["metadata"]["annotations"][kInitialEventsEnd].text() != "true") {
        // A server that knows nothing of all this sends the objects as well, but never says that these are all.
        http_.cancel(request_);
        request_ = 0;
        stop_streaming("the server does not say where its list ends");
        return true;
    }
    streaming_ = false;
    ++counters_.streamed;
    state_ = State::watching;
    version_ = object.value["metadata"]["resourceVersion"].text();
    end_list();
    return true;
}

void ListWatch::take_streamed_end(HttpAnswer&& answer) {
    streaming_ = false;
    if (answer.status == 404 && resource_.optional) {
        absent();
    } else if (answer.status == 400 || answer.status == 422) {
        stop_streaming(reason_of(answer));
    } else {
        if (answer.ok()) {
            answer.error = "ended before the list did";
        }
        fail(answer, "list");
    }
}

void ListWatch::stop_streaming(std::string_view why) {
    streaming_ = false;
    can_stream_ = false;
    say(fmt::format("listed by pages: {}", why));
    rest(std::chrono::milliseconds(0));
}

void ListWatch::end_list() {
    in_list_ = false;
    listed_ = true;
    backoff_.reset();
    sink_.end_list(resource_.kind);
}

// The server does not have the resource: there are none of its kind.
void ListWatch::absent() {
    end_list();
    rest(options_.absent_wait);
}

// --- watch

void ListWatch::watch() {
    state_ = State::watching;
    start_watch(
        fmt::format("{}?watch=1&allowWatchBookmarks=true&resourceVersion={}", resource_.path, url_escaped(version_)));
}

void ListWatch::start_watch(std::string path) {
    ++counters_.watches;
    decoder_ = {};
    heard_ = false;
    nothing_came_ = true;
    watching_since_ = Clock::now();
    std::uniform_int_distribution<std::int64_t> pick(options_.watch_least.count(), 2 * options_.watch_least.count());
    path += fmt::format("&timeoutSeconds={}", pick(random_));
    if (!resource_.query.empty()) {
        path += fmt::format("&{}", resource_.query);
    }
    HttpRequest request;
    request.path = std::move(path);
    request.timeout = options_.silence;
    request_ = http_.start(
        std::move(request), [this](HttpAnswer&& answer) { take_end(std::move(answer)); },
        [this](std::string_view bytes) { take_bytes(bytes); });
}

void ListWatch::take_bytes(std::string_view bytes) {
    nothing_came_ = false;
    const HttpClient::Id request = request_;
    const bool sound = decoder_.feed(bytes, [&](WatchEvent event, const kube::ReadObject& object) {
        if (request_ == request) {  // else it was given up by an event before
            take_event(event, object);
        }
    });
    if (!sound && request_ == request) {
        http_.cancel(request_);
        request_ = 0;
        streaming_ = false;
        HttpAnswer broken;
        broken.error = decoder_.fault();
        fail(broken, "watch");
    }
}

void ListWatch::take_event(WatchEvent event, const kube::ReadObject& object) {
    if (take_streamed(event, object)) {
        return;
    }
    if (event == WatchEvent::error) {
        const kube::Value& status = object.value;
        streaming_ = false;
        http_.cancel(request_);
        request_ = 0;
        if (status["code"].text() == "410") {
            expired(status["message"].text());
            return;
        }
        HttpAnswer broken;
        broken.error = status["message"].text();
        fail(broken, "watch");
        return;
    }
    if (event == WatchEvent::bookmark) {
        ++counters_.bookmarks;
    } else {
        ++counters_.events;
        heard_ = true;
        if (event == WatchEvent::deleted) {
            sink_.remove(object);
        } else {
            sink_.put(object);
        }
    }
    // Only now: a version counts as seen when its event has been handed over.
    if (const std::string_view version = object.value["metadata"]["resourceVersion"].text(); !version.empty()) {
        version_ = version;
    }
}

void ListWatch::expired(std::string_view what) {
    ++counters_.expired;
    version_.clear();
    say(fmt::format("the server has forgotten what happened since ({}); listing again", what));
    rest(backoff_.next(random_));
}

void ListWatch::take_end(HttpAnswer&& answer) {
    request_ = 0;
    if (streaming_) {
        take_streamed_end(std::move(answer));
        return;
    }
    if (answer.status == kGone) {
        expired("status 410");
        return;
    }
    if (Clock::now() - watching_since_ >= kWell) {
        backoff_.reset();
    }
    if (answer.timed_out) {
        ++counters_.silent;
    }
    // The server's time for one watch is over; or it is short of CPU and ended the watch, since too much waited to be sent.
    if (answer.ok() && (heard_ || Clock::now() - watching_since_ >= kWell)) {
        watch();
        return;
    }
    if (answer.ok()) {
        answer.error = "ended at once";
    }
    fail(answer, "watch");
}

}  // namespace bayplan::kube_shim
