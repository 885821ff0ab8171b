/* SPDX-License-Identifier: MIT
 * What the headings of exports mean (leadhook(1), lead import; docs/migrating.md 3.1). */
#include "unit.h"
#include "with_pool.h"

#include "transfer/columns.h"

/* Columns of exports in several languages, with various invisible characters in their names. */
static void
columns_of_exports_are_known(void **state UNUSED)
{
	static const struct {
		const char *heading;
		enum lead_field field;
		const char *custom;
	} cases[] = {
		{ "Email Address", LEAD_EMAIL, NULL },
		{ "Email\xc2\xa0"
		  "Address",
		    LEAD_EMAIL, NULL },
		{ "\xef\xbb\xbf"
		  "E-Mail:",
		    LEAD_EMAIL, NULL },
		{ "E-mail 1 - Value", LEAD_EMAIL, NULL },
		{ "Correo electrónico", LEAD_EMAIL, NULL },
		{ "ADRESSE E-MAIL", LEAD_EMAIL, NULL },
		{ "SMS", LEAD_PHONE, NULL },
		{ "Téléphone", LEAD_PHONE, NULL },
		{ "Mobile Phone", LEAD_PHONE, NULL },
		{ "Handynummer", LEAD_PHONE, NULL },
		{ "FNAME", LEAD_CUSTOM, "first_name" },
		{ "Vorname", LEAD_CUSTOM, "first_name" },
		{ "PRÉNOM", LEAD_CUSTOM, "first_name" },
		{ "Family Name", LEAD_CUSTOM, "last_name" },
		{ "Apellidos", LEAD_CUSTOM, "last_name" },
		{ "OPTIN_TIME", LEAD_CREATED, NULL },
		{ "Date Created", LEAD_CREATED, NULL },
		{ "Zeitstempel", LEAD_CREATED, NULL },
		{ "OPTIN_IP", LEAD_IP, NULL },
		{ "TAGS", LEAD_TAG_NAMES, NULL },
		{ "Labels", LEAD_TAG_NAMES, NULL },
		{ "createdAt", LEAD_CREATED, NULL },
		{ "phoneNumber", LEAD_PHONE, NULL },
		{ "Phone #", LEAD_PHONE, NULL },
		{ "referralCode", LEAD_SOCIAL_ID, NULL },
		{ "utmSource", LEAD_UTM, NULL },
		{ "Create Date (EST)", LEAD_CREATED, NULL },
		{ "E-Mail (privat)", LEAD_EMAIL, NULL },
		{ "Name (Last)", LEAD_CUSTOM, "last_name" },
		{ "Téléphone portable", LEAD_PHONE, NULL },
		{ "Телефон", LEAD_PHONE, NULL },
		{ "Tel.-Nr.", LEAD_PHONE, NULL },
		{ "Adres e-mail", LEAD_EMAIL, NULL },
		{ "E-postadress", LEAD_EMAIL, NULL },
		{ "Aangemaakt op", LEAD_CREATED, NULL },
		{ "Datum inschrijving", LEAD_CREATED, NULL },
		{ "Carimbo de data/hora", LEAD_CREATED, NULL },
		{ "Časové razítko", LEAD_CREATED, NULL },
		{ "Attendee Email", LEAD_EMAIL, NULL },
		{ "Customer Phone Number", LEAD_PHONE, NULL },
		{ "Your name", LEAD_CUSTOM, "name" },
		{ "Příjmení", LEAD_CUSTOM, "last_name" },
		{ "Imię i nazwisko", LEAD_CUSTOM, "name" },
		{ "Buyer First Name", LEAD_CUSTOM, "buyer first name" },
		{ "Contact source", LEAD_CUSTOM, "contact source" },
		{ "User email", LEAD_CUSTOM, "user email" },
		{ "Lead ID", LEAD_CUSTOM, "lead id" },
		{ "LEID", LEAD_IGNORED, NULL },
		{ "Favourite  Colour", LEAD_CUSTOM, "favourite  colour" },
		{ "_note", LEAD_IGNORED, NULL },
		{ "custom_fields[Status]", LEAD_CUSTOM, "status" },
	};
	static const char *const unclear[] = { "Status of opt-in", "Newsletter", "Einwilligung", "Marketing contact status",
		"email_marketing_consent", "Opted out of email: Newsletter", "Hard bounce reason", "Subscribed?", "GDPR",
		"RGPD ok", "accepts_marketing", "I agree [Consent]", "IsUnsubscribed", "deactivated", "Active",
		"Marketingkontakt-Status", "Email (opt-in)", "Iscritto", "Mail disabled?",
		"Do you want our newsletter (monthly)?", "Nieuwsbrief", "Werbesperre", "Consenso marketing",
		"Do not allow Bulk Emails", "dnc_email", "DOI", "Fecha de baja real", "Agreed to marketing",
		"Lettres d'information", "Liste noire", "Unzustellbar", "Email Validity", "Status ID", "Zgoda na kontakt" };
	static const char *const plain[] = { "Company", "Price", "Which of these?", "custom_fields[newsletter]", "Status",
		"subscription_tier", "Subscriber Source", "SMS Consent", "Last active", "Mailing State/Province",
		"Mailing Street", "Trabajo", "Food preference", "Average order value", "Todo notes", "Marketing channel" };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct column column = column_of_heading(pool, slice_of(cases[i].heading));
		assert_int_equal(column.field, cases[i].field);
		if (cases[i].custom != NULL)
			assert_slice(column.name, cases[i].custom);
		assert_false(column.needs_meaning);
	}
	for (size_t i = 0; i < ARRAY_SIZE(unclear); i++)
		assert_true(column_of_heading(pool, slice_of(unclear[i])).needs_meaning);
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		assert_false(column_of_heading(pool, slice_of(plain[i])).needs_meaning);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_of_exports_are_known),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
