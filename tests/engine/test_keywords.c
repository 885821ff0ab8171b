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
		/* within a sentence */
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

/* A sentence is not a keyword, unless it contains a word that can only be one. */
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

/* Recognized by rules, not from lists: other forms of words, with other words around them. */
static void
people_stop_in_their_words(void **state UNUSED)
{
	static const char *const texts[] = { "Keine Werbung mehr", "do not text me", "ok stop", "UNSUBSCRIBED", "СТОП",
		"отписаться", "AFMELD", "Стоп!", "Отпишите меня", "Don’t text me", "pls don't contact me anymore",
		"DO NOT CONTACT", "never text me again", "Do not call this number", "I do not want any more texts",
		"no texts please", "No SMS", "no ads", "Bitte keine SMS mehr", "Ich will keine Werbung von euch",
		"keine weiteren Nachrichten bitte", "Bitte nicht mehr schreiben", "Bitte nicht mehr kontaktieren",
		"plus de pub svp", "pas de pub", "Je ne veux plus de SMS", "niente pubblicità", "geen reclame meer",
		"Geen berichten meer aub", "ok, unsubscribe me", "Hi please stop", "Okay stopp!", "hallo bitte abmelden",
		"unsubscribing", "Un-Subscribe", "please opt me out: opt-out", "I want to opt out", "opted out",
		"Ich melde mich ab", "habe mich abgemeldet", "abbestellt!", "desabonner moi", "désinscrivez-moi",
		"desuscríbeme", "quiero darme de baja", "dame de baja", "disiscrivetemi", "uitschrijven aub", "Avmelden",
		"Avregistrera", "odhlásit", "İPTAL", "退订", "take me off your list", "REMOVE ME", "Please remove my number",
		"Stop it", "stop this spam", "S.T.O.P.", "cancela", "não envie mais mensagens", "leave me alone",
		"delete my number", "do not call or text", "don't send me anything", "no further messages",
		"I don't want these texts", "schreibt mir nicht mehr", "keine mehr", "no quiero más mensajes",
		"no me envíen más mensajes", "Non voglio più messaggi", "não quero mais mensagens", "niet meer bellen",
		"nie chcę sms", "не пишите мне", "arrêtez les sms", NULL };
	static const char *const others[] = { "stop by at 5", "Stop by tomorrow", "I'll stop by at 5", "stop at the shop",
		"stop over on friday", "ok", "okay thanks", "no", "No, text me", "Not now", "keine", "keine Zeit",
		"nicht heute", "nicht mehr heute", "no more pizza", "do not text me before 5", "don't call me late",
		"Bitte nicht stören", "wo ist der Austragungsort", "pas de souci", "plus tard", "I never got a text",
		"not sure", "Werbung", "SMS", "text me", "send more", "call me", "mehr Infos bitte", "I do",
		"Я не хочу отписаться", "don't take me off your list", "un sub por favor", "soy de Baja California",
		"no, send me messages", "no quiero", "non capisco", "nicht mehr", "I want more", "plus", "don't", "do not",
		"bus stop at 5", "Never stop", "not interested", "wrong number", "нет", NULL };
	assert_keyword(KEYWORD_OPT_OUT, texts);
	assert_keyword(KEYWORD_NONE, others);
}

static void
assert_report(enum mail_report expected, const char *const *events)
{
	for (; *events != NULL; events++)
		if (keyword_report(pool, slice_of(*events)) != expected)
			fail_msg("%s is %d", *events, (int)keyword_report(pool, slice_of(*events)));
}

