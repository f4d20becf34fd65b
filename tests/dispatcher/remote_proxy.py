"""remote_proxy.py - stands between a client and a server, and damages their stream once.

usage: remote_proxy.py SOCKET|PORT SERVER_SOCKET|PORT cut|flip|stall up|down BYTE

Forwards everything; at the byte of that number, counted from 0, to the server (up) or to
the client (down), it closes both ends, inverts a bit, or forwards nothing any more.
"""
import os
import select
import socket
import sys
import time

PIECE = 4096
STALL_S = 40


def open_at(place, connects):
    """A socket at a path, or at a port of this machine."""
    is_port = place.isdigit()
    s = socket.socket(socket.AF_INET if is_port else socket.AF_UNIX)
    address = ("127.0.0.1", int(place)) if is_port else place
    if connects:
        s.connect(address)
    else:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind(address)
        s.listen()
    return s


def main():
    path, server, how, way, number = sys.argv[1:]
    at = int(number)
    listener = open_at(path, False)
    client, _ = listener.accept()
    if not path.isdigit():
        os.unlink(path)
    there = open_at(server, True)
    damaged = there if way == "up" else client
    n_sent = 0
    while True:
        ready, _, _ = select.select([client, there], [], [])
        for one in ready:
            other = there if one is client else client
            try:
                data = bytearray(one.recv(PIECE))
                if not data:
                    return
                if other is damaged:
                    if n_sent <= at < n_sent + len(data):
                        k = at - n_sent
                        if how == "cut":
                            other.sendall(data[:k])
                            return
                        if how == "stall":
                            time.sleep(STALL_S)
                            return
                        data[k] ^= 1 << (at % 8)
                    n_sent += len(data)
                other.sendall(data)
            except OSError:
                return


main()
