/* SPDX-License-Identifier: MIT */
#include "transfer/times.h"

#include <stdio.h>
#include <string.h>

#include "os/clock.h"

enum { MONTHS = 12, CENTURY = 2000, SHORT_YEARS = 100, FIRST_SHORT_YEAR = 70, HALF_DAY = 12 };

/* How the names of each month begin, in lower case. */
static const char *const months[MONTHS] = { "jan ene jän", "feb fév fev", "mar mär mrz", "apr abr avr", "may mai", "juin jun",
	"juil jul", "aug ago aoû", "sep", "oct okt", "nov", "dec dez déc dic" };

static const char *const weekdays[] = { "mon", "tue", "wed", "thu", "fri", "sat", "sun" };

/* What was read so far, and the text that follows. */
struct reader {
	struct slice rest;
	unsigned year, month, day, hour, minute, second;
	char zone[sizeof("+00:00")];
};

static bool
take(struct reader *r, struct slice text)
{
	const bool found = slice_starts_with_nocase(r->rest, text);
	if (found)
		r->rest = slice_sub(r->rest, text.size, r->rest.size);
	return found;
}

static void
skip_blanks(struct reader *r)
{
	while (take(r, SLICE(" ")) || take(r, SLICE("\xc2\xa0")) || take(r, SLICE("\xe2\x80\xaf")))
		continue;
}

/* A number of at most this many digits; 0 digits: there is none. */
static size_t
take_number(struct reader *r, size_t digits, unsigned *number)
{
	size_t size = 0;
	*number = 0;
	while (size < r->rest.size && size < digits && ascii_is_digit(r->rest.data[size]))
		*number = *number * 10 + (unsigned)(r->rest.data[size++] - '0');
	r->rest = slice_sub(r->rest, size, r->rest.size);
	return size;
}

static void
skip_word(struct reader *r)
{
	while (r->rest.size > 0 && (ascii_is_alpha(r->rest.data[0]) || !is_ascii(r->rest.data[0]) || r->rest.data[0] == '.'))
		r->rest = slice_sub(r->rest, 1, r->rest.size);
}

static bool
take_month(struct reader *r)
{
	struct slice names, beginning;
	for (unsigned i = 0; i < MONTHS; i++)
		for (names = slice_of(months[i]); slice_next(&names, ' ', &beginning);)
			if (take(r, beginning)) {
				r->month = i + 1;
				skip_word(r);
				return true;
			}
	return false;
}

static bool
take_separator(struct reader *r, char *separator)
{
	skip_blanks(r);
	*separator = r->rest.size > 0 ? r->rest.data[0] : '\0';
	if (*separator != '.' && *separator != '/' && *separator != '-')
		return false;
	r->rest = slice_sub(r->rest, 1, r->rest.size);
	skip_blanks(r);
	return true;
}

static bool
take_year(struct reader *r)
{
	const size_t digits = take_number(r, 4, &r->year);
	if (digits == 2)
		r->year += r->year < FIRST_SHORT_YEAR ? CENTURY : CENTURY - SHORT_YEARS;
	return digits == 4 || digits == 2;
}

/* What follows a first number of a date: -03-01, /1/2024, " March 2024". */
static enum time_form
take_rest_of_date(struct reader *r, size_t digits, unsigned first, enum date_order order)
{
	char separator, other;
	unsigned second;
	if (digits == 4) {
		r->year = first;
		return take_separator(r, &separator) && take_number(r, 2, &r->month) > 0 && take_separator(r, &other) &&
			       other == separator && take_number(r, 2, &r->day) > 0
			   ? TIME_CLEAR
			   : TIME_BAD;
	}
	const bool separated = take_separator(r, &separator);
	r->day = first;
	if (take_month(r)) {
		(void)(take_separator(r, &other) || take(r, SLICE(",")));
		skip_blanks(r);
		return take_year(r) ? TIME_CLEAR : TIME_BAD;
	}
	if (!separated || take_number(r, 2, &second) == 0 || !take_separator(r, &other) || other != separator || !take_year(r))
		return TIME_BAD;
	r->month = second;
	if (separator == '.')
		return TIME_CLEAR;
	const bool day_first = second <= MONTHS, month_first = first <= MONTHS;
	if ((order == DATES_DAY_FIRST && !day_first) || (order == DATES_MONTH_FIRST && !month_first))
		return TIME_BAD;
	if (!day_first || (month_first && order == DATES_MONTH_FIRST)) {
		r->month = first;
		r->day = second;
	}
	if (first == second)
		return TIME_CLEAR;
	return day_first && month_first ? TIME_EITHER : day_first ? TIME_DAY_FIRST : TIME_MONTH_FIRST;
}

static enum time_form
take_date(struct reader *r, enum date_order order)
{
	unsigned first;
	for (size_t i = 0; i < ARRAY_SIZE(weekdays); i++)
		if (take(r, slice_of(weekdays[i]))) {
			skip_word(r);
			(void)take(r, SLICE(","));
			skip_blanks(r);
			break;
		}
	const size_t digits = take_number(r, 4, &first);
	if (digits > 0)
		return digits == 3 ? TIME_BAD : take_rest_of_date(r, digits, first, order);
	if (!take_month(r))
		return TIME_BAD;
	skip_blanks(r);
	if (take_number(r, 2, &r->day) == 0)
		return TIME_BAD;
	(void)take(r, SLICE(","));
	skip_blanks(r);
	return take_year(r) ? TIME_CLEAR : TIME_BAD;
}

