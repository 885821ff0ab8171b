# SPDX-License-Identifier: MIT
"""Pages of another origin, with the script of docs/embedding.md or with their own client."""

ADA = {"email": "ada@example.org"}
# All tests of a module share the one address of the browser; the limit per campaign stays the default.
SETTINGS = [("limits", "posts_per_address", "1000/60s"), ("limits", "lookups_per_address", "1000/60s")]
FORM = '<form data-leadhook="%d"><label>Email <input name="email" type="email"></label>%s<button>Sign up</button></form>'
# An async script may run after the page's own. Until then the browser sends a form by itself.
LOADED = """
    if (document.readyState !== "complete")
        await new Promise(done => window.addEventListener("load", done));
"""
# Signs up with the page's form, and waits for the event with the answer.
SIGN_UP = """
    const signUp = (email, form = document.querySelector("form")) => new Promise(done => {
        for (const name of ["success", "error"])
            document.addEventListener("leadhook:" + name, event => done({ name, detail: event.detail }), { once: true });
        form.elements.email.value = email;
        form.querySelector("button").click();
    });
"""
# Clients, as functions for the page
JSONP = """
    const jsonp = (url, name) => new Promise(done => {
        const seen = [], tag = document.createElement("script");
        window[name] = answer => seen.push(answer);
        tag.onload = () => done({ event: "load", seen });
        tag.onerror = () => done({ event: "error", seen });
        tag.src = url + "&jsonp=" + name;
        document.head.append(tag);
    });
"""
XHR = """
    const post = (url, fields) => new Promise((done, fail) => {
        const request = new XMLHttpRequest();
        request.open("POST", url);
        request.timeout = 30000;
        request.setRequestHeader("Accept", "application/json, text/plain, */*");
        request.setRequestHeader("Content-Type", "application/json");
        request.setRequestHeader("X-Requested-With", "XMLHttpRequest");
        request.onload = () => done({ status: request.status, answer: JSON.parse(request.responseText),
                                      id: request.getResponseHeader("X-Request-Id") });
        request.onerror = request.ontimeout = () => fail(new Error("no answer"));
        request.send(JSON.stringify(fields));
    });
"""


def script_of(service):
    return service.client.request("GET", "/embed/v1/embed.js").body.decode()


def shower(browser, service):
    """Returns a function that shows a page with a strict policy, in which the test's script runs. `head` replaces the element that
    loads embed.js."""
    def run(script, body, *, attributes="defer", api=service.front.url, head=None, **page):
        origin = "/".join(api.split("/")[:3])
        csp = (f"default-src 'none'; script-src 'self' {origin}; connect-src 'self' {origin}; style-src 'none'; "
               f"img-src 'self' {origin}; base-uri 'none'; require-trusted-types-for 'script'")
        if head is None:
            head = f'<script src="{api}/embed/v1/embed.js" {attributes}></script>'
        return browser.run(LOADED + SIGN_UP + script, api=api, body=body, csp=csp, head=head, **page)
    return run
