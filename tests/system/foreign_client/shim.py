"""A shim in another language, with another QUIC library: aioquic, and flatbuffers' Python code generated from
fbs/shim.fbs. Uses nothing else of Bayplan: what a shim must know besides the tables is said on top of that file.

It states a dictionary, nodes and one application, asks for pods, acknowledges allocations, loses its connection
on purpose in between (--cut-after) and resumes, and prints what it got as JSON. With --plugin NAME its pods need
that plugin, which it serves: nodes of even numbers may have them.

One asyncio thread. Errors: exit code 1 with the reason on stderr.
"""

import argparse
import asyncio
import json
import secrets
import ssl
import struct
import sys

import flatbuffers
from aioquic.asyncio import QuicConnectionProtocol, connect
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, HandshakeCompleted, StreamDataReceived

from bayplan.fbs.Acknowledge import AcknowledgeT
from bayplan.fbs.Amount import AmountT
from bayplan.fbs.Application import ApplicationT
from bayplan.fbs.Applications import ApplicationsT
from bayplan.fbs.Ask import AskT
from bayplan.fbs.Asks import AsksT
from bayplan.fbs.Body import Body
from bayplan.fbs.DecisionKind import DecisionKind
from bayplan.fbs.Decisions import DecisionsT
from bayplan.fbs.Define import DefineT
from bayplan.fbs.DictionaryEntry import DictionaryEntryT
from bayplan.fbs.Envelope import Envelope, EnvelopeT
from bayplan.fbs.Hello import HelloT
from bayplan.fbs.HelloOutcome import HelloOutcome
from bayplan.fbs.HelloReply import HelloReplyT
from bayplan.fbs.Node import NodeT
from bayplan.fbs.NodeAction import NodeAction
from bayplan.fbs.Nodes import NodesT
from bayplan.fbs.PodSpec import PodSpecT
from bayplan.fbs.ResyncBegin import ResyncBeginT
from bayplan.fbs.ResyncEnd import ResyncEndT
from bayplan.fbs.Specs import SpecsT
from bayplan.fbs.State import StateT
from bayplan.fbs.StateApplied import StateAppliedT
from bayplan.fbs.StateBody import StateBody
from bayplan.fbs.Verdict import Verdict

CONTROL, STATE, DECISIONS = 0, 2, 3  # stream ids of QUIC: the first of their kinds
ITEMS_PER_MESSAGE = 64
PLUGINS = 4  # the feature
SPEC = 1     # of all pods, if they need a plugin


def fields(made, **values):
    """A generated object with these fields. A name that the schema does not have is a fault."""
    for name, value in values.items():
        if not hasattr(made, name):
            raise AttributeError(f"{type(made).__name__} has no field {name}")
        setattr(made, name, value)
    return made


def pairs(texts):
    return dict(text.split("=", 1) for text in texts)


def frame(body_type, body):
    """Length, zero, an Envelope, zeros up to a multiple of 8."""
    builder = flatbuffers.Builder(1024)
    envelope = fields(EnvelopeT(), schemaVersion=1, bodyType=body_type, body=body)
    builder.Finish(envelope.Pack(builder), file_identifier=b"BYPL")
    payload = bytes(builder.Output())
    return struct.pack("<II", len(payload), 0) + payload + bytes(-len(payload) % 8)


class FrameReader:
    def __init__(self):
        self.pending = b""

    def feed(self, data):
        self.pending += data
        while len(self.pending) >= 8:
            length = struct.unpack_from("<I", self.pending)[0]
            end = 8 + (length + 7) // 8 * 8
            if len(self.pending) < end:
                return
            yield Envelope.GetRootAs(self.pending[8:8 + length], 0)
            self.pending = self.pending[end:]


