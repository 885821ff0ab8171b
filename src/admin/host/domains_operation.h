/* SPDX-License-Identifier: MIT
 * The list of disposable domains: a new one is checked, then replaces the file of lead.disposable_domains_file at once, so that
 * no program ever reads a part of it. */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_domains_update;
