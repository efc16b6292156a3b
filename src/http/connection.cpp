// One client: TLS if there is any, then requests and their answers in turn, each step within its time.
//
// A request that comes while another is being answered stays in the buffer, and in the kernel: nothing is read ahead.
//
// Statements of coroutines are plain on purpose: the compiler of Debian 12 destroys temporaries of a conditional
// expression beside co_await wrongly.
//
// Thread: the server's.
#include <array>
#include <cerrno>
#include <ctime>

#include <sys/socket.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include "http/answer_bytes.h"
#include "http/compression.h"
#include "http/service.h"

namespace bayplan::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Plain = beast::tcp_stream;
using Tls = beast::ssl_stream<beast::tcp_stream>;

constexpr std::size_t kReadAtOnce = 16 << 10;
constexpr std::size_t kWriteAtOnce = 64 << 10;
constexpr std::size_t kCompressWhole = 256 << 10;  // larger bodies are compressed in pieces: others want their turn
constexpr std::chrono::seconds kLingerFor{2};      // so that a client which still sends reads why it was refused
constexpr std::size_t kLingerBytes = 1 << 20;

// A body that is there already, in pieces.
class PiecesOfText : public ChunkSource {
public:
    explicit PiecesOfText(std::string text) : text_(std::move(text)) {}
    State next(std::string& piece) override {
        piece.append(text_, at_, kWriteAtOnce);
        at_ += kWriteAtOnce;
        return at_ < text_.size() ? State::more : State::end;
    }

private:
    std::string text_;
    std::size_t at_ = 0;
};

template <typename Stream>
class Connection : public Session, public std::enable_shared_from_this<Connection<Stream>> {
public:
    Connection(Service& service, Stream stream, TlsContext tls, std::function<void()> ended)
        : service_(service), tls_(std::move(tls)), stream_(std::move(stream)), ended_(std::move(ended)) {
        service_.sessions.insert(this);
    }

    asio::awaitable<void> run();
    void stop() override;
    void abort() override { lowest().close(); }
    void finish();

private:
    enum class Outcome { next, close, cut };

    Plain& lowest() { return beast::get_lowest_layer(stream_); }
    std::string_view rest() const { return std::string_view(buffer_).substr(taken_); }
    bool is_late(const error_code& fault) const { return fault == beast::error::timeout; }

    asio::awaitable<bool> shake_hands();
    asio::awaitable<Outcome> exchange();
    asio::awaitable<bool> read_request(Outcome&);
    asio::awaitable<error_code> read_more(Clock::time_point until);
    asio::awaitable<bool> admit(Outcome&);
    asio::awaitable<Outcome> refuse(unsigned status);
    asio::awaitable<Outcome> answer(Response, const Request&);
    asio::awaitable<bool> send_source(ChunkSource&, bool chunked, bool compressed);
    asio::awaitable<void> wait_for_wake();
    asio::awaitable<bool> send(std::string_view bytes);
    asio::awaitable<void> close_gently();
    void watch_for_end();
    void wake();
    void give_back_body() {
        service_.bodies_bytes -= body_bytes_;
        body_bytes_ = 0;
    }

    Service& service_;
    TlsContext tls_;  // before the stream, which uses it
    Stream stream_;
    std::function<void()> ended_;
    RequestReader reader_{service_.options.reader};
    std::string buffer_;
    std::size_t taken_ = 0;         // of the buffer
    std::uint64_t body_bytes_ = 0;  // share of this request in the service's bodies_bytes
    bool first_ = true;             // no request yet
    bool idle_ = false;             // waits for the first byte of a request
    bool keeps_alive_ = false;      // of the request that is being answered, as is the next
    bool understands_chunks_ = true;
    asio::steady_timer waiting_{service_.io};  // for a source
    bool woken_ = false;
    bool watched_ = false;  // for the client's end, while a source waits
    bool gone_ = false;
};

template <typename Stream>
void Connection<Stream>::stop() {
    wake();
    if (idle_) abort();
}

template <typename Stream>
void Connection<Stream>::finish() {
    give_back_body();
    service_.sessions.erase(this);
    lowest().close();
    ended_();
}

template <typename Stream>
asio::awaitable<void> Connection<Stream>::run() {
    if (!co_await shake_hands()) co_return;
    Outcome outcome = Outcome::next;
    while (outcome == Outcome::next) {
        outcome = co_await exchange();
        first_ = false;
    }
    if (outcome == Outcome::close) co_await close_gently();
}

template <typename Stream>
asio::awaitable<bool> Connection<Stream>::shake_hands() {
    if constexpr (std::is_same_v<Stream, Tls>) {
        error_code fault;
        lowest().expires_after(service_.options.head_within);
        co_await stream_.async_handshake(asio::ssl::stream_base::server,
                                         asio::redirect_error(asio::use_awaitable, fault));
        if (is_late(fault)) Counters::add(service_.counters.timeouts_reading);
        if (fault) Counters::add(service_.counters.handshakes_failed);
        co_return !fault;
    }
    co_return true;
}

