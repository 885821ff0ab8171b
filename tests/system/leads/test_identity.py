# SPDX-License-Identifier: MIT
"""docs/api.md 4.2: which email addresses and phone numbers are valid, and when two of them are the same."""
import pytest

LOCAL_64 = "l" * 64
LABEL_63 = "d" * 63
# The longest address with a local part of one octet and the @: 254.
DOMAIN_252 = ".".join([LABEL_63, LABEL_63, LABEL_63, "d" * 57, "ee"])

VALID = ["a@example.org", "a.b+c_d-e@example.org", "!#$%&'*+/=?^_`{|}~-@example.org", f"{LOCAL_64}@example.org",
         f"a@{LABEL_63}.org", "a@1.2.example", "a@xn--mnchen-3ya.de", "grüße@example.org", "a@münchen.de", "用户@例子.公司",
         "A@EXAMPLE.ORG", "a@b.c1", f"a@{DOMAIN_252}"]
INVALID = ["a", "@example.org", "a@", "a@example", "a b@example.org", "a@exa mple.org", ".a@example.org", "a.@example.org",
           "a..b@example.org", f"{LOCAL_64}l@example.org", f"a@{LABEL_63}d.org", f"a@{'.'.join([LABEL_63] * 4)}.org",
           "a@example..org", "a@.example.org", "a@-example.org", "a@example-.org", "a@example.123",
           '"a"@example.org',
           "a@[127.0.0.1]", "a(comment)@example.org", "a@exa_mple.org",
           "a\u00a0b@example.org", "a\ue000b@example.org", "a\ufffeb@example.org", "a\u0085b@example.org", "a@\u2665.example",
           "a,b@example.org", "a b@example.org", f"aa@{DOMAIN_252}"]


@pytest.mark.parametrize("email", VALID)
def test_valid_addresses(campaign, email):
    """docs/api.md 4.2 Email syntax; the first spelling is stored"""
    assert campaign.lead(email=email)["email"] == email


@pytest.mark.parametrize("email", INVALID)
def test_invalid_addresses(campaign, email):
    """docs/api.md 4.2 Email syntax, 2 invalid_email"""
    response = campaign.post({"email": email})
    assert response.verdict == (406, "invalid_email")
    assert response.json["message"] == "Email is not valid"


# About 890 bytes: the longest possible address in U-labels.
LONGEST = "a@" + ".".join(["\U00010000" * 56] * 3 + ["\U00010000" * 50, "ee"])


@pytest.mark.parametrize("email, stored", [(LONGEST, LONGEST), ("a@m" + "\u00ad" * 1100 + "ail.example", "a@mail.example"),
                                           ("e\u0301" * 32 + "@example.org", "e\u0301" * 32 + "@example.org"),
                                           ("\u212a" * 64 + "@example.org", "K" * 64 + "@example.org")],
                         ids=["U-labels", "2200 bytes", "local part of 64 octets in NFC", "letters like those of ASCII"])
def test_the_longest_addresses(campaign, email, stored):
    """docs/api.md 4.2: every accepted address fits its column; characters that are removed do not count"""
    for key in (None, True):
        assert campaign.post({"email": email}, key=key).status == campaign.get({"email": email}, key=key).status == 200
    assert campaign.find(email=email)["email"] == stored


@pytest.mark.parametrize("typed", [
    "\u200bada.k@example.org", "ada.k\u200d@example.org", "ada.k@exam\u00adple.org", "\ufeffada.k@example.org",
    "\u202aada.k@example.org\u202c",
    "\u00a0ada.k@example.org", "ada.k@example.org\u3000", "ada.k@example.org\u2028", 
    "ａｄａ．ｋ＠ｅｘａｍｐｌｅ。ｏｒｇ", "mailto:ada.k@example.org?subject=Hello", "Ada King <ada.k@example.org>", '"King, Ada" <ada.k@example.org>',
    "ada.k@example.org,", "“ada.k@example.org”", "ada.k@example.org (Ada)",
    "ada.k@example.org <mailto:ada.k@example.org>", "'ada.k@example.org"])
def test_pasted_addresses(campaign, typed):
    """docs/api.md 4.2 Typed identifiers: all spellings are one lead, in JSON and forms, with and without a key, in look-ups and in bulk
    calls"""
    lead = campaign.lead(email="ada.k@example.org")
    assert campaign.lead(email=typed)["social_id"] == lead["social_id"]
    form = campaign.client.request("POST", campaign.path, form={"email": typed})
    assert form.status == 200 and form.json["social_id"] == lead["social_id"]
    assert campaign.find(email=typed)["email"] == "ada.k@example.org"
    assert campaign.stats()["total"] == 1
    eva = typed.replace("ada", "eva").replace("ａｄａ", "ｅｖａ")
    assert campaign.lead(email=eva)["email"] == "eva.k@example.org"


@pytest.mark.parametrize("typed", ["a@example.org, b@example.org", "a@example.org b@example.org", "A <a@example.org>; B <b@example.org>"])
def test_two_addresses(campaign, typed):
    """docs/api.md 4.2: a text with two addresses is invalid, because nothing is guessed"""
    answer = campaign.post({"email": typed})
    assert answer.verdict == (406, "invalid_email") and answer.json["message"] == "Email is not valid: it has more than one @"


