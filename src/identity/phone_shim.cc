/* SPDX-License-Identifier: MIT
 * libphonenumber for C. The only C++ here: nothing but calls.
 *
 * Nothing catches: what may be thrown is only want of memory, which ends the process, as everywhere. */
#include <cstring>
#include <string>

#include <phonenumbers/logger.h>
#include <phonenumbers/phonenumber.pb.h>
#include <phonenumbers/phonenumberutil.h>

#include "identity/phone_backend.h"

using i18n::phonenumbers::NullLogger;
using i18n::phonenumbers::PhoneNumber;
using i18n::phonenumbers::PhoneNumberUtil;

/* Its messages would go to standard output, which belongs to our answers. */
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

/* "ZZ": the region of numbers that need none, for they begin with '+'. */
static bool
parse(const std::string &international, PhoneNumber *number)
{
	return library().Parse(international, "ZZ", number) == PhoneNumberUtil::NO_PARSING_ERROR;
}

extern "C" void
phone_backend_load(void)
{
	/* any number: patterns are compiled when they are first used */
	char e164[32];
	(void)phone_backend_normalise("+16502530000", e164, sizeof(e164));
}

extern "C" unsigned
phone_backend_calling_code(const char *region)
{
	return static_cast<unsigned>(library().GetCountryCodeForRegion(region));
}

extern "C" bool
phone_backend_normalise(const char *international, char *e164, size_t size)
{
	PhoneNumber number;
	std::string text = international, typed;
	/* what is stored must read as itself: behind a trunk prefix that was typed twice, or one of a carrier, stands another
	 * that the next reading would drop */
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
