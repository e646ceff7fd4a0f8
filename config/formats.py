"""The project's list of formats, as in CMakeLists.txt."""
import os
import re

CMAKE = f"{os.path.dirname(os.path.dirname(os.path.realpath(__file__)))}/CMakeLists.txt"


def formats():
    with open(CMAKE) as f:
        found = re.search(r"^set\(PETSCSPMV_FORMATS ([^)]*)\)", f.read(), re.MULTILINE)
    if not found:
        raise LookupError(f"{CMAKE} does not set PETSCSPMV_FORMATS")
    return found[1].split()
