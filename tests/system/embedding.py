# SPDX-License-Identifier: MIT
"""Pages of another origin with the script of docs/embedding.md."""

ADA = {"email": "ada@example.org"}
SETTINGS = [("limits", "posts_per_address", "1000/60s"), ("limits", "lookups_per_address", "1000/60s")]
FORM = '<form data-leadhook="%d"><label>Email <input name="email" type="email"></label>%s<button>Sign up</button></form>'
# An async script may run after the page's own. Until then the browser sends a form by itself.
LOADED = """
    if (document.readyState !== "complete")
        await new Promise(done => window.addEventListener("load", done));
"""
# Signs up in the page's form, and waits for the event of the answer.
SIGN_UP = """
    const signUp = (email, form = document.querySelector("form")) => new Promise(done => {
        for (const name of ["success", "error"])
            document.addEventListener("leadhook:" + name, event => done({ name, detail: event.detail }), { once: true });
        form.elements.email.value = email;
        form.querySelector("button").click();
    });
"""


def script_of(service):
    return service.client.request("GET", "/embed/v1/embed.js").body.decode()


def shower(browser, service):
    """Returns a function that shows a page in which the test's script runs, under a strict policy. `head` replaces the element with the
    script."""
    def run(script, body, *, attributes="defer", api=service.front.url, head=None, **page):
        origin = "/".join(api.split("/")[:3])
        csp = (f"default-src 'none'; script-src 'self' {origin}; connect-src 'self' {origin}; style-src 'none'; "
               f"img-src 'self' {origin}; base-uri 'none'; require-trusted-types-for 'script'")
        if head is None:
            head = f'<script src="{api}/embed/v1/embed.js" {attributes}></script>'
        return browser.run(LOADED + SIGN_UP + script, api=api, body=body, csp=csp, head=head, **page)
    return run
