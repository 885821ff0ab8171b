/* SPDX-License-Identifier: MIT */
#include "transfer/status.h"

#include <string.h>

#include "base/boolean.h"
#include "base/utf8.h"
#include "engine/custom_fields.h"

static const struct slice meanings[VALUE_MEANINGS] = { SLICE("active"), SLICE("opted_out"), SLICE("verified"),
	SLICE("left_out") };

struct slice
value_meaning_name(enum value_meaning meaning)
{
	return meaning < VALUE_MEANINGS ? meanings[meaning] : SLICE_NONE;
}

enum value_meaning
value_meaning_named(struct slice name)
{
	for (enum value_meaning meaning = MEANS_ACTIVE; meaning < VALUE_MEANINGS; meaning++)
		if (slice_equal_nocase(name, meanings[meaning]))
			return meaning;
	return MEANS_UNKNOWN;
}

/* U+00A0, other blanks of Unicode, and characters without width. */
static bool
is_blank(uint32_t c)
{
	return c == 0xa0 || (c >= 0x2000 && c <= 0x200f) || c == 0x2028 || c == 0x202f || c == 0x205f || c == 0x2060 ||
	       c == 0x3000 || c == 0xfeff || c == 0xad;
}

static bool
has_no_width(uint32_t c)
{
	return (c >= 0x200b && c <= 0x200f) || c == 0x2060 || c == 0xfeff || c == 0xad;
}

static bool
is_between(uint32_t c)
{
	return c <= ' ' || (c < 0x80 && strchr("-_.:;*?!/\"'#$()[]{}", (int)c) != NULL) || is_blank(c);
}

/* createdAt has two words. */
static struct slice
divided(struct pool *pool, struct slice text)
{
	char *out = pool_bytes(pool, 2 * text.size + 1);
	size_t size = 0;
	for (size_t i = 0; i < text.size; i++) {
		if (i > 0 && ascii_upper(text.data[i - 1]) != text.data[i - 1] && ascii_lower(text.data[i]) != text.data[i])
			out[size++] = ' ';
		out[size++] = text.data[i];
	}
	return (struct slice){ out, size };
}

struct slice
plain_words(struct pool *pool, struct slice text)
{
	const struct slice lower = custom_field_name(pool, divided(pool, utf8_sanitized(pool, text)));
	char *out = pool_bytes(pool, lower.size + 1);
	struct slice rest = lower;
	size_t size = 0;
	uint32_t c;
	for (struct slice before = rest; utf8_next(&rest, &c); before = rest) {
		if (has_no_width(c))
			continue;
		if (!is_between(c)) {
			memcpy(out + size, before.data, before.size - rest.size);
			size += before.size - rest.size;
		} else if (size > 0 && out[size - 1] != '_') {
			out[size++] = '_';
		}
	}
	size -= size > 0 && out[size - 1] == '_' ? 1 : 0;
	return (struct slice){ out, size };
}

static bool
has_any(struct slice text, const struct slice *parts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (slice_contains(text, parts[i]))
			return true;
	return false;
}

/* Parts of names, of columns and files, that speak of people who must not get mail … */
static const struct slice negative[] = { SLICE("unsub"), SLICE("opt_out"), SLICE("optout"), SLICE("opted_out"),
	SLICE("optedout"), SLICE("abgemeldet"), SLICE("abmeld"), SLICE("austrag"), SLICE("désabonn"), SLICE("desabonn"),
	SLICE("désinscri"), SLICE("desinscri"), SLICE("dado_de_baja"), SLICE("dados_de_baja"), SLICE("disiscri"),
	SLICE("afgemeld"), SLICE("uitgeschreven"), SLICE("cleaned"), SLICE("bounce"), SLICE("blacklist"), SLICE("blocklist"),
	SLICE("blocked"), SLICE("suppress"), SLICE("do_not_contact"), SLICE("do_not_email"), SLICE("donotemail"),
	SLICE("donotcontact"), SLICE("no_contact"), SLICE("sperrliste"), SLICE("gesperrt"), SLICE("complain"), SLICE("spam"),
	SLICE("nonsub"), SLICE("non_sub"), SLICE("not_sub"), SLICE("disabled"), SLICE("excluded"), SLICE("deactivat"),
	SLICE("deaktiv"), SLICE("désactiv"), SLICE("desactiv"), SLICE("disattiv"), SLICE("descadastr"), SLICE("stop_status"),
	SLICE("stop_time") };
