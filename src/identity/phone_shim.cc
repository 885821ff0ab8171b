/* SPDX-License-Identifier: MIT
 * A C interface of libphonenumber, the only C++ of the project.
 *
 * No exception is caught: only std::bad_alloc can be thrown, and out of memory ends the process, as everywhere. */
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

extern "C" bool
phone_backend_normalise(const char *international, char *e164, size_t size)
{
	PhoneNumber number;
	std::string text = international, typed;
	/* the stored form must parse to itself: after a trunk prefix that was entered twice, or a carrier prefix, there may be
	 * another one that the next parse would drop */
	do {
		typed = text;
		if (!parse(typed, &number) || !library().IsPossibleNumber(number))
			return false;
		library().Format(number, PhoneNumberUtil::E164, &text);
	} while (text != typed);
	if (text.size() >= size)
		return false;
	std::memcpy(e164, text.c_str(), text.size() + 1);
	return true;
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