template <typename Stream>
asio::awaitable<typename Connection<Stream>::Outcome> Connection<Stream>::exchange() {
    Outcome outcome = Outcome::cut;
    if (!co_await read_request(outcome)) co_return outcome;
    keeps_alive_ = reader_.keeps_alive() && !service_.stopping;
    understands_chunks_ = reader_.understands_chunks();
    Request request = reader_.take_request();
    Response response = service_.router.answer(request);
    request.body = {};
    give_back_body();
    co_return co_await answer(std::move(response), request);
}

// False: there is no request to answer, and this is how it goes on.
template <typename Stream>
asio::awaitable<bool> Connection<Stream>::read_request(Outcome& outcome) {
    const ServerOptions& options = service_.options;
    const bool ahead = !rest().empty();
    Clock::time_point until = Clock::now() + (first_ || ahead ? options.head_within : options.idle_for);
    bool admitted = false;
    idle_ = !ahead;
    while (true) {
        taken_ += reader_.take(rest());
        const RequestReader::State state = reader_.state();
        if (state == RequestReader::State::failed) {
            outcome = co_await refuse(reader_.failure());
            co_return false;
        }
        if (state != RequestReader::State::head && !admitted) {
            admitted = true;
            until = Clock::now() + options.body_within;
            if (!co_await admit(outcome)) co_return false;
        }
        if (state == RequestReader::State::done) co_return true;
        if (idle_ && service_.stopping) co_return false;
        const error_code fault = co_await read_more(until);
        if (is_late(fault)) {  // the stream is closed by now
            Counters::add(idle_ ? service_.counters.timeouts_idle : service_.counters.timeouts_reading);
        }
        if (fault) co_return false;
        if (idle_) until = Clock::now() + options.head_within;
        idle_ = false;
    }
}

template <typename Stream>
asio::awaitable<error_code> Connection<Stream>::read_more(Clock::time_point until) {
    buffer_.erase(0, taken_);
    taken_ = 0;
    const std::size_t before = buffer_.size();
    buffer_.resize(before + kReadAtOnce);
    error_code fault;
    lowest().expires_at(until);
    const std::size_t count = co_await stream_.async_read_some(asio::buffer(buffer_.data() + before, kReadAtOnce),
                                                               asio::redirect_error(asio::use_awaitable, fault));
    buffer_.resize(before + count);
    Counters::add(service_.counters.bytes_in, count);
    co_return fault;
}

// The head is there: is the client let in, is there room for its body, does it wait to be asked for it?
template <typename Stream>
asio::awaitable<bool> Connection<Stream>::admit(Outcome& outcome) {
    if (service_.token && !service_.token->fits(reader_.request().header("Authorization"))) {
        Counters::add(service_.counters.tokens_refused);
        outcome = co_await refuse(401);
        co_return false;
    }
    if (service_.bodies_bytes + reader_.body_bytes_max() > service_.options.bodies_bytes_max) {
        outcome = co_await refuse(503);
        co_return false;
    }
    body_bytes_ = reader_.body_bytes_max();
    service_.bodies_bytes += body_bytes_;
    if (!reader_.expects_continue()) co_return true;
    co_return co_await send("HTTP/1.1 100 Continue\r\n\r\n");
}

template <typename Stream>
asio::awaitable<typename Connection<Stream>::Outcome> Connection<Stream>::refuse(unsigned status) {
    Response response = plain_answer(status, reason_of(status));
    if (status == 401) response.headers.push_back({"WWW-Authenticate", "Bearer"});
    response.close = true;
    idle_ = false;
    co_return co_await answer(std::move(response), reader_.request());
}

template <typename Stream>
asio::awaitable<typename Connection<Stream>::Outcome> Connection<Stream>::answer(Response response,
                                                                                 const Request& request) {
    service_.counters.answered(response.status);
    const bool large = response.source || response.body.size() >= kCompressFrom;
    bool compressed = large && response.may_compress && accepts_gzip(request.header("Accept-Encoding"));
    if (large && response.may_compress) response.headers.push_back({"Vary", "Accept-Encoding"});
    if (compressed) response.headers.push_back({"Content-Encoding", "gzip"});
    if (compressed && !response.source && response.body.size() <= kCompressWhole) {
        response.body = gzip(response.body);
    } else if (compressed && !response.source) {
        response.source = std::make_unique<PiecesOfText>(std::move(response.body));
    }
    Framing framing;
    framing.close = response.close || !keeps_alive_ || service_.stopping;
    framing.chunked = response.source && understands_chunks_;
    if (response.source && !understands_chunks_) framing.close = true;
    if (!response.source) framing.length = response.body.size();
    std::string head = head_bytes(response, framing, std::time(nullptr));
    bool sent = false;
    if (request.method == "HEAD") {
        sent = co_await send(head);
    } else if (response.source) {
        sent = co_await send(head);
        if (sent) sent = co_await send_source(*response.source, framing.chunked, compressed);
    } else if (response.body.size() <= kWriteAtOnce) {
        head += response.body;
        sent = co_await send(head);
    } else {
        sent = co_await send(head);
        if (sent) sent = co_await send(response.body);
    }
    if (!sent) co_return Outcome::cut;
    co_return framing.close || watched_ ? Outcome::close : Outcome::next;
}

