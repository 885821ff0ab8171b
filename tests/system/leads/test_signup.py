# SPDX-License-Identifier: MIT
"""docs/api.md 4.1 (create or update), 4.3 (matching), 4.4 (fields), 6 (ended campaigns)."""
import datetime
import urllib.parse

import pytest
from payload import check_payload
from stack.process import wait_until

ADA = {"email": "ada@example.org"}
PHONE = "+14155552671"
OTHER_PHONE = "+14155552672"


@pytest.mark.smoke
def test_create(campaign):
    """docs/api.md 4.1, 4.5: with a key, the answer is the full view"""
    lead = check_payload(campaign.lead(**ADA, first_name="Ada", last_name="Lovelace"))
    assert lead["campaign_id"] == campaign.id
    assert (lead["rank"], lead["counter"], lead["lead_count"]) == (1, 1, 1)
    assert lead["custom_fields"] == {"first_name": "Ada", "last_name": "Lovelace"}
    assert (lead["verified"], lead["waitlisted"], lead["opted_out"], lead["sms_opted_out"], lead["fraudulent"]) == (False,) * 5


@pytest.mark.smoke
def test_update(campaign):
    """docs/api.md 4.3 rule 1: the same lead, with a higher counter"""
    first = campaign.lead(**ADA)
    second = check_payload(campaign.lead(**ADA))
    assert (second["id"], second["social_id"], second["rank"], second["when"]) == \
        (first["id"], first["social_id"], first["rank"], first["when"])
    assert second["counter"] == 2 and second["lead_count"] == 1


def test_ranks_are_dense(campaign):
    """docs/api.md 4.5 rank, lead_count"""
    leads = [campaign.lead(email=f"{n}@example.org") for n in range(5)]
    assert [lead["rank"] for lead in leads] == [1, 2, 3, 4, 5]
    assert [lead["lead_count"] for lead in leads] == [1, 2, 3, 4, 5]


def test_campaigns_do_not_share_leads(service, account, campaign):
    """docs/api.md 4.3: leads match only within their campaign; social ids are unique in the installation"""
    other = service.campaign(account)
    assert campaign.lead(**ADA)["social_id"] != other.lead(**ADA)["social_id"]


# --- matching (docs/api.md 4.3) ---

def test_by_phone(campaign):
    """docs/api.md 4.3 rules 1, 2 and 4: a phone number alone matches; a missing email address is added, with and without a key"""
    for key, number, email in ((True, PHONE, "a@example.org"), (None, OTHER_PHONE, "b@example.org")):
        lead = campaign.lead(phone_number=number)
        assert lead["email"] is None
        assert campaign.post({"phone_number": number, "email": email}, key=key).status == 200
        assert campaign.find(email=email)["social_id"] == lead["social_id"]


def test_a_missing_phone_is_added(campaign):
    """docs/api.md 4.3 rule 4: a missing phone number is added"""
    lead = campaign.lead(**ADA)
    assert campaign.post({**ADA, "phone_number": PHONE}, key=None).status == 200
    found = campaign.find(phone_number=PHONE)
    assert (found["social_id"], found["phone_number"]) == (lead["social_id"], PHONE)


def test_email_and_phone_of_two_leads(campaign):
    """docs/api.md 4.3 rule 1, 2 conflicting_identifiers; nothing changes"""
    campaign.lead(**ADA)
    campaign.lead(phone_number=PHONE)
    response = campaign.post({**ADA, "phone_number": PHONE, "color": "red"})
    assert response.verdict == (422, "conflicting_identifiers")
    assert response.json["message"] == "Email and phone number belong to different leads"
    lead = campaign.find(**ADA)
    assert (lead["counter"], lead["custom_fields"], lead["phone_number"]) == (1, {}, None)


def test_a_number_that_someone_entered(campaign):
    """docs/api.md 4.3 rule 1: without a key, the lead of the email address signs up, even if the number was entered alone before; the lead
    of the number does not change"""
    campaign.lead(**ADA)
    campaign.post({"phone_number": PHONE}, key=None)
    assert campaign.post({**ADA, "phone_number": PHONE, "plan": "pro"}, key=None).status == 200
    lead, other = campaign.find(**ADA), campaign.find(phone_number=PHONE)
    assert (lead["counter"], lead["custom_fields"], lead["phone_number"]) == (2, {"plan": "pro"}, None)
    assert (other["counter"], other["custom_fields"], other["email"]) == (1, {}, None)


