// SPDX-License-Identifier: MIT
// A part of embed.js: the forms that it makes, and the markup and scripts of older embeds that it reads (docs/embedding.md 2.2, 8).

// ---- names in older markup ----

// Scripts of older embeds name the campaign in an attribute, or the campaign and the page in their address.
const olderScripts = () => all("script").concat(script || []).filter((one) => String(one.src).startsWith(base)).map((one) => {
	const file = one.src.slice(base.length);
	const [, campaign, page] = /^w\/(\d+)\/(?:(\d+)\.js)?/.exec(file) || [];
	return { campaign: attribute(one, "data-campaign-id") || campaign, page, isAnyForm: /\/kol_any_form\.js/.test("/" + file) };
});
const options = () => Object(window.kol_widget_options);

// The field for the email address in a form that was not made for this service.
function emailField(form) {
	const name = options().email_selector;
	const fields = fieldsIn(form).filter((one) => one.name && /^(?:email|text)$/.test(one.type));
	const emails = fields.filter((one) => one.type === "email" || /e-?mail/i.test(one.name));
	return fields.find((one) => one.name === name) || emails.find(isVisitors) || emails[0];
}

// Whether a field is for the visitor's own address: a form may have another one for a friend's.
const isVisitors = (field) => completes(field, "email") || /^(?:your|user|contact|customer|subscriber|lead|billing)?email(?:address)?$/.test(letters(field));

// Whether one of the words in the attribute "autocomplete" matches.
const completes = (field, pattern) =>
	new RegExp("(?:^|\\s)(?:" + pattern + ")(?:\\s|$)", "i").test(attribute(field, "autocomplete") || "");
const letters = (field) => field.name.toLowerCase().replace(/[^a-z]/g, "");

// The fields of such a form that are sent: the email address, and the visitor's names.
const nameFields = {
	first_name: [/^(?:your|user|contact|customer|subscriber|lead|billing)?(?:first|given)name$|^fname$/, "given-name"],
	last_name: [/^(?:your|user|contact|customer|subscriber|lead|billing)?(?:last|family|sur)name$|^lname$/, "family-name"],
	name: [/^(?:your|full)?name$/, "name"],
};
function typedFields(form) {
	const texts = fieldsIn(form).filter((one) => one.name && one.type === "text");
	const names = Object.entries(nameFields).map(([name, [pattern, word]]) =>
		[name, texts.find((one) => pattern.test(letters(one)) || completes(one, word))]);
	return [["email", emailField(form).value], ...names.filter(([, one]) => one).map(([name, one]) => [name, one.value.slice(0, 200)])]
		.filter(([, value]) => value);
}

function isChosen(form) {
	try {
		return native(form, "matches", options().capture_lead_selector || "form");
	} catch (error) {
		return true; // it is not a selector
	}
}

// Fields that are or were for passwords, and their names by form. A button of the page may reveal a password, in this field or in
// another one in its place, with any name.
const passwordFields = new WeakSet();
const passwords = new WeakMap();
function notePassword(field) {
	passwordFields.add(field);
	if (field.form)
		passwords.set(field.form, (passwords.get(field.form) || new Set()).add(field.name));
}
const inputsIn = (nodes) => [].concat(...[...nodes].filter((one) => one instanceof Element)
	.map((one) => (one instanceof HTMLInputElement ? [one] : all("input", one))));
const notePasswords = (nodes) => inputsIn(nodes).filter((one) => one.type === "password").forEach(notePassword);

// A field that takes the place of a removed password field counts as one.
function noteChanges(changes) {
	const left = new Set();
	for (const one of changes) {
		if (/^password$/i.test(one.oldValue))
			notePassword(one.target);
		notePasswords(one.type === "attributes" ? [one.target] : one.addedNodes);
		if (inputsIn(one.removedNodes).some((field) => passwordFields.has(field)))
			left.add(one.target);
	}
	for (const one of changes.filter((one) => left.has(one.target)))
		inputsIn(one.addedNodes).filter((field) => field.type === "text").forEach(notePassword);
}