class Books:
    """What outlives a connection: statements by number until applied, and what was decided."""

    def __init__(self, options):
        self.options = options
        self.instance = secrets.randbits(63) + 1
        self.daemon_instance = 0
        self.decisions_received = 0
        self.kept = []      # (number, frame)
        self.numbered = 0
        self.ids = {}       # dictionary: text to id
        self.places = {}    # key to node
        self.doubled = 0
        self.complaints = []
        self.accepted = {DecisionKind.node_accepted: 0, DecisionKind.application_accepted: 0}
        self.resyncs = self.resumes = self.answers = 0
        self.protocol = self.features = 0

    def state(self, body_type, body):
        self.numbered += 1
        message = fields(StateT(), sequence=self.numbered, bodyType=body_type, body=body)
        self.kept.append((self.numbered, frame(Body.State, message)))

    def define(self, texts):
        entries = []
        for text in texts:
            if text not in self.ids:
                self.ids[text] = len(self.ids) + 1
                entries.append(fields(DictionaryEntryT(), id=self.ids[text], text=text))
        if entries:
            self.state(StateBody.Define, fields(DefineT(), entries=entries))

    def amounts(self, **values):
        return [fields(AmountT(), kind=self.ids[kind], value=value) for kind, value in values.items()]

    def state_everything(self):
        """The statement after a resync: here all there is; a shim with pods running states them with their nodes."""
        self.kept, self.numbered, self.ids = [], 0, {}
        self.state(StateBody.ResyncBegin, ResyncBeginT())
        names = [f"node-{number}" for number in range(self.options.nodes)]
        self.define(["cpu", "memory", "pods", "app-1", "alice", *names])
        capacity = self.amounts(cpu=4000, memory=32 << 30, pods=110)
        nodes = [fields(NodeT(), node=self.ids[name], action=NodeAction.create, capacity=capacity) for name in names]
        self.state(StateBody.Nodes, fields(NodesT(), nodes=nodes))
        application = fields(ApplicationT(), application=self.ids["app-1"], user=self.ids["alice"])
        self.state(StateBody.Applications, fields(ApplicationsT(), add=[application]))
        if self.options.plugin:
            self.define([self.options.plugin])
            spec = fields(PodSpecT(), number=SPEC, plugins=[self.ids[self.options.plugin]])
            self.state(StateBody.Specs, fields(SpecsT(), define=[spec]))
        self.state(StateBody.ResyncEnd, ResyncEndT())
        requests = self.amounts(cpu=100, memory=500 << 20, pods=1)
        keys = [f"pod-{number}" for number in range(self.options.pods)]
        for first in range(0, len(keys), ITEMS_PER_MESSAGE):
            asks = [fields(AskT(), key=key, application=self.ids["app-1"], requests=requests,
                           spec=SPEC if self.options.plugin else 0,
                           **pairs(self.options.ask_field))
                    for key in keys[first:first + ITEMS_PER_MESSAGE]]
            self.state(StateBody.Asks, fields(AsksT(), asks=asks))

    def applied(self, up_to):
        self.kept = [(number, data) for number, data in self.kept if number > up_to]

    def decide(self, decision):
        name = decision.name.decode()
        if decision.kind == DecisionKind.allocated:
            self.doubled += name in self.places
            self.places[name] = decision.node.decode()
        elif self.options.plugin and decision.kind == DecisionKind.queried:
            self.answer(decision)
        elif decision.kind in self.accepted:
            self.accepted[decision.kind] += 1
        else:
            self.complaints.append(f"{name}: kind {decision.kind} {decision.text}")

    def answer(self, decision):
        """The plugin: one verdict for each node of the query, its own first, and reasons by their indices."""
        # Here, as the first released schema has no plugins.
        from bayplan.fbs.PredicateAnswer import PredicateAnswerT
        from bayplan.fbs.PredicateAnswers import PredicateAnswersT
        from bayplan.fbs.PredicateReason import PredicateReasonT

        nodes = [decision.node.decode()] + [other.decode() for other in decision.others or []]
        refused = [int(node.split("-")[1]) % 2 == 1 for node in nodes]
        reasons = [fields(PredicateReasonT(), nodeIndex=index, text="an odd number")
                   for index, no in enumerate(refused) if no]
        answer = fields(PredicateAnswerT(), query=decision.query, reasons=reasons, lasting=True,
                        verdicts=[Verdict.unschedulable if no else Verdict.feasible for no in refused])
        self.state(StateBody.PredicateAnswers, fields(PredicateAnswersT(), answers=[answer]))
        self.answers += 1

    def complete(self):
        return len(self.places) == self.options.pods or bool(self.complaints)


