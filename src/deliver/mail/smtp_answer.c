/* SPDX-License-Identifier: MIT
 * Words come before codes, because servers send 5.1.1 and 5.7.1 with all kinds of text. An answer is about the person only if
 * every word in it is known to be about the person. */
#include "deliver/mail/smtp_answer.h"

#include <stdio.h>
#include <string.h>

#include "base/slice.h"
#include "deliver/mail/person_words.h"

/* ---- the tables ---- */

/* The phrases are written like those of person_words.h. */
struct wording {
	enum answer_subject subject;
	const char *phrases;
};

/* Exchange's wording for a person who does not exist; it counts only if its code is the only one. */
static const char access_denied[] = "recipient address rejected access denied";

/* The first row with a phrase that is in the answer decides. */
static const struct wording wordings[] = {
	{ ABOUT_PROOF, "spf|dkim|dmarc|unauthenticated|sender policy framework|authentication information|authentication level|"
		       "authenticate with either|authentication results" },
	{ ABOUT_TLS, "starttls|tls|ssl |encrypt" },
	{ ABOUT_QUOTA,
	    "sending quota|relay quota|message quota|your quota|daily quota|hourly quota|sender quota|sender's quota|"
	    "quota of the sender|sending limit|send limit|sending rate|relay limit|message limit|mail limit|email limit|"
	    "daily limit|hourly limit|monthly limit|daily user|per hour|per day|per minute|per month|max emails|max defers|"
	    "credits|throttling failure|messaging limit|count quota|kontingent|versandlimit|quota d'envoi|limite d'envoi|"
	    "limite di invio|l?mite de env|limite de envi|verzendlimiet|limit wysy" },
	{ ABOUT_FULL_MAILBOX,
	    "mailbox full|mailbox is full|mailbox size|mailbox quota|mailbox has exceeded|mailbox exceed|inbox full|"
	    "inbox is full|over quota|overquota|exceeded storage allocation|recipient storage|out of storage|postfach voll|"
	    "postfach ist voll|postfach des empf|boite pleine|bo?te pleine|boite aux lettres pleine|bo?te aux lettres pleine|"
	    "destinataire pleine|full mailbox|buz?n lleno|buz?n est? lleno|buz?n del destinatario est? lleno|casella piena|"
	    "casella ? piena|caixa cheia|caixa postal cheia|caixa de correio cheia|postvak vol|postvak is vol|mailbox vol |"
	    "przepe?nion|przepelnion|space " },
	{ ABOUT_SIZE, "too large|too big|message size|size limit|size exceeds|exceeds size|maximum size|larger than" },
	{ ABOUT_TIME,
	    "greylist|graylist|grey list|gray list|grey-list|gray-list|receiving mail|address verification|"
	    "unverified address|recipient verif|vor?bergehend|voruebergehend|zur zeit|zurzeit|derzeit|wartung|sp?ter|spaeter|"
	    "momentan|temporaire|plus tard|r?essay|maintenance|temporal|m?s tarde|mas tarde|mantenimiento|temporane|"
	    "pi? tardi|piu tardi|manutenzione|tempor?ri|mais tarde|manuten??o|tijdelijk|onderhoud|opnieuw|tymczasow|chwilow|"
	    "p?niej|pozniej|konserwac" },
	{ ABOUT_SUPPRESSION, "suppress|previously bounced|bounced address|marked as inactive|inactive recipient" },
	{ ABOUT_ACCOUNT,
	    "your account|sandbox|not verified|verified sender|sender identit|failed the check|outbound|outgoing|to send as|"
	    "not authorized to send|not authorised to send|not allowed to send|not permitted to send|sending is |sending has|"
	    "sending disabled|sending paused|disabled for sending|pending approval|not yet activated|activate your|"
	    "unconfigured|configuration set|trial account|testing emails|unusual sending" },
	{ ABOUT_HELLO, "helo |ehlo " },
	{ ABOUT_RELAYING, "relay|relais|rcpthosts|pop before|pop-before|local domain" },
	{ ABOUT_LOGIN,
	    "authenticat|authentif|auth required|smtp auth|log in|login|logon|credential|password|passwort|anmeld|autenti|"
	    "aanmeld|uwierzyteln|zaloguj|identifiez|not logged" },
	{ ABOUT_POLICY,
	    "block|black list|blacklist|denylist|deny list|banned|rbl|dnsbl|spamhaus|spamcop|reputation|listed in|listed at|"
	    "listed on|is listed|listed by|complaint|accept mail from|accepts mail from|ip |ip=|ip address|client host|"
	    "your host|your server|your network|your mail server|your provider|reverse|ptr|rdns|unsolicited|spam|volume|"
	    "gesperrt|sperrliste|blockiert|schwarze liste|schwarzen liste|liste noire|bloqu|bloccat|lista negra|lista nera|"
	    "zwarte lijst|geblokkeerd|czarnej li|czarna li|zablokowan|attack|harvest|tarpit|discourag|country|countries|"
	    "traffic|tss0|antispam|junk|phish|fraud|suspicio|suspect|filter|quarantin|unwanted|white list|whitelist|"
	    "allow list|allowlist" },
	{ ABOUT_PACE, "too many|too fast|too quick|throttl|slow down|rate |rates |rate-|ratelimit|concurren|trop de|zu viele|"
		      "connections|flood" },
	{ ABOUT_CONTENT, "virus|malware|attachment" },
	{ ABOUT_SENDER,
	    "sender|return path|return-path|reverse-path|mail from|from address|from header|envelope from|envelope-from|"
	    "absender|expedi|exp?dit|remetente|afzender|nadawc|remitente|mittente|verification failed for|sender verif|"
	    "unverif|callback|owned by|spoof|forged|impersonat|your domain|backscatter" },
	{ ABOUT_POLICY,
	    "polic|richtlinie|politique|pol?tica|beleid|polityk|denied|not allowed|not permitted|not authori|unauthori|"
	    "prohibit|security|forbidden|restrict|violat|administrative|disallow|refuse|rejected by|rule |rules |preferences|"
	    "protected by|not subscribed|not registered|contact your|postmaster|s3140|s3150" },
	{ ABOUT_TIME,
	    "temporar|try again|try later|later|timed out|timeout|time out|deferred|in progress|shutting down|busy|overload" },
};

