// See http_client.h. libcurl's callbacks only keep bytes: what they mean is handled after curl_multi_perform, where
// requests may be started again.
#include "kube_shim/http_client.h"

#include <curl/curl.h>

#include <charconv>
#include <cstdio>
#include <future>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include "base/check.h"
#include "kube/document_reader.h"

namespace bayplan::kube_shim {

// One request under way.
struct Transfer {
    HttpClient::Id id = 0;
    CURL* easy = nullptr;
    curl_slist* headers = nullptr;
    HttpRequest request;
    HttpClient::OnAnswer on_answer;
    HttpClient::OnBytes on_bytes;
    HttpAnswer answer;
    std::string fresh;  // bytes of a stream that were not handed over yet
    Clock::time_point last_byte;
    Clock::time_point* last_of_any = nullptr;

    void heard() { last_byte = *last_of_any = Clock::now(); }
};

namespace {

constexpr auto kConnectTimeout = std::chrono::seconds(10);
constexpr auto kTokenAge = std::chrono::seconds(60);
// A credential of a command is asked for anew so long before it expires, and then not more often than that.
constexpr auto kRenewBefore = std::chrono::seconds(60);
constexpr auto kRenewAgain = std::chrono::seconds(10);
// Something came so lately: one request is slow, not the connection.
constexpr auto kLively = std::chrono::seconds(5);
constexpr std::size_t kIdleHandlesMax = 64;

bool is_stream(const Transfer& transfer) {
    long status = 0;
    curl_easy_getinfo(transfer.easy, CURLINFO_RESPONSE_CODE, &status);
    return transfer.on_bytes && status == 200;
}

std::size_t take_bytes(char* data, std::size_t, std::size_t size, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    (is_stream(transfer) ? transfer.fresh : transfer.answer.body).append(data, size);
    transfer.heard();
    return size;
}

std::size_t take_header(char* data, std::size_t, std::size_t size, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    constexpr std::string_view kRetryAfter = "retry-after:";
    std::string_view line(data, size);
    if (line.size() > kRetryAfter.size() && curl_strnequal(data, kRetryAfter.data(), kRetryAfter.size()) != 0) {
        line.remove_prefix(line.find_first_not_of(' ', kRetryAfter.size()));
        unsigned seconds = 0;
        if (std::from_chars(line.data(), line.data() + line.size(), seconds).ec == std::errc()) {
            transfer.answer.retry_after = std::chrono::seconds(seconds);
        }
    }
    transfer.heard();
    return size;
}

curl_blob blob_of(const std::string& text) { return {const_cast<char*>(text.data()), text.size(), CURL_BLOB_NOCOPY}; }

// The host and port that the URL has, for a server that is to have another name.
std::string connect_to(const ApiAccess& access) {
    const std::size_t start = access.server.find("://") + 3;
    const std::string authority = access.server.substr(start, access.server.find('/', start) - start);
    const std::size_t colon = authority.rfind(':');
    const bool has_port = colon != std::string::npos && authority.find(']', colon) == std::string::npos;
    return fmt::format("::{}:{}", has_port ? authority.substr(0, colon) : authority,
                       has_port ? authority.substr(colon + 1) : "443");
}

}  // namespace

struct HttpClient::Parts {
    explicit Parts(ApiAccess given) : access(std::move(given)), multi(curl_multi_init()) {
        BP_CHECK(multi != nullptr);
        if (!access.server_name.empty()) {
            const std::size_t start = access.server.find("://") + 3;
            const std::size_t colon = access.server.rfind(':');
            const std::string port = colon > start ? access.server.substr(colon) : "";
            const std::string list = connect_to(access);
            redirect = curl_slist_append(nullptr, list.c_str());
            base = access.server.substr(0, start) + access.server_name + port;
        } else {
            base = access.server;
        }
    }
    ~Parts() {
        for (auto& [id, transfer] : transfers) {
            curl_multi_remove_handle(multi, transfer->easy);
            curl_easy_cleanup(transfer->easy);
            curl_slist_free_all(transfer->headers);
        }
        for (CURL* const easy : idle) {
            curl_easy_cleanup(easy);
        }
        curl_multi_cleanup(multi);
        curl_slist_free_all(redirect);
    }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    void set_up(Transfer& transfer);
    void set_identity(CURL*);
    void refresh_token();
    void renew_credential();
    std::unique_ptr<Transfer> take_out(Id);
    void finish(Id, const char* error, bool timed_out);
    bool hand_over();
    bool take_finished();
    void look_for_silence();
    void renew();

