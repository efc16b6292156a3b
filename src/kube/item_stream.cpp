// See item_stream.h.
#include "kube/item_stream.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "kube/syntax.h"

namespace bayplan::kube {

namespace {

constexpr std::size_t kWindow = 1 << 22;  // texts that fit in it are read as a whole
constexpr std::string_view kSpace = " \t\r\n";

// The text that is at hand, and more on demand. Behind it there is always room that may be read (kTextPadding).
class Window {
public:
    explicit Window(TextSource& source) : source_(source) {}

    std::string_view text() const { return std::string_view(text_).substr(begin_); }
    bool ended() const { return ended_; }
    const std::string& fault() const { return fault_; }
    std::uint64_t position() const { return source_.position(); }
    std::size_t lines() const { return lines_; }  // before the text

    // False: there is no more.
    bool more() {
        if (ended_) return false;
        if (begin_ > text_.size() / 2) {
            text_.erase(0, begin_);
            begin_ = 0;
        }
        const std::size_t size = text_.size();
        const std::size_t room = std::max(kWindow, size);
        if (text_.capacity() < size + room + kTextPadding) text_.reserve(size + room + kTextPadding);
        text_.resize(size + room);
        std::size_t got = 0;
        std::size_t last = 1;
        while (got < room && last > 0) {
            last = source_.read(text_.data() + size + got, room - got, fault_);
            got += last;
        }
        text_.resize(size + got);
        ended_ = last == 0;
        return got > 0;
    }

    void drop(std::size_t bytes) {
        const std::string_view gone = text().substr(0, bytes);
        lines_ += static_cast<std::size_t>(std::count(gone.begin(), gone.end(), '\n'));
        begin_ += bytes;
    }

    // Up to so many bytes of what is at hand, or else of what comes; 0: there is no more.
    std::size_t take(char* to, std::size_t size) {
        if (text().empty() && !more()) return 0;
        const std::size_t got = std::min(size, text().size());
        std::memcpy(to, text().data(), got);
        begin_ += got;
        return got;
    }

    std::string take_all() {
        while (more()) {
        }
        text_.erase(0, begin_);
        begin_ = 0;
        text_.reserve(text_.size() + kTextPadding);
        return std::move(text_);
    }

private:
    TextSource& source_;
    std::string text_;
    std::size_t begin_ = 0;
    std::size_t lines_ = 0;
    bool ended_ = false;
    std::string fault_;
};

// Where a text (in quotes) ends that begins here; npos: not in this window.
std::size_t end_of_text(std::string_view text, std::size_t at) {
    for (++at; at < text.size(); ++at) {
        const void* const quote = std::memchr(text.data() + at, '"', text.size() - at);
        if (quote == nullptr) return std::string_view::npos;
        at = static_cast<std::size_t>(static_cast<const char*>(quote) - text.data());
        std::size_t slashes = 0;
        while (text[at - 1 - slashes] == '\\') ++slashes;
        if (slashes % 2 == 0) return at;
    }
    return std::string_view::npos;
}

// Goes over a text bracket by bracket; goes on where it stood when more has come.
class Brackets {
public:
    // The end of the value that begins with a bracket at 0; npos: it is not in this window yet.
    std::size_t end(std::string_view text) {
        while (at_ < text.size()) {
            const char letter = text[at_];
            if (letter == '"') {
                const std::size_t close = end_of_text(text, at_);
                if (close == std::string_view::npos) return close;  // from this quote on again
                at_ = close;
            } else if (letter == '{' || letter == '[') {
                ++depth_;
            } else if (letter == '}' || letter == ']') {
                if (--depth_ <= 0) return at_ + 1;
            }
            ++at_;
        }
        return std::string_view::npos;
    }

private:
    std::size_t at_ = 0;
    std::ptrdiff_t depth_ = 0;
};

// The head of a list up to behind the bracket that opens its items; and its kind, if that comes before.
struct Head {
    std::size_t length = 0;
    std::string kind;
};

// A member at the top of the document that has been found: its name, and where its value begins.
std::optional<Head> head_of(std::string_view text) {
    Head head;
    if (text.starts_with('[')) return Head{1, ""};
    std::size_t at = 1;
    const auto skip = [&](std::string_view letters) {
        at = std::min(text.find_first_not_of(letters, at), text.size());
    };
    while (at < text.size()) {
        skip(" \t\r\n,");
        if (at >= text.size() || text[at] != '"') return std::nullopt;
        const std::size_t close = end_of_text(text, at);
        if (close == std::string_view::npos) return std::nullopt;
        const std::string_view name = text.substr(at + 1, close - at - 1);
        at = close + 1;
        skip(" \t\r\n:");
        if (at >= text.size()) return std::nullopt;
        if (name == "items" && text[at] == '[') {
            head.length = at + 1;
            return head.kind.empty() || head.kind.ends_with("List") ? std::optional(head) : std::nullopt;
        }
        const bool brackets = text[at] == '{' || text[at] == '[';
        const std::size_t begin = at;
        if (text[at] == '"') {
            const std::size_t end = end_of_text(text, at);
            if (end == std::string_view::npos) return std::nullopt;
            if (name == "kind") head.kind = text.substr(begin + 1, end - begin - 1);
            at = end + 1;
        } else if (brackets) {
            const std::size_t length = Brackets().end(text.substr(at));
            if (length == std::string_view::npos) return std::nullopt;
            at += length;
        } else {
            at = std::min(text.find_first_of(",}", at), text.size());
        }
    }
    return std::nullopt;
}

class ItemStream {
public:
    ItemStream(Window& window, const std::string& file, const OnObject& on_object, std::vector<ObjectFault>& faults)
        : window_(window), file_(file), on_object_(on_object), faults_(faults) {}

