"""A program on a terminal of some width, and a daemon for programs that want one."""
import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import termios

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from terminal_end import read_to_end

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(columns, command, **environment):
    """Everything that a terminal of this width is sent by both outputs, and the exit status."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    run = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                           env={**os.environ, "TERM": "xterm", **environment})
    os.close(slave)
    sent = read_to_end(master)
    os.close(master)
    return sent.decode(), run.wait()


def screen(sent):
    """The lines that stay: a bar is drawn over itself and then taken away."""
    lines = []
    for line in COLOUR.sub("", sent).replace("\r\n", "\n").split("\n"):
        shown = ""
        for part in re.split(r"(\r|\x1b\[K)", line):
            if part == "\r":
                shown, kept = "", shown
            elif part == "\x1b[K":
                kept = ""
            elif part:
                shown = part
        lines.append(shown)
    return lines


def started(baypland, folder, *options):
    """A daemon on free ports of loopback, with the certificates of `folder`/certs: the process, its port, that of REST."""
    config = os.path.join(folder, "daemon.yaml")
    with open(config, "w") as out:
        out.write(f"""rest_listen: "127.0.0.1:0"
partitions: [{{name: default, shims: [shim-a]}}]
data_plane:
  port: kernel
  address: 127.0.0.1
  udp_port: 0
  tls:
    certificate: {folder}/certs/server.pem
    key: {folder}/certs/server.key
    authority: {folder}/certs/ca.pem
""")
    command = [baypland, "--config", config, *options]
    daemon = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    port = rest = None
    for line in daemon.stdout:
        port = re.search(r'msg="port open".* udp_port=(\d+)', line) or port
        rest = re.search(r'msg="rest".* port=(\d+)', line) or rest
        if 'msg="ready"' in line:
            break
    return daemon, port.group(1), rest.group(1)
