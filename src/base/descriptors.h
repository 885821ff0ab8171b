/* SPDX-License-Identifier: MIT
 * The three descriptors that every program counts on. */
#ifndef LEADHOOK_BASE_DESCRIPTORS_H
#define LEADHOOK_BASE_DESCRIPTORS_H

/* Call first in main(), before anything is opened: takes those of 0 to 2 that are closed, so that no later file gets the
 * number that results or log lines are written to. What a program then writes to a closed one fails, as it should. */
void descriptors_fill(void);

#endif
