#!/usr/bin/env python3
"""Clients that mean harm, all at once, against a REST interface: rest_storm.py HOST:PORT SECONDS [PID]

Slow heads (a byte now and then), event streams that read nothing, bodies beyond every size, and as many connections as the
descriptors allow, up to 10,000. Says what became of them, as JSON. With PID it ends early when that process ends.
"""
import errno
import json
import os
import resource
import selectors
import socket
import sys
import time

SLOW, STREAMS, LARGE, MANY = 100, 200, 20, 10_000
KEPT_FOR_OTHERS = 200  # descriptors
CLIENTS_OF_ADDRESS = 100
HEAD = b"GET /ws/v1/partitions HTTP/1.1\r\nHost: storm\r\nX-Slow: "
STREAM = "GET /ws/v1/events/stream?count=1 HTTP/1.1\r\nHost: storm{}\r\n\r\n"
BODY = b"POST /ws/v1/validate-conf HTTP/1.1\r\nHost: storm\r\nContent-Length: 1000000000\r\n\r\n"


class Client:
    def __init__(self, kind, number, address):
        self.kind = kind
        self.answer = b""
        self.ended = False
        self.socket = socket.socket()
        self.socket.setblocking(False)
        # From many addresses, so that the limit of all connections is met, too.
        self.socket.bind((f"127.0.{number // CLIENTS_OF_ADDRESS // 200 + 1}.{number // CLIENTS_OF_ADDRESS % 200 + 1}", 0))
        error = self.socket.connect_ex(address)
        if error not in (0, errno.EINPROGRESS):
            self.end()

    def end(self):
        self.ended = True
        self.socket.close()

    def send(self, data):
        try:
            return self.socket.send(data)
        except BlockingIOError:
            return 0
        except OSError:
            self.end()
            return 0

    def receive(self, selector):
        try:
            data = self.socket.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self.answer = (self.answer + data)[:256]
        if not data:
            selector.unregister(self.socket)
            self.end()


def make_clients(address):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    room = max(0, min(hard, 1_000_000) - KEPT_FOR_OTHERS)
    clients = []
    for kind, count in (("slow", SLOW), ("stream", STREAMS), ("large", LARGE), ("idle", MANY)):
        for _ in range(count):
            if len(clients) < room:
                clients.append(Client(kind, len(clients), address))
    return clients


def still_there(pid):
    return pid is None or os.path.exists(f"/proc/{pid}")


def main():
    host, port = sys.argv[1].rsplit(":", 1)
    seconds, pid = float(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None
    clients = make_clients((host, int(port)))
    selector = selectors.DefaultSelector()
    for number, client in enumerate(clients):
        if not client.ended and client.kind != "stream":  # a stream's client reads nothing
            selector.register(client.socket, selectors.EVENT_READ, client)
        begin = {"stream": STREAM.format(number).encode(), "large": BODY, "slow": HEAD}.get(client.kind, b"")
        if begin and not client.ended:
            client.send(begin)
    print(f"storm of {len(clients)} connections", flush=True)
    end = time.monotonic() + seconds
    while time.monotonic() < end and still_there(pid):
        for client in clients:
            if client.ended:
                continue
            if client.kind == "slow":
                client.send(b"x")
            elif client.kind == "large":
                client.send(b"x" * 4096)
        for key, _ in selector.select(0.2):
            client = key.data
            client.receive(selector)
        time.sleep(0.05)
    kinds = {}
    for client in clients:
        of_kind = kinds.setdefault(client.kind, {"made": 0, "ended": 0, "answered": 0})
        of_kind["made"] += 1
        of_kind["ended"] += client.ended
        of_kind["answered"] += client.answer.startswith(b"HTTP/1.1")
    print(json.dumps(kinds))


if __name__ == "__main__":
    main()
