// Answers of src/answers as the server sends them. JSON texts end in a newline.
//
// Thread: plain functions, any; the answer runs on the server's.
#pragma once

#include <string>
#include <string_view>

#include "answers/answers.h"
#include "http/message.h"

namespace bayplan::rest {

http::Response json_text(std::string);
// Short answers, which most are, are given whole: the client learns their length.
http::Response json_pieces(answers::AnswerPtr);
// `end`: behind the last piece.
http::Response pieces(std::string_view content_type, answers::AnswerPtr, std::string_view end);

}  // namespace bayplan::rest
