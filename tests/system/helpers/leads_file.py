# SPDX-License-Identifier: MIT
"""Files of leads to import, with old social ids of several lengths and chains of referrers."""
import csv
import random

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
HEADING = ["email", "social_id", "referrer", "created", "subscription_number", "verified_email", "points", "first_name", "utm_source"]
LENGTHS = (4, 5, 6, 6, 7, 10, 11, 16)
FIRST_LETTERS = "GHJKMNPQRSTVWXYZ"


def make_leads(count, seed, referred=0.6, numbered=True, points=True):
    """Return rows as mappings, in the order of sign-up; referrers come before the leads that they refer. The first letter of the
    social ids depends on the seed, because an id belongs to only one lead in the installation."""
    chance = random.Random(seed)
    first = FIRST_LETTERS[seed % len(FIRST_LETTERS)]
    ids = []
    taken = set()
    while len(ids) < count:
        one = first + "".join(chance.choices(ALPHABET, k=chance.choice(LENGTHS) - 1))
        if one not in taken:
            taken.add(one)
            ids.append(one)
    rows = []
    for number, social_id in enumerate(ids, 1):
        referrer = ids[max(0, number - 2 - chance.randrange(50))] if number > 1 and chance.random() < referred else ""
        rows.append({"email": f"Lead{number}.{seed}@Example.org", "social_id": social_id, "referrer": referrer,
                     "created": f"2025-{1 + number % 12:02}-{1 + number % 28:02}T10:00:00Z",
                     "subscription_number": 2 * number if numbered else "", "verified_email": chance.choice(["true", ""]),
                     "points": chance.randrange(40) if points else "", "first_name": f"Name {number}", "utm_source": "old"})
    return rows


def write_csv(path, rows, heading=HEADING, **options):
    with open(path, "w", newline="", encoding=options.pop("encoding", "utf-8")) as file:
        writer = csv.DictWriter(file, heading, extrasaction="ignore", **options)
        writer.writeheader()
        writer.writerows(rows)
    return path


def ancestors(rows):
    """Return the chain of each lead's referrers, nearest first, at most 16, by social id."""
    of = {row["social_id"]: row["referrer"] for row in rows}
    chains = {}
    for social_id in of:
        chain, at = [], of[social_id]
        while at and len(chain) < 16:
            chain.append(at)
            at = of[at]
        chains[social_id] = chain
    return chains
