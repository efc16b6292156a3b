// Follows one kind of object: lists it page by page, watches it from there on, and lists it again when the server has
// forgotten what happened since. With `streams` the objects that there are come by a watch, too, which goes on from there
// (Kubernetes' WatchList): the server makes no list for us, and neither side holds a page of it. A server that does not do so is
// asked for pages from then on.
//
//   resting -> listing -> watching      watching -> watching  the server ended it, or it was cut: from the last version on
//                ^            |         watching -> resting -> listing  410: the version is too old
//                +- resting <-+         any -> resting  a failure: again after a backoff with jitter, or after Retry-After
//
// The server is asked for bookmarks, about one a minute: a watch that says nothing for much longer is taken for dead.
//
// Thread: one. Refers to the client and to the sink, which outlive it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "kube_shim/backoff.h"
#include "kube_shim/http_client.h"
#include "kube_shim/resources.h"
#include "kube_shim/watch_decoder.h"

namespace bayplan::kube_shim {

// Where objects go. Between begin_list() and end_list() come all there are: what is not among them is gone.
class ObjectSink {
public:
    virtual ~ObjectSink() = default;
    virtual void begin_list(std::string_view kind) = 0;
    virtual void put(const kube::ReadObject&) = 0;  // new, or changed
    virtual void remove(const kube::ReadObject&) = 0;
    virtual void end_list(std::string_view kind) = 0;
    virtual void fault(const std::string& what) = 0;  // of one object or of the server; it goes on
};

struct ListWatchOptions {
    unsigned page = 500;
    std::chrono::milliseconds silence{150'000};
    std::chrono::seconds watch_least{300};  // of one watch; at most twice as long
    std::chrono::milliseconds backoff_initial{200};
    std::chrono::milliseconds backoff_longest{5'000};
    std::chrono::milliseconds absent_wait{60'000};  // until an optional resource is looked for again
    std::chrono::milliseconds list_timeout{60'000};
    bool streams = false;
    std::chrono::milliseconds stream_wait{3'000};  // for the first object, or the end; then pages are asked for
};

struct ListWatchCounters {
    std::uint64_t lists = 0;
    std::uint64_t pages = 0;
    std::uint64_t streamed = 0;  // of the lists
    std::uint64_t watches = 0;
    std::uint64_t events = 0;
    std::uint64_t bookmarks = 0;
    std::uint64_t expired = 0;  // versions that the server has forgotten
    std::uint64_t silent = 0;   // watches on which nothing came any more
    std::uint64_t failures = 0;
};

class ListWatch {
public:
    ListWatch(const Resource&, HttpClient&, ObjectSink&, Random&, const ListWatchOptions&);
    ~ListWatch();
    ListWatch(const ListWatch&) = delete;
    ListWatch& operator=(const ListWatch&) = delete;

    // Begins what is due.
    void turn(Clock::time_point now);
    Clock::time_point next_due() const {
        return state_ == State::resting ? due_ : waits_for_stream() ? stream_due() : Clock::time_point::max();
    }

    // Everything that there was has been handed over once.
    bool listed() const { return listed_; }
    const Resource& resource() const { return resource_; }
    const ListWatchCounters& counters() const { return counters_; }

private:
    enum class State : std::uint8_t { resting, listing, watching };

    bool waits_for_stream() const { return streaming_ && nothing_came_; }
    Clock::time_point stream_due() const { return watching_since_ + options_.stream_wait; }
    void list();
    void stream();
    bool take_streamed(WatchEvent, const kube::ReadObject&);
    void take_streamed_end(HttpAnswer&&);
    void stop_streaming(std::string_view why);
    void start_watch(std::string path);
    void take_page(HttpAnswer&&);
    void end_list();
    void absent();
    void watch();
    void take_bytes(std::string_view);
    void take_event(WatchEvent, const kube::ReadObject&);
    void take_end(HttpAnswer&&);
    void expired(std::string_view what);
    void fail(const HttpAnswer&, std::string_view doing);
    void rest(std::chrono::milliseconds);
    void say(std::string_view what);

    const Resource resource_;
    HttpClient& http_;
    ObjectSink& sink_;
    Random& random_;
    const ListWatchOptions options_;
    State state_ = State::resting;
    Clock::time_point due_{};
    Backoff backoff_;
    HttpClient::Id request_ = 0;
    bool listed_ = false;
    bool in_list_ = false;
    bool streaming_ = false;     // the watch brings the objects that there are
    bool can_stream_ = true;     // as far as is known
    bool nothing_came_ = false;  // of the watch
    std::string version_;        // watched from here on; empty: list first
    std::string continue_token_;
    WatchDecoder decoder_;
    Clock::time_point watching_since_{};
    bool heard_ = false;  // an event, on this watch
    ListWatchCounters counters_;
};

}  // namespace bayplan::kube_shim
