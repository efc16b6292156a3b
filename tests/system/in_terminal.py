#!/usr/bin/env python3
"""Runs a command in a terminal of a given size, and prints what it wrote there.

in_terminal.py COLUMNS LINES COMMAND...: ends with the command's exit status.
"""
import fcntl
import os
import pty
import struct
import sys
import termios


def main():
    columns, lines = int(sys.argv[1]), int(sys.argv[2])
    child, terminal = pty.fork()
    if child == 0:
        # The size is there before the program asks for it.
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        os.execvp(sys.argv[3], sys.argv[3:])
    out = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # its other end is closed
            break
        if not piece:
            break
        out += piece
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    sys.stdout.buffer.write(out.replace(b"\r\n", b"\n"))
    return status


sys.exit(main())