/* Enhanced codes (RFC 3463), without their class. */
static const struct answer_code {
	unsigned subject, detail, last_detail; /* from `detail` to `last_detail` */
	enum answer_subject about;
	bool is_exact; /* counts no matter what the words are */
} codes[] = {
	{ 0, 0, 0, ABOUT_NOTHING, false }, /* these codes mean nothing: the words decide */
	{ 2, 0, 0, ABOUT_NOTHING, false },
	{ 3, 0, 0, ABOUT_NOTHING, false },
	{ 5, 0, 0, ABOUT_NOTHING, false },
	{ 1, 0, 1, ABOUT_PERSON, false },   /* bad mailbox; 0: the address is bad in another way */
	{ 1, 3, 3, ABOUT_PERSON, false },   /* bad syntax of the address */
	{ 1, 6, 6, ABOUT_PERSON, false },   /* moved */
	{ 1, 10, 10, ABOUT_PERSON, false }, /* the recipient's domain does not accept mail (RFC 7505) */
	{ 2, 1, 1, ABOUT_PERSON, false },   /* mailbox disabled */
	{ 1, 7, 8, ABOUT_SENDER, false },
	{ 2, 2, 2, ABOUT_FULL_MAILBOX, false },
	{ 2, 3, 3, ABOUT_SIZE, false },
	{ 2, 121, 122, ABOUT_TIME, true }, /* Exchange: the recipient gets too many mails */
	{ 3, 4, 4, ABOUT_SIZE, false },
	{ 4, 5, 5, ABOUT_QUOTA, false },
	{ 6, 0, 999, ABOUT_CONTENT, false },
	{ 7, 8, 8, ABOUT_LOGIN, false },
	{ 7, 10, 11, ABOUT_TLS, false },
	{ 7, 20, 24, ABOUT_PROOF, true },
	{ 7, 25, 25, ABOUT_POLICY, true }, /* our address has no reverse DNS entry */
	{ 7, 26, 27, ABOUT_PROOF, true },
	{ 7, 28, 28, ABOUT_PACE, true },
	{ 7, 124, 134, ABOUT_POLICY, true }, /* Exchange: a group or a mailbox that does not accept mail from outside */
	{ 7, 509, 509, ABOUT_PROOF, true },
	{ 7, 515, 515, ABOUT_PROOF, true },
	{ 7, 0, 999, ABOUT_POLICY, false },
};
static const unsigned access_denied_code[] = { 5, 4, 1 };
static const unsigned any_reason_code[] = { 5, 7, 1 }; /* some servers use it in every refusal */

