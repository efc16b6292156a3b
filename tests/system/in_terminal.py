#!/usr/bin/env python3
"""Runs a command in a terminal of a given size, and prints what it wrote there.

in_terminal.py COLUMNS LINES COMMAND...: ends with the command's exit status.
"""
import fcntl
import os
import pathlib
import pty
import struct
import sys
import termios

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from terminal_end import read_to_end


def main():
    columns, lines = int(sys.argv[1]), int(sys.argv[2])
    child, terminal = pty.fork()
    if child == 0:
        # The size is there before the program asks for it.
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        os.execvp(sys.argv[3], sys.argv[3:])
    out = read_to_end(terminal)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    sys.stdout.buffer.write(out.replace(b"\r\n", b"\n"))
    return status


sys.exit(main())
