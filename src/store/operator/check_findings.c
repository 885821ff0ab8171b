/* SPDX-License-Identifier: MIT */
#include "store/operator/check_findings.h"

void
check_add(struct check_findings *check, const char *what, struct slice detail, const char *hint)
{
	check->findings = pool_grow(check->pool, check->findings, check->count, &check->capacity, sizeof(*check->findings));
	check->findings[check->count++] = (struct finding){ slice_of(what), pool_copy(check->pool, detail), slice_of(hint) };
}
