/* SPDX-License-Identifier: MIT
 * The words that mail servers use for a person that does not exist (docs/mail.md 5.1).
 *
 * Phrases are separated by bars. They are found at the beginning of a word, in lower case and without punctuation; a phrase
 * that ends with a blank must match the whole word. In an answer, each non-ASCII letter is a question mark.
 *
 * Anything that is in none of these tables may be a reason of any kind, and an answer with it is not held against the person:
 * words that servers also use when they refuse a sender, a host, a time or a rule do not belong here. */
#pragma once

extern const char person_names[];       /* what a person is called */
extern const char person_absences[];    /* words that mean "does not exist" */
extern const char person_sayings[];     /* phrases that express both */
extern const char person_unavailable[]; /* the standard's text of 550, which stands for any reason */
extern const char person_phrases[];     /* phrases that accompany these; some also have words with another meaning */
extern const char person_neutral[];     /* words that accompany these */
