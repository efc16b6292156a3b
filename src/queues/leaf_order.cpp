// Runs, applications and the leaf: see leaf_order.h.
#include "queues/leaf_order.h"

#include <utility>

#include "base/check.h"

namespace bayplan {

bool LeafOrder::RunBefore::operator()(RunId a, RunId b) const { return (*runs)[a].key.comes_before((*runs)[b].key); }

bool LeafOrder::ApplicationBefore::operator()(ApplicationId a, ApplicationId b) const {
    return order->first_of(a).comes_before(order->first_of(b));
}

bool LeafOrder::ShimBefore::operator()(ShimId a, ShimId b) const {
    return order->first_of(order->of_shim_[raw(a)]).comes_before(order->first_of(order->of_shim_[raw(b)]));
}

LeafOrder::LeafOrder(AskTable& asks) : asks_(asks), leaf_(ShimBefore{this}, ShimPosition{this}) {}

LeafOrder::~LeafOrder() = default;

// --- applications and credit

void LeafOrder::add_application(ApplicationId id, ShimId shim) {
    if (raw(id) >= applications_.size()) {
        applications_.resize(raw(id) + 1);
    }
    while (raw(shim) >= of_shim_.size()) {
        of_shim_.push_back({std::make_unique<ApplicationHeap>(ApplicationBefore{this}, ApplicationPosition{this})});
    }
    Application& application = applications_[raw(id)];
    application.runs = std::make_unique<RunHeap>(RunBefore{&runs_}, RunPosition{&runs_});
    application.shim = shim;
}

void LeafOrder::remove_application(ApplicationId id) {
    BP_CHECK(applications_[raw(id)].runs->empty());
    applications_[raw(id)] = {};
}

void LeafOrder::credit_changed(ShimId id) {
    if (raw(id) >= of_shim_.size()) {
        return;
    }
    settle(id);
    const OfShim& shim = of_shim_[raw(id)];
    if (!has_credit(id)) {
        order_changed();  // of what was taken, some may be its own
    } else if (!shim.applications->empty() && first_of(shim).comes_before(last_taken_)) {
        order_changed();
    }
}

namespace {

// The id is in the heap if it is wanted there, at its place.
template <typename Heap, typename Id>
void keep_in(Heap& heap, Id id, std::uint32_t position, bool wanted) {
    if (wanted && position == kNotInHeap) {
        heap.insert(id);
    } else if (wanted) {
        heap.update(id);
    } else if (position != kNotInHeap) {
        heap.remove(id);
    }
}

}  // namespace

void LeafOrder::settle(ShimId id) {
    const OfShim& shim = of_shim_[raw(id)];
    keep_in(leaf_, id, shim.position, has_credit(id) && !shim.applications->empty());
}

void LeafOrder::settle(ApplicationId id) {
    const Application& application = applications_[raw(id)];
    keep_in(*of_shim_[raw(application.shim)].applications, id, application.position, !application.runs->empty());
    settle(application.shim);
}

// --- runs

// True if the ask continues the run at one of its ends, and is in it now.
bool LeafOrder::join(RunId id, AskId ask_id, Application& application) {
    if (id == kNoRun) {
        return false;
    }
    Run& run = runs_[id];
    Waiting& waiting = asks_.waiting(ask_id);
    const PendingKey& key = waiting.key;
    if (last_of(id).comes_before(key)) {
        run.asks.push_back(asks_, ask_id);
    } else if (key.comes_before(run.key)) {
        run.asks.insert_after(asks_, kNone<AskId>, ask_id);
        run.key = key;
        application.runs->update(id);
    } else {
        return false;
    }
    waiting.run = id;
    return true;
}

LeafOrder::RunId LeafOrder::begin_run(AskId ask_id, Application& application) {
    RunId id;
    if (free_runs_.empty()) {
        runs_.emplace_back();
        id = static_cast<RunId>(runs_.size() - 1);
    } else {
        id = free_runs_.back();
        free_runs_.pop_back();
    }
    Waiting& waiting = asks_.waiting(ask_id);
    waiting.run = id;
    runs_[id] = Run{};
    runs_[id].key = waiting.key;
    runs_[id].asks.push_back(asks_, ask_id);
    application.runs->insert(id);
    return id;
}

void LeafOrder::end_run(RunId id, Application& application, std::int32_t priority) {
    application.runs->remove(id);
    free_runs_.push_back(id);
    const auto found = application.open.find(priority);
    if (found == application.open.end()) {
        return;
    }
    OpenRuns& open = found->second;
    if (open[0] == id) {
        open = {open[1], kNoRun};
    } else if (open[1] == id) {
        open[1] = kNoRun;
    }
    if (open[0] == kNoRun) {
        application.open.erase(found);
    }
}

// --- elements

void LeafOrder::put(Element element) {
    const AskId first = element.front();
    const ApplicationId id = asks_[first].application;
    Application& application = applications_[raw(id)];
    if (element.size() == 1) {
        put_ask(first, application);
    } else {
        put_element(element, application);
    }
    settle(id);
    if (has_credit(application.shim) && asks_.waiting(first).key.comes_before(last_taken_)) {
        order_changed();
    }
}

void LeafOrder::put_ask(AskId id, Application& application) {
    const std::int32_t priority = asks_.waiting(id).key.priority;
    OpenRuns& open = application.open.try_emplace(priority, OpenRuns{kNoRun, kNoRun}).first->second;
    // The run that ends last is asked first, so that asks which come back do not end up behind new ones.
    if (open[1] != kNoRun && last_of(open[0]).comes_before(last_of(open[1]))) {
        std::swap(open[0], open[1]);
    }
    if (!join(open[0], id, application) && !join(open[1], id, application)) {
        (open[0] == kNoRun ? open[0] : open[1]) = begin_run(id, application);
    }
}

void LeafOrder::put_element(Element element, Application& application) {
    const RunId id = begin_run(element.front(), application);
    runs_[id].element = true;
    for (const AskId member : element.subspan(1)) {
        BP_CHECK(&applications_[raw(asks_[member].application)] == &application);
        runs_[id].asks.push_back(asks_, member);
        asks_.waiting(member).run = id;
    }
}

void LeafOrder::take_out(AskId id) { leave(id, asks_[id].application); }

void LeafOrder::leave(AskId id, ApplicationId of) {
    Application& application = applications_[raw(of)];
    Waiting& waiting = asks_.waiting(id);
    BP_CHECK_OP(waiting.run, !=, kNoRun);
    Run& run = runs_[waiting.run];
    const bool first = run.asks.front() == id;
    run.asks.remove(asks_, id);
    if (run.asks.empty()) {
        end_run(waiting.run, application, waiting.key.priority);
        settle(of);
    } else if (first && !run.element) {
        run.key = asks_.waiting(run.asks.front()).key;
        application.runs->update(waiting.run);
        settle(of);
    }
    waiting.run = kNoRun;
}

// Its own, or that of the element it is in.
const PendingKey& LeafOrder::key_of(AskId id) const {
    const Waiting& waiting = asks_.waiting(id);
    return waiting.run != kNoRun && runs_[waiting.run].element ? runs_[waiting.run].key : waiting.key;
}

AskId LeafOrder::peek() const {
    if (leaf_.empty()) {
        return kNone<AskId>;
    }
    return runs_[applications_[raw(first_application())].runs->top()].asks.front();
}

Element LeafOrder::take_first() {
    if (leaf_.empty()) {
        return {};
    }
    const ApplicationId of = first_application();
    const Run& run = runs_[applications_[raw(of)].runs->top()];
    last_taken_ = run.key;
    if (!run.element) {
        taken_[0] = run.asks.front();
        leave(taken_[0], of);
        return Element(taken_).first(1);
    }
    taken_.clear();
    for (AskId id = run.asks.front(); id != kNone<AskId>; id = run.asks.next(asks_, id)) {
        taken_.push_back(id);
    }
    for (const AskId id : taken_) {
        leave(id, of);
    }
    return taken_;
}

}  // namespace bayplan
