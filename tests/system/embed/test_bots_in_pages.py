# SPDX-License-Identifier: MIT
"""docs/embedding.md 2 in Chromium and Firefox: pages of another origin solve challenges, with the script and with ALTCHA's own widget."""
import json
import pathlib
import shutil

import pytest
from proof import honeypot_of, solution
from stack.process import run
from tree import SOURCE

SETTINGS = [("limits", "posts_per_address", "1000/60s"), ("limits", "lookups_per_address", "1000/60s")]
ADA = {"email": "ada@example.org"}
HERE = SOURCE / "tests/system/embed/altcha"
FORM = '<form data-leadhook="%d"%s><label>Email <input name="email" type="email"></label>%s<button>Sign up</button></form>'
# signUp: the first event of the form after the click. calls: what the script has fetched from the service.
SIGN_UP = """
    const calls = () => performance.getEntriesByType("resource").map(one => one.name)
        .filter(name => name.startsWith(API + "/c/") || name.startsWith(API + "/v1/")).map(name => name.split("/").pop());
    const signUp = (email, form = document.querySelector("form")) => new Promise(done => {
        for (const name of ["success", "error"])
            document.addEventListener("leadhook:" + name, event => done([name, event.detail.status, event.detail.answer]), { once: true });
        form.elements.email.value = email;
        form.querySelector("button").click();
    });
"""


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=SETTINGS)


@pytest.fixture
def guarded(service, account):
    return service.campaign(account, bots="proof", bot_difficulty=2)


@pytest.fixture
def show(browser, service):
    """Shows a page with the script under a strict Content-Security-Policy, which allows neither workers nor blobs."""
    def run_page(script, body, **page):
        api = service.front.url
        origin = "/".join(api.split("/")[:3])
        csp = (f"default-src 'none'; script-src 'self' {origin}; connect-src 'self' {origin}; style-src 'none'; worker-src 'none'; "
               "img-src 'self'; base-uri 'none'; require-trusted-types-for 'script'")
        return browser.run(SIGN_UP + script, api=api, body=body, csp=csp,
                           head=f'<script src="{api}/embed/v1/embed.js" defer></script>', **page)
    return run_page


def test_the_script_solves_a_challenge(show, guarded):
    """docs/embedding.md 2: the script does the work when the first answer asks for it, and the page stays responsive"""
    found = show("""
        let turns = 0, longest = 0, last = performance.now();
        const timer = setInterval(() => {
            longest = Math.max(longest, performance.now() - last);
            last = performance.now();
            turns++;
        }, 5);
        const answered = await signUp("ada@example.org");
        clearInterval(timer);
        return { answered: answered.slice(0, 2), calls: calls(), turns, longest };
    """, FORM % (guarded.id, "", ""))
    assert found["answered"] == ["success", 200] and found["calls"] == ["subscribe", "challenge", "subscribe"]
    assert found["turns"] > 3 and found["longest"] < 1000
    assert guarded.find(**ADA)["custom_fields"] == {}


def test_the_work_begins_early(show, guarded):
    """docs/embedding.md 2, data-proof: the work begins when a field gets the focus, so that the form is sent only once; a used solution is
    replaced"""
    trap = honeypot_of(guarded)
    found = show("""
        const form = document.querySelector("form");
        form.elements.email.focus();
        await until(() => calls().includes("challenge"));
        const first = await signUp("ada@example.org");
        const once = calls();
        form.hidden = false;
        const second = await signUp("grace@example.org");
        return [first.slice(0, 2), once, second.slice(0, 2), calls()];
    """, FORM % (guarded.id, " data-proof", f'<label hidden>Empty <input name="{trap}"></label>'))
    assert found[0] == found[2] == ["success", 200]
    assert found[1] == ["challenge", "subscribe"]
    assert found[3][2:] in (["subscribe", "challenge", "subscribe"], ["challenge", "subscribe"])
    assert guarded.stats()["total"] == 2


def test_without_web_crypto(show, guarded):
    """docs/embedding.md 2: a page without https shows the error of the sign-up"""
    found = show("""
        Object.defineProperty(Crypto.prototype, "subtle", { value: undefined });
        const answered = await signUp("ada@example.org");
        while (!document.querySelector(".leadhook-error")) await new Promise(done => setTimeout(done, 20));
        return [answered, calls(), document.querySelector(".leadhook-error").textContent];
    """, FORM % (guarded.id, "", ""))
    assert found[0][:2] == ["error", 406] and found[0][2]["error"] == "proof_required"
    assert found[1] == ["subscribe", "challenge", "form?language=en"] and found[2] == "We could not check that you are not a bot. Please send the form again."


def test_other_campaigns_cost_nothing(show, campaign):
    """docs/embedding.md 2: the script fetches no challenge for a campaign that needs no proof"""
    assert show("""
        document.querySelector("form").elements.email.focus();
        return [(await signUp("ada@example.org")).slice(0, 2), calls()];
    """, FORM % (campaign.id, "", "")) == [["success", 200], ["subscribe"]]


# ---- ALTCHA's own programs: npm packages, whose versions and hashes altcha/ pins ----

@pytest.fixture(scope="module")
def packages(make_folder):
    """The folder with ALTCHA's packages."""
    folder = make_folder()
    for file in HERE.iterdir():
        shutil.copy(file, folder)
    run("npm ci", ["npm", "ci", "--prefix", folder, "--cache", folder / "cache", "--ignore-scripts", "--no-audit", "--no-fund"],
        timeout=120)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("attributes", ["", ' auto="onload"'], ids=["checked", "by itself"])
def test_the_published_widget(browser, service, guarded, packages, attributes):
    """docs/embedding.md 2: the widget works in a page of another origin; its solution is the form's field `altcha`, which the browser sends
    like any other"""
    code = (pathlib.Path(packages) / "node_modules/altcha/dist/main/altcha.min.js").read_text(encoding="utf-8")
    browser.site.add("/altcha.js", code, "text/javascript; charset=utf-8")
    api = service.front.url
    found = browser.run("""
        await customElements.whenDefined("altcha-widget");
        const form = document.querySelector("form"), widget = document.querySelector("altcha-widget");
        const box = await until(() => widget.querySelector("input[type=checkbox]"));
        if (!widget.hasAttribute("auto"))
            box.click();
        await until(() => new FormData(form).get("altcha"));
        const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
        const again = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
        return [answer.status, again.status, (await again.json()).error];
    """, api=api, head='<script src="/altcha.js" type="module"></script>',
        body=f'<form method="post" action="{api}/v1/{guarded.id}/subscribe"><input name="email" value="ada@example.org">'
             f'<altcha-widget challenge="{api}/c/{guarded.id}/challenge"{attributes}></altcha-widget></form>')
    assert found == [200, 406, "proof_invalid"]
    assert guarded.find(**ADA)["custom_fields"] == {}


@pytest.mark.slow
def test_the_published_library(service, guarded, packages):
    """api.md 8.2: the library solves our challenges, and our script solves those that the library makes"""
    printed = run("altcha", ["node", packages / "try.mjs", SOURCE / "src/page/solver.js"],
                  input=json.dumps([guarded.client.request("GET", f"/c/{guarded.id}/challenge").json for _ in range(3)]))
    ours, theirs = json.loads(printed)
    for number, value in enumerate(ours):
        answer = guarded.post({"email": f"{number}@example.org", "altcha": value}, key=None)
        assert answer.status == 200, answer.body
    assert theirs == [True] * 4
    assert solution(guarded) not in ours