/* Statuses that mean a refused login (RFC 4954). */
static const int login_statuses[] = { 530, 534, 535, 538 };

/* ---- reading ---- */

enum { CODES_MAX = 8, PERMANENT = 5, MASK = '\t', TEXT_MAX_BYTES = SMTP_ANSWER_SIZE + 8 };

struct answer {
	char text[TEXT_MAX_BYTES]; /* lower-case words, a space before and after each */
	size_t size;
	unsigned codes[CODES_MAX][3]; /* class, subject, detail */
	size_t code_count;
	bool names_recipient, names_sender, names_others; /* whether the answer contains their addresses */
	bool has_text;                                    /* besides codes and addresses */
	bool names_client;                                /* whether the answer contains our IP address */
	bool is_cut;
	struct slice local_part; /* local part of the recipient's address */
};

static bool
is_alnum(char c)
{
	return ascii_is_digit(c) || ascii_is_alpha(c);
}

/* Whether words, addresses and host names may contain this character. */
static bool
is_part_of_word(char c)
{
	return is_alnum(c) || strchr(".-_@+#/?'&%=*!$~^`{|}", c) != NULL;
}

/* The status: each line begins with it, and a server may repeat it in the text. */
static struct slice
without_status(struct slice word, int status)
{
	char digits[8];
	snprintf(digits, sizeof(digits), "%d", status);
	if (!slice_starts_with(word, slice_of(digits)))
		return word;
	if (word.size == strlen(digits))
		return slice_sub(word, word.size, word.size);
	return word.data[strlen(digits)] == '-' ? slice_sub(word, strlen(digits) + 1, word.size) : word;
}

static bool
take_code(struct answer *answer, struct slice word)
{
	char text[16], rest;
	unsigned code[3];
	if (word.size >= sizeof(text) || word.size == 0)
		return false;
	memcpy(text, word.data, word.size);
	text[word.size] = '\0';
	if (sscanf(text, "%1u.%3u.%3u%c", &code[0], &code[1], &code[2], &rest) != 3 || (code[0] != 4 && code[0] != PERMANENT))
		return false;
	if (answer->code_count < CODES_MAX)
		memcpy(answer->codes[answer->code_count++], code, sizeof(code));
	return true;
}

/* Answers contain a question mark for each non-ASCII byte. */
static bool
is_address(struct slice word, const char *address)
{
	if (address == NULL || strlen(address) != word.size)
		return false;
	for (size_t i = 0; i < word.size; i++)
		if (ascii_lower(word.data[i]) != (address[i] > '~' || address[i] < ' ' ? '?' : ascii_lower(address[i])))
			return false;
	return true;
}

static void
note_address(struct answer *answer, struct slice word, const struct smtp_result *result)
{
	if (is_address(word, result->recipient))
		answer->names_recipient = true;
	else if (is_address(word, result->sender))
		answer->names_sender = true;
	else
		answer->names_others = true;
}

