"""remote_proxy.py - stands between a client and a server, and damages their stream once.

usage: remote_proxy.py SOCKET|PORT SERVER_SOCKET|PORT HOW up|down BYTE

Forwards everything; at the byte of that number, counted from 0, to the server (up) or to
the client (down), it closes both ends (cut), inverts a bit (flip), forwards nothing any
more (stall), or kills the server (kill); any other HOW: it does nothing.
"""
import os
import select
import signal
import socket
import struct
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
        s.bind(address if is_port else place + ".new")
        s.listen()
        if not is_port:
            os.rename(place + ".new", place)  # whoever sees it can connect
    return s


def kill_peer(s):
    """Kill the process that listens at the other end of a Unix socket."""
    who = s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    os.kill(struct.unpack("3i", who)[0], signal.SIGKILL)


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
                        if how == "kill":
                            kill_peer(there)
                        if how == "flip":
                            data[k] ^= 1 << (at % 8)
                    n_sent += len(data)
                other.sendall(data)
            except OSError:
                return


main()
