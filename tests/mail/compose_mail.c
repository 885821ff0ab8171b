/* SPDX-License-Identifier: MIT
 * Prints the mail that is described by arguments NAME=VALUE: kind, language, from, reply_to, to, subject, text, html
 * (templates), and the names of values. If there is no mail, prints the reason and exits with 1. For
 * tests/system/mail/test_mail_message.py. */
#include <stdio.h>
#include <sysexits.h>

#include "mail/kinds.h"

struct setting {
	const char *name;
	struct slice *value;
};

static bool
store(struct mail_content *content, const struct setting *settings, size_t count, struct slice name, struct slice value)
{
	enum mail_name known;
	for (size_t i = 0; i < count; i++) {
		if (slice_equal(slice_of(settings[i].name), name)) {
			*settings[i].value = value;
			return true;
		}
	}
	if (!mail_name_find(name, &known))
		return false;
	content->values.of[known] = value;
	return true;
}

int
main(int argc, char **argv)
{
	struct pool *pool = pool_new();
	struct mail_content content = { .id = SLICE("m1.test"), .time_ms = INT64_C(1795610993000) };
	struct slice kind = SLICE("verify"), language = SLICE("en"), from = SLICE("hello@example.org"), reply_to = SLICE_NONE;
	const struct setting settings[] = {
		{ "kind", &kind },
		{ "language", &language },
		{ "from", &from },
		{ "reply_to", &reply_to },
		{ "to", &content.to },
		{ "subject", &content.templates[TEMPLATE_SUBJECT] },
		{ "text", &content.templates[TEMPLATE_TEXT] },
		{ "html", &content.templates[TEMPLATE_HTML] },
	};
	struct mail_message message;
	struct slice problem;
	for (int i = 1; i < argc; i++) {
		const struct slice argument = slice_of(argv[i]);
		const size_t equals = slice_find(argument, '=');
		if (!store(&content, settings, ARRAY_SIZE(settings), slice_sub(argument, 0, equals),
			slice_sub(argument, equals + 1, argument.size)))
			return EX_USAGE;
	}
	if (!message_kind_parse(kind, &content.kind) || !text_language_parse(language, &content.design.language) ||
	    !mailbox_parse(pool, from, &content.from) ||
	    (slice_present(reply_to) && !mailbox_parse(pool, reply_to, &content.reply_to)))
		return EX_USAGE;
	const bool made = mail_compose(pool, &content, &message, &problem);
	const struct slice out = made ? message.bytes : problem;
	fwrite(out.data, 1, out.size, stdout);
	pool_free(&pool);
	return made ? 0 : 1;
}
