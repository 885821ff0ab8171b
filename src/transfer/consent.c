/* SPDX-License-Identifier: MIT */
#include "transfer/consent.h"

#include <string.h>

#include "base/boolean.h"
#include "base/stems.h"
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

/* Characters without width. */
static bool
is_invisible(uint32_t c)
{
	return (c >= 0x200b && c <= 0x200f) || c == 0x2060 || c == 0xfeff || c == 0xad;
}

/* Separators of words, including Unicode blanks. */
static bool
is_separator(uint32_t c)
{
	return c <= ' ' || (c < 0x80 && strchr("-_.:;*?!/\"'#$()[]{}", (int)c) != NULL) || c == 0xa0 ||
	       (c >= 0x2000 && c < 0x200b) || c == 0x2028 || c == 0x202f || c == 0x205f || c == 0x3000;
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
		if (is_invisible(c))
			continue;
		if (!is_separator(c)) {
			memcpy(out + size, before.data, before.size - rest.size);
			size += before.size - rest.size;
		} else if (size > 0 && out[size - 1] != '_') {
			out[size++] = '_';
		}
	}
	size -= size > 0 && out[size - 1] == '_' ? 1 : 0;
	return (struct slice){ out, size };
}

/* The words in these tables are plain words; for stems see base/stems.h. */

/* Stems of names and of short values: someone must not get mail. */
static const char refused[] =
    "unsub opt-out opted-out abgemeldet abmeld ausgetragen austrag désabonn desabonn désinscri desinscri desuscri "
    "dado_de_baja dados_de_baja descadastr disiscri cancellato_dalla_lista afgemeld afmeld uitgeschreven opgezegd "
    "wypisan odhláš avregistr avmeld avanmäl frameld leiratkoz отпис bounce non-sub not_sub do-not-mail "
    "do-not-email do-not-contact no_contact kein_newsletter keine_werbung keine_mail keine_e_mail ne_pas_contact "
    "non_contattare não_contact nao_contact niet_mailen";
/* Likewise, but only in names: in values they may be about something else. */
static const char negative[] =
    "cleaned blacklist blocklist blocked bloccat bloquead bloqué liste_noire lista_nera lista_negra sperrliste "
    "sperre gesperrt robinson suppress complain spam widersp widerruf opposition do_not_ donot ne_pas_ no_email "
    "no_mail emailstop stop_status stop_time undeliver unzustell unmail email_invalid removed deleted gelöscht "
    "gekündigt ausgetreten churned rebond rebot invalid_email on_hold suspended disabled excluded deactivat "
    "deaktiv désactiv desactiv disattiv";
/* Likewise, as whole words of names. */
static const char negative_words[] = "baja bajas dnc dnd dnm";
/* Stems of names about consent. */
static const char consent[] =
    "opt-in opted-in consen gdpr dsgvo rgpd einwilligung zustimmung zugestimmt toestemming zgoda souhlas samtyck "
    "samtykke permission erlaub allow agreed agree_to accept acepta aceita accetta accord_ subscri suscri abonn "
    "iscritt inscrit cadastrad angemeldet news-letter nieuwsbrief infolettre lettre_d_info lettres_d_info boletín "
    "boletin boletim nyhetsbrev nyhedsbrev uutiskirje hírlevél biuletyn рассылк infomail rundmail rundbrief "
    "werbung publicidad marketing mailing-list mailings mail_status list_status contact_status email_valid "
    "valid_email deliverable mailable can_email can_contact digest mail_pref contact_pref communication_pref "
    "send_me send_you keep_me keep_you to_receive receive_ recevoir recibir ricevere receber ontvangen erhalten";
/* Words of names that are about something else: what people subscribed to, or where, addresses, or text messages. */
static const char details[] =
    "ip source method tier plan url id price sms whatsapp address street city zip postal country channel campaign "
    "title department";
/* Whole names of columns that contain yes, or a code, for people who may get mail. */
static const char switches[] =
    "active is_active aktiv actif activo attivo ativo actief enabled doi doi_bestätigt mailing status_id opt "
    "opted";
