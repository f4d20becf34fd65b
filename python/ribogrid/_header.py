"""The C header as cffi reads it, and the number of the interface."""

import os
import re

#: The number of the library's interface, which its soname ends with.
INTERFACE = "0"


def declarations() -> str:
    """Return what ribogrid.h declares, without the preprocessor's lines."""
    path = os.path.join(os.path.dirname(__file__), "ribogrid.h")
    with open(path, encoding="ascii") as file:
        text = file.read()
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.DOTALL)
    text = re.sub(r"^#.*$", "", text, flags=re.MULTILINE)
    return text.replace("RG_API ", "")
