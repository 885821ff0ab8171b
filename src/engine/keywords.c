/* SPDX-License-Identifier: MIT */
#include "engine/keywords.h"

#include <stdlib.h>
#include <unictype.h>
#include <uninorm.h>

#include "base/utf8.h"

/* Words in upper case without accents, several without the spaces between them. Those of carriers come first (CTIA's
 * guidelines), then those of English, German, Spanish, French, Italian, Portuguese, Dutch and Polish. A plain yes of other
 * languages than English, which carriers know, answers too many questions to be an opt-in. */
static const struct {
	enum keyword keyword;
	enum { ALONE, FIRST, ANYWHERE } place; /* where in a sentence it means nothing else, whatever the other words are */
	const char *words;
} keywords[] = {
	{ KEYWORD_OPT_OUT, FIRST, "STOP STOPALL STOPP ARRET ARRETER ARRETEZ WYPISZ OPTOUT STOPSMS" },
	{ KEYWORD_OPT_OUT, ANYWHERE,
	    "UNSUBSCRIBE UNSUB UNSUBCRIBE UNSUSCRIBE ABMELDEN ABBESTELLEN ABMELDUNG DESABONNER DESABONNEMENT DESINSCRIRE"
	    " DESINSCRIPTION DESUSCRIBIR DESUSCRIBIRME DISISCRIVI DISISCRIVIMI DISISCRIVERE DISISCRIVERMI DISISCRIZIONE"
	    " DESCADASTRAR DESINSCREVER UITSCHRIJVEN AFMELDEN WYPISAC" },
	{ KEYWORD_OPT_OUT, ALONE,
	    "NOMORE KEINEMEHR NOMAS TAKEOFFYOURLIST TAKEOFFTHISLIST REMOVEFROMYOURLIST REMOVEFROMTHISLIST END CANCEL QUIT"
	    " REVOKE REMOVE REMOVEME STOPPED STOPPING ENDE BEENDEN AUFHOREN AUFHOEREN HORAUF HOERAUF LOSCHEN LOESCHEN"
	    " STOPPEN AUSTRAGEN KUNDIGEN KUENDIGEN BAJA ALTO PARA PARAR PARE PAREN DETENER CANCELAR ANULAR FIN DARDEBAJA"
	    " DARMEDEBAJA DOYDEBAJA CANCELARSUSCRIPCION BORRAR ANNULER SUPPRIMER RESILIER FERMA FERMARE FERMATI BASTA"
	    " ANNULLA CANCELLA CANCELLAMI CANCELLATEMI CANCELLARE ANNULLAISCRIZIONE RIMUOVI RIMUOVIMI SAIR"
	    " CANCELARINSCRICAO REMOVER FIM ENCERRAR EINDE STOPZETTEN KONIEC ANULUJ REZYGNUJE REZYGNACJA" },
	{ KEYWORD_OPT_IN, ALONE,
	    "START UNSTOP YES SUBSCRIBE RESUBSCRIBE OPTIN RESUME STARTEN ANMELDEN ANMELDUNG ABONNIEREN ALTA DARMEDEALTA"
	    " INICIAR INICIO EMPEZAR COMENZAR SUSCRIBIR SUSCRIBIRME REANUDAR DEMARRER COMMENCER REPRENDRE REABONNER"
	    " SABONNER SINSCRIRE INIZIA INIZIARE INIZIO ISCRIVI ISCRIVIMI RIPRENDI ATTIVA COMECAR INSCREVER RETOMAR"
	    " AANMELDEN ZAPISZ WZNOW" },
	{ KEYWORD_HELP, ALONE,
	    "HELP INFO INFORMATION HILFE AYUDA INFORMACION AIDE AIUTO INFORMAZIONI AJUDA INFORMACOES HULP POMOC" },
};

