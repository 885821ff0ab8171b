/* SPDX-License-Identifier: MIT */
#include "transfer/consent.h"

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

struct slice
plain_words(struct pool *pool, struct slice text)
{
	const struct slice lower = custom_field_name(pool, pool_divide_words(pool, utf8_sanitized(pool, text)));
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
	for (size_t at = 0; at < text.size; at++)
		for (size_t i = 0; i < count; i++)
			if (parts[i].data[0] == text.data[at] && slice_starts_with(slice_sub(text, at, text.size), parts[i]))
				return true;
	return false;
}

static bool
has_word(struct slice text, const struct slice *words, size_t count)
{
	struct slice word;
	while (slice_next(&text, '_', &word))
		if (slice_is_one_of(word, words, count))
			return true;
	return false;
}

/* Parts of names and of short values: someone must not get mail. */
static const struct slice refused[] = { SLICE("unsub"), SLICE("opt_out"), SLICE("optout"), SLICE("opted_out"),
	SLICE("optedout"), SLICE("abgemeldet"), SLICE("abmeld"), SLICE("ausgetragen"), SLICE("austrag"), SLICE("désabonn"),
	SLICE("desabonn"), SLICE("désinscri"), SLICE("desinscri"), SLICE("desuscri"), SLICE("dado_de_baja"),
	SLICE("dados_de_baja"), SLICE("descadastr"), SLICE("disiscri"), SLICE("cancellato_dalla_lista"), SLICE("afgemeld"),
	SLICE("afmeld"), SLICE("uitgeschreven"), SLICE("opgezegd"), SLICE("wypisan"), SLICE("odhláš"), SLICE("avregistr"),
	SLICE("avmeld"), SLICE("avanmäl"), SLICE("frameld"), SLICE("leiratkoz"), SLICE("отпис"), SLICE("bounce"),
	SLICE("nonsub"), SLICE("non_sub"), SLICE("not_sub"), SLICE("do_not_mail"), SLICE("do_not_email"),
	SLICE("do_not_contact"), SLICE("donotmail"), SLICE("donotemail"), SLICE("donotcontact"), SLICE("no_contact"),
	SLICE("kein_newsletter"), SLICE("keine_werbung"), SLICE("keine_mail"), SLICE("keine_e_mail"), SLICE("ne_pas_contact"),
	SLICE("non_contattare"), SLICE("não_contact"), SLICE("nao_contact"), SLICE("niet_mailen") };
/* The same, of names alone: in values they may be about something else. */
static const struct slice negative[] = { SLICE("cleaned"), SLICE("blacklist"), SLICE("blocklist"), SLICE("blocked"),
	SLICE("bloccat"), SLICE("bloquead"), SLICE("bloqué"), SLICE("liste_noire"), SLICE("lista_nera"), SLICE("lista_negra"),
	SLICE("sperrliste"), SLICE("sperre"), SLICE("gesperrt"), SLICE("robinson"), SLICE("suppress"), SLICE("complain"),
	SLICE("spam"), SLICE("widersp"), SLICE("widerruf"), SLICE("opposition"), SLICE("do_not_"), SLICE("donot"),
	SLICE("ne_pas_"), SLICE("no_email"), SLICE("no_mail"), SLICE("emailstop"), SLICE("stop_status"), SLICE("stop_time"),
	SLICE("undeliver"), SLICE("unzustell"), SLICE("unmail"), SLICE("email_invalid"), SLICE("removed"), SLICE("deleted"),
	SLICE("gelöscht"), SLICE("gekündigt"), SLICE("ausgetreten"), SLICE("churned"), SLICE("rebond"), SLICE("rebot"),
	SLICE("invalid_email"), SLICE("on_hold"), SLICE("suspended"), SLICE("disabled"), SLICE("excluded"), SLICE("deactivat"),
	SLICE("deaktiv"), SLICE("désactiv"), SLICE("desactiv"), SLICE("disattiv") };
