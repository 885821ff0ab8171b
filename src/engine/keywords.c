/* SPDX-License-Identifier: MIT */
#include "engine/keywords.h"

#include <stdlib.h>
#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>

#include "base/boolean.h"
#include "base/stems.h"
#include "base/utf8.h"

/* The words and stems (base/stems.h) here are in upper case without accents. Texts have spaces around them, so "_" in a stem is
 * the edge of a word. */

/* Stems that people use to leave, in texts and in reports about mail: English, German, Spanish and Portuguese, French, Italian,
 * Dutch, and a form or two from other languages. */
static const char leaving[] =
    "UNSUB UN-SUBSCR UNSUSC _OPT-OUT OPTOUT OPTED-OUT OPTING-OUT TAKE-ME-OFF REMOVE-ME_ REMOVE-MY-NUMBER DELETE-MY-NUMBER "
    "LEAVE-ME-ALONE ABMELD ABGEMELDET MELDE-MICH-AB_ AUSTRAGEN AUSGETRAGEN ABBESTELL TRAG-MICH-AUS_ LASST-MICH-IN-RUHE "
    "DESUSCRI DESABON DES-INSCR DESCADASTR DADO-DE-BAJA DAR-DE-BAJA DARME-DE-BAJA DAME-DE-BAJA DENME-DE-BAJA DOY-DE-BAJA "
    "DISISCRI CANCELLAMI AFMELD AFGEMELD UITSCHR UITGESCHREVEN WYPIS AVMELD AVREGISTR ODHLAS DEZABON LEIRATKOZ ОТПИС ОТПИШ "
    "ВІДПИС 退订 取消订阅";

/* A text that consists of one of these is a keyword. Several words are written as one. The carriers' own words come first
 * (CTIA's guidelines), then English, German, Spanish, French, Italian, Portuguese, Dutch, Polish, Russian and Turkish. A plain
 * yes is an opt-in only in English, where carriers know it: it answers too many other questions. */
static const struct {
	enum keyword keyword;
	const char *words;
} keywords[] = {
	{ KEYWORD_OPT_OUT,
	    "NOMORE KEINEMEHR NOMAS END CANCEL QUIT REVOKE REMOVE STOPPED STOPPING ENDE BEENDEN AUFHOREN AUFHOEREN HORAUF "
	    "HOERAUF HORTAUF LOSCHEN LOESCHEN STOPPEN KUNDIGEN KUENDIGEN BAJA ALTO PARA PARAR PARE PAREN DETENER CANCELAR "
	    "CANCELA ANULAR FIN CANCELARSUSCRIPCION BORRAR ANNULER SUPPRIMER RESILIER FERMA FERMARE FERMATI BASTA ANNULLA "
	    "CANCELLA CANCELLATEMI CANCELLARE ANNULLAISCRIZIONE RIMUOVI RIMUOVIMI SAIR CANCELARINSCRICAO REMOVER FIM ENCERRAR "
	    "EINDE STOPZETTEN KONIEC ANULUJ REZYGNUJE REZYGNACJA ОТМЕНА IPTAL" },
	{ KEYWORD_OPT_IN,
	    "START UNSTOP YES SUBSCRIBE RESUBSCRIBE OPTIN RESUME STARTEN ANMELDEN ANMELDUNG ABONNIEREN ALTA DARMEDEALTA "
	    "INICIAR INICIO EMPEZAR COMENZAR SUSCRIBIR SUSCRIBIRME REANUDAR DEMARRER COMMENCER REPRENDRE REABONNER SABONNER "
	    "SINSCRIRE INIZIA INIZIARE INIZIO ISCRIVI ISCRIVIMI RIPRENDI ATTIVA COMECAR INSCREVER RETOMAR AANMELDEN ZAPISZ "
	    "WZNOW" },
	{ KEYWORD_HELP, "HELP INFO INFORMATION HILFE AYUDA INFORMACION AIDE AIUTO INFORMAZIONI AJUDA INFORMACOES HULP POMOC" },
};

/* Opt-outs no matter what follows, unless the text is about a visit: "stop by at 5". */
static const char stops[] = "STOP STOPALL STOPP STOPSMS ARRET ARRETER ARRETEZ СТОП";
static const char visits[] = "BY AT IN OVER OFF";

