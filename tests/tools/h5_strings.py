#!/usr/bin/env python3
"""Check or change how HDF5 files store strings.

usage: h5_strings.py fixed FILE...  all strings are of fixed length, nothing is in a global heap
       h5_strings.py old FILE OUT   copy a file with the variable-length strings of version 1.3
"""
import shutil
import sys

import h5py


def all_of(f):
    """Return each group and dataset of a file, and the name of each attribute."""
    objects = [f]
    f.visititems(lambda _, item: objects.append(item))
    return objects, [(item, name) for item in objects for name in item.attrs]


def fixed(*paths):
    n_texts = 0
    for path in paths:
        with h5py.File(path, "r") as f:
            objects, attributes = all_of(f)
            types = [(item.name, item.id.get_type()) for item in objects
                     if isinstance(item, h5py.Dataset)]
            types += [(f"{item.name}@{name}", item.attrs.get_id(name).get_type())
                      for item, name in attributes]
        assert len(types) > 10, types
        for name, kind in types:
            assert kind.get_class() in (h5py.h5t.INTEGER, h5py.h5t.FLOAT, h5py.h5t.STRING), (
                path, name, kind.get_class())
            if kind.get_class() == h5py.h5t.STRING:
                assert not kind.is_variable_str(), (path, name)
                assert kind.get_cset() == h5py.h5t.CSET_UTF8, (path, name)
                n_texts += 1
        with open(path, "rb") as raw:
            assert b"GCOL" not in raw.read(), f"{path} has a global heap"
    assert n_texts > 8 * len(paths), n_texts


def old(path, out):
    shutil.copy(path, out)
    with h5py.File(out, "r+") as f:
        objects, attributes = all_of(f)
        for item, name in attributes:
            if isinstance(item.attrs[name], bytes):
                item.attrs[name] = item.attrs[name].decode()
        for item in objects:
            if isinstance(item, h5py.Dataset) and h5py.check_string_dtype(item.dtype):
                name, texts = item.name, list(item.asstr()[:])
                del f[name]
                f.create_dataset(name, data=texts, dtype=h5py.string_dtype())
        f.attrs["format_version_minor"] -= 1
    with h5py.File(out, "r") as f:
        assert isinstance(f.attrs["format"], str)
    with open(out, "rb") as raw:
        assert b"GCOL" in raw.read()


commands = {"fixed": fixed, "old": old}
if len(sys.argv) < 3 or sys.argv[1] not in commands:
    sys.exit(__doc__.strip())
commands[sys.argv[1]](*sys.argv[2:])
