// See router.h.
#include "http/router.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "http/escapes.h"

namespace bayplan::http {
namespace {

constexpr std::string_view kHeadersAllowed = "X-Requested-With,Content-Type,Accept,Origin";

// "/a//b/" is "a", "", "b", "": what stands between slashes.
std::vector<std::string_view> split(std::string_view path) {
    std::vector<std::string_view> parts;
    while (!path.empty()) {
        path.remove_prefix(1);
        const std::size_t end = std::min(path.find('/'), path.size());
        parts.push_back(path.substr(0, end));
        path.remove_prefix(end);
    }
    return parts;
}

bool is_parameter(std::string_view part) { return part.size() > 2 && part.front() == '{' && part.back() == '}'; }

std::string_view name_of(std::string_view part) { return part.substr(1, part.size() - 2); }

// Without ".", ".." and empty parts; a slash at the end goes too.
std::string cleaned(std::string_view path) {
    std::vector<std::string_view> kept;
    for (const std::string_view part : split(path)) {
        if (part.empty() || part == ".") continue;
        if (part != "..") {
            kept.push_back(part);
        } else if (!kept.empty()) {
            kept.pop_back();
        }
    }
    return "/" + fmt::format("{}", fmt::join(kept, "/"));
}

// A browser shows the anchor; only an answer to GET has one.
Response redirect(const Request& request, unsigned status, const std::string& location) {
    Response response;
    response.status = status;
    response.headers = {{"Location", location}};
    if (request.method != "GET") return response;
    response.content_type = "text/html; charset=utf-8";
    response.body = fmt::format("<a href=\"{}\">{}</a>.\n\n", escape_html(location), reason_of(status));
    return response;
}

}  // namespace

Handler redirect_to(std::string path) {
    return [path = std::move(path)](const Request& request) { return redirect(request, 301, path); };
}

Router::Router(std::vector<Route> routes, std::string origin) : origin_(std::move(origin)) {
    for (Route& route : routes) {
        std::vector<std::string> parts;
        for (const std::string_view part : split(route.pattern)) parts.emplace_back(part);
        entries_.push_back({std::move(route), std::move(parts)});
    }
}

// A parameter may be empty, but not at the end of a path: that is a slash too many.
const Router::Entry* Router::find(std::string_view method, std::string_view path, Case letters,
                                  std::string* canonical) const {
    const std::vector<std::string_view> parts = split(path);
    const auto fits = [&](const std::string& wanted, const std::string_view& given) {
        if (is_parameter(wanted)) return !given.empty() || &given != &parts.back();
        return letters == Case::exact ? wanted == given : same_name(wanted, given);
    };
    for (const Entry& entry : entries_) {
        if (entry.route.method != method || !std::ranges::equal(entry.parts, parts, fits)) continue;
        if (canonical != nullptr) {
            for (std::size_t at = 0; at < parts.size(); ++at) {
                const std::string_view wanted = entry.parts[at];
                *canonical += "/";
                *canonical += is_parameter(wanted) ? parts[at] : wanted;
            }
        }
        return &entry;
    }
    return nullptr;
}

std::string Router::allowed(std::string_view path) const {
    std::set<std::string_view> methods;
    for (const Entry& entry : entries_) {
        if (!methods.contains(entry.route.method) && find(entry.route.method, path, Case::exact, nullptr) != nullptr) {
            methods.insert(entry.route.method);
        }
    }
    if (methods.empty()) return {};
    methods.insert("OPTIONS");
    return fmt::format("{}", fmt::join(methods, ", "));
}

std::string Router::meant_path(const Request& request) const {
    std::string canonical;
    const std::string_view path = request.path;
    if (path.size() > 1 && path.ends_with('/') &&
        find(request.method, path.substr(0, path.size() - 1), Case::exact, &canonical) != nullptr) {
        return canonical;
    }
    return find(request.method, cleaned(path), Case::any, &canonical) != nullptr ? canonical : std::string();
}

Response Router::handle(const Entry& entry, Request& request) const {
    const std::vector<std::string_view> parts = split(request.path);
    for (std::size_t at = 0; at < parts.size(); ++at) {
        if (!is_parameter(entry.parts[at])) continue;
        request.parameters.emplace_back(name_of(entry.parts[at]), parts[at]);
    }
    Response response;
    try {
        response = entry.route.handler(request);
    } catch (const std::exception&) {
        response = plain_answer(500, reason_of(500));
    }
    if (entry.route.cors && !origin_.empty()) {
        response.headers.push_back({"Access-Control-Allow-Origin", origin_});
        response.headers.push_back({"Access-Control-Allow-Methods", allowed(request.path)});
        response.headers.push_back({"Access-Control-Allow-Headers", std::string(kHeadersAllowed)});
    }
    return response;
}

Response Router::answer(Request& request) const {
    if (const Entry* entry = find(request.method, request.path, Case::exact, nullptr)) return handle(*entry, request);
    const std::string meant = meant_path(request);
    if (!meant.empty()) {
        const std::string query = request.query.empty() ? "" : "?" + request.query;
        return redirect(request, request.method == "GET" ? 301 : 308, escape_path(meant) + query);
    }
    const bool asks_for_verbs = request.method == "OPTIONS";
    if (asks_for_verbs && request.path == "*") return {};
    const std::string verbs = allowed(request.path);
    if (verbs.empty()) return plain_answer(404, "404 page not found");
    Response response = asks_for_verbs ? Response() : plain_answer(405, reason_of(405));
    response.headers.push_back({"Allow", verbs});
    return response;
}

}  // namespace bayplan::http