def test_calls_without_a_key_replace_nothing(campaign):
    """docs/api.md 4.3 rule 4: such calls replace no identifier"""
    campaign.lead(**ADA, phone_number=PHONE)
    assert campaign.post({**ADA, "phone_number": OTHER_PHONE}, key=None).status == 200
    assert campaign.find(**ADA)["phone_number"] == PHONE
    assert campaign.post({"email": "eve@example.org", "phone_number": PHONE}, key=None).status == 200
    assert campaign.find(phone_number=PHONE)["email"] == ADA["email"]


def test_sign_up_does_not_go_to_another_lead(campaign):
    """docs/api.md 4.3 rule 1: if the number is another lead's, without a key the email address alone decides; with a key, the answer is
    422"""
    eve = {"email": "eve@example.org"}
    planted = campaign.post({**eve, "phone_number": PHONE, "redirect_url": "https://evil.example/"}, key=None).json
    for counter in (1, 2):
        answer = check_payload(campaign.post({**ADA, "phone_number": PHONE, "color": "red"}, key=None).json, "public")
        assert answer["social_id"] != planted["social_id"] and answer["redirect_url"] is None
        assert (answer["rank"], answer["counter"], answer["display_name"]) == (2, counter, "a***")
    ada = campaign.find(**ADA)
    assert (ada["social_id"], ada["phone_number"], ada["custom_fields"]) == (answer["social_id"], None, {"color": "red"})
    lead = campaign.find(phone_number=PHONE)
    assert (lead["social_id"], lead["email"], lead["counter"], lead["custom_fields"]) == \
        (planted["social_id"], eve["email"], 1, {})
    assert campaign.post({**ADA, "phone_number": PHONE}).verdict == (422, "conflicting_identifiers")
    absent = {"email": "new@example.org", "phone_number": PHONE, "must_exist": True}
    assert campaign.post(absent, key=None).verdict == (404, "lead_not_found")
    for fields in ({"phone_number": PHONE}, {**eve, "phone_number": PHONE}):
        assert campaign.post(fields, key=None).json["social_id"] == planted["social_id"]


def test_redirect_url_from_another_request_is_not_shown(service, account):
    """docs/api.md 4.5: without a key, only the URL of this request, or one that was stored with a key, is shown; on sign-ups and look-ups,
    whatever the privacy"""
    for privacy in ("on", "off"):
        campaign = service.campaign(account, privacy=privacy)

        def shown(key, sent=None, **fields):
            """The redirect URLs in the answers to a sign-up and a look-up."""
            urls = {"redirect_url": sent} if sent else {}
            info = f"/v1/{campaign.id}/info"
            answers = [campaign.post({**fields, **urls}, key=key), campaign.get(fields, key=key),
                       campaign.client.request("GET", info, query=fields, key=campaign.key if key else None)]
            return [answer.json["redirect_url"] and answer.json["redirect_url"].partition("?")[0] for answer in answers]
        assert shown(None, "/evil", phone_number=PHONE) == ["/evil", None, None]
        assert shown(None, phone_number=PHONE, **ADA) == [None] * 3
        assert shown(True, **ADA) == ["/evil"] * 3
        assert shown(True, "/own", **ADA) == ["/own"] * 3
        assert shown(None, **ADA) == ["/own"] * 3
        assert shown(None, "/evil", **ADA) == ["/evil", None, None]
        assert shown(True, "/own", email="b@example.org") == shown(None, email="b@example.org") == ["/own"] * 3


def test_calls_with_a_key_replace_identifiers(campaign):
    """docs/api.md 4.3 rule 4: another lead may then use the old one"""
    lead = campaign.lead(**ADA, phone_number=PHONE)
    assert campaign.lead(**ADA, phone_number=OTHER_PHONE)["phone_number"] == OTHER_PHONE
    changed = campaign.lead(email="new@example.org", phone_number=OTHER_PHONE)
    assert (changed["social_id"], changed["email"]) == (lead["social_id"], "new@example.org")
    assert campaign.get(ADA).status == 404
    assert campaign.lead(**ADA)["social_id"] != lead["social_id"]


@pytest.mark.parametrize("name", ["social_id", "kid", "__kid"])
def test_social_id_with_an_email_is_the_referrer(campaign, name):
    """docs/api.md 4.3 rule 2: it does not identify the lead"""
    referrer = campaign.lead(email="referrer@example.org")["social_id"]
    for key, email in ((True, "a@example.org"), (None, "b@example.org")):
        assert campaign.post({"email": email, name: referrer}, key=key).status == 200
        assert campaign.find(email=email)["parent_id"] == referrer


