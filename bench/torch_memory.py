#!/usr/bin/env python3
"""Training of the shipped networks by PyTorch within a limit of a GPU's memory.

usage: bench/torch_memory.py NET:BATCH LIMIT [--type fp32|tf32] [--seconds S]
       LIMIT: MiB that PyTorch's allocator may take

Trains on synthetic images with momentum, and prints one tab-separated line for each way:
way, median images/s ("-": out of memory).

all            without the limit
plain          everything stays
save_on_cpu    what backward needs waits in pinned memory (torch.autograd.graph)
checkpoint     segments of the network are computed again (torch.utils.checkpoint)
"""
import argparse
import gc
import statistics
import sys
import time

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint_sequential

from torch_nets import NETS

N_SEGMENTS = 8


def forward(way, net, images):
    if way == "checkpoint":
        return checkpoint_sequential(net, min(N_SEGMENTS, len(net)), images,
                                     use_reentrant=False)
    if way == "save_on_cpu":
        with torch.autograd.graph.save_on_cpu(pin_memory=True):
            return net(images)
    return net(images)


def train(name, batch, way, seconds):
    """Return the median of images per second."""
    make, size, _ = NETS[name]
    net = make().to("cuda").train()
    for module in net.modules():
        if isinstance(module, nn.ReLU) and way == "save_on_cpu":
            module.inplace = False  # what is saved must not change
    solver = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    images = torch.rand(batch, *size, device="cuda")
    labels = torch.randint(10, (batch,), device="cuda")
    loss_of = nn.CrossEntropyLoss()

    def iterate(n):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(n):
            solver.zero_grad(set_to_none=True)
            loss_of(forward(way, net, images), labels).backward()
            solver.step()
        torch.cuda.synchronize()
        return n * batch / (time.perf_counter() - start)

    iterate(3)
    rates, end = [], time.perf_counter() + seconds
    while len(rates) < 3 or time.perf_counter() < end:
        rates.append(iterate(2))
    return statistics.median(rates)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("net", metavar="NET:BATCH")
    parser.add_argument("limit", type=float, help="MiB")
    parser.add_argument("--type", default="tf32", choices=["fp32", "tf32"])
    parser.add_argument("--seconds", type=float, default=0.5)
    args = parser.parse_args()
    name, _, batch = args.net.partition(":")
    if name not in NETS or not batch.isdigit() or int(batch) < 1:
        parser.error(f"'{args.net}': give one of {', '.join(NETS)}, and a batch")
    torch.backends.cuda.matmul.allow_tf32 = args.type == "tf32"
    torch.backends.cudnn.allow_tf32 = args.type == "tf32"
    torch.backends.cudnn.benchmark = True
    total = torch.cuda.get_device_properties(0).total_memory
    for way in ("all", "plain", "save_on_cpu", "checkpoint"):
        if way == "plain":
            torch.cuda.set_per_process_memory_fraction(min(1, args.limit * 1048576 / total))
        try:
            rate = f"{train(name, int(batch), way, args.seconds):.0f}"
        except RuntimeError as reason:  # out of memory, or cuDNN's word for it
            rate = "-"
            print(f"{way}: {str(reason).splitlines()[0]}", file=sys.stderr)
        gc.collect()
        torch.cuda.empty_cache()
        print(way, rate, sep="\t", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