/* Stems of words for states, which may also be the states of orders. */
static const char states[] = "status state statut estado stato situação situacao toestand result validity verdict";

static bool
is_negative(struct slice name)
{
	return stems_occur(name, refused) || stems_occur(name, negative) || stems_has_word(name, negative_words);
}

enum consent_column
consent_column_of(struct slice name)
{
	return is_negative(name) ? COLUMN_OF_REFUSALS : COLUMN_OF_CONSENT;
}

static bool
has_detail(struct slice name)
{
	return stems_has_word(name, details);
}

bool
consent_needs_meaning(struct slice name)
{
	return is_negative(name) || slice_is_listed(name, switches) || (stems_occur(name, consent) && !has_detail(name));
}

bool
consent_may_be_state(struct slice name)
{
	return stems_occur(name, states) && !has_detail(name);
}

bool
consent_may_be_switch(struct slice name)
{
	return !has_detail(name);
}

/* Whole values that mean no consent, and whole values that mean consent. */
static const char refusals[] =
    "abonnement_résilié baja blacklisted blocked blocklisted cancelado cleaned complained complaint gesperrt "
    "invalid_email marked_as_spam no_suscrito non_marketing_contact npai reported_as_spam spam_complaint "
    "suppressed undeliverable widerrufen withdrawn";
static const char consents[] =
    "abonné abonnée abonniert accepted active activo actif aktiv alta angemeldet confirmed eingetragen granted "
    "inscrit inscrite iscritto marketing_contact opt_in opted_in optin subscribed subscriber suscrito "
    "double_opt_in express implied marketingkontakt bestätigt confirmé confirmado";
/* Stems of words for states: the person never agreed, or no longer does. */
static const char doubts[] =
    "inact inakt inatt inativ nieakt unact unconf unbest unver not_ non_ nicht_ kein niet_ não_ nao_ no_consent "
    "never_sub pend attesa attente needs_ cancel delet remov elimin supprim verwijder archiv invalid denied "
    "declin reject revok refus expired wypis transactional risky deceased verstorben décéd decedut fallecid";

bool
consent_file_refuses(struct slice name)
{
	return is_negative(name) || stems_occur(name, doubts);
}

/* A mail server's code of a permanent failure, such as 5.1.1 (RFC 3463). */
static bool
is_refusing_code(struct slice value)
{
	return value.size >= 5 && value.data[0] == '5' && value.data[1] == '_' && ascii_is_digit(value.data[2]);
}

bool
consent_value_refuses(struct slice value)
{
	return stems_occur(value, refused) || slice_is_listed(value, refusals);
}

bool
consent_state_refuses(struct slice value)
{
	return consent_value_refuses(value) ||
	       (!slice_is_listed(value, consents) &&
		   (is_negative(value) || stems_occur(value, doubts) || is_refusing_code(value)));
}

enum value_meaning
consent_suggested(struct slice value, enum consent_column kind)
{
	bool on;
	if (kind == COLUMN_OF_REFUSALS && value.size == 0)
		return MEANS_ACTIVE;
	if (value.size == 0 || consent_state_refuses(value))
		return MEANS_OPTED_OUT;
	if (slice_is_listed(value, consents))
		return MEANS_ACTIVE;
	if (switch_parse(value, &on))
		return on == (kind == COLUMN_OF_REFUSALS) ? MEANS_OPTED_OUT : MEANS_ACTIVE;
	return MEANS_UNKNOWN;
}

static bool
is_listed_nocase(struct slice text, const char *words)
{
	struct slice list = slice_of(words), word;
	while (slice_next(&list, ' ', &word))
		if (slice_equal_nocase(text, word))
			return true;
	return false;
}

bool
switch_parse(struct slice text, bool *on)
{
	static const char yes[] = "ja oui sí si sì sim x j ✓ ✔ checked tak ano áno igen kyllä да evet ναι";
	static const char no[] = "nein non nee não nao unchecked - nie ne nem nej nei ei нет hayır όχι";
	if (boolean_parse(text, on))
		return true;
	*on = is_listed_nocase(text, yes);
	return *on || is_listed_nocase(text, no);
}
