/* SPDX-License-Identifier: MIT
 * A C interface of libphonenumber, the only C++ of the project.
 *
 * No exception is caught: only std::bad_alloc can be thrown, and out of memory ends the process, as everywhere. */
#include <cstdlib>
#include <cstring>
#include <string>

#include <phonenumbers/logger.h>
#include <phonenumbers/phonenumber.pb.h>
#include <phonenumbers/phonenumberutil.h>

#include "identity/phone_backend.h"

using i18n::phonenumbers::NullLogger;
using i18n::phonenumbers::PhoneNumber;
using i18n::phonenumbers::PhoneNumberUtil;

/* Disables its messages on standard output, which is reserved for answers. */
static const PhoneNumberUtil &
library()
{
	static PhoneNumberUtil *const instance = [] {
		PhoneNumberUtil *made = PhoneNumberUtil::GetInstance();
		made->SetLogger(new NullLogger);
		return made;
	}();
	return *instance;
}

/* "ZZ" is the unknown region: numbers that begin with '+' need none. */
static bool
parse(const std::string &international, PhoneNumber *number)
{
	return library().Parse(international, "ZZ", number) == PhoneNumberUtil::NO_PARSING_ERROR;
}

static bool
write_e164(const PhoneNumber &number, char *e164, size_t size)
{
	std::string text;
	library().Format(number, PhoneNumberUtil::E164, &text);
	if (text.size() >= size)
		return false;
	std::memcpy(e164, text.c_str(), text.size() + 1);
	return true;
}

/* Drops leading zeros that the plan has no place for, such as an obsolete or foreign trunk prefix: "0501 234 567" in PL. */
static void
drop_zeros(PhoneNumber *number)
{
	PhoneNumber without = *number;
	without.clear_italian_leading_zero();
	without.clear_number_of_leading_zeros();
	if (number->italian_leading_zero() && !library().IsValidNumber(*number) && library().IsValidNumber(without))
		*number = without;
}

/* Whether the number is possible, including its area code. */
static bool
is_possible(const PhoneNumber &number)
{
	return library().IsPossibleNumberWithReason(number) == PhoneNumberUtil::IS_POSSIBLE;
}

extern "C" void
phone_backend_load(void)
{
	/* any number will do: patterns are compiled at their first use */
	char e164[32];
	(void)phone_backend_normalise("+16502530000", e164, sizeof(e164));
}

extern "C" unsigned
phone_backend_calling_code(const char *region)
{
	return static_cast<unsigned>(library().GetCountryCodeForRegion(region));
}

extern "C" bool
phone_backend_is_calling_code(unsigned calling_code)
{
	std::string region;
	library().GetRegionCodeForCountryCode(static_cast<int>(calling_code), &region);
	return region != "ZZ";
}

extern "C" void
phone_backend_region(const char *calling_code, char region[3])
{
	std::string found;
	/* the rules of the United States apply to all countries with code 1, some of which are known by four digits */
	const int code = calling_code[0] == '1' ? 1 : std::atoi(calling_code);
	library().GetRegionCodeForCountryCode(code, &found);
	const bool known = found.size() == 2 && found != "ZZ";
	std::memcpy(region, known ? found.c_str() : "", known ? 3 : 1);
}

extern "C" bool
phone_backend_dialled(const char *region, const char *digits, char *international, size_t size)
{
	PhoneNumber number;
	if (library().ParseAndKeepRawInput(digits, region, &number) != PhoneNumberUtil::NO_PARSING_ERROR ||
	    number.country_code_source() != PhoneNumber::FROM_NUMBER_WITH_IDD)
		return false;
	return write_e164(number, international, size);
}

extern "C" bool
phone_backend_has_trunk(const char *region)
{
	std::string trunk;
	library().GetNddPrefixForRegion(region, true, &trunk);
	return !trunk.empty() && !library().IsNANPACountry(region);
}

extern "C" bool
phone_backend_drops_zero(const char *digits)
{
	(void)digits;
	return false;
}

extern "C" enum phone_fit
phone_backend_best(void)
{
	return PHONE_VALID;
}

extern "C" enum phone_fit
phone_backend_normalise(const char *international, char *e164, size_t size)
{
	PhoneNumber number;
	std::string text = international, typed;
	/* the stored form must parse to itself: after a trunk prefix that was entered twice, or a carrier prefix, there may be
	 * another one that the next parse would drop */
	do {
		typed = text;
		if (!parse(typed, &number))
			return PHONE_UNFIT;
		drop_zeros(&number);
		if (!is_possible(number))
			return PHONE_UNFIT;
		library().Format(number, PhoneNumberUtil::E164, &text);
	} while (text != typed);
	if (!write_e164(number, e164, size))
		return PHONE_UNFIT;
	return library().IsValidNumber(number) ? PHONE_VALID : PHONE_POSSIBLE;
}

extern "C" enum phone_kind
phone_backend_kind(const char *e164)
{
	PhoneNumber number;
	if (!parse(e164, &number))
		return PHONE_OTHER;
	switch (library().GetNumberType(number)) {
	case PhoneNumberUtil::MOBILE:
	case PhoneNumberUtil::FIXED_LINE_OR_MOBILE:
		return PHONE_MAY_BE_MOBILE;
	case PhoneNumberUtil::PREMIUM_RATE:
	case PhoneNumberUtil::SHARED_COST:
		return PHONE_SPECIAL_RATE;
	default:
		return PHONE_OTHER;
	}
}