/* Courtesies, and what adds nothing. */
static const char courtesies[] =
    "PLEASE PLS PLZ THANKS THANK YOU NOW ALL SMS TEXT TEXTS MESSAGES NACHRICHTEN MENSAJES BITTE DANKE JETZT SOFORT"
    " ALLE ALLES POR FAVOR FAVORE PER GRACIAS YA TODO TODOS SIL VOUS TE PLAIT SVP STP MERCI TOUT TOUS GRAZIE TUTTO"
    " TUTTI OBRIGADO OBRIGADA TUDO ME AUB ALSTUBLIEFT DANK PROSZE MICH MNIE";

/* Of systems that send mail, in the same spelling. A bounce that is not final has another name, or its kind has one. */
static const char ends_of_mail[] =
    "UNSUBSCRIBE UNSUBSCRIBED UNSUB UNSUBSCRIPTION GROUPUNSUBSCRIBE LISTUNSUBSCRIBE LINKUNSUBSCRIBE OPTOUT OPTEDOUT SPAM"
    " SPAMREPORT SPAMREPORTED SPAMCOMPLAINT COMPLAINT COMPLAINED ABUSE BOUNCE BOUNCED HARDBOUNCE HARDBOUNCED HARD PERMANENT"
    " CLEANED INVALIDEMAIL SUPPRESSED";

/* With one of these a word in the middle of a sentence may mean the contrary. */
static const char negations[] = "NO NOT NEVER DONT CANT WONT DIDNT NICHT KEIN KEINE NE PAS NON NAO NIET GEEN NIE";

enum { WORDS_MAX = 16 };

struct words {
	struct slice items[WORDS_MAX];
	size_t count;
};

static bool
is_in(const char *list, struct slice word)
{
	struct slice rest = slice_of(list), item;
	while (slice_next(&rest, ' ', &item))
		if (slice_equal(item, word))
			return true;
	return false;
}

/* Letters and digits in upper case without accents, everything else as spaces. */
static struct slice
plain_text(struct pool *pool, struct slice text)
{
	size_t size = 0;
	uint8_t *normal = u8_normalize(UNINORM_NFKD, (const uint8_t *)text.data, text.size, NULL, &size);
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
			out[plain.size++] = ascii_upper(*at);
	}
	free(normal);
	return plain;
}

/* Without courtesies and repetitions. False: there are too many. */
static bool
read_words(struct slice text, struct words *words)
{
	struct slice word;
	*words = (struct words){ .count = 0 };
	while (slice_next(&text, ' ', &word)) {
		if (word.size == 0 || is_in(courtesies, word))
			continue;
		if (words->count > 0 && slice_equal(words->items[words->count - 1], word))
			continue;
		if (words->count == WORDS_MAX)
			return false;
		words->items[words->count++] = word;
	}
	return words->count > 0;
}

/* An opt-out whatever comes after the word, or around it. */
static bool
is_sentence(size_t row, const struct words *words)
{
	bool has = false;
	if (keywords[row].place == ALONE || words->count > 1 + KEYWORD_OTHER_WORDS)
		return false;
	if (is_in(keywords[row].words, words->items[0]))
		return true;
	for (size_t i = 0; i < words->count && keywords[row].place == ANYWHERE; i++) {
		if (is_in(negations, words->items[i]))
			return false;
		has = has || is_in(keywords[row].words, words->items[i]);
	}
	return has;
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
	if (text.size > KEYWORD_TEXT_MAX || !utf8_valid(text) || !read_words(plain_text(pool, text), &words))
		return KEYWORD_NONE;
	const struct slice all = joined(pool, &words);
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		if (is_in(keywords[i].words, all) || is_sentence(i, &words))
			return keywords[i].keyword;
	return KEYWORD_NONE;
}

bool
keyword_ends_mail(struct pool *pool, struct slice event)
{
	struct words words;
	const size_t stop = slice_find_last(event, '.');
	const struct slice name = stop < event.size ? slice_sub(event, stop + 1, event.size) : event;
	return name.size <= KEYWORD_TEXT_MAX && utf8_valid(name) && read_words(plain_text(pool, name), &words) &&
	       is_in(ends_of_mail, joined(pool, &words));
}
