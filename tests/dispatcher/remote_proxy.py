"""remote_proxy.py - stands between a client and a server, and damages their stream once.

usage: remote_proxy.py SOCKET SERVER_SOCKET cut|flip|stall up|down BYTE

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


def main():
    path, server, how, way, number = sys.argv[1:]
    at = int(number)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    client, _ = listener.accept()
    os.unlink(path)
    there = socket.socket(socket.AF_UNIX)
    there.connect(server)
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
