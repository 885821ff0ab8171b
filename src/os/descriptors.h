/* SPDX-License-Identifier: MIT
 * The three standard descriptors. */
#pragma once

/* Opens the descriptors from 0 to 2 that are closed, so that results and log lines cannot go to another file that got such a
 * number. Call first in main(), before any file is opened. A write to a descriptor that was closed then fails. */
void descriptors_fill(void);
