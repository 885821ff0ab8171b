/* SPDX-License-Identifier: MIT */
#include "transfer/columns.h"

#include <string.h>

#include "base/utf8.h"
#include "engine/custom_fields.h"
#include "transfer/times.h"

#define UTM "utm_"

/* The names of fields in the files and payloads of this program, separated by spaces; the first one is used in messages. */
static const struct {
	enum lead_field field;
	const char *names;
} names[] = {
	{ LEAD_EMAIL, "email email_address e_mail" },
	{ LEAD_PHONE, "phone_number phone" },
	{ LEAD_COUNTRY_CODE, "country_code" },
	{ LEAD_SOCIAL_ID, "social_id kid referral_code" },
	{ LEAD_REFERRED_BY, "parent_id referrer_id referred_by" },
	{ LEAD_CREATED, "created created_at when signup_date" },
	{ LEAD_NUMBER, "subscription_number" },
	{ LEAD_VERIFIED, "verified" },
	{ LEAD_VERIFIED_EMAIL, "verified_email" },
	{ LEAD_VERIFIED_PHONE, "verified_phone_number" },
	{ LEAD_CLAIMED, "claimed" },
	{ LEAD_OPTED_OUT, "opted_out unsubscribed" },
	{ LEAD_SMS_OPTED_OUT, "sms_opted_out" },
	{ LEAD_WAITLISTED, "waitlisted" },
	{ LEAD_FRAUDULENT, "fraudulent" },
	{ LEAD_SCORE, "points contest_score score" },
	{ LEAD_IP, "ip ip_address" },
	{ LEAD_SOURCE, "source __source" },
	{ LEAD_USER_AGENT, "user_agent __user_agent" },
	{ LEAD_UID, "uid __uid" },
	{ LEAD_PAGE_REFERRER, "referrer_url __ref __referrer" },
	{ LEAD_SIGNUP_URL, "signup_url __url" },
	{ LEAD_LANGUAGE, "language __language" },
	{ LEAD_CUSTOM_OBJECT, "custom_fields" },
	{ LEAD_UTM_OBJECT, "utm" },
	{ LEAD_OTHER_FIELDS, "__fields" },
	{ LEAD_TAG_NAMES, "tags" },
	{ LEAD_ACTION_TEXTS, "completed_actions" },
	/* derived from other fields, or from the campaign */
	{ LEAD_IGNORED, "id campaign_id list_id rank rank_relative_position counter lead_count contest_score_rank "
			"contest_score_rank_relative_position display_name avatar enhanced anonymous url social_url "
			"redirect_url thankyou_url status_url unsubscribe_url referrals unverified_leads verified_leads "
			"influence" },
};

/* Custom fields that payloads show a second time, and that headings spell in several ways. */
static const struct slice person[] = { SLICE("first_name"), SLICE("given_name"), SLICE("last_name"), SLICE("family_name"),
	SLICE("name") };

/* In the form in which names are compared: in lower case, with underscores. Cut to the size of `out`. */
static struct slice
plain_name(struct slice name, char *out, size_t size)
{
	name = slice_sub(name, 0, size);
	for (size_t i = 0; i < name.size; i++)
		out[i] = name.data[i] == ' ' || name.data[i] == '-' ? '_' : ascii_lower(name.data[i]);
	return (struct slice){ out, name.size };
}

/* Where a name comes from. */
enum name_place { IN_HEADING, IN_JSON };

static enum lead_field
field_of(struct slice name, enum name_place place)
{
	const bool json = place == IN_JSON;
	char bytes[64]; /* more than the length of any name */
	const struct slice plain = plain_name(slice_trim(name), bytes, sizeof(bytes));
	if (slice_equal(plain, SLICE("referrer")))
		return json ? LEAD_PAGE_REFERRER : LEAD_REFERRED_BY;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (slice_is_listed(plain, names[i].names)) {
			const enum lead_field field = names[i].field;
			if (json && field == LEAD_OTHER_FIELDS)
				return LEAD_IGNORED;
			return !json && (field == LEAD_CUSTOM_OBJECT || field == LEAD_UTM_OBJECT) ? LEAD_CUSTOM : field;
		}
	if (slice_starts_with(plain, SLICE(UTM)) && plain.size > sizeof(UTM) - 1)
		return LEAD_UTM;
	return slice_starts_with(plain, SLICE("_")) ? LEAD_IGNORED : LEAD_CUSTOM;
}