/* A name of a host, or a URL. */
static bool
is_place(struct slice word)
{
	const size_t dot = slice_find(word, '.');
	return slice_find(word, '/') < word.size || (dot > 0 && dot + 1 < word.size);
}

/* Where the first of two words without a space between them ends, as in "blocked.Please" and "spam/virus". */
static size_t
first_of_two(struct slice word)
{
	const size_t dot = slice_find(word, '.'), slash = slice_find(word, '/');
	if (slash < dot)
		return slash;
	const bool ends_sentence = dot > 0 && dot + 1 < word.size && ascii_lower(word.data[dot - 1]) == word.data[dot - 1] &&
				   ascii_lower(word.data[dot + 1]) != word.data[dot + 1];
	return ends_sentence ? dot : word.size;
}

/* The URL of a page that explains a block. */
static bool
explains_block(struct slice url)
{
	static const char parts[] = "ip=|/ip/|spam|block|blacklist|reputation";
	struct slice rest = slice_of(parts), part;
	if (slice_find(url, '/') == url.size && slice_find(url, '=') == url.size)
		return false; /* the URL of a host, without a path */
	while (slice_next(&rest, '|', &part))
		if (slice_contains_nocase(url, part))
			return true;
	return false;
}

static bool
is_ip_address(struct slice word)
{
	size_t dots = 0;
	for (size_t i = 0; i < word.size; i++) {
		if (word.data[i] != '.' && !ascii_is_digit(word.data[i]))
			return false;
		dots += word.data[i] == '.' ? 1 : 0;
	}
	return dots == 3;
}

/* A letter of UTF-8 has two bytes, one of Latin-1 has one: both become one question mark. */
static void
add_word(struct answer *answer, struct slice word)
{
	for (size_t i = 0; i < word.size && answer->size + 2 < sizeof(answer->text); i++) {
		answer->text[answer->size++] = ascii_lower(word.data[i]);
		i += word.data[i] == '?' && i + 1 < word.size && word.data[i + 1] == '?' ? 1 : 0;
	}
	answer->text[answer->size++] = ' ';
	answer->text[answer->size] = '\0';
}

static struct slice
trimmed(struct slice word)
{
	while (word.size > 0 && strchr("#.'-!", word.data[0]) != NULL)
		word = slice_sub(word, 1, word.size);
	while (word.size > 0 && strchr(".'-!", word.data[word.size - 1]) != NULL)
		word = slice_sub(word, 0, word.size - 1);
	return word;
}

/* Whether the word at `begin` is in brackets after the name of a host: this is how servers report where they have sent a mail.
 */
static bool
is_of_server(struct slice all, size_t begin)
{
	return begin > 1 && all.data[begin - 1] == '[' && is_part_of_word(all.data[begin - 2]);
}

/* The word of the answer from `begin` to `word_end`. */
static void
take_word(struct answer *answer, size_t begin, size_t word_end, const struct smtp_result *result)
{
	const struct slice all = slice_of(result->answer);
	struct slice word = slice_sub(all, begin, word_end);
	word = trimmed(without_status(word, result->status));
	if (word.size == 0 || take_code(answer, word) || (is_place(word) && slice_equal_nocase(word, answer->local_part)))
		return;
	if (slice_find(word, '@') < word.size) {
		note_address(answer, word, result);
		return;
	}
	answer->has_text = true;
	if (is_ip_address(word) && !is_of_server(all, begin))
		answer->names_client = true;
	for (size_t end; word.size > 0 && word.data[0] != '/' && (end = first_of_two(word)) < word.size;
	     word = slice_sub(word, end + 1, word.size))
		add_word(answer, slice_sub(word, 0, end));
	if (!is_place(word))
		add_word(answer, word);
	else if (explains_block(word))
		add_word(answer, SLICE("ip="));
}

