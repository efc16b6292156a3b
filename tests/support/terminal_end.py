"""The end of a pseudo terminal that a test holds."""
import os


def read_to_end(terminal):
    """All bytes that programs write to its other end, until the last of them has closed that."""
    written = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # its other end is closed
            return written
        if not piece:
            return written
        written += piece
