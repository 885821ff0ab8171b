/* SPDX-License-Identifier: MIT */
#include "engine/message.h"

#define KIND_NAME(kind, name) [MESSAGE_##kind] = SLICE(name),
static const struct slice names[] = { MESSAGE_KIND_LIST(KIND_NAME) };
#undef KIND_NAME

struct slice
message_kind_name(enum message_kind kind)
{
	return (size_t)kind < MESSAGE_KINDS ? names[kind] : SLICE_NONE;
}

bool
message_kind_parse(struct slice name, enum message_kind *kind)
{
	const size_t place = slice_place_in(name, names, MESSAGE_KINDS);
	if (place < MESSAGE_KINDS)
		*kind = (enum message_kind)place;
	return place < MESSAGE_KINDS;
}

bool
message_ignores_opt_out(enum message_kind kind)
{
	return kind == MESSAGE_VERIFY || kind == MESSAGE_ERASE_CONFIRM;
}

bool
message_is_urgent(enum message_kind kind)
{
	return message_ignores_opt_out(kind) || kind == MESSAGE_STATUS_LINK || kind == MESSAGE_CODE;
}

/* docs/mail.md 5 */
static const struct {
	struct slice reason;
	const char *hint;
} hints[] = {
	{ SLICE("cannot_connect"), "see whether mail.host and mail.port are right, and whether a firewall is in the way" },
	{ SLICE("greeting_refused"), "the mail server refuses this host: its operator can say why" },
	{ SLICE("no_service"), "the mail server takes no mail for now: its answer, or its operator, says why" },
	{ SLICE("tls_failed"),
	    "the server must offer TLS with a valid certificate for mail.host; see mail.tls; mail.tls_ca names a private "
	    "authority" },
	{ SLICE("login_refused"), "see whether mail.user and mail.password are right, and whether the account may send" },
	{ SLICE("helo_refused"), "set mail.helo to a full name of this host that the DNS has" },
	{ SLICE("relaying_refused"),
	    "the mail server takes mail for others only after a login: set mail.user and mail.password, or have it trust this "
	    "host" },
	{ SLICE("sender_refused"),
	    "the mail server does not take mail.from as the sender: use an address that exists there and that mail.user may "
	    "send as" },
	{ SLICE("account_refused"),
	    "the mail server's provider has not verified, or has stopped, the account of mail.user: see there" },
	{ SLICE("quota_reached"),
	    "mail.user may send no more for now: see what the provider allows, and set mail.per_hour or mail.rate below it" },
	{ SLICE("policy"), "see whether the address of the mail server is on a block list, and has a name (PTR): a receiver "
			   "does not trust it" },
	{ SLICE("not_authenticated"), "set up SPF, DKIM and DMARC for the domain of mail.from: a receiver misses them" },
	{ SLICE("too_fast"), "set mail.rate, mail.per_hour and mail.connections to what the mail server allows" },
	{ SLICE("suppressed"), "the mail server's provider has the address on its suppression list: remove it there" },
	{ SLICE("refused"), "see the answer of the mail server, which may say why" },
};

const char *
message_hint(struct slice reason)
{
	for (size_t i = 0; i < ARRAY_SIZE(hints); i++)
		if (slice_present(reason) && slice_equal(hints[i].reason, reason))
			return hints[i].hint;
	return NULL;
}
