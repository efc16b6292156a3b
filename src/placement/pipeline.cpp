// Selection, proposals and commit of a batch; see pipeline.h.
#include "placement/pipeline.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "apps/ask_state.h"
#include "base/check.h"

namespace bayplan {

namespace {

// What a proposal saves the commit, in ns (bench/README.md): bounding a block by its ranges or by its lanes, judging it
// node by node, the few that are judged once all are bounded.
constexpr std::uint64_t kRangedNs = 1;
constexpr std::uint64_t kBoundNs = 12;
constexpr std::uint64_t kJudgeNs = 100;
constexpr std::uint64_t kJudgeChangedNs = 50;  // those of its nodes that changed
constexpr std::uint64_t kSettleNs = 3 * kJudgeNs;
// What it costs: per class, its cache and what it reads travel between cores; of a class that has no keys yet, a key for
// each block is made room for, written there and read here, which no range is worth; per batch, a message and a wake-up.
constexpr std::uint64_t kProposalNs = 1'500;
constexpr std::uint64_t kKeyNs = 4;
constexpr std::uint64_t kHandOverNs = 20'000;
// Looks (ClusterFacts::looks()) of plans that are made together, ahead of their asks' turns: half a millisecond to
// five. Other asks are resolved at commit, between whose looks a turn may end.
constexpr std::uint64_t kLooksMax = 50'000;

}  // namespace

Pipeline::Pipeline(const EngineOptions& options, State state, const BlockEvaluator& evaluator, ClusterSearch& search,
                   std::unique_ptr<StageExecutor> executor)
    : options_(options),
      state_(state),
      evaluator_(evaluator),
      search_(search),
      named_(evaluator, search),
      executor_(std::move(executor)),
      column_source_(state.classes, state.caches, state.cluster.topology) {
    executor_->start(*this);
}

Pipeline::~Pipeline() {
    wait_for(last_submitted_);
    executor_.reset();  // joins the workers while what they read is still there
}

// --- selecting

Element Pipeline::next() {
    std::size_t count = 0;
    while (count == 0 && make_ready()) {
        Batch& batch = batches_.front();
        committing_ = batch.submitted_as;
        const std::uint64_t element = batch.asks[batch.next].element;
        std::size_t at = batch.next;
        do {
            const AskHandle ask = batch.asks[at++].ask;
            if (still_selected(batch, ask)) {
                element_[count++] = ask.id;
            }
        } while (at < batch.asks.size() && batch.asks[at].element == element);
        batch.next = at;
    }
    selected_ -= count;
    return Element(element_).first(count);
}

// Brings a batch to the front that has something to try, its proposals made. False: there is none.
bool Pipeline::make_ready() {
    if (state_.order.version() != version_) {
        put_all_back();
    }
    while (!batches_.empty() && batches_.front().next == batches_.front().asks.size()) {
        retire_oldest();
    }
    if (batches_.empty() || batches_.front().next == 0) {
        fill();
        if (batches_.empty()) {
            return false;
        }
        wait_for(batches_.front().submitted_as);
        counters_.batches_overlapped += executor_->under_way() > 0 ? 1 : 0;
    }
    return true;
}

void Pipeline::retire_oldest() {
    spare_.push_back(std::move(batches_.front().asks));
    batches_.erase(batches_.begin());
}

// Gives an element back to the order as it was taken, less what is gone of it.
void Pipeline::put_back(const Batch& batch, std::size_t first, std::size_t end) {
    std::size_t count = 0;
    for (; first < end; ++first) {
        const AskHandle ask = batch.asks[first].ask;
        if (still_selected(batch, ask)) {
            change_state(state_.asks[ask.id], AskEvent::put_back);
            element_[count++] = ask.id;
        }
    }
    if (count > 0) {
        const Element element = Element(element_).first(count);
        selected_ -= count;
        state_.order.refund(element);
        state_.order.insert(element);
    }
}

// The last first: so each comes before what is there already.
void Pipeline::put_all_back() {
    while (!batches_.empty()) {
        Batch& batch = batches_.back();
        for (std::size_t end = batch.asks.size(); end > batch.next;) {
            std::size_t first = end - 1;
            while (first > batch.next && batch.asks[first - 1].element == batch.asks[first].element) {
                --first;
            }
            put_back(batch, first, end);
            end = first;
        }
        // Its proposals are still under way; wait_for collects them in order when somebody needs them.
        counters_.batches_cut += batch.next < batch.asks.size() ? 1 : 0;
        spare_.push_back(std::move(batch.asks));
        batches_.pop_back();
    }
    version_ = state_.order.version();
}

bool Pipeline::any_selected() {
    if (state_.order.version() != version_) {
        put_all_back();
    }
    return selected_ > 0;
}

void Pipeline::fill() {
    looks_until_ = state_.cluster.topology.looks() + kLooksMax;
    while (collect_one()) {
    }
    while (batches_.size() < options_.depth) {
        Batch batch;
        batch.number = ++last_batch_;
        if (!select(batch)) {
            spare_.push_back(std::move(batch.asks));
            return;
        }
        submit_proposals(batch);
        batches_.push_back(std::move(batch));
    }
}

// An element is selected whole: the last may make the batch longer than it should be.
bool Pipeline::select(Batch& batch) {
    if (!spare_.empty()) {
        batch.asks = std::move(spare_.back());
        batch.asks.clear();
        spare_.pop_back();
    }
    std::uint64_t number = 0;
    while (batch.asks.size() < options_.batch) {
        const Element element = state_.order.take();
        if (element.empty()) {
            break;
        }
        for (const AskId id : element) {
            change_state(state_.asks[id], AskEvent::select);
            state_.asks.waiting(id).selected_in = batch.number;
            batch.asks.push_back({state_.asks.handle(id), number});
        }
        selected_ += element.size();
        ++number;
    }
    element_.resize(std::max(element_.size(), batch.asks.size()));  // room for the largest
    return !batch.asks.empty();
}

// --- proposing

std::uint64_t Pipeline::blocks_behind(const ClassCache* cache) const {
    const std::uint64_t blocks = state_.nodes.block_count();
    if (cache == nullptr || cache->position() == ClassCache::kNever) {
        return blocks;
    }
    return std::min(blocks, state_.nodes.log().head() - cache->position());
}

// Of columns: those of its own, or of a class alike, or of all nodes.
std::uint64_t Pipeline::judging_ns(ClassId id) const {
    const ClassCache* const cache = state_.caches.find(id);
    const bool own = cache != nullptr && cache->columns() && cache->position() != ClassCache::kNever;
    const std::uint64_t position = own ? cache->position() : column_source_.fills_up_to(id, *state_.classes[id].spec);
    const std::uint64_t blocks = state_.nodes.block_count();
    return position == ClassCache::kNever ? blocks * kJudgeNs
                                          : std::min(blocks, state_.nodes.log().head() - position) * kJudgeChangedNs;
}

// What the commit is spared if the class is proposed, less what that costs it.
std::uint64_t Pipeline::gain_of_proposing(ClassId id) {
    const AskClass& ask_class = *state_.classes[id].spec;
    const ClassCache* const cache = state_.caches.find(id);
    const Subject subject = subject_of(state_.cluster, ask_class);
    const bool columns = (cache != nullptr && cache->columns()) || search_.depends_on_pods(subject);
    const bool ranged = state_.cluster.topology.signatures().mask(subject.plan.signature) == nullptr &&
                        evaluator_.bound_for(ask_class).by_ranges();
    const std::uint64_t ns = columns ? judging_ns(id) : blocks_behind(cache) * (ranged ? kRangedNs : kBoundNs);
    const bool fresh = cache == nullptr || cache->position() == ClassCache::kNever;
    const std::uint64_t cost = kProposalNs + (fresh ? state_.nodes.block_count() * kKeyNs : 0);
    return ns + kSettleNs > cost ? ns + kSettleNs - cost : 0;
}

bool Pipeline::worth_proposing(const std::vector<ClassId>& classes) {
    switch (options_.path) {
        case BatchPath::inline_: return false;
        case BatchPath::graph: return true;
        case BatchPath::automatic: break;
    }
    std::uint64_t gain = 0;
    for (const ClassId id : classes) {
        gain += gain_of_proposing(id);
    }
    return gain > kHandOverNs;
}

// Not where nodes are named, or are told by a mask: such a search is brief.
bool Pipeline::suits_proposal(ClassId id) const {
    const Subject subject = subject_of(state_.cluster, *state_.classes[id].spec);
    return !named_.suits(subject.ask_class, subject.plan) && !search_.narrows(subject);
}

void Pipeline::submit_proposals(Batch& batch) {
    const std::uint64_t oldest = batches_.empty() ? batch.number : batches_.front().number;
    std::vector<ClassId>& classes = proposed_classes_;
    classes.clear();
    for (const Selected& selected : batch.asks) {
        const ClassId id = state_.asks[selected.ask.id].ask_class;
        ClassCaches::Entry& entry = state_.caches[id];
        // In an unfinished batch, or away with one that was cut: resolved at commit.
        const bool free = entry.last_batch < oldest && entry.proposed_in == 0;
        // A plan is made where none is there yet.
        const bool may_plan = state_.cluster.topology.looks() < looks_until_;
        if (free && may_plan && suits_proposal(id)) {
            classes.push_back(id);
        }
        entry.last_batch = batch.number;
    }
    if (classes.empty() || !worth_proposing(classes)) {
        ++counters_.batches_inline;
        return;
    }
    state_.nodes.publish();
    std::unique_ptr<ProposalBatch> message = this->message();
    message->number = ++last_submitted_;
    for (const ClassId id : classes) {
        Proposal proposal;
        proposal.ask_class = id;
        proposal.spec = state_.classes[id].spec;
        proposal.cache = state_.caches.lend(id, message->number);
        const Subject subject = subject_of(state_.cluster, *proposal.spec);
        proposal.mask = state_.cluster.topology.signatures().mask(subject.plan.signature);
        const bool filled = proposal.cache->columns() && proposal.cache->position() != ClassCache::kNever;
        proposal.cache->want_columns(filled || search_.depends_on_pods(subject));
        if (proposal.cache->columns()) {
            column_source_.fill(id, *proposal.spec, *proposal.cache);
        }
        state_.caches[id].last_proposal = message->number;
        proposal.position = state_.nodes.published();
        proposal.block_count = state_.nodes.block_count();
        message->proposals.push_back(std::move(proposal));
    }
    batch.submitted_as = message->number;
    ++counters_.batches_graph;
    executor_->submit(std::move(message));
}

std::unique_ptr<ProposalBatch> Pipeline::message() {
    if (spare_messages_.empty()) {
        return std::make_unique<ProposalBatch>();
    }
    std::unique_ptr<ProposalBatch> message = std::move(spare_messages_.back());
    spare_messages_.pop_back();
    return message;
}

// --- collecting

bool Pipeline::collect_one() {
    std::unique_ptr<ProposalBatch> batch = executor_->poll();
    if (!batch) {
        return false;
    }
    BP_CHECK_OP(batch->number, ==, last_collected_ + 1);
    last_collected_ = batch->number;
    for (Proposal& proposal : batch->proposals) {
        state_.caches.take_back(proposal.ask_class, std::move(proposal.cache));
        counters_.blocks_proposed += proposal.looks;
    }
    counters_.proposals += batch->proposals.size();
    batch->proposals.clear();  // lets go of classes and masks
    spare_messages_.push_back(std::move(batch));
    return true;
}

void Pipeline::wait_for(std::uint64_t submitted_as) {
    for (int turns = 0; last_collected_ < submitted_as; ++turns) {
        if (!collect_one() && turns > 64) {
            std::this_thread::yield();  // the workers may need this very CPU
        }
    }
}

}  // namespace bayplan