bool
lead_field_informs(enum lead_field field)
{
	return field == LEAD_USER_AGENT || field == LEAD_PAGE_REFERRER || field == LEAD_SIGNUP_URL;
}

enum lead_field
lead_field_of_member(struct slice name)
{
	return field_of(name, IN_JSON);
}

static struct column
find_column(struct pool *pool, struct slice name, enum name_place place)
{
	struct slice member, base;
	name = slice_trim(utf8_sanitized(pool, name));
	if (custom_field_member(pool, name, &member, &base))
		return (struct column){ .field = LEAD_CUSTOM, .name = member };
	struct column column = { .field = field_of(name, place) };
	const struct slice plain = plain_name(name, pool_bytes(pool, name.size + 1), name.size);
	if (column.field == LEAD_UTM)
		column.name = slice_sub(plain, sizeof(UTM) - 1, plain.size);
	if (column.field != LEAD_CUSTOM)
		return column;
	const bool is_person = slice_is_one_of(plain, person, ARRAY_SIZE(person));
	column.field = place == IN_JSON && is_person ? LEAD_DERIVED_NAME : LEAD_CUSTOM;
	column.name = is_person ? plain : custom_field_name(pool, name);
	return column;
}

struct column
column_of(struct pool *pool, struct slice name)
{
	return find_column(pool, name, IN_HEADING);
}

struct column
column_of_member(struct pool *pool, struct slice name)
{
	return find_column(pool, name, IN_JSON);
}

/* ---- headings of exports ---- */

/* Names of columns in common exports: those of Mailchimp, HubSpot, Brevo, ActiveCampaign, Google and Outlook contacts, of
 * forms, of ticket sales and of hosted lead services, in English, the languages of Europe, Turkish, Chinese, Japanese and
 * Korean. As plain words (transfer/consent.h), separated by spaces. Custom fields keep their own names. Names that say nothing
 * about the person, or only the kind of the column before, are left out. */