static void
read_answer(struct answer *answer, const struct smtp_result *result)
{
	const struct slice all = slice_of(result->answer);
	size_t begin = 0;
	*answer = (struct answer){ .text = " ", .size = 1, .is_cut = all.size + 1 >= sizeof(result->answer) };
	answer->local_part = slice_of(result->recipient == NULL ? "" : result->recipient);
	answer->local_part = slice_sub(answer->local_part, 0, slice_find(answer->local_part, '@'));
	for (size_t i = 0; i <= all.size; i++) {
		if (i < all.size && is_part_of_word(all.data[i]))
			continue;
		if (i > begin)
			take_word(answer, begin, i, result);
		begin = i + 1;
	}
}

/* ---- judging ---- */

/* Finds the phrase at the beginning of a word; NULL: it does not occur. */
static char *
find_phrase(char *text, struct slice phrase)
{
	const char *end = text + strlen(text);
	for (char *place = text + 1; place + phrase.size <= end; place++)
		if (!is_alnum(place[-1]) && memcmp(place, phrase.data, phrase.size) == 0)
			return place;
	return NULL;
}

static bool
has_any(struct answer *answer, const char *phrases)
{
	struct slice rest = slice_of(phrases), phrase;
	while (slice_next(&rest, '|', &phrase))
		if (find_phrase(answer->text, phrase) != NULL)
			return true;
	return false;
}

/* Masks each phrase of the table; a blank that ends a whole word stays. Returns whether a phrase was found. */
static bool
leave_out(struct answer *answer, const char *phrases)
{
	struct slice rest = slice_of(phrases), phrase;
	bool found = false;
	while (slice_next(&rest, '|', &phrase))
		for (char *place; (place = find_phrase(answer->text, phrase)) != NULL; found = true)
			memset(place, MASK, phrase.size - (phrase.data[phrase.size - 1] == ' ' ? 1 : 0));
	return found;
}

/* Returns NULL if it is not in the table. */
static const struct answer_code *
find_code(const unsigned *code)
{
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (code[1] == codes[i].subject && code[2] >= codes[i].detail && code[2] <= codes[i].last_detail)
			return &codes[i];
	return NULL;
}

/* Exact codes count no matter what the words are; other codes only if the words mean nothing. */
enum code_weight { CODE_COUNTS_ALWAYS, CODE_COUNTS_LAST };

static enum answer_subject
subject_of_codes(const struct answer *answer, enum code_weight weight)
{
	for (size_t i = 0; i < answer->code_count; i++) {
		const struct answer_code *code = find_code(answer->codes[i]);
		if (code != NULL && code->about != ABOUT_PERSON && code->about != ABOUT_NOTHING &&
		    (code->is_exact || weight == CODE_COUNTS_LAST))
			return code->about;
	}
	return ABOUT_NOTHING;
}

/* Masks the words if they occur: in other phrases, "denied" is about a policy. */
static bool
is_access_denied(struct answer *answer)
{
	return answer->code_count == 1 && memcmp(answer->codes[0], access_denied_code, sizeof(access_denied_code)) == 0 &&
	       leave_out(answer, access_denied);
}

/* Whether the word is a single letter, the recipient's local part or an identifier, or contains a phrase of a table at its
 * beginning or after an apostrophe. */
static bool
is_known_word(struct slice word, struct slice local_part)
{
	const size_t masked = slice_find(word, MASK);
	if (word.size <= 1 || (masked < word.size && (masked == 0 || word.data[masked - 1] == '\'')))
		return true;
	for (size_t i = 0; i < word.size; i++)
		if (ascii_is_digit(word.data[i]))
			return true;
	return slice_equal_nocase(word, local_part);
}

/* Whether all words that are left are known. */
static bool
has_only_known_words(const struct answer *answer)
{
	struct slice rest = slice_of(answer->text), word;
	while (slice_next(&rest, ' ', &word))
		if (!is_known_word(word, answer->local_part))
			return false;
	return true;
}

static bool
is_login_status(int status)
{
	for (size_t i = 0; i < ARRAY_SIZE(login_statuses); i++)
		if (status == login_statuses[i])
			return true;
	return false;
}