def test_the_referrer_is_set_once(campaign):
    """docs/api.md 4.6 Referrer: it is set at creation; unknown, foreign and own ids are ignored"""
    one, two = campaign.lead(email="1@example.org")["social_id"], campaign.lead(email="2@example.org")["social_id"]
    lead = campaign.lead(**ADA, kid=one)
    assert lead["parent_id"] == one
    assert campaign.lead(**ADA, kid=two)["parent_id"] == one
    assert campaign.lead(email="b@example.org", kid="0000000000")["parent_id"] is None
    assert campaign.lead(email="b@example.org", kid=one)["parent_id"] is None
    own = campaign.find(email="1@example.org")
    assert campaign.lead(email="1@example.org", kid=own["social_id"])["parent_id"] is None


def test_a_foreign_referrer_is_ignored(service, account, campaign):
    """docs/api.md 4.6 Referrer"""
    foreign = service.campaign(account).lead(**ADA)["social_id"]
    assert campaign.lead(**ADA, kid=foreign)["parent_id"] is None


@pytest.mark.parametrize("name", ["social_id", "kid", "__kid"])
def test_must_exist_with_a_key_identifies_the_lead(campaign, name):
    """docs/api.md 4.3 rule 2, exception: this adds an email address or phone number to an existing lead"""
    lead = campaign.lead(phone_number=PHONE)
    changed = campaign.lead(**{name: lead["social_id"], "email": "new@example.org", "must_exist": True})
    assert (changed["social_id"], changed["email"], changed["counter"]) == (lead["social_id"], "new@example.org", 2)
    response = campaign.post({name: "0000000000", "email": "new@example.org", "must_exist": True})
    assert response.verdict == (404, "lead_not_found")


def test_must_exist_never_takes_another_leads_identifier(campaign):
    """docs/api.md 4.3 rule 4, 2 conflicting_identifiers"""
    campaign.lead(**ADA)
    lead = campaign.lead(phone_number=PHONE)
    assert campaign.post({"social_id": lead["social_id"], **ADA, "must_exist": True}).verdict == (422, "conflicting_identifiers")


@pytest.mark.parametrize("name", ["social_id", "kid"])
def test_social_id_alone_identifies_the_lead_with_a_key(campaign, name):
    """docs/api.md 4.3 rule 3: this does not apply to `__kid`"""
    lead = campaign.lead(**ADA)
    assert campaign.lead(**{name: lead["social_id"], "color": "red"})["custom_fields"] == {"color": "red"}
    assert campaign.post({name: "0000000000"}).verdict == (404, "lead_not_found")
    assert campaign.post({name: lead["social_id"]}, key=None).verdict == (406, "missing_identifier")


def test_referrer_alone_identifies_no_lead(campaign):
    """docs/api.md 4.3 rules 2 and 3: `__kid` is the referrer; only with must_exist is it the lead to update"""
    lead = campaign.lead(**ADA)
    assert campaign.post({"__kid": lead["social_id"], "plan": "x"}).verdict == (406, "missing_identifier")
    assert campaign.lead(__kid=lead["social_id"], must_exist=True)["counter"] == 2


def test_request_has_precedence_over_its_url(campaign):
    """docs/api.md 1, Merging __url: only parameters that the request does not have are merged; `kid` and `__kid` count as the same"""
    one, two = campaign.lead(email="1@example.org"), campaign.lead(email="2@example.org")
    url = f"https://shop.example/?kid={two['social_id']}"
    assert campaign.lead(**ADA, __kid=one["social_id"], __url=url)["parent_id"] == one["social_id"]
    assert campaign.lead(__kid=one["social_id"], must_exist=True, __url=url)["social_id"] == one["social_id"]


def test_utm_has_a_cap(campaign):
    """docs/api.md 1, Caps: the cap is that of custom fields, so that an anonymous sign-up cannot enlarge later events; 1.6: the rest is
    left out"""
    fields = {f"utm_{number}": "x" * 4000 for number in range(4)}
    assert len(campaign.lead(**ADA, **fields)["utm"]) == 4
    assert campaign.lead(email="b@example.org", **fields, utm_5="x" * 400)["utm"] == campaign.find(**ADA)["utm"]
    assert campaign.post({"email": "c@example.org", **fields}, key=None).status == 200
    assert len(campaign.find(email="c@example.org")["utm"]) == 2