/* … of consent … */
static const struct slice consent[] = { SLICE("opt_in"), SLICE("optin"), SLICE("opted_in"), SLICE("optedin"), SLICE("consent"),
	SLICE("consentement"), SLICE("gdpr"), SLICE("dsgvo"), SLICE("rgpd"), SLICE("einwilligung"), SLICE("zustimmung"),
	SLICE("subscri"), SLICE("suscri"), SLICE("abonn"), SLICE("iscritt"), SLICE("inscrit"), SLICE("cadastrad"),
	SLICE("angemeldet"), SLICE("newsletter"), SLICE("accepts_marketing"), SLICE("accept_marketing"), SLICE("accepts_email"),
	SLICE("marketing_status"), SLICE("marketing_contact"), SLICE("marketing_permission"), SLICE("email_marketing"),
	SLICE("email_permission"), SLICE("email_status"), SLICE("mail_status"), SLICE("list_status"), SLICE("contact_status"),
	SLICE("mailing_permission"), SLICE("emailable"), SLICE("can_email"), SLICE("can_contact"), SLICE("marketingkontakt"),
	SLICE("permission_status"), SLICE("send_me"), SLICE("send_you"), SLICE("keep_me"), SLICE("receive_email"),
	SLICE("receive_news") };
/* … and words of names that speak of what people subscribed to, or where; and of texts to phones. */
static const struct slice details[] = { SLICE("ip"), SLICE("source"), SLICE("method"), SLICE("tier"), SLICE("plan"),
	SLICE("url"), SLICE("id"), SLICE("price"), SLICE("sms"), SLICE("whatsapp") };
/* Whole names of columns that say yes for people who may get mail. */
static const struct slice switches[] = { SLICE("active"), SLICE("is_active"), SLICE("aktiv"), SLICE("actif"), SLICE("activo"),
	SLICE("attivo"), SLICE("ativo"), SLICE("actief"), SLICE("enabled") };
/* Parts of names whose values may be any state: that of an order as well. */
static const struct slice states[] = { SLICE("status"), SLICE("state"), SLICE("statut"), SLICE("estado"), SLICE("stato") };

static bool
has_detail(struct slice name)
{
	struct slice word;
	while (slice_next(&name, '_', &word))
		if (slice_is_one_of(word, details, ARRAY_SIZE(details)))
			return true;
	return false;
}

bool
status_is_negative(struct slice name)
{
	return has_any(name, negative, ARRAY_SIZE(negative));
}

bool
status_needs_meaning(struct slice name)
{
	return status_is_negative(name) || slice_is_one_of(name, switches, ARRAY_SIZE(switches)) ||
	       (has_any(name, consent, ARRAY_SIZE(consent)) && !has_detail(name));
}

bool
status_may_be_any(struct slice name)
{
	return has_any(name, states, ARRAY_SIZE(states)) && !has_detail(name);
}

bool
status_of_file(struct slice name)
{
	return status_is_negative(name);
}

/* Values, whole, in order. */
static const struct slice refusals[] = { SLICE("abgemeldet"), SLICE("abonnement_résilié"), SLICE("ausgetragen"), SLICE("baja"),
	SLICE("blacklisted"), SLICE("blocked"), SLICE("blocklisted"), SLICE("bounce"), SLICE("bounced"), SLICE("bounced_hard"),
	SLICE("cancelado"), SLICE("cleaned"), SLICE("complained"), SLICE("complaint"), SLICE("dado_de_baja"),
	SLICE("desabonado"), SLICE("desabonné"), SLICE("desinscrit"), SLICE("desuscrito"), SLICE("disiscritto"),
	SLICE("do_not_contact"), SLICE("do_not_email"), SLICE("désabonné"), SLICE("désabonnée"), SLICE("désinscrit"),
	SLICE("désinscrite"), SLICE("gesperrt"), SLICE("hard_bounce"), SLICE("hard_bounced"), SLICE("invalid_email"),
	SLICE("marked_as_spam"), SLICE("no_suscrito"), SLICE("non_marketing_contact"), SLICE("non_subscribed"),
	SLICE("nonsubscribed"), SLICE("not_subscribed"), SLICE("opt_out"), SLICE("opted_out"), SLICE("optedout"),
	SLICE("optout"), SLICE("reported_as_spam"), SLICE("soft_bounce"), SLICE("spam_complaint"), SLICE("suppressed"),
	SLICE("uitgeschreven"), SLICE("unsub"), SLICE("unsubbed"), SLICE("unsubscribe"), SLICE("unsubscribed"),
	SLICE("widerrufen") };
