// CSRCopy on hosts.
#pragma once

#include "mat/exec/host.hpp"

#include "csrcopy.hpp"