def test_only_a_key_replaces_the_user_agent(campaign, service):
    """docs/api.md 4.3 rule 6"""
    def stored():
        return service.installation.sql("SELECT user_agent FROM lh_leads WHERE campaign_id = %d" % campaign.id)
    campaign.lead(**ADA, __user_agent="first")
    assert campaign.post({**ADA, "__user_agent": "second"}, key=None).status == 200
    assert stored() == "first"
    campaign.lead(**ADA, __user_agent="third")
    assert stored() == "third"


def test_social_id_has_precedence_over_kid(campaign):
    """docs/api.md 4.3 rule 3"""
    one, two = campaign.lead(email="1@example.org"), campaign.lead(email="2@example.org")
    assert campaign.lead(social_id=one["social_id"], kid=two["social_id"])["social_id"] == one["social_id"]


def test_must_exist(campaign):
    """docs/requirements.md: no lead is created; docs/api.md 2 lead_not_found; with and without a key"""
    for key in (True, None):
        assert campaign.post({**ADA, "must_exist": True}, key=key).verdict == (404, "lead_not_found")
    assert campaign.get(ADA).status == 404
    campaign.lead(**ADA)
    assert campaign.lead(**ADA, must_exist=True)["counter"] == 2


def test_custom_fields_are_merged(campaign):
    """docs/api.md 4.3 rule 6: a value that is sent replaces the stored one, null removes it, other fields stay"""
    campaign.lead(**ADA, a="1", b="2", c="3")
    assert campaign.lead(**ADA, b="new", c=None, d=True)["custom_fields"] == {"a": "1", "b": "new", "d": True}


def test_replaced_and_first_values(campaign):
    """docs/api.md 4.3 rule 6: which values a later sign-up replaces, and which it does not"""
    campaign.lead(**ADA, __uid="u1", redirect_url="https://a.example/", ip="192.0.2.1", __referrer="https://r1.example/",
                  utm_source="one")
    lead = campaign.lead(**ADA, __uid="u2", redirect_url="https://b.example/", ip="192.0.2.2", __referrer="https://r2.example/",
                         utm_source="two", utm_medium="mail")
    assert (lead["uid"], lead["ip"], lead["referrer"], lead["utm"]) == \
        ("u2", "192.0.2.2", "https://r1.example/", {"source": "one"})
    assert lead["redirect_url"] == f"https://b.example/?kolid={lead['social_id']}"


# --- fields (docs/api.md 4.4) ---

RESERVED = """country_code ip_address kolid referrer list_id campaign_id campaignid landing_page_id jsonp skip_ar controller action
_private __source __sid __session_id __rid utm_source UTM_medium Controller""".split()


@pytest.mark.parametrize("name", RESERVED)
def test_reserved_names_are_no_custom_fields(campaign, name):
    """docs/api.md 4.4: names with a meaning are sent with a valid value"""
    value = {"list_id": campaign.id, "campaign_id": campaign.id, "campaignid": campaign.id, "country_code": "US", "jsonp": ""}
    lead = campaign.lead(**ADA, **{name: value.get(name, "x")}, other="y")
    assert lead["custom_fields"] == {"other": "y"}


def test_custom_field_names_are_only_lower_cased(campaign):
    """docs/api.md 4.4"""
    assert campaign.lead(**ADA, **{"Favourite Color!": "red"})["custom_fields"] == {"favourite color!": "red"}
    names = {"NÄME": "näme", "ИМЯ": "имя", "\u212aöLN": "köln", "名前": "名前", "A\u0308": "a\u0308"}
    lead = campaign.lead(email="b@example.org", **{name: "x" for name in names}, **{"\u212aid": "reserved", "utm_\u212a": "k"})
    assert lead["custom_fields"] == {name: "x" for name in names.values()} and lead["utm"] == {"k": "k"}


def test_name_that_is_longer_in_lower_case(make_service):
    """docs/api.md 1 Caps: both lengths count, so that an accepted name is also valid in lower case"""
    service = make_service(settings=[("limits", "name_bytes", "64")])
    campaign = service.campaign(service.account())
    longest = "Ⱥ" * 21 + "x"  # two bytes each, three in lower case
    assert len(longest.lower().encode()) == 64
    assert campaign.lead(**ADA, **{longest: "x"})["custom_fields"] == {longest.lower(): "x"}
    assert campaign.lead(**ADA, **{longest.lower(): None})["custom_fields"] == {}
    assert campaign.lead(**ADA, __url=f"http://x/?{longest}y=x")["custom_fields"] == {}
    response = campaign.post({**ADA, longest + "y": "x"})
    assert response.verdict == (406, "invalid_parameter") and "64 bytes in lower case" in response.json["message"]