/* AM and PM, with or without dots. */
static bool
take_half(struct reader *r)
{
	static const struct slice words[][2] = { { SLICE("am"), SLICE("pm") }, { SLICE("a.m."), SLICE("p.m.") },
		{ SLICE("a. m."), SLICE("p. m.") } };
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		for (size_t half = 0; half < 2; half++)
			if (take(r, words[i][half])) {
				if (r->hour == 0 || r->hour > HALF_DAY)
					return false;
				r->hour = r->hour % HALF_DAY + (half == 1 ? HALF_DAY : 0);
				return true;
			}
	return true;
}

/* Zones that exports name, with their hours. If one is the beginning of another, the longer one comes first. */
static const struct {
	const char *name, *offset;
} zones[] = { { "UTC", "Z" }, { "GMT", "Z" }, { "EST", "-05:00" }, { "EDT", "-04:00" }, { "CST", "-06:00" },
	{ "CDT", "-05:00" }, { "MST", "-07:00" }, { "MDT", "-06:00" }, { "PST", "-08:00" }, { "PDT", "-07:00" },
	{ "CEST", "+02:00" }, { "CET", "+01:00" }, { "MESZ", "+02:00" }, { "MEZ", "+01:00" }, { "EEST", "+03:00" },
	{ "EET", "+02:00" }, { "Z", "Z" } };

static bool
take_zone(struct reader *r)
{
	unsigned hours, minutes = 0;
	for (size_t i = 0; i < ARRAY_SIZE(zones); i++)
		if (take(r, slice_of(zones[i].name))) {
			snprintf(r->zone, sizeof(r->zone), "%s", zones[i].offset);
			break;
		}
	if (r->rest.size > 0 && (r->rest.data[0] == '+' || r->rest.data[0] == '-')) {
		const char sign = r->rest.data[0];
		r->rest = slice_sub(r->rest, 1, r->rest.size);
		if (take_number(r, 2, &hours) == 0)
			return false;
		(void)take(r, SLICE(":"));
		if (take_number(r, 2, &minutes) == 1)
			return false;
		snprintf(r->zone, sizeof(r->zone), "%c%02u:%02u", sign, hours % 100, minutes % 100);
	}
	skip_blanks(r);
	if (r->rest.size > 0 && r->rest.data[0] == '(') /* the name of the zone, as browsers write it */
		r->rest = slice_sub(r->rest, slice_find(r->rest, ')') + 1, r->rest.size);
	return true;
}

static bool
take_time(struct reader *r)
{
	(void)(take(r, SLICE(",")) || take(r, SLICE("T")));
	skip_blanks(r);
	(void)take(r, SLICE("at "));
	if (r->rest.size == 0)
		return true;
	if (take_number(r, 2, &r->hour) == 0 || (!take(r, SLICE(":")) && !take(r, SLICE("."))) ||
	    take_number(r, 2, &r->minute) != 2)
		return false;
	if (take(r, SLICE(":")) || take(r, SLICE("."))) {
		unsigned fraction;
		if (take_number(r, 2, &r->second) != 2)
			return false;
		if (take(r, SLICE(".")) || take(r, SLICE(",")))
			while (take_number(r, 1, &fraction) > 0)
				continue;
	}
	skip_blanks(r);
	if (!take_half(r))
		return false;
	skip_blanks(r);
	(void)take(r, SLICE("Uhr"));
	skip_blanks(r);
	return take_zone(r);
}

/* 1709285400, 1709285400000, 20240301, 20240301093000 */
static bool
read_digits(struct slice text, int64_t *ms)
{
	enum { DATE = 8, SECONDS = 10, MILLISECONDS = 13, WHOLE = 14, PER_SECOND = 1000 };
	uint64_t number;
	if (!slice_to_u64(text, INT64_MAX, &number))
		return false;
	if (text.size == SECONDS || text.size == MILLISECONDS) {
		*ms = (int64_t)number * (text.size == SECONDS ? PER_SECOND : 1);
		return *ms < CLOCK_END_MS;
	}
	if (text.size != DATE && text.size != WHOLE)
		return false;
	char time[CLOCK_RFC3339_SIZE];
	const char *d = text.data;
	const bool whole = text.size == WHOLE;
	snprintf(time, sizeof(time), "%.4s-%.2s-%.2sT%.2s:%.2s:%.2sZ", d, d + 4, d + 6, whole ? d + 8 : "00",
	    whole ? d + 10 : "00", whole ? d + 12 : "00");
	return clock_parse_rfc3339(slice_of(time), ms);
}

enum time_form
time_parse(struct slice text, enum date_order order, int64_t *ms)
{
	struct reader r = { .rest = slice_trim(text), .zone = "Z" };
	char time[2 * CLOCK_RFC3339_SIZE];
	if (clock_parse_rfc3339(r.rest, ms) || read_digits(r.rest, ms))
		return TIME_CLEAR;
	const enum time_form form = take_date(&r, order);
	if (form == TIME_BAD || !take_time(&r) || slice_trim(r.rest).size > 0)
		return TIME_BAD;
	snprintf(
	    time, sizeof(time), "%04u-%02u-%02uT%02u:%02u:%02u%s", r.year, r.month, r.day, r.hour, r.minute, r.second, r.zone);
	return clock_parse_rfc3339(slice_of(time), ms) ? form : TIME_BAD;
}

bool
time_is(struct slice text)
{
	int64_t ms;
	return time_parse(text, DATES_DAY_FIRST, &ms) != TIME_BAD || time_parse(text, DATES_MONTH_FIRST, &ms) != TIME_BAD;
}

bool
time_is_none(struct slice text)
{
	for (size_t i = 0; i < text.size; i++)
		if (memchr("0-:. TZ/", text.data[i], 8) == NULL)
			return false;
	return text.size > 1;
}
