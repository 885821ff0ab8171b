/* SPDX-License-Identifier: MIT */
#include "mail/mailbox.h"

#include "base/utf8.h"
#include "identity/email.h"

bool
mail_address_parse(struct pool *pool, struct slice typed, struct mail_address *address)
{
	struct email email;
	if (!email_parse(pool, typed, &email))
		return false;
	const size_t at = slice_find_last(email.key, '@');
	struct slice local = slice_sub(email.display, 0, slice_find(email.display, '@'));
	/* Other local parts are not safe as typed: only their NFC form was checked, in which '<' and a combining stroke become
	 * one character. */
	if (!slice_is_ascii(local))
		local = slice_sub(email.key, 0, at);
	address->domain = slice_sub(email.key, at + 1, email.key.size);
	address->text = POOL_JOIN(pool, local, SLICE("@"), address->domain);
	address->smtputf8 = !slice_is_ascii(local);
	return true;
}

bool
mailbox_name_valid(struct slice name)
{
	return name.size <= MAILBOX_NAME_MAX_BYTES && utf8_valid(name) && !utf8_has_control(name);
}

static struct slice
without_quotes(struct slice name)
{
	const bool quoted = name.size >= 2 && slice_starts_with(name, SLICE("\"")) && slice_ends_with(name, SLICE("\""));
	return quoted ? slice_trim(slice_sub(name, 1, name.size - 1)) : name;
}

bool
mailbox_parse(struct pool *pool, struct slice typed, struct mailbox *mailbox)
{
	struct mailbox parsed = { .name = SLICE("") };
	typed = slice_trim(typed);
	if (utf8_has_control(typed))
		return false;
	if (slice_ends_with(typed, SLICE(">"))) {
		const size_t open = slice_find_last(typed, '<');
		if (open == typed.size)
			return false;
		parsed.name = without_quotes(slice_trim(slice_sub(typed, 0, open)));
		typed = slice_sub(typed, open + 1, typed.size - 1);
	}
	if (!mailbox_name_valid(parsed.name) || !mail_address_parse(pool, typed, &parsed.address))
		return false;
	*mailbox = parsed;
	return true;
}