// Starts if the page has a form that signs up.
let watcher = null;
function watchPasswords() {
	if (watcher || !(olderScripts().some((one) => one.isAnyForm) || all("form").some(campaignOf)))
		return;
	notePasswords(all("input"));
	watcher = new MutationObserver(noteChanges);
	watcher.observe(document, { subtree: true, childList: true, attributeFilter: ["type"], attributeOldValue: true });
}
watchPasswords();
on(document, "focusin", watchPasswords);

// Names and ids, both as words, as in cardNumber or card_number, and without separators.
const secretWord = /^(?:pwd\d?|cv[cnv]2?|csc|iban|otp|pin|tan|ssn|passport|expiry)$/;
const secretName = new RegExp("passw|pass(?:code|phrase)|kennwort|contrase|motdepasse|^card$|(?:card|cc|account|acct)(?:number|num|nr|no$)|" +
	"(?:credit|debit)card|(?:card|cc)exp|^exp(?:iration)?(?:date|month|year|$)|(?:sort|onetime|security|verification|sms)code|socialsecurity");
function isSecretName(text) {
	const words = text.replace(/([a-z\d])(?=[A-Z])/g, "$1 ").toLowerCase().split(/[^a-z\d]+/);
	return words.some((one) => secretWord.test(one)) || secretName.test(words.join(""));
}

// Whether a field, which may be outside of its form, is for a password, a code, or the number of a card, an account or a document.
function isSecret(field) {
	const former = passwords.get(field.form);
	return field.type === "password" || passwordFields.has(field) || (former && former.has(field.name)) ||
		[field.name, field.id].some((one) => isSecretName(String(one))) ||
		completes(field, "cc-.*|current-password|new-password|one-time-code");
}

function secretsOf(form) {
	if (watcher)
		noteChanges(watcher.takeRecords());
	return fieldsIn(form).filter(isSecret);
}

// The campaign that every form of the page signs up to, if the page has the script for that; otherwise "".
function campaignOfAny(form) {
	const scripts = olderScripts();
	const hasSecret = secretsOf(form).length > 0 || passwords.has(form);
	if (!scripts.some((one) => one.isAnyForm) || !isChosen(form) || hasSecret || !emailField(form))
		return "";
	return scripts.map((one) => campaignIn(one.campaign)).find(Boolean) || "";
}

// The action of a form, unless it is the page itself.
function ownAction(form) {
	const action = webAddress(attribute(form, "action")).split("#")[0];
	return action !== location.href.split("#")[0] ? action : "";
}

// ---- the form of a campaign: <div data-leadhook-form="CAMPAIGN">, and elements of older embeds ----

const languageOf = (element) => (attribute(native(element, "closest", "[lang]") || element, "lang") || "").slice(0, 2).toLowerCase();

function makeField(field, choose) {
	const type = String(field.type);
	const label = make("label");
	const plain = type === "select" || type === "textarea";
	const input = make(plain ? type : "input", "", { name: String(field.name) });
	// not "email" and "url": browsers would refuse some values that the server accepts
	const isAddress = /^(?:email|url)$/.test(type);
	if (!plain)
		input.type = isAddress ? "text" : type;
	if (isAddress)
		setAttribute(input, "inputmode", type);
	if (type === "checkbox")
		input.value = "yes";
	if (type === "number")
		input.step = "any";
	if (field.autocomplete)
		setAttribute(input, "autocomplete", field.autocomplete);
	input.required = field.required === true;
	if (type === "select")
		input.append(make("option", choose, { value: "" }), ...[...(field.options || [])].map((value, at) =>
			make("option", (field.labels || field.options)[at], { value })));
	if (type === "checkbox")
		label.append(input, " ", field.label);
	else
		label.append(field.label, " ", input);
	return label;
}