static void
systems_report_ends_of_mail(void **state UNUSED)
{
	static const char *const ends[] = { "unsubscribe", "Unsubscribed", "group_unsubscribe", "spamreport", "Complaint",
		"SpamComplaint", "HardBounce", "hard_bounce", "bounce", "Permanent", "email.bounced", "activity.spam_complaint",
		"cleaned", "email_unsubscribed", "customer_unsubscribed", "email_bounced", "email_spammed", "emailUnSubscribe",
		"emailComplaint", "emailBounce", "Unsubscribed from Email Marketing", "Unsubscribed from List",
		"Marked Email as Spam", "Bounced Email", "subscriber.subscriber_unsubscribe", "subscriber.subscriber_bounce",
		"subscriber.subscriber_complain", "subscriber.marked_as_undeliverable", "AbuseReport", "contact_unsubscribe",
		"Unsubscribe_Event", "UNSUBSCRIBE_BY_RECIPIENT", "marketing_consent_revoked", "email_bounced_permanently",
		"bounce_permanent", "permanent_fail", "feedback-loop", "Abmeldung", "désabonnement", "true", "yes", "1",
		"users.messages.email.Unsubscribe", "users.messages.email.MarkAsSpam", "contact.unsubscribed.v1",
		"subscriber.spam_reported", "list_unsubscribe", "autounsubscribed", "globalunsubscribe", "OPTOUT",
		"emailOptOut", "opted out", "Opt-Out Request", "BadEmailAddress", "invalid_email", "hardbounced", "hard",
		"blacklisted", "Blocked", "block", "email.suppressed", "ManuallyDeactivated", "do_not_email", "Do Not Contact",
		"no_longer_subscribed", "subscription_cancelled", "junk", "consent withdrawn", "FBL", "Newsletter abbestellt",
		"dado de baja", "baja", "desuscrito", "disiscrizione", "cancellato", "uitgeschreven", "afgemeld", "klacht",
		"wypisany", "отписался", "Widerruf der Einwilligung", "unzustellbar", "SMS and email unsubscribed",
		"Bounced: address not found", "anular suscripción", "cancelou inscrição", "nicht zustellbar",
		"Newsletter gekuendigt", "abonnement annulé", "Permanent/Suppressed", "OnAccountSuppressionList",
		"blocked_bounce", "rebond définitif", "cancelación", "Rückläufer", "soft_bounce_unsubscribed", NULL };
	static const char *const signups[] = { "subscribe", "Subscribed", "subscriber.form_subscribe",
		"unsubscribe.resubscribe", "group_resubscribe", "resubscribed", "emailSubscribe", "Subscribed to List",
		"contact.created", "signup", "sign_up", "user.registered", "opt_in", "active", "Anmeldung", "abonniert",
		"form_submission", "subscriber.subscriber_activate", "Aktiv", "réabonné", "consent_given",
		"subscription.created", "inscrit", "false", "no", "0", NULL };
	static const char *const others[] = { "", ".", "delivered", "soft_bounce", "SoftBounce", "softbounced", "Transient",
		"deferred", "delivery_delayed", "bounce_transient", "temporary bounce", "temporary_fail", "open",
		"email.delivered", "profile", "no spam", "not_spam", "notSpam", "notspam", "nonspam", "unbounced", "UNBOUNCE",
		"unsuppressed", "unblocked", "never_bounced", "has not unsubscribed", "unsubscribed: false", "spam_score",
		"SpamCheck passed", "antispam", "suppression_removed", "Unsubscribed from SMS Marketing", "sms_opted_out",
		"smsBounce", "pushUnsubscribe", "Subscribed to SMS Marketing", "not_subscribed", "never_subscribed",
		"nonSubscribed", "pending", "subscribe_pending", "unconfirmed", "inactive", "subscriber.deleted", "removed",
		"subscriber.updated", "subscription_preferences_changed", "order.cancelled", "dropped", "failed", "processed",
		"click", "2026-11-29T10:00:00Z", "Abonnement beendet", "Anmeldung gelöscht", "inscripción eliminada",
		"invitee.canceled", "subscription_ended", "left_list", "bounce_cleared", "bounce.resolved",
		"Transient/MailboxFull", "rebote suave", "Removed from suppression list", "SubscriptionChange",
		"message.rejected", "none", "\xff", NULL };
	assert_report(MAIL_REPORT_END, ends);
	assert_report(MAIL_REPORT_SIGNUP, signups);
	assert_report(MAIL_REPORT_OTHER, others);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(people_stop, begin, end),
		cmocka_unit_test_setup_teardown(people_start_again, begin, end),
		cmocka_unit_test_setup_teardown(people_ask_for_help, begin, end),
		cmocka_unit_test_setup_teardown(other_texts_are_no_keywords, begin, end),
		cmocka_unit_test_setup_teardown(people_stop_in_their_words, begin, end),
		cmocka_unit_test_setup_teardown(systems_report_ends_of_mail, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
