#!/usr/bin/env bash
#
# changed_datasets.sh - equal_datasets, which other tests trust, sees each kind of change.
. "$(dirname "$0")/shell_test.sh"
need_h5py

# Write a.h5, and a file for each change: equal_NAME.h5 or changed_NAME.h5.
"$PYTHON" - <<'END'
import h5py
import numpy


def write(name, change=lambda f: None):
    with h5py.File(name + ".h5", "w") as f:
        f.attrs["number"], f.attrs["text"], f.attrs["creation-date"] = 3, "text", "now"
        f.create_dataset("matrix", data=numpy.arange(6000).reshape(60, 100), chunks=(10, 10),
                         fillvalue=5)
        f["row"], f["scalar"], f["none"] = numpy.arange(7.0), 4, numpy.zeros(0)
        f["record"] = numpy.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")])
        f["group/names"] = ["a", "bb"]
        f["group"].attrs["numbers"] = [1, 2, 3]
        f["run/time"] = 1
        change(f)


def value(name, at, to):
    return lambda f: f[name].__setitem__(at, to)


def attribute(name, key, to):
    return lambda f: f[name].attrs.__setitem__(key, to)


def remade(name, **other):
    def change(f):
        data = other.pop("data", f[name][()])
        del f[name]
        f.create_dataset(name, data=data, **other)
    return change


def a_group(f):
    del f["row"]
    f.create_group("row")


write("a")
write("equal_none")
write("equal_run", value("run/time", (), 2))
write("equal_date", attribute("/", "creation-date", "later"))
write("changed_value", value("matrix", (33, 4), 0))
write("changed_last_value", value("matrix", (59, 99), 0))
write("changed_scalar", value("scalar", (), 5))
write("changed_string", value("group/names", 1, "bc"))
write("changed_record", value("record", 0, (1, 2.5)))
write("changed_type", remade("row", dtype="f4"))
write("changed_shape", remade("row", data=numpy.arange(8.0)))
write("changed_chunks", remade("matrix", chunks=(20, 10), fillvalue=5))
write("changed_layout", remade("matrix", fillvalue=5))
write("changed_fill", remade("matrix", chunks=(10, 10), fillvalue=6))
write("changed_attribute", attribute("/", "number", 4))
write("changed_attribute_text", attribute("/", "text", "texu"))
write("changed_attribute_type", attribute("/", "number", 3.0))
write("changed_attribute_value", attribute("group", "numbers", [1, 2, 4]))
write("changed_attribute_shape", attribute("group", "numbers", [1, 2]))
write("changed_attributes", attribute("group", "new", 1))
write("changed_names", lambda f: f.move("row", "line"))
write("changed_kind", a_group)
write("changed_groups", lambda f: f.create_group("new"))
END

# differ FILE FILE: they do, in one line.
differ()
{
    expect_exit 1 equal "$1" "$2" && expect_line '' "$out"
}

for file in equal_*.h5; do
    check "$file" equal a.h5 "$file"
    check "$file: no output" silent "$tmp/output"
done
for file in changed_*.h5; do
    check "$file" differ a.h5 "$file"
    check "$file, the other way" differ "$file" a.h5
done
check "one that is missing" differ a.h5 missing.h5
check "no HDF5" differ "$0" a.h5
finish