@pytest.mark.parametrize("name", ["points", "campaign_id", "list_id", "jsonp", "kid", "redirect_url", "Points"])
def test_array_for_a_single_value(campaign, name):
    """docs/api.md 1.1: 406, and nothing is stored"""
    for send in ({"json_body": {**ADA, name: ["1"]}}, {"form": [*ADA.items(), (f"{name}[]", "1")]}):
        response = campaign.client.request("POST", campaign.path, key=campaign.key, **send)
        assert response.verdict == (406, "invalid_parameter") and name in response.json["message"]
    assert campaign.get(ADA).verdict == (404, "lead_not_found")


@pytest.mark.parametrize("number", ["1e400", "-1e999", "[1,1e400]"])
def test_numbers_beyond_double_precision(campaign, number):
    """docs/api.md 4.4 Values: numbers keep their type and value, even at the receiver of a webhook"""
    body = b'{"email":"ada@example.org","big":%s}' % number.encode()
    assert campaign.client.request("POST", campaign.path, body=body, type="application/json").verdict == (406, "invalid_parameter")
    body = b'{"email":"ada@example.org","big":[1e308,-0,1e-400,0.10]}'
    response = campaign.client.request("POST", campaign.path, body=body, type="application/json", key=campaign.key)
    assert b'"big":[1e308,-0,1e-400,0.10]' in response.body


@pytest.mark.parametrize("query, body, stored", [
    ("plan=q1&Plan=q2", {"plan": "body"}, "body"), ("Plan=q", {"plan": "body"}, "body"), ("plan=q1&Plan=q2", {}, "q2"),
    ("Plan=q1&plan=q2&PLAN=q3&Plan=q4", {}, "q4"), ("", {"plan": "one", "Plan": "two"}, "two"),
    ("__url=http://x/?Plan=u", {"plan": "body"}, "body"), ("plan=q&__url=http://x/?Plan=u", {}, "q"),
    ("__url=http://x/?plan=u1%26Plan=u2", {}, "u2"), ("Plan=q&__url=http://x/?PLAN=u", {"plan": None}, None)])
def test_names_that_differ_in_case(campaign, query, body, stored):
    """docs/api.md 1: the body takes precedence, __url comes last, otherwise the last value counts; 4.4: custom fields"""
    lead = campaign.post({**ADA, **body}, query=query).json
    assert lead["custom_fields"] == ({} if stored is None else {"plan": stored})


@pytest.mark.parametrize("query, stored", [
    ("utm_source=a&UTM_source=b", b'{"source":"b"}'), ("UTM_source=b&utm_source=a", b'{"source":"a"}'),
    ("utm_source=a&__url=http://x/?UTM_SOURCE=z", b'{"source":"a"}'),
    ("utm_source=&__url=http://x/?UTM_SOURCE=z", b"{}"),
    ("utm_source=a&__url=http://x/?UTM_medium=z%26utm_source[]=b", b'{"source":"a","medium":"z"}')])
def test_utm_names_that_differ_in_case(campaign, query, stored):
    """docs/api.md 1 Merging, 4.4: each name is in the object once; the request's own value takes precedence"""
    response = campaign.client.request("POST", campaign.path, query=query, form=ADA, key=campaign.key)
    assert response.status == 200 and b'"utm":' + stored in response.body


def test_arrays_in_the_url_are_ignored(campaign):
    """docs/api.md 1 Merging: arrays where one text is expected; the URL is data, and cannot be invalid"""
    lead = campaign.lead(**ADA, __url="http://x/?utm_source[]=a&kid[]=b&list[]=c")
    assert lead["utm"] == {} and lead["parent_id"] is None and lead["custom_fields"] == {"list": ["c"]}


@pytest.mark.parametrize("value", ["text", 1, -1, 1.5, 12345678901234567890, True, False, "", [], ["a"], [1, 2.5, False]])
def test_custom_values_keep_their_type(campaign, value):
    """docs/api.md 4.4"""
    stored = campaign.lead(**ADA, field=value)["custom_fields"]["field"]
    assert stored == value and type(stored) is type(value)


def test_utm(campaign):
    """docs/api.md 4.4: they are stored without the prefix, all from the first request that has any; the case of names is ignored"""
    assert campaign.lead(**ADA)["utm"] == {}
    assert campaign.lead(**ADA, utm_source="news", UTM_Campaign="may")["utm"] == {"source": "news", "campaign": "may"}


