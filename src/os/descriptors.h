/* SPDX-License-Identifier: MIT
 * The three standard descriptors. */
#ifndef LEADHOOK_OS_DESCRIPTORS_H
#define LEADHOOK_OS_DESCRIPTORS_H

/* Opens those of 0 to 2 that are closed, so that no other file gets the number that results or log lines are written to. Call
 * first in main(), before any file is opened. A write to a descriptor that was closed then fails. */
void descriptors_fill(void);

#endif
