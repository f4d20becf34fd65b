"""remote_peer.py - ends of a stream to a remote device that send what is wrong.

usage: remote_peer.py server|client RIBOGRID SOCKET HOW
"""
import re
import socket
import struct
import subprocess
import sys

VERSION_BYTES = 96
ANSWER_BYTES = 8 + 256


def version_of(program):
    text = subprocess.run([program, "--version"], check=True, capture_output=True,
                          text=True).stdout
    number = re.search(r"^ribogrid (\S+)", text, re.M).group(1)
    commit = re.search(r"^commit +(.*)$", text, re.M).group(1)
    return f"ribogrid {number} ({commit})"


def hello(how, version):
    if how == "junk":
        return b"Welcome to gpu.lab!\n" * 8
    order = 0x04030201 if how == "order" else 0x01020304
    if how == "version":
        version = "ribogrid 0.0.0 (other)"
    return struct.pack(f"=8sIIII{VERSION_BYTES}s", b"RIBOGRID", order, 1, 8, 0,
                       version.encode())


def read_all(s, n):
    data = b""
    while len(data) < n:
        part = s.recv(n - len(data))
        if not part:
            break
        data += part
    return data


def be_server(s, how, version):
    client, _ = s.accept()
    if how != "nothing":
        client.sendall(hello(how, version))
    client.settimeout(20)
    try:
        client.recv(1)
    except OSError:
        pass
    client.close()


def request(how):
    words = {"command": b"export\0x\0"}.get(how, b"align\0reads.fa\0")
    n_words, size = 2, len(words)
    if how == "words":
        size = 1 << 40
    if how == "unterminated":
        words = words[:-1] + b"x"
    return struct.pack("=iiiiQQ", 1, 2, 0, n_words, size, 7) + words


def be_client(s, how, version):
    """Send the request, and expect the end of the stream or a refusal."""
    s.settimeout(20)
    s.sendall(hello(how, version))
    read_all(s, len(hello("", version)))
    try:
        s.sendall(request(how))
        answer = read_all(s, ANSWER_BYTES)
    except (BrokenPipeError, ConnectionResetError):
        answer = b""
    if how == "command" and b"this server does not run `export`" not in answer:
        sys.exit(f"answered {answer!r}")
    if how != "command" and answer:
        sys.exit("accepted")


def main():
    side, program, path, how = sys.argv[1:]
    version = version_of(program)
    s = socket.socket(socket.AF_UNIX)
    if side == "server":
        s.bind(path)
        s.listen()
        be_server(s, how, version)
    else:
        s.connect(path)
        be_client(s, how, version)


main()
