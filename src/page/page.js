/* Leadhook, SPDX-License-Identifier: MIT */
// The script of hosted pages (docs/pages.md). The pages also work without it; buttons that need it are hidden until it runs.
(function () {
	"use strict";

	// include native.js

	// include link.js

	const done = native(document, "getElementById", "done");
	const all = (selector) => native(document, "querySelectorAll", selector);

	function say(text) {
		if (done)
			done.textContent = text;
	}

	// There is no clipboard without https.
	async function copy(field) {
		field.focus();
		field.select();
		try {
			await navigator.clipboard.writeText(field.value);
			return true;
		} catch (error) {
			return native(document, "execCommand", "copy");
		}
	}

	for (const button of all("[data-copy]")) {
		button.hidden = false;
		button.addEventListener("click", async () => {
			say("");
			if (await copy(native(document, "getElementById", button.dataset.copy)))
				say(button.dataset.done);
			button.focus();
		});
	}

	for (const button of all("[data-share]")) {
		if (!navigator.share)
			continue;
		button.hidden = false;
		button.addEventListener("click", () => {
			// the visitor closed the dialog
			navigator.share({ text: button.dataset.text, url: button.dataset.share }).catch(() => {});
		});
	}

	// include solver.js

	// A double click sends a form once. After going back in the browser's history, or stopping a slow answer, the visitor can send it
	// again.
	const clicksMs = 10000;

	for (const form of all("form")) {
		let sent = false;
		on(form, "submit", (event) => {
			if (sent)
				event.preventDefault();
			else
				setTimeout(() => (sent = false), clicksMs);
			sent = true;
		});
		window.addEventListener("pageshow", () => {
			sent = false;
		});
	}

	// Proof of work starts when the visitor enters the form. A solution is valid for one sign-up, for ten minutes.
	const freshMs = 8 * 60000;

	async function solve(url) {
		const response = await fetch(url, { credentials: "omit" });
		return solveChallenge(await response.json());
	}

	// A form that is sent within two seconds counts as sent by a bot, but visitors can be that fast if their browser fills it in.
	const slowMs = 2100;

	async function waitForAge() {
		const [loaded] = performance.getEntriesByType("navigation");
		const age = performance.now() - (loaded ? loaded.responseEnd : 0);
		await new Promise((done) => setTimeout(done, slowMs - age));
	}

	// A referrer in the fragment of a copied link: browsers do not send fragments to servers.
	const kid = linkQuery(location.hash.slice(1)).get("kid");
	for (const form of all("form[action]")) {
		if (kid && !native(form, "querySelector", "[name=kid]") && native(form, "querySelector", "[name=email], [name=phone_number]"))
			native(form, "append", hiddenField("kid", kid));
	}

	function hiddenField(name, value) {
		const field = native(document, "createElement", "input");
		field.type = "hidden";
		field.name = name;
		field.value = value;
		return field;
	}

	for (const form of all("[data-busy]")) {
		const url = attribute(form, "data-challenge");
		let solution = null;
		let begun = 0;
		const begin = () => {
			if (url && (solution === null || Date.now() - begun > freshMs)) {
				begun = Date.now();
				solution = solve(url);
				solution.catch(() => {});
			}
		};
		on(form, "focusin", begin);
		window.addEventListener("pageshow", (event) => {
			if (event.persisted)
				solution = null;
		});
		on(form, "submit", async (event) => {
			if (event.defaultPrevented)
				return;
			event.preventDefault();
			say(attribute(form, "data-busy"));
			begin();
			try {
				await waitForAge();
				if (url) {
					const former = native(form, "querySelector", "[name=altcha]");
					if (former)
						former.remove();
					native(form, "append", hiddenField("altcha", await solution));
				}
			} catch (error) {
				// the answer will say that a proof is required
			}
			say("");
			// a field may have the name "submit"
			native(form, "submit");
		});
	}
})();
