#!/usr/bin/env python3
"""The shipped networks of `ribogrid cnn` for PyTorch, with equal parameters and shapes, and
their speed.

usage: bench/torch_nets.py [NET[:BATCH]...] [--batch N] [--type TYPE[,TYPE...]]
                           [--seconds S] [--device cuda:0] [--check RIBOGRID]
       TYPE: fp32, tf32, bf16 or bf16-all

Times forward and backward passes (no update) of synthetic images on PyTorch eager, with
cudnn.benchmark, and prints one tab-separated line per network and type: name, type, batch,
parameters, median images/s, mJ per image (NVML's total energy; - where it is absent).
bf16 computes with autocast on 32-bit parameters, as ribogrid does; bf16-all has 16-bit
parameters, too.  Both use channels-last.

--check compares parameters and shapes with `RIBOGRID cnn plan` instead, without a GPU.
"""
import argparse
import ctypes
import statistics
import subprocess
import sys
import time

import torch
from torch import nn


def convolution(n_in, n_out, kernel, stride=1, pad=0):
    return [nn.Conv2d(n_in, n_out, kernel, stride, pad), nn.ReLU(inplace=True)]


def linear(n_in, n_out, dropout=False):
    layers = [nn.Linear(n_in, n_out), nn.ReLU(inplace=True)]
    return layers + [nn.Dropout(0.5)] if dropout else layers


def lenet():
    return nn.Sequential(
        nn.Conv2d(1, 20, 5), nn.MaxPool2d(2), nn.Conv2d(20, 50, 5), nn.MaxPool2d(2),
        nn.Flatten(), *linear(800, 500), nn.Linear(500, 10))


def alexnet():
    """torchvision's alexnet; its adaptive pooling changes nothing at 224 x 224."""
    return nn.Sequential(
        *convolution(3, 64, 11, 4, 2), nn.MaxPool2d(3, 2),
        *convolution(64, 192, 5, 1, 2), nn.MaxPool2d(3, 2),
        *convolution(192, 384, 3, 1, 1), *convolution(384, 256, 3, 1, 1),
        *convolution(256, 256, 3, 1, 1), nn.MaxPool2d(3, 2),
        nn.Flatten(), nn.Dropout(0.5), *linear(9216, 4096, dropout=True),
        *linear(4096, 4096), nn.Linear(4096, 1000))


def overfeat_fast():
    return nn.Sequential(
        *convolution(3, 96, 11, 4), nn.MaxPool2d(2),
        *convolution(96, 256, 5), nn.MaxPool2d(2),
        *convolution(256, 512, 3, 1, 1), *convolution(512, 1024, 3, 1, 1),
        *convolution(1024, 1024, 3, 1, 1), nn.MaxPool2d(2),
        nn.Flatten(), *linear(36864, 3072), *linear(3072, 4096), nn.Linear(4096, 1000))


def vgg_a():
    """torchvision's vgg11."""
    layers, n_in = [], 3
    for n_out in (64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0):
        if n_out == 0:
            layers.append(nn.MaxPool2d(2))
        else:
            layers += convolution(n_in, n_out, 3, 1, 1)
            n_in = n_out
    return nn.Sequential(*layers, nn.Flatten(), *linear(25088, 4096, dropout=True),
                         *linear(4096, 4096, dropout=True), nn.Linear(4096, 1000))


def normalized(n_in, n_out, kernel, stride=1, pad=0):
    return nn.Sequential(nn.Conv2d(n_in, n_out, kernel, stride, pad, bias=False),
                         nn.BatchNorm2d(n_out, eps=0.001), nn.ReLU(inplace=True))


class Inception(nn.Module):
    def __init__(self, n_in, n1, n2a, n2b, n3a, n3b, n4):
        super().__init__()
        self.branches = nn.ModuleList([
            normalized(n_in, n1, 1),
            nn.Sequential(normalized(n_in, n2a, 1), normalized(n2a, n2b, 3, 1, 1)),
            nn.Sequential(normalized(n_in, n3a, 1), normalized(n3a, n3b, 3, 1, 1)),
            nn.Sequential(nn.MaxPool2d(3, 1, 1, ceil_mode=True), normalized(n_in, n4, 1))])

    def forward(self, x):
        return torch.cat([branch(x) for branch in self.branches], 1)


def googlenet():
    """torchvision's googlenet without auxiliary classifiers."""
    return nn.Sequential(
        normalized(3, 64, 7, 2, 3), nn.MaxPool2d(3, 2, ceil_mode=True),
        normalized(64, 64, 1), normalized(64, 192, 3, 1, 1),
        nn.MaxPool2d(3, 2, ceil_mode=True),
        Inception(192, 64, 96, 128, 16, 32, 32), Inception(256, 128, 128, 192, 32, 96, 64),
        nn.MaxPool2d(3, 2, ceil_mode=True),
        Inception(480, 192, 96, 208, 16, 48, 64), Inception(512, 160, 112, 224, 24, 64, 64),
        Inception(512, 128, 128, 256, 24, 64, 64), Inception(512, 112, 144, 288, 32, 64, 64),
        Inception(528, 256, 160, 320, 32, 128, 128), nn.MaxPool2d(2, ceil_mode=True),
        Inception(832, 256, 160, 320, 32, 128, 128),
        Inception(832, 384, 192, 384, 48, 128, 128),
        nn.AvgPool2d(7), nn.Flatten(), nn.Dropout(0.2), nn.Linear(1024, 1000))