/* What the words of an answer mean for a person. */
struct said {
	bool names, misses;  /* they name a person; they mean that something does not exist */
	bool is_unavailable; /* they are the words of the standard */
	bool is_all;         /* the answer contains no other words */
};

static struct said
what_is_said(struct answer answer)
{
	const bool both = has_any(&answer, person_sayings);
	struct said said = { .misses = both || has_any(&answer, person_absences),
		.names = both || has_any(&answer, person_names),
		.is_unavailable = has_any(&answer, person_unavailable) };
	const char *const tables[] = { person_phrases, person_sayings, person_unavailable, person_absences, person_names,
		person_neutral };
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		(void)leave_out(&answer, tables[i]);
	said.is_all = has_only_known_words(&answer);
	return said;
}

/* Whether codes and words mean that the person does not exist. Masks words that would seem to be about something else. */
static bool
says_no_person(struct answer *answer, int status)
{
	const bool denied = is_access_denied(answer);
	const struct said said = what_is_said(*answer);
	const bool by_words = said.misses && (said.names || answer->names_recipient);
	bool by_code = false;
	if (!said.is_all)
		return false;
	(void)leave_out(answer, person_phrases);
	if (status < 500 || is_login_status(status))
		return false;
	if (denied)
		return status == 550;
	for (size_t i = 0; i < answer->code_count; i++) {
		const struct answer_code *code = find_code(answer->codes[i]);
		if (by_words && memcmp(answer->codes[i], any_reason_code, sizeof(any_reason_code)) == 0)
			continue;
		if (code == NULL || (code->about != ABOUT_PERSON && code->about != ABOUT_NOTHING) ||
		    answer->codes[i][0] != PERMANENT)
			return false;
		by_code = by_code || code->about == ABOUT_PERSON;
	}
	return by_words || said.is_unavailable || (by_code && (!answer->has_text || said.names || said.misses));
}

/* Whether the answer can be about the recipient at all. After the mail was sent, it must name the recipient. */
static bool
is_about_recipient(const struct answer *answer, enum smtp_stage stage)
{
	if (answer->is_cut || answer->names_client || answer->names_sender ||
	    (answer->names_others && !answer->names_recipient))
		return false;
	return stage == SMTP_RECIPIENT || (stage == SMTP_END && answer->names_recipient);
}

static enum answer_subject
subject_of_status(const struct answer *answer, const struct smtp_result *result)
{
	if (is_login_status(result->status))
		return ABOUT_LOGIN;
	if (result->status == 552 && result->stage == SMTP_SENDER)
		return ABOUT_SIZE;
	if (result->status == 552 && result->stage == SMTP_RECIPIENT)
		return ABOUT_FULL_MAILBOX;
	return answer->names_sender ? ABOUT_SENDER : ABOUT_NOTHING;
}

enum answer_subject
answer_subject(const struct smtp_result *result)
{
	struct answer answer;
	read_answer(&answer, result);
	const bool no_person = says_no_person(&answer, result->status);
	enum answer_subject about = subject_of_codes(&answer, CODE_COUNTS_ALWAYS);
	bool speaks_of_other = about != ABOUT_NOTHING;
	for (size_t i = 0; i < ARRAY_SIZE(wordings) && !speaks_of_other; i++)
		if (has_any(&answer, wordings[i].phrases)) {
			about = wordings[i].subject;
			speaks_of_other = true;
		}
	if (no_person && !speaks_of_other && is_about_recipient(&answer, result->stage))
		return ABOUT_PERSON;
	if (about == ABOUT_NOTHING)
		about = subject_of_codes(&answer, CODE_COUNTS_LAST);
	if (about == ABOUT_POLICY && !speaks_of_other && result->stage == SMTP_SENDER)
		return ABOUT_SENDER;
	return about == ABOUT_NOTHING ? subject_of_status(&answer, result) : about;
}
