// The conversion of label selectors and node terms against any JSON or YAML.
//
// Checked besides the sanitizers: what is accepted is well formed: In and NotIn have values, Exists and
// DoesNotExist none, label selectors know no Gt; the same text gives the same selector.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "kube/converter.h"
#include "kube/document_reader.h"

namespace {

using namespace bayplan;
using namespace bayplan::kube;

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

void check(const std::vector<LabelRequirement>& requirements, const Texts& texts, bool of_nodes) {
    for (const LabelRequirement& one : requirements) {
        require(one.key != 0 && one.key <= texts.size());
        const bool lists = one.op == LabelOperator::in || one.op == LabelOperator::not_in;
        const bool compares = one.op == LabelOperator::greater || one.op == LabelOperator::less;
        require(lists ? !one.values.empty() : compares ? of_nodes : one.values.empty());
        for (const Text value : one.values) {
            require(value <= texts.size());
        }
    }
}

void convert(const Value& value, Texts& texts) {
    Reader reader(value, "fuzz", "X");
    Converter converter(reader, texts);
    const auto selector = converter.selector(value);
    const bool sound = reader.sound();
    if (selector && sound) {
        // A matchLabels key may be empty here, which no label is: such a requirement never matches.
        const std::size_t labels = value["matchLabels"].members().size();
        auto expressions = selector->requirements;
        expressions.erase(expressions.begin(),
                          expressions.begin() + static_cast<std::ptrdiff_t>(expressions.size() -
                                                                            value["matchExpressions"].items().size()));
        require(selector->requirements.size() <= labels + expressions.size());
        check(expressions, texts, false);
    }
    Reader again(value, "fuzz", "X");
    Converter second(again, texts);
    require(second.selector(value) == selector && again.sound() == sound);

    Reader of_nodes(value, "fuzz", "X");
    Converter nodes(of_nodes, texts);
    const NodeTerm term = nodes.node_term(value);
    if (of_nodes.sound()) {
        check(term.labels, texts, true);
        check(term.fields, texts, true);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string text(reinterpret_cast<const char*>(data), size);
    text.reserve(size + kTextPadding);
    std::vector<ObjectFault> faults;
    Texts texts;
    read_objects(
        text, "fuzz", [&](const ReadObject& object) { convert(object.value, texts); }, faults);
    return 0;
}