/* Courtesies, which add nothing. */
static const char courtesies[] =
    "PLEASE PLS PLZ THANKS THANK YOU NOW ALL OK OKAY HI HELLO HEY BITTE DANKE JETZT SOFORT ALLE ALLES HALLO POR FAVOR FAVORE "
    "PER GRACIAS HOLA YA TODO TODOS SIL VOUS TE PLAIT SVP STP MERCI BONJOUR TOUT TOUS GRAZIE CIAO TUTTO TUTTI OBRIGADO "
    "OBRIGADA TUDO ME AUB ALSTUBLIEFT DANK PROSZE MICH MNIE";

/* What people refuse. By themselves these words add nothing either. */
static const char messages[] =
    "SMS TEXTS MESSAGES NACHRICHTEN MENSAJES MSG MSGS ADS ADVERTS PROMOS PROMOTIONS WERBUNG WERBESMS REKLAME PUBLICIDAD PUB "
    "PUBS PUBLICITE PUBLICITES PUBBLICITA MESSAGGI MENSAGENS PUBLICIDADE RECLAME BERICHTEN REKLAM";

/* A text opts out if it refuses messages and contains only these words: "do not text me", "Keine Werbung mehr". */
static const char refusals[] = "DONT NOT NEVER NICHT KEIN KEINE KEINEN PAS PLUS GEEN NIET NIENTE НЕ";
static const char plain_refusals[] = "NO NON NAO NIE";
static const char sending[] =
    "TEXT TEXTING MESSAGE MESSAGING CONTACT CALL SEND SENDING SENDEN SENDET SCHICKEN SCHICKT SCHREIBEN SCHREIBT KONTAKTIEREN "
    "ANRUFEN ENVOYER ENVOYEZ CONTACTER CONTACTEZ STUREN BELLEN ПИШИТЕ ЗВОНИТЕ";
static const char fillers[] =
    "DO I WANT WISH ANY ANYTHING AGAIN MORE ANYMORE EVER US MY THIS THESE NUMBER TO OR YOUR FURTHER RECEIVE ICH WILL MOCHTE "
    "WUNSCHE MIR MEHR WEITERE WEITEREN VON EUCH IHNEN QUIERO MAS RECIBIR ENVIAR ENVIEN MANDAR MANDEN JE NE VEUX DE RECEVOIR "
    "VOGLIO PIU RICEVERE QUERO MAIS RECEBER ENVIE ENVIEM IK WIL MEER CHCE МНЕ";

/* With one of these, a word in the middle of a sentence may mean the opposite. */
static const char negations[] = "NO NOT NEVER DONT CANT WONT DIDNT NICHT KEIN KEINE NE PAS NON NAO NIET GEEN NIE НЕ";

/* Stems in reports about mail: a person complained, or wants no more mail. */
static const char complaints[] =
    "COMPLAI SPAM ABUSE _JUNK FEEDBACK-LOOP _FBL_ REVOK REVOC WITHDRAW WITHDREW DO-NOT-CONTACT DO-NOT-EMAIL DO-NOT-MAIL "
    "DO-NOT-DISTURB DONT-CONTACT NO-LONGER CANCEL _STOP_ BESCHWERDE WIDERRUF WIDERSPR GEKUNDIGT GEKUENDIGT KUNDIGUNG "
    "KUENDIGUNG _AUSTRAGUNG_ _ANUL ANNUL RESILIATION _RESILIE_ _BAJA_ QUEJA PLAINTE KLACHT OPGEZEGD";
/* A mailbox does not exist, or a service no longer sends to it. */
static const char failures[] =
    "BOUNC UNDELIVER UNZUSTELL _HARD_ PERMANENT _CLEANED_ INVALID-EMAIL INVALID-ADDRESS INVALID-RECIPIENT EMAIL-INVALID "
    "ADDRESS-INVALID BAD-EMAIL SUPPRESS BLOCKED BLOCK-LIST _BLOCK_ BLACK-LIST DENY-LIST DEACTIVAT GESPERRT SPERRLISTE REBOT "
    "REBOND RIMBALZ NICHT-ZUSTELLBAR RUCKLAUF";