    // Documents one behind the other. False: this one is for the reader of whole texts.
    bool read() {
        while (to_something()) {
            const std::string_view text = window_.text();
            const bool list = text.front() == '{' || text.front() == '[';
            const std::optional<Head> head = list ? head_of(text) : std::nullopt;
            if (!head || !is_for_us(text.substr(head->length), *head)) return false;
            window_.drop(head->length);
            items(item_kind(head->kind));
            if (head->length > 1 || text_is_object_) rest_of_document();
        }
        return true;
    }

private:
    bool to_something() {
        for (;;) {
            const std::size_t at = window_.text().find_first_not_of(kSpace);
            if (at != std::string_view::npos) {
                window_.drop(at);
                text_is_object_ = window_.text().front() == '{';
                return true;
            }
            window_.drop(window_.text().size());
            if (!window_.more()) return false;
        }
    }

    // Items that name no kind are of the list's, which must be known by now.
    static bool is_for_us(std::string_view items, const Head& head) {
        const std::size_t length = Brackets().end(items.substr(std::min(items.find('{'), items.size())));
        if (length == std::string_view::npos || items.find_first_not_of(kSpace) != items.find('{')) return false;
        const std::string_view first = items.substr(items.find('{'), length);
        return !item_kind(head.kind).empty() || first.find("\"kind\"") != std::string_view::npos;
    }

    void items(std::string_view kind) {
        for (std::size_t number = 1;; ++number) {
            if (!to_something()) return torn(number);
            const char letter = window_.text().front();
            if (letter == ']') return window_.drop(1);
            if (letter == ',') {
                window_.drop(1);
                if (!to_something()) return torn(number);
            }
            Brackets brackets;
            std::size_t length = brackets.end(window_.text());
            while (length == std::string_view::npos && window_.more()) length = brackets.end(window_.text());
            if (length == std::string_view::npos) return torn(number);
            give(window_.text().substr(0, length), kind, number);
            window_.drop(length);
        }
    }

    // The text behind the item may be read, and is the next one's.
    void give(std::string_view item, std::string_view kind, std::size_t number) {
        std::vector<ObjectFault> faults;
        const std::uint64_t position = window_.position();
        reader_.read(
            item, item, file_,
            [&](const ReadObject& object) {
                const bool named = object.value["kind"].present();
                on_object_({named ? object.kind : kind, object.value, object.arena, position});
            },
            faults);
        for (ObjectFault& fault : faults) {
            fault.object = "item " + std::to_string(number);
            fault.what += " (in the item that begins in line " + std::to_string(window_.lines() + 1) + ")";
            faults_.push_back(std::move(fault));
        }
    }

    void torn(std::size_t number) {
        faults_.push_back({file_, "item " + std::to_string(number), "",
                           window_.fault().empty() ? "is not valid JSON: the text ends in it" : window_.fault()});
    }

    // Up to the bracket that closes the list's object.
    void rest_of_document() {
        std::size_t depth = 0;
        while (to_something()) {
            const std::string_view text = window_.text();
            if (text.front() == '"') {
                std::size_t end = end_of_text(window_.text(), 0);
                while (end == std::string_view::npos && window_.more()) end = end_of_text(window_.text(), 0);
                if (end == std::string_view::npos) return;
                window_.drop(end + 1);
                continue;
            }
            const char letter = text.front();
            window_.drop(1);
            depth += letter == '{' || letter == '[' ? 1 : 0;
            if ((letter == '}' || letter == ']') && depth-- == 0) return;
        }
    }

    Window& window_;
    const std::string& file_;
    const OnObject& on_object_;
    std::vector<ObjectFault>& faults_;
    JsonReader reader_;
    bool text_is_object_ = false;
};

void read_yaml_of(Window& window, const std::string& file, const OnObject& on_object,
                  std::vector<ObjectFault>& faults) {
    const auto read = [&](char* to, std::size_t size, std::size_t& got) {
        got = window.take(to, size);
        return window.fault().empty();
    };
    read_yaml({read, [&] { return window.position(); }}, file, on_object, faults);
}

}  // namespace

bool read_source(TextSource& source, const std::string& file, const OnObject& on_object,
                 std::vector<ObjectFault>& faults) {
    Window window(source);
    window.more();
    const bool json = begins_json(window.text());
    bool streamed = !window.ended();
    if (streamed && json) {
        streamed = ItemStream(window, file, on_object, faults).read();
    } else if (streamed) {
        read_yaml_of(window, file, on_object, faults);
    }
    if (!streamed) {
        const std::string text = window.take_all();
        if (window.fault().empty()) read_objects(text, file, on_object, faults);
    }
    if (!window.fault().empty()) faults.push_back({file, "", "", window.fault()});
    return window.fault().empty();
}

}  // namespace bayplan::kube
