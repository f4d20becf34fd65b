"""Print the elements of a report, one per line, from the DOM that a browser made of it.

usage: report_elements.py DOM.html
"""
import base64
import html.parser
import re
import struct
import sys
import zlib


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.elements, self.open, self.foreign = [], [], []

    def handle_starttag(self, tag, attributes):
        element = {"tag": tag, "text": "", "inside": self.open[:], **dict(attributes)}
        self.elements.append(element)
        if tag not in ("meta", "br", "link", "img", "wbr"):
            self.open.append(element)

    def handle_startendtag(self, tag, attributes):
        self.elements.append({"tag": tag, "text": "", "inside": self.open[:],
                              **dict(attributes)})

    def handle_endtag(self, tag):
        while self.open and self.open.pop()["tag"] != tag:
            pass

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def of(self, **wanted):
        return [e for e in self.elements
                if all(e.get(k.rstrip("_")) == v for k, v in wanted.items())]


def png_size(uri):
    """Return width x height of a PNG after checking its checksums and size."""
    data = base64.b64decode(uri.removeprefix("data:image/png;base64,"), validate=True)
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(
            ">I", data[at + 8 + length:at + 12 + length])[0], "CRC"
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    assert len(zlib.decompress(packed)) == (width + 1) * height, "cells"
    return f"{width}x{height}"


def loose(page):
    """Return what may make a page wider than a phone, as far as no browser is needed to see
    it: tables of numbers without a box that scrolls, pictures of a fixed width."""
    found = []
    for element in page.elements:
        boxes = [(e["tag"], e.get("class")) for e in element["inside"]]
        scrolls = ("div", "wide") in boxes or ("div", "pair") in boxes and boxes[-1][0] == "section"
        if element["tag"] == "table" and element.get("class") == "numbers" and not scrolls:
            found.append(element.get("id", "table"))
        if element["tag"] == "svg" and "width" in element:
            found.append(element.get("id", "svg"))
    return found


def keys(page):
    """Return the pictures whose key stands beside them: it begins where they end, and is no
    part of them, so that it can move below."""
    found = []
    for svg, key in zip(page.of(tag="svg"), page.of(tag="svg")[1:]):
        if key.get("class") != "key":
            continue
        width, left = svg["viewbox"].split()[2], key["viewbox"].split()[0]
        assert width == left, f"the key of {svg['id']} begins at {left}, not {width}"
        assert svg["inside"] == key["inside"] and svg["inside"][-1]["class"] == "picture"
        found.append(svg["id"])
    return found


def texts_of(page, svg):
    """Return the text elements of a picture."""
    inside, texts = False, []
    for element in page.elements:
        if element["tag"] == "svg":
            inside = element.get("id") == svg
        elif inside and element["tag"] == "text":
            texts.append(element)
    return texts


def rows_of(page, kind):
    """Return the cells of the rows of a class."""
    rows = []
    for element in page.elements:
        if element["tag"] == "tr":
            rows.append((element.get("class"), []))
        elif element["tag"] == "td" and rows:
            rows[-1][1].append(element["text"])
    return [cells for row, cells in rows if row == kind]


def main(path):
    with open(path, encoding="utf-8") as f:
        text = f.read().replace("\xa0", " ").replace("&nbsp;", " ")
    page = Page()
    page.feed(text)
    strips, bars = page.of(class_="strip"), page.of(class_="bar")
    counted = [b["data-count"] for b in bars if "data-count" in b]
    bars = [b for b in bars if "data-percent" in b]
    print("title", page.of(tag="title")[0]["text"], sep="\t")
    print("heading", page.of(tag="h1")[0]["text"], sep="\t")
    print("scripts", len(page.of(tag="script")), sep="\t")
    print("imgs", len(page.of(tag="img")), sep="\t")
    links = [u for u in re.findall(r'(?:href|src)="([^"]*)"|url\(([^)]*)\)', text)]
    links = [a or b for a, b in links]
    print("links", sum(not u.startswith(("data:", "#")) for u in links), sep="\t")
    print("folded", *(e["text"] for e in page.of(tag="summary")), sep="\t")
    print("pictures", sum("id" in e for e in page.of(tag="svg")), sep="\t")
    print("loose", *loose(page), sep="\t")
    print("keys", *keys(page), sep="\t")
    print("buttons", len(page.of(class_="save")), sep="\t")
    print("strips", len(strips), sep="\t")
    print("strip_sequences", sum(int(s["data-sequences"]) for s in strips), sep="\t")
    for strip in strips[::2]:
        print("strip", strip["text"], sep="\t")
    print("legend", *(e["text"].split()[-1] for e in page.of(class_="legend")), sep="\t")
    print("bars", *(b["data-percent"] + ":" + b["data-pairs"] for b in bars), sep="\t")
    print("counted", *counted, sep="\t")
    print("bar_pairs", sum(int(b["data-pairs"]) for b in bars), sep="\t")
    print("axis", *(t["text"].split()[0] for t in texts_of(page, "histogram")
                    if t["text"].endswith(" %") and not t.get("class")), sep="\t")
    print("equal", *(e["text"] for e in page.of(id="n-equal")), sep="\t")
    print("otus", *(o["text"].split()[-1] for o in page.of(class_="otu")), sep="\t")
    print("bridges", *(b["data-betweenness"] for b in page.of(class_="bridge")), sep="\t")
    for card in page.of(class_="card"):
        number = re.match(r"[\d,]+", card["text"])[0]
        print(card["id"], number, sep="\t")
        print("label", card["id"], card["text"].removeprefix(number), sep="\t")
    for paragraph in page.of(tag="p"):
        print("paragraph", paragraph["text"], sep="\t")
    print("cells", len(page.of(class_="cell")), sep="\t")
    for cell in page.of(class_="cell")[:4]:
        print("cell", cell["text"], sep="\t")
    for image in page.of(class_="cells"):
        print("image", png_size(image["href"]), sep="\t")
    print("blocks", *(b["data-otu"] + ":" + b["data-sequences"]
                      for b in page.of(class_="block")), sep="\t")
    for label in page.of(class_="label"):
        print("label_of", label["text"], sep="\t")
    for row in rows_of(page, "largest"):
        print("largest", *row, sep="\t")
    for row in page.of(tag="tr"):
        print("row", row["text"], sep="\t")
    for share in page.of(class_="taxon cell"):
        print("share", share["text"], sep="\t")
    print("order", page.of(class_="title")[0]["text"], sep="\t")


main(sys.argv[1])