/* The same, as whole words of names. */
static const struct slice negative_words[] = { SLICE("baja"), SLICE("bajas"), SLICE("dnc"), SLICE("dnd"), SLICE("dnm") };
/* Parts of names about consent. */
static const struct slice consent[] = { SLICE("opt_in"), SLICE("optin"), SLICE("opted_in"), SLICE("optedin"), SLICE("consen"),
	SLICE("gdpr"), SLICE("dsgvo"), SLICE("rgpd"), SLICE("einwilligung"), SLICE("zustimmung"), SLICE("zugestimmt"),
	SLICE("toestemming"), SLICE("zgoda"), SLICE("souhlas"), SLICE("samtyck"), SLICE("samtykke"), SLICE("permission"),
	SLICE("erlaub"), SLICE("allow"), SLICE("agreed"), SLICE("agree_to"), SLICE("accept"), SLICE("acepta"), SLICE("aceita"),
	SLICE("accetta"), SLICE("accord_"), SLICE("subscri"), SLICE("suscri"), SLICE("abonn"), SLICE("iscritt"),
	SLICE("inscrit"), SLICE("cadastrad"), SLICE("angemeldet"), SLICE("newsletter"), SLICE("news_letter"),
	SLICE("nieuwsbrief"), SLICE("infolettre"), SLICE("lettre_d_info"), SLICE("lettres_d_info"), SLICE("boletín"),
	SLICE("boletin"), SLICE("boletim"), SLICE("nyhetsbrev"), SLICE("nyhedsbrev"), SLICE("uutiskirje"), SLICE("hírlevél"),
	SLICE("biuletyn"), SLICE("рассылк"), SLICE("infomail"), SLICE("rundmail"), SLICE("rundbrief"), SLICE("werbung"),
	SLICE("publicidad"), SLICE("marketing"), SLICE("mailing_list"), SLICE("mailinglist"), SLICE("mailings"),
	SLICE("mail_status"), SLICE("list_status"), SLICE("contact_status"), SLICE("email_valid"), SLICE("valid_email"),
	SLICE("deliverable"), SLICE("mailable"), SLICE("can_email"), SLICE("can_contact"), SLICE("digest"), SLICE("mail_pref"),
	SLICE("contact_pref"), SLICE("communication_pref"), SLICE("send_me"), SLICE("send_you"), SLICE("keep_me"),
	SLICE("keep_you"), SLICE("to_receive"), SLICE("receive_"), SLICE("recevoir"), SLICE("recibir"), SLICE("ricevere"),
	SLICE("receber"), SLICE("ontvangen"), SLICE("erhalten") };
/* Words of names about what people subscribed to, or where; about addresses; and about text messages. */
static const struct slice details[] = { SLICE("ip"), SLICE("source"), SLICE("method"), SLICE("tier"), SLICE("plan"),
	SLICE("url"), SLICE("id"), SLICE("price"), SLICE("sms"), SLICE("whatsapp"), SLICE("address"), SLICE("street"),
	SLICE("city"), SLICE("zip"), SLICE("postal"), SLICE("country"), SLICE("channel"), SLICE("campaign"), SLICE("title"),
	SLICE("department") };
/* Whole names of columns that have yes, or a code, for people who may get mail. */
static const struct slice switches[] = { SLICE("active"), SLICE("is_active"), SLICE("aktiv"), SLICE("actif"), SLICE("activo"),
	SLICE("attivo"), SLICE("ativo"), SLICE("actief"), SLICE("enabled"), SLICE("doi"), SLICE("doi_bestätigt"),
	SLICE("mailing"), SLICE("status_id"), SLICE("opt"), SLICE("opted") };
/* Parts of names of states, which may be that of an order as well. */
static const struct slice states[] = { SLICE("status"), SLICE("state"), SLICE("statut"), SLICE("estado"), SLICE("stato"),
	SLICE("situação"), SLICE("situacao"), SLICE("toestand"), SLICE("result"), SLICE("validity"), SLICE("verdict") };

bool
status_is_negative(struct slice name)
{
	return has_any(name, refused, ARRAY_SIZE(refused)) || has_any(name, negative, ARRAY_SIZE(negative)) ||
	       has_word(name, negative_words, ARRAY_SIZE(negative_words));
}