@pytest.mark.parametrize("social_id", ["\u200b{}", "{}\u00a0", "\ufeff {} \u202c", "\u2068{}\u2069"])
@pytest.mark.parametrize("name", ["kid", "__kid", "social_id"])
def test_pasted_social_ids(campaign, name, social_id):
    """docs/api.md 4.2 Typed identifiers: the social id of the referrer"""
    ada = campaign.lead(email="ada@example.org")
    bob = campaign.lead(email="bob@example.org", **{name: social_id.format(ada["social_id"])})
    assert bob["parent_id"] == ada["social_id"]


def test_pasted_keys(campaign):
    """docs/api.md 4.2 Typed identifiers: API keys in a parameter and in a header"""
    ada = {"email": "ada@example.org"}
    for key in (f"\u00a0{campaign.key}", f"{campaign.key}\u200b", f"\ufeff{campaign.key}\n"):
        assert campaign.post({**ada, "api_key": key}, key=None).json["email"] == ada["email"]
        assert campaign.post(ada, key=None, headers={"Authorization": f"Bearer {key.strip()}".encode()}).json["email"] == ada["email"]


@pytest.mark.parametrize("first, second", [("Ada@Example.ORG", "ada@example.org"), ("a@münchen.de", "A@XN--MNCHEN-3YA.de"),
                                           ("gr\u00fc\u00dfe@example.org", "gru\u0308\u00dfe@example.org"),
                                           ("a@MÜNCHEN.de", "a@münchen.de")])
def test_spellings_of_one_address(campaign, first, second):
    """docs/api.md 4.2 Email identity: NFC, ASCII case, A-labels; the first spelling is stored"""
    created, updated = campaign.lead(email=first), campaign.lead(email=second)
    assert updated["social_id"] == created["social_id"] and updated["counter"] == 2
    assert updated["email"] == first


@pytest.mark.parametrize("first, second", [("a.b@example.org", "ab@example.org"), ("a+x@example.org", "a@example.org"),
                                           ("Ä@example.org", "ä@example.org"), ("a@faß.de", "a@fass.de")])
def test_different_addresses(campaign, first, second):
    """docs/api.md 4.2 Email identity: dots and plus tags count, case is ignored only for ASCII letters, IDNA is non-transitional"""
    assert campaign.lead(email=first)["social_id"] != campaign.lead(email=second)["social_id"]


PHONES = [
    ({"phone_number": "+14155552671"}, "+14155552671"), ({"phone_number": "+1 (415) 555-2671"}, "+14155552671"),
    ({"phone_number": "+1.415.555.2671"}, "+14155552671"), ({"phone_number": "4155552671", "country_code": "1"}, "+14155552671"),
    ({"phone_number": "4155552671", "country_code": "+1"}, "+14155552671"),
    ({"phone_number": "4155552671", "country_code": "US"}, "+14155552671"),
    ({"phone_number": "030 901820", "country_code": "DE"}, "+4930901820"),
    ({"phone_number": "30 901820", "country_code": 49}, "+4930901820"),
    ({"phone_number": "+14155552671", "country_code": "DE"}, "+14155552671"),
    ({"phone_number": "6112", "country_code": "6112"}, "+61126112"),
    *(({"phone_number": number, "country_code": "DE"}, "+491711234567") for number in (
        "\u202d+49 171 1234567\u202c", "0171/1234567", "+49\u00a0171\u00a01234567", "0049 171 1234567", "491711234567", 491711234567,
        "(0171) 123 45 67", "0171–1234567", "+49 (0)171 1234567", "tel:+49-171-1234567", "'+491711234567", "491711234567.0",
        "0171 1234567 ext. 5", "٠١٧١ ١٢٣٤٥٦٧", "＋４９１７１１２３４５６７")),
    ({"phone_number": "011 49 171 1234567", "country_code": "US"}, "+491711234567"),
    ({"phone_number": "00 49 171 1234567"}, "+491711234567"), ({"phone_number": "171 1234567", "country_code": "0049"}, "+491711234567"),
]


@pytest.mark.parametrize("fields, number", PHONES)
def test_valid_numbers(campaign, fields, number):
    """docs/api.md 4.2 Phone syntax and identity: E.164; the number's own prefix overrides country_code"""
    assert campaign.lead(**fields)["phone_number"] == number


@pytest.mark.parametrize("fields", [
    {"phone_number": "4155552671"}, {"phone_number": "+1415"}, {"phone_number": "+999123456789"}, {"phone_number": "+1415555267x"},
    {"phone_number": "+12345678901234567"}, {"phone_number": "hello"},
    *({"phone_number": "4155552671", "country_code": code} for code in ("ZZ", "U S", "-1", -1, "1.", "U1", "+")),
    {"phone_number": "+1415555;2671"}, {"phone_number": "0171 1234567"}, {"phone_number": "4.91711E+11", "country_code": "DE"},
    {"phone_number": "4921123456", "country_code": "DE"}, {"phone_number": "030 12345 / 12346", "country_code": "DE"}])
def test_invalid_numbers(campaign, fields):
    """docs/api.md 4.2 Phone syntax, 2 invalid_phone_number"""
    response = campaign.post(fields)
    assert response.verdict == (406, "invalid_phone_number")
    assert response.json["message"].startswith("Phone number is not valid")


def test_spellings_of_one_number(campaign):
    """docs/api.md 4.2 Phone identity"""
    social_ids = {campaign.lead(**fields)["social_id"] for fields, number in PHONES if number == "+14155552671"}
    assert len(social_ids) == 1