/* clang-format off */
static const struct {
	enum lead_field field;
	struct slice custom;
	const char *names;
} usual[] = {
	{ LEAD_EMAIL, SLICE(""),
	    "email e_mail mail email_address e_mail_address mail_address primary_email email_1 e_mail_1 e_mail_1_value "
	    "e_mail_1_address work_email contact_email subscriber_email email_id emailaddress e_mailadresse "
	    "e_mail_adresse email_adresse emailadresse mailadresse adresse_e_mail adresse_email adresse_mail "
	    "adresse_électronique courriel correo correo_electrónico correo_electronico "
	    "dirección_de_correo_electrónico email_del_contacto indirizzo_email indirizzo_e_mail e_mailadres "
	    "adresse_de_messagerie endereço_de_email endereço_de_e_mail person_email person_email_work email_adres "
	    "e_mail_adres emailadres indirizzo_mail posta_elettronica indirizzo_di_posta_elettronica "
	    "correio_eletrónico correio_eletrônico adres_email adres_e_mail adres_mailowy e_post epost e_postadress "
	    "epostadress mejl mejladress mailadress e_postadresse epostadresse e_mailová_adresa emailová_adresa "
	    "e_mail_cím email_cím adresă_de_email adresa_de_email sähköposti sähköpostiosoite e_posta eposta "
	    "e_posta_adresi eposta_adresi почта эл_почта электронная_почта адрес_электронной_почты електронна_пошта "
	    "пошта 邮箱 电子邮件 电子邮箱 メールアドレス メール 이메일" },
	{ LEAD_PHONE, SLICE(""),
	    "phone phone_number telephone telephone_number tel phone_1 phone_1_value primary_phone mobile mobile_phone "
	    "mobile_phone_number mobile_number cell cell_phone cellphone sms whatsapp telefon telefonnummer "
	    "telefon_mobil mobil mobiltelefon mobilnummer mobiltelefonnummer handy handynummer rufnummer téléphone "
	    "téléphone_mobile numéro_de_téléphone portable mobile_1 teléfono telefono teléfono_móvil móvil movil "
	    "celular número_de_teléfono cellulare numero_di_telefono telefoonnummer phonenumber whats_app phone_mobile "
	    "mobile_phone_1 person_phone person_phone_mobile person_phone_work billing_phone tél tél_mobile tel_mobile "
	    "telefon_privat mobiel mobiel_nummer mobiele_telefoon telefone telefone_celular telemóvel "
	    "número_de_telefone contact_no contact_number phone_no phone_num mobile_no telephone_no tel_no cell_number "
	    "cell_phone_number cellphone_number whatsapp_number sms_number gsm gsm_nummer gsm_number telefoon "
	    "telefoonnr telefoon_nummer mobiele_nummer mobiel_telefoonnummer mobiele_telefoonnummer tel_nr telefonnr "
	    "telefon_nr handynr handy_nr mobilnr mobil_nr mobilfunk mobilfunknummer telefon_handy telefonnummer_mobil "
	    "téléphone_portable telephone_portable telephone_mobile no_de_téléphone n_de_téléphone numéro_de_portable "
	    "numéro_de_mobile numéro_de_téléphone_portable telefono_movil telefono_móvil número_de_móvil "
	    "numero_de_movil numero_de_telefono número_de_celular numero_de_celular teléfono_celular "
	    "teléfono_de_contacto telefono_cellulare numero_cellulare numero_di_cellulare numero_telefono "
	    "recapito_telefonico telemovel número_de_telemóvel telefone_de_contato fone numer_telefonu nr_telefonu "
	    "telefon_komórkowy komórka tlf tlf_nr telefonní_číslo mobilní_telefon mobilní_číslo telefón "
	    "telefónne_číslo telefonszám mobiltelefonszám număr_de_telefon numar_de_telefon puhelin puhelinnumero "
	    "matkapuhelin telefon_numarası cep_telefonu cep τηλέφωνο κινητό телефон тел номер_телефона мобильный "
	    "мобильный_телефон контактный_телефон номер_телефону 电话 手机 手机号 手机号码 電話 電話番号 携帯電話 전화번호 휴대폰" },
	{ LEAD_COUNTRY_CODE, SLICE(""),
	    "country_code cc countrycode ländercode landesvorwahl" },
	{ LEAD_REFERRED_BY, SLICE(""),
	    "referrer parent referred_by_email referrer_email" },
	{ LEAD_CREATED, SLICE(""),
	    "created created_at created_on creation_date create_date date_created when signup_date sign_up_date "
	    "signup_time signed_up signed_up_at optin_time opt_in_time optin_date confirm_time added_time date_added "
	    "added_on subscribed_at subscribed_on subscribed_date subscription_date subscriber_since created_date "
	    "created_time time_created date_registered user_registered profile_created_on submitted date_submitted "
	    "submitted_on lead_submitted_date lead_submitted_at lead_creation_date person_created "
	    "person_person_created entry_date date_joined joined joined_on joined_at join_date subscribe_date "
	    "date_subscribed registered registered_at registration_date submitted_at submit_date submit_date_utc "
	    "submission_date timestamp zeitstempel erstellt erstellt_am erstellungsdatum erstelldatum anmeldedatum "
	    "angemeldet_am registriert_am registrierungsdatum eintragungsdatum horodateur date_de_création "
	    "date_d_inscription date_d_ajout créé_le marca_temporal fecha_de_registro fecha_de_alta fecha_alta "
	    "fecha_de_creación fecha_de_suscripción data_di_iscrizione data_iscrizione data_di_registrazione "
	    "data_de_inscrição data_de_cadastro data_de_criação aanmelddatum aangemeld_op datum_van_inschrijving "
	    "opt_in_date opted_in_at subscribe_time sign_up_time signed_up_on registered_on registration_time "
	    "date_of_registration order_date aangemaakt aangemaakt_op aanmaakdatum datum_aangemaakt datum_inschrijving "
	    "inschrijfdatum inschrijvingsdatum ingeschreven_op toegevoegd_op registratiedatum tijdstempel eingetragen "
	    "eingetragen_am hinzugefügt_am angelegt_am anlagedatum eingegangen_am datum_der_anmeldung "
	    "datum_der_registrierung anmeldezeitpunkt date_inscription inscrit_le ajouté_le date_d_enregistrement "
	    "date_d_abonnement abonné_le date_creation date_de_creation fecha_de_inscripción fecha_de_inscripcion "
	    "fecha_de_creacion fecha_de_suscripcion fecha_creación fecha_registro creado_el data_di_creazione "
	    "data_creazione data_registrazione creato_il iscritto_il informazioni_cronologiche carimbo_de_data_hora "
	    "criado_em inscrito_em data_inscrição data_da_inscrição data_cadastro data_de_registo data_de_registro "
	    "data_utworzenia utworzono data_rejestracji data_zapisu data_dodania sygnatura_czasowa skapad skapad_den "
	    "registreringsdatum registrerad anmälningsdatum tidstämpel oprettet oprettet_den oprettelsesdato tilmeldt "
	    "tilmeldingsdato tidsstempel opprettet opprettet_dato påmeldt påmeldingsdato registrert registreringsdato "
	    "vytvořeno datum_vytvoření datum_registrace registrováno časové_razítko időbélyeg aikaleima zaman_damgası "
	    "дата_регистрации дата_создания дата_подписки дата_добавления создан создано отметка_времени позначка_часу "
	    "タイムスタンプ 时间戳记 타임스탬프" },
	{ LEAD_OPTED_OUT, SLICE(""),
	    "opted_out unsubscribed unsub_time unsub_date unsubscribe_time unsubscribe_date unsubscribed_at "
	    "unsubscribed_on unsubscribed_date date_unsubscribed unsubscribed_from_all_email "
	    "unsubscribed_from_all_emails opted_out_of_all_email email_opt_out email_optout email_opted_out "
	    "has_opted_out_of_email hs_email_optout opt_out optout optout_date opt_out_date opt_out_time clean_time "
	    "cleaned_at bounced_at bounce_time bounce_date hard_bounced hard_bounced_at email_blacklisted blacklisted "
	    "email_blacklist do_not_email do_not_contact abgemeldet abgemeldet_am abmeldedatum austragungsdatum "
	    "désabonné désinscrit date_de_désabonnement date_de_désinscription dado_de_baja fecha_de_baja disiscritto "
	    "unsubscribed_time desinscrito descadastrado afgemeld afgemeld_op uitgeschreven deactivated_at "
	    "deaktiviert_am emails_disabled email_disabled wypisany avregistrerad afmeldt avmeldt odhlášen odhlášeno "
	    "отписан отписался дата_отписки datum_afmelding uitschrijfdatum uitgeschreven_op" },
	{ LEAD_SMS_OPTED_OUT, SLICE(""),
	    "sms_opted_out sms_opt_out sms_unsubscribed sms_blacklisted sms_blacklist" },
	{ LEAD_IP, SLICE(""),
	    "ip ip_address ipaddress optin_ip opt_in_ip confirm_ip signup_ip sign_up_ip ip_adresse adresse_ip user_ip "
	    "submission_ip subscribed_ip sub_ip dirección_ip" },
	{ LEAD_SOURCE, SLICE(""),
	    "source signup_source quelle herkunft fuente origen" },
	{ LEAD_TAG_NAMES, SLICE(""),
	    "tags tag labels label schlagwörter schlagworte étiquettes etiquetas" },
	{ LEAD_IGNORED, SLICE(""),
	    "leid euid member_rating gmtoff dstoff last_changed latitude longitude unsub_campaign_title "
	    "unsub_campaign_id unsub_reason unsub_reason_other clean_campaign_title clean_campaign_id e_mail_1_type "
	    "e_mail_1_label phone_1_type phone_1_label photo record_id modified_time datensatz_id contest_rank "
	    "user_pass password password_hash user_password" },
	{ LEAD_CUSTOM, SLICE("first_name"),
	    "first_name firstname fname given_name givenname forename vorname prénom prenom nombre nome first voornaam "
	    "name_first person_first_name nombre_de_pila primer_nombre primeiro_nome nome_próprio imię imie förnamn "
	    "fornavn jméno křestní_jméno meno krstné_meno keresztnév prenume etunimi adı isim όνομα имя ім_я" },
	{ LEAD_CUSTOM, SLICE("last_name"),
	    "last_name lastname lname surname family_name familyname nachname familienname zuname nom nom_de_famille "
	    "apellido apellidos cognome achternaam name_last person_last_name sobrenome familienaam primer_apellido "
	    "apelido último_nome nazwisko efternamn efternavn etternavn příjmení priezvisko vezetéknév családnév "
	    "nume_de_familie sukunimi soyad soyadı soyisim επώνυμο фамилия прізвище" },
	{ LEAD_CUSTOM, SLICE("name"),
	    "name full_name fullname contact_name nom_complet nombre_completo nombre_y_apellidos vollständiger_name "
	    "nome_completo person_name naam volledige_naam vor_und_nachname nom_et_prénom nom_prénom prénom_et_nom "
	    "nombre_y_apellido nome_e_cognome nome_e_sobrenome imię_i_nazwisko imie_i_nazwisko namn fullständigt_namn "
	    "navn fulde_navn fullt_navn celé_jméno jméno_a_příjmení meno_a_priezvisko név teljes_név nume_complet nimi "
	    "koko_nimi ad_soyad adı_soyadı ονοματεπώνυμο фио имя_и_фамилия полное_имя 姓名 氏名 お名前 名前 이름 성명" },
};
/* clang-format on */

