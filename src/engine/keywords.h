/* SPDX-License-Identifier: MIT
 * Recognizes what people answer to texts, and what other mail systems report about people (docs/inbound.md 3.2, 3.3). */
#pragma once

#include "base/pool.h"

enum keyword { KEYWORD_NONE, KEYWORD_OPT_OUT, KEYWORD_OPT_IN, KEYWORD_HELP };

/* Case, accents, width, punctuation, emoji and courtesies are ignored. A text is a keyword if nothing else is left. Some words
 * opt out even if up to KEYWORD_OTHER_WORDS words follow them, or surround them without a negation; so does a text that only
 * refuses messages. One opt-out too many is better than one too few. */
enum { KEYWORD_TEXT_MAX = 500, KEYWORD_OTHER_WORDS = 4 };
enum keyword keyword_of(struct pool *pool, struct slice text);
/* END: the person unsubscribed or complained, or the mailbox does not exist. OTHER: neither that nor a sign-up, such as a
 * temporary failure, or a removal from a list of blocked addresses. */
enum mail_report { MAIL_REPORT_OTHER, MAIL_REPORT_SIGNUP, MAIL_REPORT_END };
enum mail_report keyword_report(struct pool *pool, struct slice event);