template <typename Stream>
asio::awaitable<bool> Connection<Stream>::send_source(ChunkSource& source, bool chunked, bool compressed) {
    source.on_wake([weak = this->weak_from_this(), &io = service_.io] {
        asio::post(io, [weak] {
            if (const auto self = weak.lock()) self->wake();
        });
    });
    std::optional<Gzip> gzip;
    if (compressed) gzip.emplace();
    std::string piece;
    std::string packed;
    while (true) {
        piece.clear();
        packed.clear();
        woken_ = false;
        ChunkSource::State state = ChunkSource::State::end;
        try {
            state = source.next(piece);
        } catch (const std::exception&) {
            co_return false;  // the client sees that the end is missing
        }
        const bool last =
            state == ChunkSource::State::end || (state == ChunkSource::State::waiting && service_.stopping);
        if (gzip) {
            gzip->append(piece, packed,
                         last                                   ? Gzip::Flush::end
                         : state == ChunkSource::State::waiting ? Gzip::Flush::piece
                                                                : Gzip::Flush::none);
        }
        std::string& bytes = gzip ? packed : piece;
        if (bytes.empty()) {
            co_await asio::post(service_.io, asio::use_awaitable);  // others want their turn
        } else {
            if (chunked) bytes = chunk_bytes(bytes);
            if (!co_await send(bytes)) co_return false;
        }
        if (last && !chunked) co_return true;
        if (last) co_return co_await send(kLastChunk);
        if (state == ChunkSource::State::waiting) co_await wait_for_wake();
        if (gone_) co_return false;
    }
}

template <typename Stream>
asio::awaitable<void> Connection<Stream>::wait_for_wake() {
    if (!watched_) watch_for_end();
    if (woken_ || gone_) co_return;
    error_code cancelled;
    waiting_.expires_at(Clock::time_point::max());
    co_await waiting_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
}

// While nothing is sent, only the socket can tell that the client has gone. Bytes that it still sends are thrown away,
// encrypted or not: the connection ends with this answer.
template <typename Stream>
void Connection<Stream>::watch_for_end() {
    watched_ = true;
    lowest().socket().async_wait(tcp::socket::wait_read, [self = this->shared_from_this()](const error_code& fault) {
        if (fault) return;
        std::array<char, 4'096> thrown_away;
        const ssize_t count =
            recv(self->lowest().socket().native_handle(), thrown_away.data(), thrown_away.size(), MSG_DONTWAIT);
        if (count > 0 || (count < 0 && errno == EAGAIN)) return self->watch_for_end();
        self->gone_ = true;
        self->wake();
    });
}

template <typename Stream>
void Connection<Stream>::wake() {
    woken_ = true;
    waiting_.cancel();
}

template <typename Stream>
asio::awaitable<bool> Connection<Stream>::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::string_view part = bytes.substr(0, kWriteAtOnce);
        bytes.remove_prefix(part.size());
        error_code fault;
        lowest().expires_after(service_.options.write_within);
        const std::size_t count = co_await asio::async_write(stream_, asio::buffer(part.data(), part.size()),
                                                             asio::redirect_error(asio::use_awaitable, fault));
        Counters::add(service_.counters.bytes_out, count);
        if (is_late(fault)) Counters::add(service_.counters.timeouts_writing);
        if (fault) co_return false;
    }
    co_return true;
}

// Closing at once while the client still sends would take the answer from it.
template <typename Stream>
asio::awaitable<void> Connection<Stream>::close_gently() {
    error_code fault;
    lowest().expires_after(kLingerFor);
    if constexpr (std::is_same_v<Stream, Tls>) {
        co_await stream_.async_shutdown(asio::redirect_error(asio::use_awaitable, fault));
        if (fault) co_return;
    }
    lowest().socket().shutdown(tcp::socket::shutdown_send, fault);
    std::array<char, kReadAtOnce> thrown_away;
    for (std::size_t total = 0; !fault && !service_.stopping && total < kLingerBytes;) {
        total += co_await lowest().async_read_some(asio::buffer(thrown_away),
                                                   asio::redirect_error(asio::use_awaitable, fault));
    }
}

template <typename Stream>
void spawn(Service& service, std::shared_ptr<Connection<Stream>> connection) {
    // The handler of a completed coroutine is told of exceptions; there is none but for want of memory, and that client goes.
    asio::co_spawn(service.io, connection->run(), [connection](const std::exception_ptr&) { connection->finish(); });
}

}  // namespace

void start_session(Service& service, tcp::socket socket, std::function<void()> ended) {
    if (const TlsContext tls = service.tls) {
        spawn(service,
              std::make_shared<Connection<Tls>>(service, Tls(Plain(std::move(socket)), *tls), tls, std::move(ended)));
    } else {
        spawn(service,
              std::make_shared<Connection<Plain>>(service, Plain(std::move(socket)), nullptr, std::move(ended)));
    }
}

}  // namespace bayplan::http
