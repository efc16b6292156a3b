// The stories of attack_story.h.
#include <algorithm>
#include <array>
#include <span>

#include "bench/attack_story.h"

namespace bayplan::bench {

DictId Pen::id(const std::string& text) {
    const auto [at, fresh] = ids_.emplace(text, static_cast<DictId>(ids_.size() + 1));
    if (fresh) untold_.push_back({at->second, at->first});
    return at->second;
}

std::string_view Pen::key(const std::string& prefix, std::uint64_t number) {
    return keys_.emplace_back(prefix + std::to_string(number));
}

void Pen::begin_anew() {
    ids_.clear();
    untold_.clear();
    keys_.clear();
}

namespace {

constexpr std::size_t kAMessage = 1'000;  // asks of one

std::uint64_t times(double size, double most) {
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(size * most));
}

void node(Pen& pen, const Send& send, const std::string& name, std::int64_t cpus,
          NodeAction action = NodeAction::create) {
    const std::array<Amount, 2> capacity = {Amount{pen.id("cpu"), cpus * 1'000}, Amount{pen.id("pods"), 4'096}};
    const NodeItem item{.node = pen.id(name), .action = action, .capacity = capacity, .attributes = {}};
    send.message(NodesMessage{std::span(&item, 1)});
}

void application(Pen& pen, const Send& send) {
    const ApplicationItem item{.application = pen.id("app")};
    send.message(ApplicationsMessage{std::span(&item, 1), {}});
}

// `made` sets what differs from an ask for one CPU.
void asks(Pen& pen, const Send& send, std::uint64_t count, const std::function<void(AskItem&, std::uint64_t)>& made) {
    const std::array<Amount, 1> one = {Amount{pen.id("cpu"), 1'000}};
    const DictId application = pen.id("app");
    for (std::uint64_t first = 0; first < count; first += kAMessage) {
        std::vector<AskItem> items(std::min<std::uint64_t>(kAMessage, count - first));
        for (std::uint64_t at = 0; at < items.size(); ++at) {
            items[at].key = pen.key("pod-", first + at);
            items[at].application = application;
            items[at].requests = one;
            made(items[at], first + at);
        }
        send.message(AsksMessage{items});
    }
}

const auto plain = [](AskItem&, std::uint64_t) {};

void define(Pen&, const Send& send, const SpecItem& spec) {
    send.message(SpecsMessage{.define = std::span(&spec, 1), .forget = {}});
}

// --- the stories

void equal_terms(Pen& pen, const Send& send, double size) {
    for (std::uint64_t number = 1; number <= times(size, 5'000); ++number) {
        PodTerm term;
        term.topology_key = pen.id("zone");
        const LabelRequirement wanted{pen.id("app"), LabelOperator::in, {pen.id("app-" + std::to_string(number))}};
        term.selector = LabelSelector{std::vector<LabelRequirement>(8, wanted)};
        SpecItem item{static_cast<SpecNumber>(number), {}};
        item.spec.affinity.assign(64, term);
        item.spec.anti_affinity.assign(64, term);
        item.spec.preferred_affinity.assign(64, {1, term});
        define(pen, send, item);
    }
}

void nominated(Pen& pen, const Send& send, double size) {
    node(pen, send, "n", 8'000);
    application(pen, send);
    const DictId n = pen.id("n");
    asks(pen, send, times(size, 4'096), [&](AskItem& ask, std::uint64_t) {
        ask.node = n;
        ask.terminating = true;
    });
    asks(pen, send, times(size, 100'000), [&](AskItem& ask, std::uint64_t number) {
        ask.key = pen.key("nominated-", number);
        ask.nominated_node = n;
        ask.priority = 9;
    });
}

void texts(Pen& pen, const Send& send, double size) {
    const std::string filler(500, 'x');
    for (std::uint64_t number = 0; number < times(size, 1'000'000); ++number) {
        const DictEntry entry{static_cast<DictId>(number + 1), pen.key(filler, number)};
        send.message(DefineMessage{std::span(&entry, 1)});
    }
}

void released(Pen& pen, const Send& send, double size) {
    application(pen, send);
    asks(pen, send, times(size, 1'000'000), plain);
    const ReleaseItem all{.key = {}, .application = pen.id("app"), .message = {}};
    send.message(ReleasesMessage{std::span(&all, 1)});
}

void woken(Pen& pen, const Send& send, double size) {
    node(pen, send, "n", 0);
    application(pen, send);
    asks(pen, send, times(size, 1'000'000), plain);
    for (int change = 0; change < 20; ++change) {
        node(pen, send, "n", change, NodeAction::update);
    }
}

void stated_anew(Pen& pen, const Send& send, double size) {
    application(pen, send);
    asks(pen, send, times(size, 1'000'000), plain);
    send.hello();
}

void crowded_label(Pen& pen, const Send& send, double size) {
    node(pen, send, "n", 8'000);
    application(pen, send);
    for (std::uint64_t number = 1; number <= times(size, 200'000); ++number) {
        SpecItem item{static_cast<SpecNumber>(number), {}};
        const DictId own = pen.id("own-" + std::to_string(number % 100'000));
        item.spec.name_space = pen.id("team");
        item.spec.labels = {{pen.id("app"), pen.id("web")}, {pen.id("own"), own}};
        PodTerm term;
        term.topology_key = pen.id("zone");
        // As many as may want one label mean all pods; each of the others its own.
        const LabelOperator second = number <= 1'024 ? LabelOperator::not_in : LabelOperator::in;
        term.selector =
            LabelSelector{{{pen.id("app"), LabelOperator::in, {pen.id("web")}}, {pen.id("own"), second, {own}}}};
        term.namespace_selector = LabelSelector{{{pen.id("tier"), LabelOperator::exists, {}}}};
        item.spec.preferred_anti_affinity = {{static_cast<std::int32_t>(1 + number % 100), term}};
        define(pen, send, item);
    }
    asks(pen, send, times(size, 2'000),
         [&](AskItem& ask, std::uint64_t number) { ask.spec = static_cast<SpecNumber>(number + 1); });
    for (int change = 0; change < 100; ++change) {
        ObjectItem item{Namespace{pen.id("team"), {{pen.id("tier"), pen.id(std::to_string(change))}}}};
        item.removed = change % 2 == 1;
        send.message(ObjectsMessage{std::span(&item, 1)});
    }
    send.hello();
}

void budgets(Pen& pen, const Send& send, double size) {
    for (std::uint64_t number = 0; number < times(size, 200'000); ++number) {
        PodBudget budget;
        budget.name_space = pen.id("team");
        budget.name = pen.id("budget-" + std::to_string(number));
        ObjectItem item{budget};
        send.message(ObjectsMessage{std::span(&item, 1)});
    }
    send.hello();
}

void gang(Pen& pen, const Send& send, double size) {
    node(pen, send, "n", 0);
    application(pen, send);
    const DictId group = pen.id("gang");
    const std::uint64_t members = times(size, 16'384);
    asks(pen, send, members, [&](AskItem& ask, std::uint64_t) {
        ask.group = group;
        ask.group_min_available = static_cast<std::uint32_t>(members);
    });
    for (int change = 0; change < 20; ++change) {
        node(pen, send, "n", change, NodeAction::update);
    }
}

// Nodes with 30 labels and 40 images each, as cloud providers make them; `more` is another image, of the first nodes.
void labelled_nodes(Pen& pen, const Send& send, std::uint64_t first, std::uint64_t count,
                    const std::string& more = {}) {
    constexpr std::uint64_t kOfAMessage = 100;
    std::vector<Attribute> labels(30 * kOfAMessage);
    std::vector<Amount> images(40 * kOfAMessage);
    const std::array<Amount, 2> capacity = {Amount{pen.id("cpu"), 64'000}, Amount{pen.id("pods"), 110}};
    for (std::uint64_t from = first; from < first + count; from += kOfAMessage) {
        std::vector<NodeItem> items(std::min(kOfAMessage, first + count - from));
        for (std::uint64_t at = 0; at < items.size(); ++at) {
            const std::string name = "node-" + std::to_string(from + at);
            for (std::uint64_t key = 0; key < 30; ++key) {
                const std::string value = key == 0 ? name : "value-" + std::to_string((from + at) % (1 + 5 * key));
                labels[30 * at + key] = {pen.id("label-" + std::to_string(key)), pen.id(value)};
            }
            for (std::uint64_t image = 0; image < 40; ++image) {
                const std::string which = image == 0 && !more.empty() ? more : "image-" + std::to_string(image);
                images[40 * at + image] = {pen.id(which), 100'000'000};
            }
            items[at] = {.node = pen.id(name),
                         .action = more.empty() ? NodeAction::create : NodeAction::update,
                         .capacity = capacity,
                         .attributes = std::span(labels).subspan(30 * at, 30)};
            items[at].images = std::span(images).subspan(40 * at, 40);
        }
        send.message(NodesMessage{items});
    }
}

void define_and_ask(Pen& pen, const Send& send, const SpecItem& spec) {
    define(pen, send, spec);
    asks(pen, send, 1, [&](AskItem& ask, std::uint64_t) {
        ask.key = pen.key("pod-of-", spec.number);
        ask.spec = spec.number;
    });
}

void new_keys(Pen& pen, const Send& send, double size) {
    application(pen, send);
    labelled_nodes(pen, send, 0, times(size, 100'000));
    for (SpecNumber number = 1; number <= 2'000; ++number) {
        SpecItem item{number, {}};
        for (std::uint64_t key = 0; key < 64; ++key) {
            PodTerm term;
            term.topology_key =
                pen.id(key < 30 ? "label-" + std::to_string(key) : "odd-" + std::to_string(34 * number + key));
            item.spec.preferred_anti_affinity.push_back({1, term});
        }
        define_and_ask(pen, send, item);
        ReleaseItem release;
        release.key = pen.key("pod-of-", number);
        send.message(ReleasesMessage{std::span(&release, 1)});
        send.message(SpecsMessage{.define = {}, .forget = std::span(&number, 1)});
    }
}

void images_of_nodes(Pen& pen, const Send& send, double size) {
    application(pen, send);
    labelled_nodes(pen, send, 0, times(size, 100'000));
    for (SpecNumber number = 1; number <= 1'000; ++number) {
        SpecItem item{number, {}};
        for (std::uint64_t image = 0; image < 40; ++image) {
            item.spec.images.push_back(pen.id("image-" + std::to_string((number + image) % 40)));
        }
        define_and_ask(pen, send, item);
        labelled_nodes(pen, send, number % 100, 1, number % 2 == 0 ? "image-40" : "image-0");
    }
}

void long_rejections(Pen& pen, const Send& send, double size) {
    const std::string filler(4'000, 'k');
    for (std::uint64_t number = 0; number < times(size, 200'000); ++number) {
        AskItem item;
        item.key = pen.key(filler, number);
        item.application = pen.id("unknown");
        send.message(AsksMessage{std::span(&item, 1)});
    }
}

}  // namespace

const std::vector<Story>& stories() {
    static const std::vector<Story> all = {
        {"equal-terms", "5,000 specs with three lists of 64 equal terms", equal_terms},
        {"nominated", "100,000 asks nominated to a node where 4,096 pods terminate", nominated},
        {"texts", "a million texts of 500 bytes", texts},
        {"released", "a million asks, released at once", released},
        {"woken", "a million asks that wait, and 20 changes of a node", woken},
        {"stated-anew", "a million asks, then a hello that states nothing", stated_anew},
        {"crowded-label",
         "200,000 specs with terms that want one label and others, 2,000 asks, 100 changes of their namespace, then a "
         "hello",
         crowded_label},
        {"budgets", "200,000 budgets in one namespace, then a hello", budgets},
        {"gang", "a gang of 16,384 that waits, and 20 changes of a node", gang},
        {"new-keys", "100,000 nodes with 30 labels, 2,000 specs with 64 topology keys each", new_keys},
        {"images", "100,000 nodes with 40 images, 1,000 specs with as many, and as many changes of a node",
         images_of_nodes},
        {"long-rejections", "200,000 rejections with keys of 4,000 bytes, none acknowledged", long_rejections},
    };
    return all;
}

}  // namespace bayplan::bench
