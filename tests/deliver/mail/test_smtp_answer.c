/* SPDX-License-Identifier: MIT
 * docs/mail.md 5.1: each answer of answers.txt, unchanged, in upper and lower case, with other line breaks, without its codes
 * and with a wrong code. However it is changed, an answer that is not about the person is never held against the person.
 * Modules: deliver/mail/judge. */
#include "unit.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deliver/mail/mail_judge.h"
#include "engine/message.h"
#include "os/log.h"

enum { LINES_MAX = 8, LINE_BYTES = 400, ANSWERS_MAX = 400 };

struct told {
	char stage[16], verdict[16], reason[32];
	size_t count;
	char lines[LINES_MAX][LINE_BYTES];
};

static struct told answers[ANSWERS_MAX];
static size_t answer_count;

static const char *const recipients[] = { "nora@example.org", "Spam.Policy+relay@sender-blocked.example",
	"unknown@verify.example" };
static const char sender[] = "hello@quickstart.example";

static int
read_answers(void **state UNUSED)
{
	char path[1024], line[LINE_BYTES];
	const char *top = getenv("top_srcdir");
	snprintf(path, sizeof(path), "%s/tests/deliver/mail/answers.txt", top == NULL ? "." : top);
	FILE *file = fopen(path, "r");
	if (file == NULL)
		return 1;
	bool in_answer = false;
	while (fgets(line, sizeof(line), file) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (*line == '#' || *line == '\0') {
			in_answer = false;
		} else if (!in_answer) {
			struct told *told = &answers[answer_count++];
			in_answer = sscanf(line, "%15s %15s %31s", told->stage, told->verdict, told->reason) == 3;
		} else {
			struct told *told = &answers[answer_count - 1];
			snprintf(told->lines[told->count++], LINE_BYTES, "%s", line);
		}
	}
	return fclose(file);
}

static enum smtp_stage
stage_of(const char *name)
{
	static const char *const names[SMTP_STAGES] = { [SMTP_CONNECTING] = "CONNECT",
		[SMTP_SENDER] = "SENDER",
		[SMTP_RECIPIENT] = "RCPT",
		[SMTP_DATA] = "DATA",
		[SMTP_END] = "DATAEND" };
	for (size_t i = 0; i < SMTP_STAGES; i++)
		if (strcmp(names[i], name) == 0)
			return (enum smtp_stage)i;
	fail_msg("%s is no stage", name);
	return SMTP_STAGES;
}

static const char *
verdict_of(const struct mail_judgement *judgement)
{
	static const char *const names[] = { [MAIL_RETRY] = "retry", [MAIL_FAIL] = "failed", [MAIL_HOLD] = "hold" };
	return judgement->bounced ? "person" : names[judgement->verdict];
}

/* Appends the text with the addresses in it, as the connection does. */
static void
append(struct smtp_result *result, const char *text)
{
	size_t used = strlen(result->answer);
	while (*text != '\0' && used + 100 < sizeof(result->answer)) {
		const char *address = strncmp(text, "{to}", 4) == 0 ? result->recipient : NULL;
		address = strncmp(text, "{from}", 6) == 0 ? result->sender : address;
		const bool is_local = strncmp(text, "{local}", 7) == 0;
		if (is_local || address != NULL) {
			address = is_local ? result->recipient : address;
			const int size = (int)strcspn(address, is_local ? "@" : "");
			used += (size_t)snprintf(result->answer + used, 100, "%.*s", size, address);
			text = strchr(text, '}') + 1;
		} else {
			result->answer[used++] = *text >= ' ' && *text <= '~' ? *text : '?';
			text++;
		}
	}
	result->answer[used] = '\0';
}

static bool
is_code(const char *word)
{
	unsigned class, subject, detail;
	int size = 0;
	return sscanf(word, "%1u.%3u.%3u%n", &class, &subject, &detail, &size) == 3 && word[size] == '\0';
}

enum change { AS_IT_IS, UPPER, LOWER, ONE_LINE, WORD_BY_WORD, BACKWARDS, WITHOUT_CODE, WRONG_CODE, CHANGES };

/* The words of a line after its status. */
static void
add_words(struct smtp_result *result, const char *line, enum change change)
{
	char copy[LINE_BYTES], *rest = copy;
	snprintf(copy, sizeof(copy), "%s", line + 4);
	for (char *word; (word = strsep(&rest, " ")) != NULL;) {
		if (*word == '\0' || (is_code(word) && (change == WITHOUT_CODE || change == WRONG_CODE)))
			continue;
		if (change == WORD_BY_WORD) {
			append(result, " ");
			append(result, (char[]){ line[0], line[1], line[2], '-', '\0' });
		} else {
			append(result, " ");
		}
		append(result, word);
	}
}

