/* SPDX-License-Identifier: MIT */
#include "shell/shell_options.h"

/* clang-format off */
const struct shell_option shell_options[] = {
	{ "config", "FILE", "read this configuration file" },
	{ "check-config", NULL, "check the configuration and do nothing else" },
	{ "json", NULL, "print the result as JSON" },
	{ "help", NULL, "print this help or that of a command; also -h, or the word help" },
	{ "version", NULL, "print the version" },
	{ "dry-run", NULL, "only show what would be done; of a file, only read it" },
	{ "id", "N", "the id that the campaign gets" },
	{ "name", "NAME", "name of the key or user; only leads with a name that begins with these words" },
	{ "role", "operator|owner|editor|viewer", "what the user may do" },
	{ "account", "ID", "the account of the user; only of this account" },
	{ "user", "ID", "only changes by this user" },
	{ "totp", NULL, "remove the second factor, too" },
	{ "rights", "LIST", "what the key may do; without it, all but manage the account" },
	{ "campaigns", "LIST", "only on these campaigns" },
	{ "expires", "TIME", "the key ends then" },
	{ "language", "CODE", "the texts of one language; without it, of every language" },
	{ "format", "NAME", "of deliveries: json or form; of an export: csv or ndjson" },
	{ "source", "TEXT", "stored with the webhook; of an inbound one, the source of its leads; only leads of this source" },
	{ "webhook", "ID", "only of this webhook" },
	{ "lead", "SOCIAL_ID", "only of this lead" },
	{ "event", "EVENT", "only of this event" },
	{ "state", "STATE", "only pending, delivered or failed deliveries; only created, updated or refused calls; only mails in this state" },
	{ "since", "TIME", "only from this time on" },
	{ "until", "TIME", "only before this time" },
	{ "by", "hour|day", "what a row of the statistics counts" },
	{ "limit", "N", "at most this many" },
	{ "deep", NULL, "recount everything; may take minutes" },
	{ "restored", NULL, "after a restore of the database: skip ids that may have been given since the backup" },
	{ "points", "N", "points that it adds to a score" },
	{ "description", "TEXT", "description of the tag" },
	{ "tag", "ID", "the tag that leads have or get, or that completes the action" },
	{ "required-points", "N", "the score at which the level is reached" },
	{ "public", NULL, "the action can be completed without a key" },
	{ "link", "URL", "where the action leads, such as your page elsewhere" },
	{ "emailed", NULL, "the reward is sent by email" },
	{ "email", "ADDRESS", "the lead with this email address" },
	{ "phone", "NUMBER", "the lead with this phone number" },
	{ "social-id", "ID", "the lead with this social_id" },
	{ "verified", "yes|no", "only verified leads, or only the others" },
	{ "waitlisted", "yes|no", "only leads on the waitlist, or only the others" },
	{ "fraudulent", "yes|no", "only fraudulent leads, or only the others" },
	{ "opted-out", "yes|no", "only leads that opted out, or only the others" },
	{ "after", "PLACE", "go on after this place, which the part of the list before has named; of leads by sign-up, a sign-up number" },
	{ "newest", NULL, "the latest sign-up first" },
	{ "order", "score", "the highest score first, then by sign-up" },
	{ "referred-by", "SOCIAL_ID", "only leads that this lead has referred directly" },
	{ "status", "1xx|2xx|3xx|4xx|5xx|error", "only where the last attempt got such an answer, or none" },
	{ "message", "TEXT", "stored with the points" },
	{ "now", NULL, "the old URL ends at once" },
	{ "map", "NAME=VALUE", "COLUMN=FIELD of a file, or PARAMETER=PATH of a payload; repeatable" },
	{ "delimiter", "C", "what separates the columns of CSV: a character, or tab" },
	{ "encoding", "NAME", "encoding of the file, as UTF-8 or windows-1252; without it, it is detected" },
	{ "heading", "LINE", "the line with the names of the columns" },
	{ "set", "NAME=VALUE", "what all rows have: opted_out, verified, tag, country, source or another field; repeatable" },
	{ "value", "COLUMN:VALUE=MEANING", "what a value of a column about consent means; repeatable" },
	{ "dates", "day-first|month-first", "what 3/1/2024 means" },
	{ "strict", NULL, "reject rows with a phone number that is not valid, also beside an email address" },
	{ "make-tags", NULL, "make the tags that the campaign does not have" },
	{ "add-tags", NULL, "give leads that exist the tags that they lack" },
	{ "look", NULL, "only show how the file is read" },
	{ "file-name", "NAME", "the name of a file that is read from elsewhere" },
	{ "base64", NULL, "the records are bytes of the file in Base64" },
	{ "more", NULL, "the file goes on after these records" },
	{ "first-line", "N", "the line of the file at which the records after the heading begin" },
	{ "last-number", "N", "the largest sign-up number of the whole that the file is a part of" },
	{ "rejects", "FILE", "write the rows that are not imported to this file" },
	{ "drop-unknown-referrers", NULL, "import leads without their referrers where these do not exist" },
	{ "events", NULL, "make the events of a sign-up" },
	{ "file", "FILE", "the new list" },
	{ "campaign", "ID", "only of this campaign" },
	{ "kind", "KIND", "only of this kind" },
	{ "content", NULL, "show the mail as it is sent" },
	{ "html", "FILE", "write the HTML of the mail to this file" },
	{ "forget", NULL, "imports may bring the person back" },
	{ "yes", NULL, "do it; without it, show what would be deleted" },
	{ "web-server", "apache|lighttpd|nginx|none", "the web server whose file is enabled" },
	{ "base-url", "URL", "the address of the service, as visitors see it" },
	{ "database-host", "HOST", "the database server, if it is another host" },
	{ "database-name", "NAME", "the database" },
	{ "database-user", "NAME", "its account" },
	{ "database-password-file", "FILE", "the password of that account is the first line of this file" },
	{ "account-name", "NAME", "name of the first account" },
	{ "campaign-name", "NAME", "name of the first campaign" },
	{ "protect-leads", "yes|no", "in it no one sees or changes a lead by its address without a key" },
	{ "url", "URL", "the address of the service; without it server.base_url" },
	{ "web-config", "FILE", "the file of the web server with the settings of the service" },
	{ "address", "ADDRESS", "the mail goes to this address" },
	{ "access-log", "FILE", "the log of the web server" },
	{ "queue", NULL, "leave it to the dispatcher, and show the job" },
	{ "integrity", NULL, "browsers run only this version of the script" },
	{ "markup", NULL, "also the form written out, as it is now" },
};
/* clang-format on */

const size_t shell_option_count = ARRAY_SIZE(shell_options);

bool
shell_option_find(struct slice name, size_t *option)
{
	for (*option = 0; *option < shell_option_count; ++*option)
		if (slice_equal(name, slice_of(shell_options[*option].name)))
			return true;
	return false;
}

/* Names of options have "-" where those of parameters have "_". */
static bool
is_name_of(const char *parameter, const char *option)
{
	while (*parameter != '\0' && (*parameter == *option || (*parameter == '_' && *option == '-'))) {
		parameter++;
		option++;
	}
	return *parameter == *option;
}

const struct parameter *
shell_option_parameter(const struct operation *operation, size_t option)
{
	for (size_t i = 0; i < operation->parameter_count; i++) {
		const struct parameter *parameter = &operation->parameters[i];
		if ((parameter->flags & PARAMETER_OPERAND) == 0 && is_name_of(parameter->name, shell_options[option].name))
			return parameter;
	}
	return NULL;
}

bool
shell_option_fits(const struct operation *operation, size_t option)
{
	if (option < GENERAL_OPTIONS)
		return option != OPTION_JSON || operation == NULL || operation->shape != OUTPUT_NONE;
	return operation != NULL && shell_option_parameter(operation, option) != NULL;
}