/* Failures that may be temporary. */
static const char passing[] = "_SOFT TRANSIENT TEMPOR _TEMP_ _SUAVE_ _BLANDO_ DEFER DELAY _RETRY UNDETERMINED GREYLIST";
/* The opposite of a word above, or that word in another sense. */
static const char contraries[] =
    "RE-SUBSCR UN-BOUNC BOUNCE-CLEAR BOUNCE-RESOLV BOUNCE-REMOV UN-BLOCK UN-SUPPRESS UN-SPAM UN-BLACK FROM-SUPPRESS "
    "FROM-BLOCK-LIST FROM-BLACK-LIST SUPPRESSION-REMOV SUPPRESSION-DELET BLOCK-LIST-REMOV ANTI-SPAM SPAM-SCORE SPAM-CHECK "
    "SPAM-FILTER SPAM-TEST ORDER-CANCEL ORDERS-CANCEL PAYMENT-CANCEL BOOKING-CANCEL APPOINTMENT-CANCEL INVITEE-CANCEL";
/* Other channels: a report about one of these says nothing about mail, unless it mentions mail as well. */
static const char channels[] = "_SMS _MMS_ _PUSH _WHATSAPP _TEXT-MESSAG";
/* Sign-ups. */
static const char signups[] =
    "_SUBSCRIBE_ _SUBSCRIBED_ RE-SUBSCRIBE SIGN-UP_ SIGNED-UP_ REGISTER REGISTRATION _JOIN_ _JOINED_ _CREATE_ _CREATED_ "
    "_ADDED_ _NEW_ _ACTIVE_ _ACTIVATE _CONFIRMED_ OPT-IN_ OPTED-IN_ CONSENT-GIVEN CONSENT-GRANTED SUBMIT SUBMISSION ANMELDUNG "
    "ANGEMELDET ABONNIERT _AKTIV_ _ABONNE _REABONN _ACTIF_ _INSCRI _REINSCRI _SUSCRI _ACTIVO_ _ISCRI _ATTIVO_ AANMELD "
    "AANGEMELD INSCHRIJV INGESCHREVEN ZAPIS";
/* With one of these, a sign-up does not count as one. */
static const char doubts[] =
    "_PEND UNCONF _FAIL DELET REMOV REJECT REFUS _DENIE DECLIN EXPIR _END _LEFT_ _LEAV _LOST_ LAPSE PAUS TERMIN BEEND LOSCH "
    "LOESCH ENTFERN STORN ABGELEHNT ARRET SUPPRIM _FIN_ FINALIZ ELIMIN RIMOS RIMOZ VERWIJD BEEIND GEWEIGERD";

enum { WORDS_MAX = 16 };

struct words {
	struct slice items[WORDS_MAX];
	size_t count;
};

/* The text in upper case without accents, with spaces for everything except letters and digits. */
static struct slice
plain_text(struct pool *pool, struct slice text)
{
	size_t size = 0;
	uint8_t *normal = u8_toupper((const uint8_t *)text.data, text.size, NULL, UNINORM_NFKD, NULL, &size);
	if (normal == NULL)
		memory_exhausted();
	struct slice rest = { (const char *)normal, size };
	struct slice plain = { pool_alloc(pool, size + 1), 0 };
	char *out = (char *)(uintptr_t)plain.data;
	uint32_t c;
	for (const char *at = rest.data; utf8_next(&rest, &c); at = rest.data) {
		const bool mark =
		    uc_combining_class((ucs4_t)c) != UC_CCC_NR || uc_is_property_default_ignorable_code_point((ucs4_t)c);
		if (mark || c == '\'' || c == 0x2019 || c == 0x02BC || c == 0x00B4)
			continue;
		if (!uc_is_general_category_withtable((ucs4_t)c, UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_N)) {
			out[plain.size++] = ' ';
			continue;
		}
		for (; at < rest.data; at++)
			out[plain.size++] = *at;
	}
	free(normal);
	return plain;
}

/* Removes courtesies and repetitions. Returns false if there are too many words. */
static bool
read_words(struct slice text, struct words *words)
{
	struct slice word;
	*words = (struct words){ .count = 0 };
	while (slice_next(&text, ' ', &word)) {
		if (word.size == 0 || slice_is_listed(word, courtesies) || slice_is_listed(word, messages))
			continue;
		if (words->count > 0 && slice_equal(words->items[words->count - 1], word))
			continue;
		if (words->count == WORDS_MAX)
			return false;
		words->items[words->count++] = word;
	}
	return words->count > 0;
}