    ApiAccess access;
    std::string base;  // of every URL
    CURLM* multi;
    curl_slist* redirect = nullptr;
    std::vector<CURL*> idle;
    boost::unordered_flat_map<Id, std::unique_ptr<Transfer>> transfers;
    Id last_id = 0;
    std::uint64_t renewals = 0;
    Clock::time_point last_byte;     // of any transfer
    bool moved_before_turn = false;  // by send(): what came of it must not wait for the next bytes
    std::string token;
    Clock::time_point token_read;
    std::future<ApiAccess> renewing;  // by a command
    Clock::time_point renew_again{};
};

// The command runs on a thread of its own; until it has ended the old credential serves.
void HttpClient::Parts::renew_credential() {
    if (renewing.valid()) {
        if (renewing.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
            const ApiAccess renewed = renewing.get();
            access.token = renewed.token;
            access.certificate = renewed.certificate;
            access.key = renewed.key;
            access.expires_s = renewed.expires_s;
        }
        return;
    }
    const auto now =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
    const Clock::time_point moment = Clock::now();
    if (access.expires_s == 0 || now + kRenewBefore < std::chrono::seconds(access.expires_s) || moment < renew_again) {
        return;
    }
    renew_again = moment + kRenewAgain;
    renewing = std::async(std::launch::async, [copy = access]() mutable {
        std::string error;
        take_credential(copy, error);  // else what there was, and the command is run again later
        return copy;
    });
}

void HttpClient::Parts::refresh_token() {
    if (access.exec) {
        renew_credential();
    }
    if (access.token_file.empty()) {
        token = access.token;
        return;
    }
    const Clock::time_point now = Clock::now();
    if (!token.empty() && now - token_read < kTokenAge) {
        return;
    }
    std::string text;
    std::string why;
    if (kube::read_whole(access.token_file, text, why)) {  // else the old one, which may still be good
        while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
            text.pop_back();
        }
        token = text;
    }
    token_read = now;
}

void HttpClient::Parts::set_identity(CURL* easy) {
    const auto set_blob = [easy](CURLoption option, const std::string& pem) {
        if (!pem.empty()) {
            const curl_blob blob = blob_of(pem);
            curl_easy_setopt(easy, option, &blob);
        }
    };
    set_blob(CURLOPT_CAINFO_BLOB, access.authority);
    set_blob(CURLOPT_SSLCERT_BLOB, access.certificate);
    set_blob(CURLOPT_SSLKEY_BLOB, access.key);
    if (access.insecure) {
        curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
    }
    if (redirect != nullptr) {
        curl_easy_setopt(easy, CURLOPT_CONNECT_TO, redirect);
    }
    if (!access.proxy.empty()) {
        curl_easy_setopt(easy, CURLOPT_PROXY, access.proxy.c_str());
    }
}

void HttpClient::Parts::set_up(Transfer& transfer) {
    CURL* const easy = transfer.easy;
    const HttpRequest& request = transfer.request;
    const auto header = [&](const std::string& line) {
        transfer.headers = curl_slist_append(transfer.headers, line.c_str());
    };
    header("Accept: application/json");
    header("User-Agent: bayplan-kube");
    if (!token.empty()) {
        header("Authorization: Bearer " + token);
    }
    if (!request.body.empty()) {
        header("Content-Type: " + request.content_type);
        header("Expect:");
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(request.body.size()));
    }
    set_identity(easy);
    curl_easy_setopt(easy, CURLOPT_URL, (base + request.path).c_str());
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer.headers);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
    // TLS says whether a connection takes many requests; without it a request would wait for the first answer's end.
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, base.starts_with("https:") ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                     static_cast<long>(std::chrono::milliseconds(kConnectTimeout).count()));
    if (!transfer.on_bytes) {
        curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
    }
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_bytes);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, &transfer);
}

std::unique_ptr<Transfer> HttpClient::Parts::take_out(Id id) {
    const auto found = transfers.find(id);
    if (found == transfers.end()) {
        return nullptr;
    }
    std::unique_ptr<Transfer> transfer = std::move(found->second);
    transfers.erase(found);
    curl_multi_remove_handle(multi, transfer->easy);
    if (idle.size() < kIdleHandlesMax) {
        curl_easy_reset(transfer->easy);
        idle.push_back(transfer->easy);
    } else {
        curl_easy_cleanup(transfer->easy);
    }
    curl_slist_free_all(transfer->headers);
    return transfer;
}

void HttpClient::Parts::finish(Id id, const char* error, bool timed_out) {
    long status = 0;
    curl_easy_getinfo(transfers.at(id)->easy, CURLINFO_RESPONSE_CODE, &status);
    const std::unique_ptr<Transfer> transfer = take_out(id);
    transfer->answer.status = static_cast<int>(status);
    transfer->answer.error = error;
    transfer->answer.timed_out = timed_out;
    transfer->on_answer(std::move(transfer->answer));
}

// Bytes of streams, in no order among streams.
bool HttpClient::Parts::hand_over() {
    std::vector<Id> ready;
    for (const auto& [id, transfer] : transfers) {
        if (!transfer->fresh.empty()) {
            ready.push_back(id);
        }
    }
    for (const Id id : ready) {
        const auto found = transfers.find(id);
        if (found != transfers.end()) {  // else cancelled by one before it
            const std::string bytes = std::exchange(found->second->fresh, {});
            const OnBytes on_bytes = found->second->on_bytes;
            on_bytes(bytes);
        }
    }
    return !ready.empty();
}

