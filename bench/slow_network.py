"""slow_network.py - a slow network between this machine and a namespace of its network.

usage: slow_network.py NAMESPACE MBIT_PER_S DELAY_MS LOSS_PERCENT

Both ends are TUN devices, 10.73.0.1 here and 10.73.0.2 in the namespace, which exists.
Packets wait for the line in the order in which they come, 1,000 of them at most, as in a
router, then take DELAY_MS to the other end, and some are lost.  Prints "ready", and runs
until it is killed.  It needs root, and carries some 300 Mbit/s; where the kernel has
netem, `tc` does the same.
"""
import collections
import fcntl
import os
import random
import select
import struct
import subprocess
import sys
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
QUEUE_PACKETS, PACKET_BYTES = 1000, 65536


def open_tun(name):
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TUN | IFF_NO_PI))
    return fd


def configure(name, address, within):
    for words in (["addr", "add", address, "dev", name], ["link", "set", name, "up"]):
        subprocess.run(["ip", *within, *words], check=True)


class Line:
    """One direction: from one device to the other."""

    def __init__(self, source, to, bytes_per_s, delay_s, loss):
        self.source, self.to = source, to
        self.bytes_per_s, self.delay_s, self.loss = bytes_per_s, delay_s, loss
        self.free_s = 0.0  # when the line has sent what waits
        self.waiting = collections.deque()  # when each of them will have been sent
        self.sent = collections.deque()  # when it arrives, and the packet

    def take(self):
        """Read the packets that have come."""
        while True:
            try:
                packet = os.read(self.source, PACKET_BYTES)
            except BlockingIOError:
                return
            now = time.monotonic()
            while self.waiting and self.waiting[0] <= now:
                self.waiting.popleft()
            if len(self.waiting) >= QUEUE_PACKETS:
                continue
            self.free_s = max(now, self.free_s) + len(packet) / self.bytes_per_s
            self.waiting.append(self.free_s)
            if random.random() >= self.loss:
                self.sent.append((self.free_s + self.delay_s, packet))

    def deliver(self):
        """Write those that arrive. @return seconds until the next one; None: there is none"""
        while self.sent and self.sent[0][0] <= time.monotonic():
            try:
                os.write(self.to, self.sent.popleft()[1])
            except BlockingIOError:
                pass  # a full device loses packets, too
        return max(0.0, self.sent[0][0] - time.monotonic()) if self.sent else None


def main():
    space, rate, delay, loss = sys.argv[1], *map(float, sys.argv[2:5])
    ends = open_tun("rg0"), open_tun("rg1")
    subprocess.run(["ip", "link", "set", "rg1", "netns", space], check=True)
    configure("rg0", "10.73.0.1/24", [])
    configure("rg1", "10.73.0.2/24", ["-n", space])
    configure("lo", "127.0.0.1/8", ["-n", space])
    random.seed(1)
    lines = [Line(ends[i], ends[1 - i], rate * 1e6 / 8, delay / 1e3, loss / 100)
             for i in range(2)]
    print("ready", flush=True)
    while True:
        waits = [s for s in (line.deliver() for line in lines) if s is not None]
        select.select(ends, [], [], min(waits) if waits else None)
        for line in lines:
            line.take()


if __name__ == "__main__":
    main()
