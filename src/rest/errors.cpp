// See errors.h.
#include "rest/errors.h"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace bayplan::rest {

namespace json = boost::json;

http::Response json_answer(const json::value& value) {
    http::Response response;
    response.content_type = kJsonType;
    response.body = json::serialize(value) + "\n";
    return response;
}

http::Response error_answer(unsigned status, std::string_view message) {
    const json::string text(json::string_view(message.data(), message.size()));
    http::Response response =
        json_answer(json::object{{"status_code", status}, {"message", text}, {"description", text}});
    response.status = status;
    return response;
}

}  // namespace bayplan::rest