class Connection(QuicConnectionProtocol):
    def __init__(self, *arguments, books, **keywords):
        super().__init__(*arguments, **keywords)
        self.books = books
        self.readers = {}
        self.live = False
        self.early = []  # decisions may overtake the answer to the hello: streams are ordered each for itself
        self.over = asyncio.get_running_loop().create_future()

    def write(self, stream, data):
        self._quic.send_stream_data(stream, data)

    def quic_event_received(self, event):
        try:
            if isinstance(event, HandshakeCompleted):
                self.greet()
            elif isinstance(event, StreamDataReceived):
                for envelope in self.readers.setdefault(event.stream_id, FrameReader()).feed(event.data):
                    self.take(event.stream_id, envelope)
            elif isinstance(event, ConnectionTerminated) and not self.over.done():
                raise RuntimeError(f"the daemon closed: {event.error_code} {event.reason_phrase}")
        except Exception as error:  # of this connection: told to whoever waits for its end
            if not self.over.done():
                self.over.set_exception(error)

    def greet(self):
        books = self.books
        options = books.options
        hello = fields(HelloT(), protocolMin=options.protocol_min, protocolMax=options.protocol_max,
                       features=options.features | (PLUGINS if options.plugin else 0), partition=options.partition,
                       plugins=[options.plugin] if options.plugin else [],
                       shimInstance=books.instance, daemonInstance=books.daemon_instance,
                       decisionsReceived=books.decisions_received, version="foreign client",
                       **pairs(options.hello_field))
        self.write(CONTROL, frame(Body.Hello, hello))

    def take(self, stream, envelope):
        kind, table = envelope.BodyType(), envelope.Body()
        if stream == CONTROL and kind == Body.HelloReply:
            self.welcome(HelloReplyT.InitFromBuf(table.Bytes, table.Pos))
        elif stream == DECISIONS and kind == Body.Decisions:
            decisions = DecisionsT.InitFromBuf(table.Bytes, table.Pos)
            if self.live:
                self.decided(decisions)
            else:
                self.early.append(decisions)
        elif stream == DECISIONS and kind == Body.StateApplied:
            self.books.applied(StateAppliedT.InitFromBuf(table.Bytes, table.Pos).upTo)
        # A message of a later daemon that this shim does not know is for features it did not ask for.

    def welcome(self, reply):
        books = self.books
        if reply.outcome == HelloOutcome.refused:
            raise RuntimeError(f"refused: {reply.reason.decode()}")
        books.protocol, books.features = reply.protocol, reply.features
        if reply.outcome == HelloOutcome.resync:
            books.resyncs += 1
            books.daemon_instance, books.decisions_received = reply.daemonInstance, 0
            books.state_everything()
        else:
            books.resumes += 1
            books.applied(reply.stateApplied)
        for _, data in books.kept:
            self.write(STATE, data)
        self.live = True
        for decisions in self.early:
            self.decided(decisions)
        if books.complete() and not self.over.done():
            self.over.set_result("complete")  # all was told before the cut

    def decided(self, decisions):
        books = self.books
        books.applied(decisions.stateApplied)
        if self.over.done():
            return  # cut: what still comes will be told again
        stated = books.numbered
        for number, decision in enumerate(decisions.decisions or [], decisions.firstSequence):
            if number <= books.decisions_received:
                continue  # told again after a resume
            if number != books.decisions_received + 1:
                raise RuntimeError(f"decision {number} after {books.decisions_received}")
            books.decisions_received = number
            books.decide(decision)
        for number, data in books.kept:
            if number > stated:
                self.write(STATE, data)
        cut_after = books.options.cut_after
        if cut_after and not books.resumes and len(books.places) >= cut_after:
            self.over.set_result("cut")  # before the acknowledgement: these decisions will be told again
            return
        self.write(CONTROL, frame(Body.Acknowledge, fields(AcknowledgeT(), upTo=books.decisions_received)))
        if books.complete() and not self.over.done():
            self.over.set_result("complete")


async def drive(options):
    configuration = QuicConfiguration(is_client=True, alpn_protocols=["bayplan/1"], server_name="localhost",
                                      verify_mode=ssl.CERT_REQUIRED)
    configuration.load_verify_locations(options.ca)
    configuration.load_cert_chain(options.cert, options.key)
    books = Books(options)
    how = ""
    while how != "complete":
        async with connect(options.host, options.port, configuration=configuration,
                           create_protocol=lambda *a, **k: Connection(*a, books=books, **k)) as connection:
            how = await connection.over
            await connection.ping()  # what was written is acknowledged, the last message too
    return books


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    for name in ("--ca", "--cert", "--key"):
        parser.add_argument(name, required=True)
    parser.add_argument("--partition", default="default")
    parser.add_argument("--nodes", type=int, default=50)
    parser.add_argument("--pods", type=int, default=1000)
    parser.add_argument("--cut-after", type=int, default=0)
    parser.add_argument("--plugin", default="", metavar="NAME")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--protocol-min", type=int, default=1)
    parser.add_argument("--protocol-max", type=int, default=1)
    parser.add_argument("--features", type=int, default=0)
    # Fields of a schema that is ahead of this client.
    parser.add_argument("--hello-field", action="append", default=[], metavar="NAME=TEXT")
    parser.add_argument("--ask-field", action="append", default=[], metavar="NAME=TEXT")
    options = parser.parse_args()
    try:
        books = asyncio.run(asyncio.wait_for(drive(options), options.timeout))
    except (Exception, asyncio.TimeoutError) as error:
        sys.exit(f"shim: {type(error).__name__}: {error}")
    print(json.dumps({
        "placed": len(books.places), "nodes_used": len(set(books.places.values())), "doubled": books.doubled,
        "nodes_accepted": books.accepted[DecisionKind.node_accepted],
        "applications_accepted": books.accepted[DecisionKind.application_accepted],
        "complaints": books.complaints, "resyncs": books.resyncs, "resumes": books.resumes,
        "answers": books.answers, "protocol": books.protocol, "features": books.features,
        "not_applied": len(books.kept), "places": books.places,
    }))
    return 1 if books.complaints or books.doubled else 0


if __name__ == "__main__":
    sys.exit(main())