static const struct slice consents[] = { SLICE("abonné"), SLICE("abonnée"), SLICE("abonniert"), SLICE("accepted"),
	SLICE("active"), SLICE("activo"), SLICE("actif"), SLICE("aktiv"), SLICE("alta"), SLICE("angemeldet"),
	SLICE("confirmed"), SLICE("eingetragen"), SLICE("granted"), SLICE("inscrit"), SLICE("inscrite"), SLICE("iscritto"),
	SLICE("marketing_contact"), SLICE("opt_in"), SLICE("opted_in"), SLICE("optin"), SLICE("subscribed"),
	SLICE("subscriber"), SLICE("suscrito"), SLICE("double_opt_in"), SLICE("express"), SLICE("implied"),
	SLICE("marketingkontakt"), SLICE("bestätigt"), SLICE("confirmé"), SLICE("confirmado") };
/* Parts of values, of columns that have a state: no one has agreed, or does any more. */
static const struct slice doubts[] = { SLICE("inact"), SLICE("inakt"), SLICE("inatt"), SLICE("inativ"), SLICE("nieakt"),
	SLICE("unact"), SLICE("unconf"), SLICE("unbest"), SLICE("unver"), SLICE("not_"), SLICE("non_"), SLICE("nicht_"),
	SLICE("kein"), SLICE("niet_"), SLICE("não_"), SLICE("nao_"), SLICE("no_consent"), SLICE("never_sub"), SLICE("pend"),
	SLICE("attesa"), SLICE("attente"), SLICE("needs_"), SLICE("cancel"), SLICE("delet"), SLICE("remov"), SLICE("elimin"),
	SLICE("gelöscht"), SLICE("supprim"), SLICE("verwijder"), SLICE("archiv"), SLICE("invalid"), SLICE("undeliver"),
	SLICE("denied"), SLICE("declin"), SLICE("reject"), SLICE("revok"), SLICE("refus"), SLICE("expired"), SLICE("suspend"),
	SLICE("rebot"), SLICE("wypis"), SLICE("transactional") };

bool
status_says_no(struct slice value, bool any)
{
	if (slice_is_one_of(value, refusals, ARRAY_SIZE(refusals)))
		return true;
	return any && !slice_is_one_of(value, consents, ARRAY_SIZE(consents)) &&
	       (status_is_negative(value) || has_any(value, doubts, ARRAY_SIZE(doubts)));
}

enum value_meaning
status_suggested(struct slice value, bool is_negative)
{
	bool on;
	if (is_negative && value.size == 0)
		return MEANS_ACTIVE;
	if (value.size == 0 || status_says_no(value, true))
		return MEANS_OPTED_OUT;
	if (slice_is_one_of(value, consents, ARRAY_SIZE(consents)))
		return MEANS_ACTIVE;
	if (switch_parse(value, &on))
		return on == is_negative ? MEANS_OPTED_OUT : MEANS_ACTIVE;
	return MEANS_UNKNOWN;
}

bool
switch_parse(struct slice text, bool *on)
{
	static const struct slice yes[] = { SLICE("ja"), SLICE("oui"), SLICE("sí"), SLICE("si"), SLICE("sì"), SLICE("sim"),
		SLICE("x"), SLICE("j"), SLICE("✓"), SLICE("✔"), SLICE("checked") };
	static const struct slice no[] = { SLICE("nein"), SLICE("non"), SLICE("nee"), SLICE("não"), SLICE("nao"),
		SLICE("unchecked"), SLICE("-") };
	if (boolean_parse(text, on))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		if (slice_equal_nocase(text, yes[i])) {
			*on = true;
			return true;
		}
	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		if (slice_equal_nocase(text, no[i])) {
			*on = false;
			return true;
		}
	return false;
}