/* Words for persons that may precede the name of a field; data of a buyer or a user may be another person's. */
static const struct slice persons[] = { SLICE("attendee_"), SLICE("participant_"), SLICE("registrant_"), SLICE("subscriber_"),
	SLICE("contact_"), SLICE("customer_"), SLICE("lead_"), SLICE("member_"), SLICE("your_"), SLICE("teilnehmer_") };

static bool
find_usual(struct slice plain, struct column *column)
{
	for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
		if (slice_is_listed(plain, usual[i].names)) {
			*column = (struct column){ .field = usual[i].field,
				.name = usual[i].field == LEAD_CUSTOM ? usual[i].custom : SLICE_NONE };
			return true;
		}
	return false;
}

static bool
find_usual_of_person(struct slice plain, struct column *column)
{
	if (find_usual(plain, column))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(persons); i++)
		if (slice_starts_with(plain, persons[i]) && find_usual(slice_sub(plain, persons[i].size, plain.size), column))
			return column->field == LEAD_EMAIL || column->field == LEAD_PHONE || column->field == LEAD_CUSTOM ||
			       column->field == LEAD_CREATED;
	return false;
}

/* The visible part of a heading, with plain blanks. */
static struct slice
visible(struct pool *pool, struct slice heading)
{
	static const struct slice blanks[] = { SLICE("\xc2\xa0"), SLICE("\xef\xbb\xbf"), SLICE("\xe2\x80\x8b"),
		SLICE("\xe2\x80\xaf") };
	heading = utf8_sanitized(pool, heading);
	char *out = pool_bytes(pool, heading.size + 1);
	size_t size = 0;
	for (size_t at = 0; at < heading.size;) {
		size_t skipped = 0;
		for (size_t i = 0; i < ARRAY_SIZE(blanks) && skipped == 0; i++)
			if (slice_starts_with(slice_sub(heading, at, heading.size), blanks[i]))
				skipped = blanks[i].size;
		if (skipped == 0 || skipped == 2) /* U+00A0 */
			out[size++] = skipped == 2 || ascii_is_space(heading.data[at]) ? ' ' : heading.data[at];
		at += skipped > 0 ? skipped : 1;
	}
	return slice_trim((struct slice){ out, size });
}