def kmer_lenet():
    return nn.Sequential(
        *convolution(1, 20, 5), nn.MaxPool2d(2), *convolution(20, 50, 5), nn.MaxPool2d(2),
        nn.Flatten(), *linear(8450, 500, dropout=True), nn.Linear(500, 1000))


# name: (network, size of an image, parameters)
NETS = {
    "lenet": (lenet, (1, 28, 28), 431080),
    "alexnet": (alexnet, (3, 224, 224), 61100840),
    "overfeat-fast": (overfeat_fast, (3, 231, 231), 145920872),
    "vgg-a": (vgg_a, (3, 224, 224), 132863336),
    "googlenet": (googlenet, (3, 224, 224), 6624904),
    "kmer-lenet": (kmer_lenet, (1, 64, 64), 4752070),
}


TYPES = ["fp32", "tf32", "bf16", "bf16-all"]


def n_parameters(net):
    return sum(p.numel() for p in net.parameters())


def output_shapes(net, image):
    """The sizes of the outputs of all convolutions, poolings and linear layers."""
    shapes = []
    kinds = (nn.Conv2d, nn.MaxPool2d, nn.AvgPool2d, nn.Linear)
    for module in net.modules():
        if isinstance(module, kinds):
            module.register_forward_hook(
                lambda m, i, o: shapes.append("x".join(map(str, o.shape))))
    with torch.no_grad():
        net.eval()(image)
    return sorted(shapes)


def planned_shapes(ribogrid, name):
    text = subprocess.run([ribogrid, "cnn", "plan", name, "--batch", "2", "--tsv"],
                          check=True, capture_output=True, text=True).stdout
    shapes = []
    for row in [line.split("\t") for line in text.splitlines()[1:]]:
        if row[3] in ("convolution", "pool", "linear"):
            shapes.append(row[6] + "x1x1" if row[3] == "pool" and row[6].count("x") == 1
                          else row[6])
    return sorted(shapes)


def check(ribogrid, names):
    failed = False
    for name in names:
        make, size, n = NETS[name]
        net = make()
        bad = []
        if n_parameters(net) != n:
            bad.append(f"{n_parameters(net)} parameters instead of {n}")
        if output_shapes(net, torch.zeros(2, *size)) != planned_shapes(ribogrid, name):
            bad.append("shapes differ")
        print(name, "; ".join(bad) if bad else "equal", sep="\t")
        failed = failed or bool(bad)
    return failed


class Energy:
    """NVML's total energy of a GPU in mJ."""

    def __init__(self, index):
        self.handle = ctypes.c_void_p()
        try:
            self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
        except OSError:
            self.nvml = None
            return
        if self.nvml.nvmlInit_v2() != 0 or self.nvml.nvmlDeviceGetHandleByIndex_v2(
                index, ctypes.byref(self.handle)) != 0:
            self.nvml = None

    def read(self):
        """Return the counter, or None."""
        mj = ctypes.c_ulonglong()
        if self.nvml is None or self.nvml.nvmlDeviceGetTotalEnergyConsumption(
                self.handle, ctypes.byref(mj)) != 0:
            return None
        return mj.value


def measure(name, batch, number, seconds, device):
    make, size, _ = NETS[name]
    narrow = number.startswith("bf16")
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = number == "tf32"
    torch.backends.cudnn.allow_tf32 = number == "tf32"
    net = make().to(device).train()
    kind = torch.bfloat16 if number == "bf16-all" else torch.float32
    layout = torch.channels_last if narrow else torch.contiguous_format
    net = net.to(dtype=kind, memory_format=layout)
    images = torch.rand(batch, *size, device=device).to(dtype=kind, memory_format=layout)
    labels = torch.randint(10, (batch,), device=device)
    loss_of = nn.CrossEntropyLoss()
    energy = Energy(torch.device(device).index or 0)

    def iterate():
        net.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16, enabled=number == "bf16"):
            loss = loss_of(net(images), labels)
        loss.backward()

    for _ in range(20):
        iterate()
    torch.cuda.synchronize()
    rates, n_images, first = [], 0, energy.read()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(10):
            iterate()
        torch.cuda.synchronize()
        rates.append(10 * batch / (time.perf_counter() - start))
        n_images += 10 * batch
    last = energy.read()
    mj = "-" if first is None or last is None else f"{(last - first) / n_images:.2f}"
    print(name, number, batch, n_parameters(net), f"{statistics.median(rates):.0f}", mj,
          sep="\t", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("nets", nargs="*", metavar="NET[:BATCH]", help=", ".join(NETS))
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--type", default="fp32", metavar="TYPE[,TYPE...]",
                        help=", ".join(TYPES))
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--check", metavar="RIBOGRID")
    args = parser.parse_args()
    runs = []
    for name, _, batch in [net.partition(":") for net in args.nets or NETS]:
        if name not in NETS:
            parser.error(f"unknown network '{name}'; give one of {', '.join(NETS)}")
        runs.append((name, int(batch or args.batch)))
    for number in args.type.split(","):
        if number not in TYPES:
            parser.error(f"unknown type '{number}'; give one of {', '.join(TYPES)}")
    if args.check:
        return check(args.check, [name for name, _ in runs])
    for name, batch in runs:
        for number in args.type.split(","):
            measure(name, batch, number, args.seconds, args.device)
    return 0


if __name__ == "__main__":
    sys.exit(main())