def test_url_parameters_are_merged(campaign):
    """docs/api.md 1 Merging: utm, kid and custom fields are used; the request's own values take precedence; reserved names are ignored"""
    referrer = campaign.lead(email="referrer@example.org")["social_id"]
    url = f"https://shop.example/page?utm_source=ad&kid={referrer}&color=red&size=m" \
          "&points=50&ip=192.0.2.9&__uid=evil&api_key=wrong&must_exist=1#end"
    lead = campaign.lead(**ADA, __url=url, size="l")
    assert lead["utm"] == {"source": "ad"} and lead["parent_id"] == referrer
    assert lead["custom_fields"] == {"color": "red", "size": "l"}
    assert lead["contest_score"] == 0 and lead["uid"] is None and lead["ip"] != "192.0.2.9"


@pytest.mark.parametrize("key", [True, None])
@pytest.mark.parametrize("query, left", [
    ("&".join(f"f{number}=x" for number in range(300)), 49), ("&".join(f"f{number}={3000 * 'x'}" for number in range(6)), None),
    (f"{65 * 'n'}=x&f=x", 1), (f"f={5000 * 'x'}&g=x", 1), ("f=%FF&%FF=x&g=%01&h=x&%01=x", 4),
    ("&".join(f"utm_{number}={4000 * 'x'}" for number in range(7)), 0), ("gclid=" + 20000 * "x", 0), ("&&=&=x&f[]=x&f[g]=x&[=x", None),
    ("kid[]=x&email=no&phone_number=no&ip=no&must_exist=2&custom_fields[email]=x&__uid=%FF&api_key=no&points=x", 0)],
    ids=["number", "bytes", "name", "value", "text", "utm", "long", "syntax", "others"])
def test_no_url_refuses_a_signup(campaign, query, left, key):
    """docs/api.md 1.4: parameters that do not fit together with the fields of the request are left out; the fields of the request are
    stored"""
    answer = campaign.post({**ADA, "plan": "gold", "__url": f"https://shop.example/?{query}"}, key=key)
    assert answer.status == 200, answer.body
    fields = campaign.find(**ADA)["custom_fields"]
    assert fields["plan"] == "gold" and (left is None or len(fields) == 1 + left)


def test_no_url_replaces_what_a_key_stored(campaign):
    """docs/api.md 1.3, 1.4: a parameter of a link counts as a stranger's, even in a call with a key, and gives no consent"""
    campaign.lead(**ADA, plan="gold")
    url = "https://shop.example/?plan=free&color=red&consent=yes&custom_fields[Consent_Version]=1&"
    assert campaign.lead(**ADA, __url=url + "&".join(f"u{number}=x" for number in range(60)))["custom_fields"]["plan"] == "gold"
    fields = campaign.lead(**ADA, **{f"own{number}": "x" for number in range(47)})["custom_fields"]
    assert len(fields) == 50 and fields["plan"] == "gold" and fields["color"] == "red" and "own46" in fields
    assert not [name for name in fields if name.startswith("consent")]


def test_utm_with_the_largest_settings(make_service):
    """docs/api.md 1 Caps: with any settings, stored values are complete"""
    service = make_service(settings=[("limits", "body_bytes", "1M"), ("limits", "value_bytes", "60k")])
    campaign = service.campaign(service.account())
    quotes = {f"utm_{number}": '"' * 60000 for number in range(15)} | {"utm_source": "news"}
    response = campaign.client.request("POST", campaign.path, body=urllib.parse.urlencode({**ADA, **quotes}, safe='"').encode(),
                                       type="application/x-www-form-urlencoded", key=campaign.key)
    assert response.status == 200 and response.json["utm"] == {"source": "news"}