static struct mail_judgement
judge(const struct told *told, const char *recipient, enum change change)
{
	static struct smtp_result result;
	result = (struct smtp_result){
		.end = SMTP_REFUSED, .stage = stage_of(told->stage), .sender = sender, .recipient = recipient
	};
	result.status = atoi(told->lines[0]);
	for (size_t i = 0; i < told->count; i++) {
		const char *line = told->lines[change == BACKWARDS ? told->count - 1 - i : i];
		if (change == AS_IT_IS || change == UPPER || change == LOWER || change == BACKWARDS) {
			append(&result, i == 0 ? "" : " ");
			append(&result, line);
			continue;
		}
		if (change != WORD_BY_WORD && (i == 0 || change != ONE_LINE)) {
			append(&result, i == 0 ? "" : " ");
			append(&result, (char[]){ line[0], line[1], line[2], ' ', '\0' });
		}
		if (change == WRONG_CODE)
			append(&result, " 5.1.1");
		add_words(&result, line, change);
	}
	for (char *c = result.answer; *c != '\0' && (change == UPPER || change == LOWER); c++)
		*c = (char)(change == UPPER ? toupper(*c) : tolower(*c));
	return mail_judge(&result);
}

static void
each_has_its_verdict(void **state UNUSED)
{
	unsigned wrong = 0;
	assert_true(answer_count >= 100);
	for (size_t i = 0; i < answer_count; i++)
		for (size_t to = 0; to < ARRAY_SIZE(recipients); to++)
			for (enum change change = AS_IT_IS; change <= WORD_BY_WORD; change++) {
				const struct told *told = &answers[i];
				const struct mail_judgement judgement = judge(told, recipients[to], change);
				if (strcmp(verdict_of(&judgement), told->verdict) == 0 &&
				    strcmp(judgement.reason, told->reason) == 0)
					continue;
				print_error("%s, to %s, change %d: %s %s\n", told->lines[0], recipients[to], change,
				    verdict_of(&judgement), judgement.reason);
				wrong++;
			}
	assert_int_equal(wrong, 0);
}

static void
nothing_else_is_held_against_a_person(void **state UNUSED)
{
	unsigned wrong = 0;
	for (size_t i = 0; i < answer_count; i++)
		for (size_t to = 0; to < ARRAY_SIZE(recipients); to++)
			for (enum change change = AS_IT_IS; change < CHANGES; change++) {
				const struct told *told = &answers[i];
				/* if the words have no meaning, the code decides */
				if (strcmp(told->verdict, "person") == 0 ||
				    (change == WRONG_CODE && strcmp(told->reason, "refused") == 0))
					continue;
				const struct mail_judgement judgement = judge(told, recipients[to], change);
				if (judgement.bounced)
					print_error("%s, to %s, change %d\n", told->lines[0], recipients[to], change);
				wrong += judgement.bounced ? 1 : 0;
			}
	assert_int_equal(wrong, 0);
}

/* Anything may follow the stored part of an answer. */
static void
an_answer_that_is_cut_is_not_held_against_a_person(void **state UNUSED)
{
	static struct smtp_result result;
	result = (struct smtp_result){
		.end = SMTP_REFUSED, .stage = SMTP_RECIPIENT, .status = 550, .sender = sender, .recipient = recipients[0]
	};
	snprintf(result.answer, sizeof(result.answer), "550 5.1.1 no such user");
	assert_true(mail_judge(&result).bounced);
	memset(result.answer + strlen(result.answer), ' ', sizeof(result.answer) - 1 - strlen(result.answer));
	assert_false(mail_judge(&result).bounced);
}

/* Without a blank, the words around the full stop look like the name of a host. */
static void
a_sentence_without_a_blank_after_it_is_read(void **state UNUSED)
{
	struct told told = {
		.stage = "RCPT", .count = 1, .lines = { "550 5.1.1 Recipient rejected, spam.Please ask the postmaster" }
	};
	assert_string_equal(judge(&told, recipients[0], AS_IT_IS).reason, "policy");
	strcpy(told.lines[0], "550 5.1.1 Unknown user at spam.receiver.example");
	assert_true(judge(&told, recipients[0], AS_IT_IS).bounced);
}

/* A hold has a hint for the operator, and so does every failure that is retried until an operator does something. */
static void
holds_have_hints(void **state UNUSED)
{
	for (size_t i = 0; i < answer_count; i++) {
		const bool held = strcmp(answers[i].verdict, "hold") == 0;
		if (held && message_hint(slice_of(answers[i].reason)) == NULL)
			fail_msg("%s has no hint", answers[i].reason);
	}
	assert_non_null(message_hint(slice_of("policy")));
	assert_null(message_hint(slice_of("refused_for_now")));
	assert_null(message_hint(slice_of("mailbox_full")));
	assert_null(message_hint(slice_of("no_such_person")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_its_verdict),
		cmocka_unit_test(nothing_else_is_held_against_a_person),
		cmocka_unit_test(an_answer_that_is_cut_is_not_held_against_a_person),
		cmocka_unit_test(a_sentence_without_a_blank_after_it_is_read),
		cmocka_unit_test(holds_have_hints),
	};
	return cmocka_run_group_tests(tests, read_answers, NULL);
}