/* A heading without the text in parentheses at its end: "Created" of "Created (UTC)". */
static struct slice
without_note(struct slice heading)
{
	return slice_ends_with(heading, SLICE(")")) ? slice_trim(slice_sub(heading, 0, slice_find_last(heading, '(')))
						    : heading;
}

/* Finds the field of a lead by the words of its name. */
static bool
find_by_words(struct pool *pool, struct slice plain, struct column *column)
{
	if (find_usual_of_person(plain, column))
		return true;
	*column = column_of(pool, plain);
	return column->field != LEAD_CUSTOM;
}

struct column
column_of_heading(struct pool *pool, struct slice heading)
{
	struct column column;
	struct slice member, base;
	heading = visible(pool, heading);
	const struct slice plain = plain_words(pool, heading);
	const bool is_own = slice_starts_with(heading, SLICE("_")) || custom_field_member(pool, heading, &member, &base);
	const bool is_known =
	    !is_own &&
	    (find_by_words(pool, plain, &column) ||
		(!consent_needs_meaning(plain) && find_by_words(pool, plain_words(pool, without_note(heading)), &column)));
	if (!is_known)
		column = column_of(pool, heading);
	if (slice_equal(plain, SLICE("referrer")))
		column.name = plain;
	column.is_guess = column.field == LEAD_CUSTOM && !is_own && !is_known;
	column.needs_meaning = column.is_guess && consent_needs_meaning(plain);
	column.may_be_state = column.is_guess && consent_may_be_state(plain);
	column.may_be_switch = column.is_guess && consent_may_be_switch(plain);
	return column;
}