bool HttpClient::Parts::take_finished() {
    std::vector<std::pair<Id, CURLcode>> finished;
    int left = 0;
    while (const CURLMsg* const message = curl_multi_info_read(multi, &left)) {
        if (message->msg == CURLMSG_DONE) {
            Transfer* transfer = nullptr;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
            finished.emplace_back(transfer->id, message->data.result);
        }
    }
    bool silent = false;
    for (const auto& [id, result] : finished) {
        if (transfers.contains(id)) {
            silent = silent || result == CURLE_OPERATION_TIMEDOUT;
            finish(id, result == CURLE_OK ? "" : curl_easy_strerror(result), result == CURLE_OPERATION_TIMEDOUT);
        }
    }
    if (silent) {
        look_for_silence();
    }
    return !finished.empty();
}

// After a time-out: if nothing at all came lately, nothing will.
void HttpClient::Parts::look_for_silence() {
    if (Clock::now() - last_byte >= kLively) {
        renew();
    }
}

void HttpClient::Parts::renew() {
    ++renewals;
    std::vector<std::unique_ptr<Transfer>> given_up;
    while (!transfers.empty()) {
        given_up.push_back(take_out(transfers.begin()->first));
    }
    for (CURL* const easy : std::exchange(idle, {})) {
        curl_easy_cleanup(easy);
    }
    curl_multi_cleanup(multi);
    multi = curl_multi_init();
    BP_CHECK(multi != nullptr);
    for (const std::unique_ptr<Transfer>& transfer : given_up) {
        transfer->answer = {};
        transfer->answer.error = "nothing came from the server any more";
        transfer->answer.timed_out = true;
        transfer->on_answer(std::move(transfer->answer));
    }
}

HttpClient::HttpClient(ApiAccess access) {
    static const CURLcode kStarted = curl_global_init(CURL_GLOBAL_DEFAULT);
    BP_CHECK(kStarted == CURLE_OK);
    parts_ = std::make_unique<Parts>(std::move(access));
}

HttpClient::~HttpClient() = default;

HttpClient::Id HttpClient::start(HttpRequest request, OnAnswer on_answer, OnBytes on_bytes) {
    auto transfer = std::make_unique<Transfer>();
    transfer->id = ++parts_->last_id;
    transfer->request = std::move(request);
    transfer->on_answer = std::move(on_answer);
    transfer->on_bytes = std::move(on_bytes);
    transfer->last_byte = Clock::now();
    transfer->last_of_any = &parts_->last_byte;
    if (parts_->idle.empty()) {
        transfer->easy = curl_easy_init();
        BP_CHECK(transfer->easy != nullptr);
    } else {
        transfer->easy = parts_->idle.back();
        parts_->idle.pop_back();
    }
    parts_->refresh_token();
    parts_->set_up(*transfer);
    curl_multi_add_handle(parts_->multi, transfer->easy);
    const Id id = transfer->id;
    parts_->transfers.emplace(id, std::move(transfer));
    return id;
}

void HttpClient::cancel(Id id) { parts_->take_out(id); }

void HttpClient::send() {
    // A new connection needs more than one step: it is made, then written to.
    constexpr int kSteps = 4;
    int running = 0;
    int ready = 1;
    for (int step = 0; step < kSteps && ready > 0; ++step) {
        curl_multi_perform(parts_->multi, &running);
        curl_multi_poll(parts_->multi, nullptr, 0, 0, &ready);
    }
    parts_->moved_before_turn = true;
}

bool HttpClient::turn(std::chrono::milliseconds wait) {
    if (!std::exchange(parts_->moved_before_turn, false)) {
        curl_multi_poll(parts_->multi, nullptr, 0, static_cast<int>(wait.count()), nullptr);
    }
    int running = 0;
    curl_multi_perform(parts_->multi, &running);
    bool moved = parts_->hand_over();
    moved = parts_->take_finished() || moved;
    const Clock::time_point now = Clock::now();
    std::vector<Id> silent;
    for (const auto& [id, transfer] : parts_->transfers) {
        if (transfer->on_bytes && now - transfer->last_byte > transfer->request.timeout) {
            silent.push_back(id);
        }
    }
    for (const Id id : silent) {
        if (parts_->transfers.contains(id)) {
            parts_->finish(id, "nothing came for too long", true);
        }
    }
    if (!silent.empty()) {
        parts_->look_for_silence();
    }
    return moved || !silent.empty();
}

std::size_t HttpClient::running() const { return parts_->transfers.size(); }
std::uint64_t HttpClient::renewals() const { return parts_->renewals; }

std::string url_escaped(std::string_view text) {
    std::string made;
    for (const char letter : text) {
        const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                           (letter >= '0' && letter <= '9') || letter == '-' || letter == '.' || letter == '_' ||
                           letter == '~';
        if (plain) {
            made += letter;
        } else {
            made += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
        }
    }
    return made;
}

}  // namespace bayplan::kube_shim