static bool
has_detail(struct slice name)
{
	return has_word(name, details, ARRAY_SIZE(details));
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
status_may_be_switch(struct slice name)
{
	return !has_detail(name);
}

/* Whole values: no consent, and consent. */
static const struct slice refusals[] = { SLICE("abonnement_résilié"), SLICE("baja"), SLICE("blacklisted"), SLICE("blocked"),
	SLICE("blocklisted"), SLICE("cancelado"), SLICE("cleaned"), SLICE("complained"), SLICE("complaint"), SLICE("gesperrt"),
	SLICE("invalid_email"), SLICE("marked_as_spam"), SLICE("no_suscrito"), SLICE("non_marketing_contact"), SLICE("npai"),
	SLICE("reported_as_spam"), SLICE("spam_complaint"), SLICE("suppressed"), SLICE("undeliverable"), SLICE("widerrufen"),
	SLICE("withdrawn") };
static const struct slice consents[] = { SLICE("abonné"), SLICE("abonnée"), SLICE("abonniert"), SLICE("accepted"),
	SLICE("active"), SLICE("activo"), SLICE("actif"), SLICE("aktiv"), SLICE("alta"), SLICE("angemeldet"),
	SLICE("confirmed"), SLICE("eingetragen"), SLICE("granted"), SLICE("inscrit"), SLICE("inscrite"), SLICE("iscritto"),
	SLICE("marketing_contact"), SLICE("opt_in"), SLICE("opted_in"), SLICE("optin"), SLICE("subscribed"),
	SLICE("subscriber"), SLICE("suscrito"), SLICE("double_opt_in"), SLICE("express"), SLICE("implied"),
	SLICE("marketingkontakt"), SLICE("bestätigt"), SLICE("confirmé"), SLICE("confirmado") };
/* Parts of values of a state: the person never agreed, or no longer does. */
static const struct slice doubts[] = { SLICE("inact"), SLICE("inakt"), SLICE("inatt"), SLICE("inativ"), SLICE("nieakt"),
	SLICE("unact"), SLICE("unconf"), SLICE("unbest"), SLICE("unver"), SLICE("not_"), SLICE("non_"), SLICE("nicht_"),
	SLICE("kein"), SLICE("niet_"), SLICE("não_"), SLICE("nao_"), SLICE("no_consent"), SLICE("never_sub"), SLICE("pend"),
	SLICE("attesa"), SLICE("attente"), SLICE("needs_"), SLICE("cancel"), SLICE("delet"), SLICE("remov"), SLICE("elimin"),
	SLICE("supprim"), SLICE("verwijder"), SLICE("archiv"), SLICE("invalid"), SLICE("denied"), SLICE("declin"),
	SLICE("reject"), SLICE("revok"), SLICE("refus"), SLICE("expired"), SLICE("wypis"), SLICE("transactional"),
	SLICE("risky"), SLICE("deceased"), SLICE("verstorben"), SLICE("décéd"), SLICE("decedut"), SLICE("fallecid") };

bool
status_of_file(struct slice name)
{
	return status_is_negative(name) || has_any(name, doubts, ARRAY_SIZE(doubts));
}

/* A mail server's code of a permanent failure, such as 5.1.1 (RFC 3463). */
static bool
is_refusing_code(struct slice value)
{
	return value.size >= 5 && value.data[0] == '5' && value.data[1] == '_' && ascii_is_digit(value.data[2]);
}

bool
status_says_no(struct slice value, bool any)
{
	if (has_any(value, refused, ARRAY_SIZE(refused)) || slice_is_one_of(value, refusals, ARRAY_SIZE(refusals)))
		return true;
	return any && !slice_is_one_of(value, consents, ARRAY_SIZE(consents)) &&
	       (status_is_negative(value) || has_any(value, doubts, ARRAY_SIZE(doubts)) || is_refusing_code(value));
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
		SLICE("x"), SLICE("j"), SLICE("✓"), SLICE("✔"), SLICE("checked"), SLICE("tak"), SLICE("ano"), SLICE("áno"),
		SLICE("igen"), SLICE("kyllä"), SLICE("да"), SLICE("evet"), SLICE("ναι") };
	static const struct slice no[] = { SLICE("nein"), SLICE("non"), SLICE("nee"), SLICE("não"), SLICE("nao"),
		SLICE("unchecked"), SLICE("-"), SLICE("nie"), SLICE("ne"), SLICE("nem"), SLICE("nej"), SLICE("nei"),
		SLICE("ei"), SLICE("нет"), SLICE("hayır"), SLICE("όχι") };
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