struct column
column_mapped(struct pool *pool, struct slice word)
{
	return slice_equal(word, SLICE("-")) ? (struct column){ .field = LEAD_IGNORED } : column_of(pool, word);
}

enum value_meaning
column_rule(const struct column *column, struct slice value)
{
	for (size_t i = 0; i < column->rule_count; i++)
		if (slice_equal(column->rules[i].value, value))
			return column->rules[i].meaning;
	return MEANS_UNKNOWN;
}

enum value_meaning
column_meaning(struct pool *pool, const struct column *column, struct slice value)
{
	const struct slice plain = plain_words(pool, value);
	const enum value_meaning meaning = column_rule(column, plain);
	if (meaning != MEANS_UNKNOWN || plain.size == 0)
		return meaning;
	const enum value_meaning other = column_rule(column, SLICE(VALUE_OTHER));
	/* whoever gave all other values a meaning has not seen this one */
	const bool is_open = (other == MEANS_ACTIVE || other == MEANS_VERIFIED) && consent_state_refuses(plain);
	return is_open ? MEANS_UNKNOWN : other;
}

enum value_meaning
column_suggest_meaning(struct slice value, struct slice plain, enum consent_column kind)
{
	const enum value_meaning meaning = consent_suggested(time_is_none(value) ? SLICE("") : plain, kind);
	return meaning == MEANS_UNKNOWN && kind == COLUMN_OF_REFUSALS ? MEANS_OPTED_OUT : meaning;
}

struct slice
lead_field_name(enum lead_field field)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].field == field)
			return slice_sub(slice_of(names[i].names), 0, strcspn(names[i].names, " "));
	return SLICE("utm");
}
