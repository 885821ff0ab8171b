/* SPDX-License-Identifier: MIT
 * docs/inbound.md 3.2: what people answer to texts. */
#include "unit.h"

#include <string.h>

#include "engine/keywords.h"
#include "with_pool.h"

static void
assert_keyword(enum keyword expected, const char *const *texts)
{
	for (; *texts != NULL; texts++)
		if (keyword_of(pool, slice_of(*texts)) != expected)
			fail_msg("%s is %d", *texts, (int)keyword_of(pool, slice_of(*texts)));
}

static void
people_stop(void **state UNUSED)
{
	static const char *const texts[] = { "STOP", "stop", "Stop\n", "Stop.", "\"STOP\"", "\xe2\x80\x9eStopp!\xe2\x80\x9c",
		" sToP ", "STOP!!!",
		"S\xc2\xad"
		"TOP",
		"\xef\xbb\xbfSTOP", "stop stop stop", "STOP ALL", "Stop bitte", "please stop", "Please STOP now",
		"stop\r\n\r\nthanks", "\xf0\x9f\x9b\x91 Stop \xf0\x9f\x98\xa1",
		"\xef\xbc\xb3\xef\xbc\xb4\xef\xbc\xaf\xef\xbc\xb0", "opt out", "Opt-Out", "OPTOUT", "unsubscribe me",
		"UN-SUBSCRIBE", "cancel", "End.", "quit", "Stop texting me", "STOP sending me messages, please", "Stop SMS",
		"revoke",
		/* German, Spanish, French, Italian, Portuguese, Dutch, Polish */
		"Abmelden", "Bitte abmelden", "abbestellen", "Aufh\xc3\xb6ren", "aufhoeren!", "BEENDEN", "Ende",
		"K\xc3\xbcndigen", "BAJA", "Baja por favor", "dar de baja", "Cancelar", "ARR\xc3\x8aT", "ARRET",
		"arre\xcc\x82t", "arr\xc3\xaatez svp", "STOP s'il vous pla\xc3\xaet", "Stop s\xe2\x80\x99il te pla\xc3\xaet",
		"d\xc3\xa9sabonner", "d\xc3\xa9sinscription", "annulla", "BASTA", "fermare", "cancellami", "per favore stop",
		"Parar", "Sair", "pare por favor", "uitschrijven", "stoppen", "Afmelden aub", "Rezygnuj\xc4\x99", "wypisz",
		/* in a sentence */
		"I want to unsubscribe", "How do I unsubscribe?", "Ich will mich abmelden!", "je veux me d\xc3\xa9sabonner",
		"Quiero desuscribirme", "Voglio disiscrivermi", "Ik wil me afmelden", "chc\xc4\x99 si\xc4\x99 wypisa\xc4\x87",
		"Remove me from this list", "No more texts", "Keine SMS mehr", "no m\xc3\xa1s mensajes", "unsub", NULL };
	assert_keyword(KEYWORD_OPT_OUT, texts);
}

static void
people_start_again(void **state UNUSED)
{
	static const char *const texts[] = { "START", "start\n", "Start.", "unstop", "YES", "yes please", "Subscribe", "opt in",
		"Anmelden bitte", "starten", "ALTA", "iniciar", "reanudar", "D\xc3\xa9marrer", "commencer", "iscrivimi",
		"Inizia",
		"COME\xc3\x87"
		"AR",
		"inscrever", "zapisz", NULL };
	assert_keyword(KEYWORD_OPT_IN, texts);
}

static void
people_ask_for_help(void **state UNUSED)
{
	static const char *const texts[] = { "HELP", "help?", "Help me please", "INFO", "Hilfe!", "ayuda", "Aide svp", "aiuto",
		"Ajuda", NULL };
	assert_keyword(KEYWORD_HELP, texts);
}

/* A sentence is no keyword, unless it has a word that means nothing else. */
static void
other_texts_are_no_keywords(void **state UNUSED)
{
	static const char *const texts[] = { "", " \n", "!!!", "\xf0\x9f\x91\x8d", "please", "Don't stop",
		"don\xe2\x80\x99t stop", "do not stop", "Nicht stoppen", "No stop", "bus stop", "nonstop", "STOPS",
		"start stop", "I will cancel my order", "cancel my order", "the end of it", "yes but not today", "yes or no",
		"don't unsubscribe me",
		"Ich m\xc3\xb6"
		"chte mich nicht abmelden",
		"Ne me d\xc3\xa9sinscris pas", "ne pas se d\xc3\xa9sinscrire", "I never wanted to unsubscribe",
		"how would one unsubscribe from your newsletter", "Fine", "Fine, thanks", "help yourself", "Ja", "oui",
		"stop by our shop tomorrow and get a mug", "10", "St op it", "\xff STOP", NULL };
	assert_keyword(KEYWORD_NONE, texts);
	char *longest = pool_alloc(pool, KEYWORD_TEXT_MAX + 2);
	memset(longest, ' ', KEYWORD_TEXT_MAX + 1);
	memcpy(longest, "STOP", 4);
	assert_int_equal(keyword_of(pool, (struct slice){ longest, KEYWORD_TEXT_MAX }), KEYWORD_OPT_OUT);
	assert_int_equal(keyword_of(pool, (struct slice){ longest, KEYWORD_TEXT_MAX + 1 }), KEYWORD_NONE);
}

static void
systems_report_ends_of_mail(void **state UNUSED)
{
	static const char *const ends[] = { "unsubscribe", "Unsubscribed", "group_unsubscribe", "spamreport", "Complaint",
		"SpamComplaint", "HardBounce", "hard_bounce", "bounce", "Permanent", "email.bounced", "activity.spam_complaint",
		"cleaned", NULL };
	static const char *const others[] = { "", ".", "subscribe", "delivered", "soft_bounce", "Transient", "deferred", "open",
		"email.delivered", "unsubscribe.resubscribe", "profile", "no spam", NULL };
	for (size_t i = 0; ends[i] != NULL; i++)
		assert_true(keyword_ends_mail(pool, slice_of(ends[i])));
	for (size_t i = 0; others[i] != NULL; i++)
		assert_false(keyword_ends_mail(pool, slice_of(others[i])));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(people_stop, begin, end),
		cmocka_unit_test_setup_teardown(people_start_again, begin, end),
		cmocka_unit_test_setup_teardown(people_ask_for_help, begin, end),
		cmocka_unit_test_setup_teardown(other_texts_are_no_keywords, begin, end),
		cmocka_unit_test_setup_teardown(systems_report_ends_of_mail, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
