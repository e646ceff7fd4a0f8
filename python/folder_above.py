"""scikit-build-core, run in the folder above: a source distribution contains nothing from outside of its folder."""
import os

os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from scikit_build_core.build import *  # noqa: E402, F403