/* ---- Texts ---- */

/* Whether the text opts out no matter what surrounds the word. */
static bool
is_sentence(struct slice text, const struct words *words)
{
	if (words->count > 1 + KEYWORD_OTHER_WORDS)
		return false;
	if (slice_is_listed(words->items[0], stops))
		return words->count == 1 || !slice_is_listed(words->items[1], visits);
	return stems_occur(text, leaving) && !stems_has_word(text, negations);
}

/* A plain "no" may be the answer to something else: "no, text me". */
static bool
is_refusal(struct slice text)
{
	bool refuses = false, sends = false, no = false;
	struct slice word;
	while (slice_next(&text, ' ', &word)) {
		const bool refusal = slice_is_listed(word, refusals), plain = slice_is_listed(word, plain_refusals);
		const bool verb = slice_is_listed(word, sending), noun = slice_is_listed(word, messages);
		if (word.size > 0 && !refusal && !plain && !verb && !noun && !slice_is_listed(word, courtesies) &&
		    !slice_is_listed(word, fillers))
			return false;
		no = (no || plain) && !verb;
		refuses = refuses || refusal || (no && noun);
		sends = sends || verb || noun;
	}
	return refuses && sends;
}

static struct slice
joined(struct pool *pool, const struct words *words)
{
	struct slice all = SLICE("");
	for (size_t i = 0; i < words->count; i++)
		all = POOL_JOIN(pool, all, words->items[i]);
	return all;
}

enum keyword
keyword_of(struct pool *pool, struct slice text)
{
	struct words words;
	if (text.size > KEYWORD_TEXT_MAX || !utf8_valid(text))
		return KEYWORD_NONE;
	const struct slice plain = POOL_JOIN(pool, SLICE(" "), plain_text(pool, text), SLICE(" "));
	if (!read_words(plain, &words))
		return KEYWORD_NONE;
	const struct slice all = joined(pool, &words);
	if (is_sentence(plain, &words) || is_refusal(plain) || slice_is_listed(all, stops))
		return KEYWORD_OPT_OUT;
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		if (slice_is_listed(all, keywords[i].words))
			return keywords[i].keyword;
	return KEYWORD_NONE;
}

/* ---- Reports of mail ---- */

/* Whether a negation precedes the place, as in `not_spam` and `notspam`, or the text ends with a "no", as in `unsubscribed:
 * false`. */
static bool
is_negated(struct slice text, size_t place)
{
	struct slice rest = text, word, last = SLICE("");
	bool yes = true;
	while (slice_next(&rest, ' ', &word))
		last = word.size > 0 ? word : last;
	return stems_has_word(slice_sub(text, 0, place), negations) || (boolean_parse(last, &yes) && !yes);
}

static size_t
first_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

static enum mail_report
report_in(struct slice text)
{
	const size_t wish = first_of(stems_find(text, leaving), stems_find(text, complaints));
	const size_t end = first_of(wish, stems_find(text, failures));
	const size_t signup = stems_find(text, signups);
	if (stems_occur(text, channels) && !stems_occur(text, "MAIL"))
		return MAIL_REPORT_OTHER;
	if (end < text.size && !stems_occur(text, contraries)) {
		const bool passes = wish == text.size && stems_occur(text, passing);
		return passes || is_negated(text, end) ? MAIL_REPORT_OTHER : MAIL_REPORT_END;
	}
	return signup == text.size || is_negated(text, signup) || stems_occur(text, doubts) ? MAIL_REPORT_OTHER
											    : MAIL_REPORT_SIGNUP;
}

enum mail_report
keyword_report(struct pool *pool, struct slice event)
{
	bool ends;
	if (event.size > KEYWORD_TEXT_MAX || !utf8_valid(event))
		return MAIL_REPORT_OTHER;
	if (boolean_parse(event, &ends))
		return ends ? MAIL_REPORT_END : MAIL_REPORT_SIGNUP;
	return report_in(POOL_JOIN(pool, SLICE(" "), plain_text(pool, pool_divide_words(pool, event)), SLICE(" ")));
}