@pytest.mark.parametrize("name", ["social_id", "email", "phone_number", "redirect_url", "referrer", "country_code"])
def test_url_does_not_identify_the_lead(campaign, name):
    """docs/api.md 1 Merging: utm, kid and custom fields only; the author of a link must not choose the lead, or where it is redirected"""
    other = campaign.lead(email="other@example.org")
    values = {"social_id": other["social_id"], "email": "other@example.org", "phone_number": "+4917112345678",
              "redirect_url": "https://evil.example/", "referrer": "https://evil.example/", "country_code": "49"}
    query = urllib.parse.urlencode({name: values[name], "color": "red"})
    lead = campaign.lead(email="ada@example.org")
    fields = {} if name == "email" else {"email": "new@example.org" if name == "social_id" else "ada@example.org"}
    response = campaign.post({**fields, "must_exist": True, "__url": f"https://shop.example/?{query}"})
    if name == "email":
        assert response.verdict == (406, "missing_identifier")
    elif name == "social_id":
        assert response.verdict == (404, "lead_not_found")
    else:
        now = campaign.find(email="ada@example.org")
        assert {key: now[key] for key in ("email", "phone_number", "redirect_url", "referrer")} == \
               {key: lead[key] for key in ("email", "phone_number", "redirect_url", "referrer")}
        assert now["custom_fields"] == {"color": "red"}
    assert campaign.find(social_id=other["social_id"])["email"] == "other@example.org"


@pytest.mark.parametrize("fields, opted_out", [
    ({}, False), ({"__do_not_reset_opt_out": None}, False),
    *(({"__do_not_reset_opt_out": value}, True) for value in ("1", 1, True, "", "0", 0, "false", False, "please", ["a"]))])
def test_updates_end_the_opt_out(service, campaign, fields, opted_out):
    """docs/api.md 4.4, docs/requirements.md __do_not_reset_opt_out: with any value of it, the opt-out stays"""
    lead = campaign.lead(**ADA)
    service.installation.sql(f"UPDATE lh_leads SET opted_out = 1 WHERE id = {lead['id']}")
    assert campaign.find(**ADA)["opted_out"] is True
    assert campaign.lead(**ADA, **fields)["opted_out"] is opted_out


@pytest.mark.parametrize("url", ["https://shop.example/thanks?x=1", "HTTP://shop.example", "/thanks", "//shop.example/",
                                 "?step=2", "thanks", "/a:b"])
def test_redirect_urls(campaign, url):
    """docs/api.md 4.5: http, https, and references without a scheme"""
    lead = campaign.lead(**ADA, redirect_url=url)
    assert lead["redirect_url"].startswith(url) and lead["redirect_url"].endswith(f"kolid={lead['social_id']}")


@pytest.mark.parametrize("url", ["javascript:alert(1)", " JavaScript:alert(1)", "java\nscript:alert(1)",
                                 "\tjava\tscript\n:alert(1)", "/a\tb", "https://shop.example/\nx", "java\x00script:alert(1)", "data:text/html,x", "vbscript:x", "mailto:a@example.org",
                                 "shop.example:8080/"])
def test_redirect_urls_contain_no_script(campaign, url):
    """docs/api.md 2 invalid_parameter, 4.4: other schemes and control characters are refused, also for an existing lead, which does not
    change"""
    before = campaign.lead(**ADA, redirect_url="https://shop.example/")
    for email in (ADA["email"], "new@example.org"):
        for options in ({"json_body": {"email": email, "redirect_url": url}}, {"form": {"email": email, "redirect_url": url}}):
            response = campaign.client.request("POST", campaign.path, **options)
            assert response.verdict == (406, "invalid_parameter")
            assert response.json["message"] == \
                "Parameter redirect_url must be an http or https URL, or a reference without a scheme"
    assert campaign.find(**ADA)["redirect_url"] == before["redirect_url"]
    assert campaign.get({"email": "new@example.org"}).status == 404


def test_ip(campaign):
    """docs/api.md 4.4: the address that is sent, otherwise the client's; 4.3.6: an update stores only an address that is sent"""
    assert campaign.lead(**ADA, ip="192.0.2.1")["ip"] == "192.0.2.1"
    bob = {"email": "b@example.org"}
    for fields, stored in (({}, "203.0.113.7"), ({"ip": "192.0.2.1"}, "192.0.2.1"), ({}, "192.0.2.1")):
        assert campaign.post({**bob, **fields}, key=None, address="203.0.113.7").status == 200
        assert campaign.find(**bob)["ip"] == stored
    lead = campaign.post({"email": "c@example.org"}, address="203.0.113.8").json
    assert lead["ip"] == "203.0.113.8"


def test_ip_of_a_campaign_that_counts_addresses(service, account):
    """docs/api.md 4.4: with `max_per_ip`, a caller without a key cannot choose the address of a lead, whether new or existing"""
    campaign = service.campaign(account, max_per_ip=1)
    for _ in range(2):
        assert campaign.post({**ADA, "ip": "192.0.2.1"}, key=None, address="203.0.113.7").status == 200
        assert campaign.find(**ADA)["ip"] == "203.0.113.7"
    assert campaign.lead(**ADA, ip="192.0.2.1")["ip"] == "192.0.2.1"


