/* SPDX-License-Identifier: MIT
 * What an import, a dry run and a look output. */
#pragma once

#include "admin/data/import_batch.h"

/* Each returns the status of the command. `status`: of the run. */
MUST_CHECK int import_answer(struct import_run *run, int status);
MUST_CHECK int import_answer_look(struct import_run *run);