// The style of these forms, with the colours of the campaign. Any rule of the page takes precedence.
const sheet = ":where(.leadhook-form:not([hidden])){display:grid;gap:1em;max-width:32em}" +
	":where(.leadhook-form p){margin:0}" +
	":where(.leadhook-form label:not([hidden])){display:block}" +
	":where(.leadhook-form :is(input:not([type=checkbox]),select,textarea)){box-sizing:border-box;display:block;" +
	"width:100%;min-height:2.75em;margin-top:.25em;padding:.5em .75em;font:inherit;border:1px solid var(--leadhook-edge);border-radius:.5em}" +
	":where(.leadhook-form [type=checkbox]){font:inherit;width:1.25em;height:1.25em;margin:0 .4em 0 0;" +
	"vertical-align:-.25em;accent-color:var(--leadhook-accent)}" +
	":where(.leadhook-form button){min-height:2.75em;padding:.5em 1.25em;font:inherit;font-weight:600;border:0;border-radius:.5em;" +
	"background:var(--leadhook-accent);color:var(--leadhook-on-accent);cursor:pointer}" +
	":where(.leadhook-form :focus-visible){outline:2px solid var(--leadhook-accent);outline-offset:2px}" +
	":where(.leadhook-form .leadhook-error){margin:.5em 0 0;padding-inline-start:.6em;border-inline-start:4px solid #d92d20;font-weight:600}";
let dress = () => {
	dress = () => {};
	try {
		const made = new CSSStyleSheet();
		made.replaceSync(sheet);
		document.adoptedStyleSheets = [...document.adoptedStyleSheets, made];
	} catch (error) {
		// an old browser: the form has the style of the page
	}
};

