/* SPDX-License-Identifier: MIT
 * Recounts what is stored twice: the last part of `leadhook check --deep`. */
#pragma once

#include "store/operator/check_findings.h"
#include "store/store.h"

/* Uses a connection of its own. */
void check_deep(struct store *store, struct check_findings *check);
