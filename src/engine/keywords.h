/* SPDX-License-Identifier: MIT
 * What people answer to texts (docs/inbound.md 3.2). */
#ifndef LEADHOOK_ENGINE_KEYWORDS_H
#define LEADHOOK_ENGINE_KEYWORDS_H

#include "base/pool.h"
#include "base/slice.h"

enum keyword { KEYWORD_NONE, KEYWORD_OPT_OUT, KEYWORD_OPT_IN, KEYWORD_HELP };

/* Case, accents, width, punctuation, pictures and courtesies make no difference. A text is a keyword if nothing else is left of
 * it. Some words are an opt-out with up to KEYWORD_OTHER_WORDS words after them, or around them without a negation: rather one
 * opt-out too many than one too few. */
enum { KEYWORD_TEXT_MAX = 500, KEYWORD_OTHER_WORDS = 4 };
enum keyword keyword_of(struct pool *pool, struct slice text);
/* Whether a system that sends mail names such an event: the person has unsubscribed or complained, or has no mailbox. What comes
 * before the last stop in it makes no difference: `email.bounced`. */
bool keyword_ends_mail(struct pool *pool, struct slice event);

#endif