// The dark scheme is used on pages that declare one.
const darkness = window.matchMedia ? matchMedia("(prefers-color-scheme: dark)") : { matches: false };
function paint(form, colors) {
	const meta = native(document, "querySelector", "meta[name=color-scheme i]");
	const isDark = darkness.matches && /dark/.test(getComputedStyle(form).colorScheme + (meta ? meta.content : ""));
	for (const [name, color] of Object.entries(Object(Object(colors)[isDark ? "dark" : "light"])))
		if (/^#[\da-f]{6}$/.test(color))
			native(form, "style").setProperty("--leadhook-" + name, color);
}

function makeForm(place, campaign, answer) {
	const form = make("form", "", {
		"class": "leadhook-form", "data-leadhook": campaign, lang: answer.language, dir: answer.direction, method: "post",
		action: base + "v1/" + campaign + "/subscribe",
	});
	for (const { name, value } of [...native(place, "attributes")])
		if (/^data-(?!leadhook|kol)/.test(name))
			setAttribute(form, name, value);
	const add = (...parts) => {
		const line = make("p");
		line.append(...parts);
		native(form, "append", line);
	};
	for (const field of answer.fields)
		add(makeField(Object(field), answer.choose));
	if (answer.consent) {
		const box = makeField({ name: "consent", type: "checkbox", label: "", required: true });
		answer.consent.split("\n").forEach((line, index) => box.append(...(index ? [make("br")] : []), line));
		add(box, make("input", "", { type: "hidden", name: "consent_version", value: answer.consent_version }));
	}
	native(form, "append", make("input", "", { type: "hidden", name: "__language", value: answer.language })); // of the lead
	if (answer.trap) {
		const trap = makeField({ name: answer.trap.name, type: "text", label: answer.trap.label, autocomplete: "off" });
		trap.hidden = true;
		setAttribute(trap, "aria-hidden", "true");
		native(form, "append", trap);
	}
	if (answer.proof)
		setAttribute(form, "data-proof", "");
	add(make("button", answer.button));
	return form;
}

async function fill(place, campaign) {
	const isLast = begins(place);
	const language = languageOf(place);
	const { status, answer } = await request("c/" + campaign + "/form" + (language && "?language=" + encodeURIComponent(language)));
	if (!isLast())
		return;
	if (status === 200 && Array.isArray(answer.fields)) {
		put(place, makeForm(place, campaign, answer));
		dress();
		const form = native(place, "lastElementChild");
		paint(form, answer.colors);
		if (darkness.addEventListener)
			darkness.addEventListener("change", () => paint(form, answer.colors));
	} else if (fire(place, "error", { campaign, status, answer })) {
		put(place, make("p", answer.message || textOf(place, "error"), { "class": "leadhook-error", role: "alert" }));
	}
}

// The campaign of an element: its own, or the one that a script on the page names, preferably the script for the same form.
function campaignOfSnippet(place) {
	const page = attribute(place, "data-kolpageid") || String(native(place, "id")).replace("kol_embed_container_", "");
	const scripts = olderScripts().filter((one) => one.campaign);
	const own = scripts.find((one) => one.page === page) || scripts[0] || {};
	return [attribute(place, "data-campaign-id"), own.campaign, page].map(campaignIn).find(Boolean) || "";
}

// After the sign-up, a snippet shows the lead's status, like the page that it replaces.
async function fillSnippet(place) {
	const campaign = campaignOfSnippet(place);
	if (campaign && !(leadId(campaign) && (await showStatus(place, campaign))))
		await fill(place, campaign);
}

// The script of a snippet stands before its element.
function elementOf(place) {
	if (!(place instanceof HTMLScriptElement))
		return place;
	const made = make("div", "", { "class": "leadhook-snippet" });
	for (const { name, value } of [...native(place, "attributes")])
		if (/^data-(?!kol-snippet)/.test(name))
			setAttribute(made, name, value);
	if (native(document, "head").contains(place))
		native(document, "body").append(made);
	else
		place.after(made);
	return made;
}

// ---- the form of older embeds: <div id="kickofflabs_embed_form" data-landing_page_id="CAMPAIGN">, or a signup bar ----

function buildForm(place) {
	const text = (name, otherwise) => attribute(place, "data-" + name) || otherwise;
	const campaign = campaignIn(text("landing_page_id", text("list_id", "")));
	if (!campaign)
		return;
	// a page may have both
	const more = native(document, "getElementById", "kol-signup-form") ? "-bar" : "";
	const form = make("form", "", { id: "kol-signup-form" + more, "data-leadhook": campaign });
	if (text("error_message"))
		setAttribute(form, "data-error", text("error_message"));
	const label = make("label", textOf(place, "signup_text"), {
		"class": "kol-signup-label", "for": "kol-signup-email" + more,
	});
	const input = make("input", "", {
		type: "email", name: "email", id: "kol-signup-email" + more, autocomplete: "email", required: "",
		"class": "kol-signup-email " + text("input_css_class", "input"), placeholder: text("placeholder_text", ""),
	});
	const button = make("button", textOf(place, "button_text"), {
		type: "submit", id: "kol-signup-submit" + more, "class": "kol-signup-submit " + text("button_css_class", "button"),
	});
	native(form, "append", label, " ", input, " ", button);
	if (!referrerId() && valid(query.get("s")))
		native(form, "append", make("input", "", { type: "hidden", name: "kid", value: query.get("s") }));
	put(place, form);
}

function showShare(place, lead) {
	const address = webAddress(lead.social_url);
	const shown = make("div", "", { "class": "kol_embed_share_result", role: "status", tabindex: "-1" });
	shown.append(make("p", textOf(place, "share_text")));
	if (address) {
		const link = make("p"), joined = make("p", textOf(place, "influenced_count_text") + " ");
		link.append(make("a", address, { href: address }));
		joined.append(make("span", Object(lead.influence).direct, { "class": "direct_influence" }));
		shown.append(link, joined);
	}
	put(place, shown);
	shown.focus();
}

// Elements without our content: new ones, and those whose content the page has removed.
function fresh(selector) {
	return all(selector).filter((place) => {
		const times = filled.get(place) || 0;
		const made = showing.get(place);
		if (times && (!made || native(place, "contains", made) || times >= fillings))
			return false;
		showing.delete(place);
		return filled.set(place, times + 1);
	});
}

function fillAll() {
	const each = (name, show) => fresh("[" + name + "]").forEach((place) => {
		const campaign = campaignIn(attribute(place, name));
		if (campaign)
			show(place, campaign);
		else
			console.error("Leadhook: " + name + " needs the number of a campaign", place);
	});
	watchPasswords();
	fresh(oldEmbed).forEach(buildForm);
	each("data-leadhook-form", fill);
	each("data-leadhook-status", showStatus);
	each("data-leadhook-leaderboard", showLeaders);
	fresh(snippet).map(elementOf).forEach(fillSnippet);
}