@pytest.mark.parametrize("sent, stored", [
    ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("0:0:0:0:0:FFFF:C000:0201", "192.0.2.1")])
def test_ip_has_one_spelling(campaign, sent, stored):
    """docs/api.md 4.4: addresses are written as in RFC 5952, so that equal addresses count as one, whether they are sent or taken from the
    connection"""
    assert campaign.lead(**ADA, ip=sent)["ip"] == stored
    assert campaign.lead(**ADA, ip="192.0.2.9")["ip"] == "192.0.2.9"
    assert campaign.lead(**ADA, ip=sent)["ip"] == stored
    assert campaign.post({"email": "b@example.org"}, address=sent).json["ip"] == stored


@pytest.mark.parametrize("name", ["__referrer", "__ref", "referrer"])
def test_referrer(campaign, name):
    """docs/api.md 4.4: it has three names; the Referer header is the default"""
    assert campaign.lead(**ADA, **{name: "https://r.example/"})["referrer"] == "https://r.example/"
    lead = campaign.post({"email": "b@example.org"}, headers={"Referer": "https://h.example/"}).json
    assert lead["referrer"] == "https://h.example/"


@pytest.mark.parametrize("sent, stored", [
    ({"__source": "newsletter.42", "__sid": "s1", "__rid": "r1"}, ["newsletter", "42", "s1", "r1"]),
    ({"__source": "a.b.7", "__session_id": "s2"}, ["a.b", "7", "s2", "NULL"]),
    ({"__source": "a.b"}, ["a.b", "NULL", "NULL", "NULL"]),
    ({}, ["API", "NULL", "NULL", "NULL"]),
])
def test_source_of_a_sign_up(service, campaign, sent, stored):
    """docs/api.md 4.4, docs/requirements.md Lead request fields: __source (`source.id`), __sid or __session_id, __rid, __url"""
    lead = campaign.lead(**ADA, __url="https://shop.example/?x=1", **sent)
    row = service.installation.sql("SELECT source, source_id, session_id, request_id, signup_url FROM lh_leads "
                                   f"WHERE id = {lead['id']}")
    assert row.split("\t") == [*stored, "https://shop.example/?x=1"]


def test_a_source_without_a_key(service, campaign):
    """docs/api.md 4.4: the source is `form` without a key"""
    campaign.post(ADA, key=None)
    assert service.installation.sql(f"SELECT source FROM lh_leads WHERE campaign_id = {campaign.id}") == "form"


# --- 6 Ending a campaign ---

def test_an_ended_campaign_takes_no_leads(service, account):
    """docs/api.md 6, 2 campaign_ended: create and update 423; look-ups and webhooks work"""
    campaign = service.campaign(account, ends_at="2001-01-01T00:00:00Z")
    for key in (True, None):
        response = campaign.post(ADA, key=key)
        assert response.verdict == (423, "campaign_ended")
        assert response.json["message"] == "Campaign has ended"
    assert campaign.get(ADA).verdict == (404, "lead_not_found")
    assert campaign.webhook("new_signup")["message"] == "Webhook Created"


def test_end_time_takes_effect_by_itself(service, account):
    """docs/api.md 6: no program has to act; updates are also refused"""
    end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=3)
    campaign = service.campaign(account, ends_at=end.strftime("%Y-%m-%dT%H:%M:%SZ"))
    assert campaign.post(ADA).status == 200
    wait_until(lambda: campaign.post(ADA).status == 423, 10, "the end of the campaign")
    assert campaign.find(**ADA)["email"] == ADA["email"]


def test_end_and_reopen(service, campaign):
    """docs/api.md 6 By command; refused calls are not counted later"""
    lead = campaign.lead(**ADA)
    service.installation.admin("campaign", "end", str(campaign.id))
    wait_until(lambda: campaign.post(ADA).verdict == (423, "campaign_ended"), 5, "the end of the campaign")
    service.installation.admin("campaign", "reopen", str(campaign.id))
    wait_until(lambda: campaign.post(ADA).status == 200, 5, "the campaign is open again")
    assert campaign.find(**ADA)["counter"] == lead["counter"] + 1


def test_campaign_state_is_checked_before_the_fields(service, account):
    """docs/api.md 1.5 Order of checks: the campaign's state, then the fields"""
    campaign = service.campaign(account, ends_at="2001-01-01T00:00:00Z")
    assert campaign.post({"email": "bad"}).verdict == (423, "campaign_ended")
