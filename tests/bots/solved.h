/* SPDX-License-Identifier: MIT
 * A challenge and its solution. ALTCHA's own library (altcha-lib 2.8.0, solveChallenge) has made the signature and the
 * solution, and accepts them. */
#pragma once

#include "bots/challenge.h"

#define SOLVED_SECRET SLICE("a secret of the installation")
enum { SOLVED_CAMPAIGN = 7 };
#define SOLVED_EXPIRES_S INT64_C(4102444800) /* 2100-01-01 */

#define SOLVED_PARAMETERS                                                                                  \
	"{\"algorithm\":\"PBKDF2/"                                                                         \
	"SHA-256\",\"cost\":1000,\"data\":{\"campaign\":\"7\"},\"expiresAt\":4102444800,\"keyLength\":32," \
	"\"keyPrefix\":\"000\",\"nonce\":\"000102030405060708090a0b0c0d0e0f\",\"salt\":\"f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff\"}"
#define SOLVED_CHALLENGE                     \
	"{\"parameters\":" SOLVED_PARAMETERS \
	",\"signature\":\"b19ddd6b49b77886e16bca4f0eee29e2bc03f7c17fa54cf299f9c36f80deb4d8\"}"
#define SOLVED_SOLUTION \
	"{\"counter\":939,\"derivedKey\":\"000e288b686ccf7ee54c8d1d8872dd4b6d5dfe8d457454a2a40a783d9f2bbe36\",\"time\":239.7}"
#define SOLVED "{\"challenge\":" SOLVED_CHALLENGE ",\"solution\":" SOLVED_SOLUTION "}"

static inline struct challenge
solved_challenge(void)
{
	struct challenge challenge = { SOLVED_CAMPAIGN, { .cost = 1000, .digits = 3 }, SOLVED_EXPIRES_S, { 0 }, { 0 } };
	for (unsigned char i = 0; i < CHALLENGE_NONCE_SIZE; i++) {
		challenge.nonce[i] = i;
		challenge.salt[i] = (unsigned char)(0xf0 + i);
	}
	return challenge;
}
