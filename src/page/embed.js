/* Leadhook, SPDX-License-Identifier: MIT */
// Sign-up forms, leaderboards and the status of leads on any page (docs/embedding.md). Needs ES2018. The page may have a strict
// Content-Security-Policy: this script adds no style attributes, makes no markup from text, and evaluates nothing.
// scripts/embed-script removes comments on lines of their own, and indentation.
(function () {
	"use strict";

	// include native.js

	// include link.js

	// The address of the API, from that of this script without the path (docs/embedding.md 8). When the script is bundled or served by
	// a cache, that address is missing or wrong, so addresses in elements of the page take precedence: see findBase().
	const script = native(document, "currentScript");
	const paths = /^([^?#]*\/)(?:embed\/v1\/embed|bar\/v1\/signupbar|[^/?#]+\/kol|widgets\/[^/?#]+\/[^/?#]+|w\/[^?#]+)\.js(?:[?#]|$)/;
	const addressOf = (source, pattern) => (pattern.exec(source || "") || [])[1] || "";
	const source = script && script.src;
	let base = "";

	// The campaign in a text of the page, even between the quotation marks of a word processor; "" if there is none.
	const campaignIn = (text) => (/^[^a-z\d]*([1-9]\d{0,18})[^a-z\d]*$/i.exec(text || "") || [])[1] || "";
	const idPattern = /^[0-9A-Za-z]{4,16}$/;
	const oldEmbed = "#kickofflabs_embed_form, #kickofflabs_signup_bar";
	const snippet = "[data-kol-snippet], [id^=kol_embed_container_]";
	const timeout = 30000;
	// include embed_words.js

	// The text in an attribute of the page, otherwise the script's own in the language of the nearest `lang`.
	const textOf = (element, name) => attribute(element, "data-" + name) || texts[name][languageOf(element)] || texts[name].en;
	// the maximum size of a body without a key; fields that are only informative are left out of larger bodies
	const bodyBytes = 31000;
	const query = queryOfPage();
	// forms that wait for an answer; the visitor's social ids by campaign
	const sending = new WeakSet();
	// by form: the buttons that this script has disabled
	const disabled = new WeakMap();
	// forms that got no answer
	const unanswered = new WeakSet();
	// forms that continue to their own action; elements that have their form
	const passing = new WeakSet();
	const filled = new WeakMap();
	// what elements show; how often they are filled again after the page has removed their content
	const showing = new WeakMap();
	const fillings = 5;
	// by form: unused solutions of challenges, or promises of them
	const proofs = new WeakMap();
	const leads = {};
	let errors = 0;

	// A social id, or "".
	const valid = (text) => (idPattern.test(text || "") ? String(text) : "");
	// Old libraries replace Array.from and Array.prototype.reduce with something else.
	const all = (selector, within) => [...native(within || document, "querySelectorAll", selector)];
	const fieldsIn = (form) => [...native(form, "elements")];

	function make(tag, text, attributes) {
		const made = native(document, "createElement", tag);
		made.textContent = text === undefined || text === null ? "" : String(text);
		for (const name of Object.keys(attributes || {}))
			setAttribute(made, name, attributes[name]);
		return made;
	}

	// Replaces the content of an element. It must not be inside a form: browsers would not report when the inner form is submitted.
	function put(place, ...content) {
		Reflect.set(Object.getPrototypeOf(place), "textContent", "", place);
		native(place, "append", ...content);
		showing.set(place, content[0]);
		if (content[0] instanceof HTMLFormElement && native(place, "closest", "form"))
			on(content[0], "submit", submitted);
	}

	// The absolute http or https URL, or "".
	function webAddress(text) {
		try {
			const url = new URL(text, location.href);
			return text && /^https?:$/.test(url.protocol) ? url.href : "";
		} catch (error) {
			return "";
		}
	}

	// Returns whether the page lets this script continue.
	function fire(target, name, detail) {
		return native(target, "dispatchEvent", new CustomEvent("leadhook:" + name, { bubbles: true, cancelable: true, detail }));
	}

	// Calls a function that the page names in its markup.
	function callPage(name, ...values) {
		const named = name && window[name];
		if (typeof named !== "function")
			return false;
		named(...values);
		return true;
	}

	// The parameters in the query and the fragment of the page; in a frame, those of the page around it, if the browser reveals them.
	function queryOfPage() {
		const own = linkQuery(location.search.slice(1) + "&" + location.hash.slice(1));
		const around = window.parent !== window ? (/\?([^#]*)/.exec(native(document, "referrer")) || [])[1] : "";
		linkQuery(around || "").forEach((value, name) => /^(?:kid|utm_.*)$/.test(name) && !own.has(name) && own.set(name, value));
		return own;
	}

	// ---- the storage, which is used only if the page has data-remember ----

	function storeLocal(name, value) {
		try {
			if (valid(value) && native(document, "querySelector", "[data-remember]"))
				localStorage.setItem("leadhook " + base + " " + name, value);
		} catch (error) {
			// the storage is disabled
		}
	}

	function readLocal(name) {
		try {
			return native(document, "querySelector", "[data-remember]") ? localStorage.getItem("leadhook " + base + " " + name) || "" : "";
		} catch (error) {
			return "";
		}
	}

	const referrerId = () => valid(query.get("kid")) || readLocal("kid");
	const leadId = (campaign) => leads[campaign] || linkId(query.get("kolid") || "") || readLocal(campaign);

	async function request(path, options) {
		const control = new AbortController();
		const timer = setTimeout(() => control.abort(), timeout);
		let status = 0;
		let wait = 0;
		let answer;
		try {
			const response = await fetch(base + path, { credentials: "omit", signal: control.signal, ...options });
			answer = await response.json();
			status = response.status;
			wait = Number(response.headers.get("Retry-After")) || 0;
		} catch (error) {
			answer = { error: "unreachable" };
		}
		clearTimeout(timer);
		return { status, wait, answer: answer && typeof answer === "object" ? answer : {} };
	}

	// ---- forms ----

	// The campaign that a form signs up to, from its attribute or its action; "" if there is none.
	function campaignOf(form) {
		let campaign = attribute(form, "data-leadhook");
		if (campaign === null) {
			const action = webAddress(attribute(form, "action")).split(/[?#]/)[0].replace(/\/$/, "");
			const path = action.startsWith(base) ? action.slice(base.length) : "";
			const found = /^(?:v1\/(\d+)\/subscribe|(?:v2|lead)\/(\d+))$/.exec(path);
			const data = new FormData(form);
			if (found)
				campaign = found[1] || found[2];
			else if (path === "subscribe" || path === "v2")
				campaign = ["campaign_id", "campaignId", "list_id", "__lid"].map((name) => data.get(name)).find(Boolean);
		}
		return campaignIn(campaign);
	}

	function fieldsOf(form, button) {
		const fields = new URLSearchParams(campaignOf(form) ? "" : typedFields(form));
		if (campaignOf(form)) {
			const secrets = secretsOf(form).map((one) => one.name);
			new FormData(form).forEach((value, name) => typeof value === "string" && !secrets.includes(name) && fields.append(name, value));
			if (button && button.name)
				fields.append(button.name, button.value);
		}
		const add = (name, value) => {
			if (!value || fields.get(name))
				return;
			fields.set(name, value);
			if (String(fields).length > bodyBytes)
				fields.delete(name);
		};
		const address = fields.has("email") || fields.has("phone_number") ? null : emailField(form);
		if (address) {
			fields.delete(address.name);
			add("email", address.value);
		}
		fields.set("__strict", "1"); // the visitor sees an error in a phone number, and can correct it
		if (!fields.get("social_id"))
			add("kid", referrerId());
		const url = location.href.split("#")[0];
		query.forEach((value, name) => /^utm_.{1,60}$/i.test(name) && add(name, value));
		add("__url", webAddress(url.length < 2000 ? url : location.origin + location.pathname));
		add("__referrer", native(document, "referrer"));
		return fields;
	}

	// ---- proof of work ----

	// include solver.js

	// A new solution; "" when it cannot be found.
	async function prove(campaign) {
		const { status, answer } = await request("c/" + campaign + "/challenge");
		return status === 200 ? solveChallenge(answer).catch(() => "") : "";
	}

	// Starts the work while the visitor fills in a form that needs it.
	on(document, "focusin", (event) => {
		const form = event.target.form;
		if (form instanceof HTMLFormElement && native(form, "hasAttribute", "data-proof") && !proofs.has(form) && isReady())
			proofs.set(form, prove(campaignOf(form)));
	});

	// Sends the fields, and once more with a proof if the answer requires it.
	async function send(form, campaign, fields) {
		const post = () => request("v1/" + campaign + "/subscribe", { method: "POST", body: fields });
		const ready = await proofs.get(form);
		proofs.delete(form);
		if (ready)
			fields.set("altcha", ready);
		const first = await post();
		if (first.status !== 406 || !/^proof_/.test(first.answer.error))
			return first;
		const proof = await prove(campaign);
		if (!proof)
			return first;
		fields.set("altcha", proof);
		return post();
	}

	function setBusy(form, busy) {
		if (busy) {
			sending.add(form);
			setAttribute(form, "aria-busy", "true");
		} else {
			sending.delete(form);
			native(form, "removeAttribute", "aria-busy");
		}
		const buttons = busy ? fieldsIn(form).filter((one) => one.type === "submit" && !one.disabled) : disabled.get(form) || [];
		for (const button of buttons)
			button.disabled = busy;
		disabled.set(form, buttons);
	}

	function clearError(form) {
		for (const shown of all(".leadhook-error", form)) {
			for (const field of all("[aria-describedby]", form)) {
				const others = attribute(field, "aria-describedby").split(" ").filter((id) => id !== shown.id);
				if (others.length)
					setAttribute(field, "aria-describedby", others.join(" "));
				else
					field.removeAttribute("aria-describedby");
			}
			shown.remove();
		}
		for (const field of all("[aria-invalid]", form))
			field.removeAttribute("aria-invalid");
	}

	// The visible field that an answer is about.
	function fieldOf(form, answer) {
		const parameter = /^Parameter (\S+)/.exec(answer.message || "") || [];
		const names = new Map([
			["invalid_email", ["email"]],
			["missing_identifier", ["email", "phone_number"]],
			["invalid_phone_number", ["phone_number"]],
			["invalid_parameter", [parameter[1]]],
		]).get(answer.error) || [];
		return fieldsIn(form).find((one) => names.includes(one.name) && one.type !== "hidden");
	}

	// The texts of the service for errors, in the language of the campaign or the page; {} if they cannot be loaded.
	const wordings = new Map();
	function wordsOf(campaign, language) {
		const key = campaign + " " + language;
		if (!wordings.has(key))
			wordings.set(key, request("c/" + campaign + "/form?language=" + encodeURIComponent(language)).then(({ answer }) => Object(answer)));
		return wordings.get(key);
	}

	async function errorText(form, campaign, { status, answer, wait }) {
		const own = (name) => attribute(form, "data-error" + name);
		const named = own("-" + String(answer.error).replace(/_/g, "-")) || own("");
		if (named || !status)
			return named || textOf(form, "error");
		const { errors, wait_seconds: seconds, wait_minutes: minutes } = await wordsOf(campaign, languageOf(form));
		const number = wait > 90 ? Math.ceil(wait / 60) : Math.ceil(wait / 10 || 1) * 10;
		const time = String(wait > 90 ? minutes : seconds).replace("{number}", number);
		const words = Object(errors);
		const text = Object.keys(words).includes(answer.error) ? String(words[answer.error]).replace("{time}", time) : answer.message;
		return text || textOf(form, "error");
	}

	async function showError(form, campaign, result) {
		const answer = result.answer;
		const text = await errorText(form, campaign, result);
		if (sending.has(form))
			return;
		clearError(form);
		const field = fieldOf(form, answer);
		const shown = make("p", text, { "class": "leadhook-error", id: "leadhook-error-" + ++errors, role: "alert" });
		if (!field) {
			native(form, "append", shown);
			return;
		}
		(field.closest("label") || field).after(shown);
		setAttribute(field, "aria-invalid", "true");
		setAttribute(field, "aria-describedby", [attribute(field, "aria-describedby"), shown.id].filter(Boolean).join(" "));
		field.focus();
	}

	// The lead in the answer is null if the API withholds it. Then `check_mail` says whether the person gets a mail, and `code_url`
	// where to enter a code, which a sign-up with only a number gets by text message. `counter` is the number of sign-ups of a lead.
	function showThanks(form, campaign, lead) {
		const own = (name) => attribute(form, "data-" + name);
		const text = (name) => textOf(form, name);
		const fields = new FormData(form), number = fields.get("phone_number");
		const codeUrl = webAddress(lead.code_url), texted = codeUrl && number && !fields.get("email");
		const isAgain = lead.counter > 1 && (own("again") || !own("message"));
		const name = texted ? "check-phone" : lead.check_mail === true ? "check-mail" : isAgain ? "again" : "message";
		const shown = make("p", text(name), { "class": "leadhook-message", role: "status", tabindex: "-1" });
		if (codeUrl)
			shown.append(" ", make("a", text("code-link"), { href: codeUrl + (texted ? "?phone_number=" + encodeURIComponent(number) : "") }));
		const address = webAddress(lead.social_url);
		if (address && !all("[data-leadhook-status]").some((one) => campaignIn(attribute(one, "data-leadhook-status")) === campaign))
			shown.append(" ", text("share-link"), " ", make("a", address, { "class": "leadhook-share", href: address }));
		native(form, "after", shown);
		setAttribute(form, "hidden", "");
		shown.focus();
	}

	// The URL to which visitors go after a success: that of an attribute or a field of the form, or the one to which the service leads
	// that the form was written for; "" if there is none.
	function nextPage(form, place, lead) {
		const redirects = native(form, "hasAttribute", "data-redirect") || (place && place.hasAttribute("data-redirect")) ||
			new FormData(form).get("redirect_url") || (!native(form, "hasAttribute", "data-leadhook") && campaignOf(form));
		return redirects ? webAddress(lead.thankyou_url) || webAddress(lead.redirect_url) : "";
	}

	// Submits a form of the page to its own action. Returns false when it has none.
	function passOn(form, button) {
		if (campaignOf(form) || !ownAction(form))
			return false;
		passing.add(form);
		const submits = "requestSubmit" in HTMLFormElement.prototype;
		native(form, submits ? "requestSubmit" : "submit", ...(submits && button && button.form === form ? [button] : []));
		return true;
	}

	function succeed(form, campaign, lead, button) {
		const place = native(form, "closest", oldEmbed);
		leads[campaign] = valid(lead.social_id);
		storeLocal(campaign, leads[campaign]);
		const target = nextPage(form, place, lead);
		const goes = fire(form, "success", { campaign, status: 200, answer: lead });
		const callback = !campaignOf(form) && options().callback;
		const handled = !goes || (place && callPage(attribute(place, "data-callback_function") || "KOLSubscribeCallback", lead)) ||
			(typeof callback === "function" && (callback(lead), true)) || passOn(form, button);
		if (!handled && target) {
			location.assign(target);
			return;
		}
		if (!handled && place && leads[campaign])
			showShare(place, lead);
		else if (!handled)
			showThanks(form, campaign, lead);
		showAll(campaign, lead);
	}

	async function submit(form, campaign, button) {
		const fields = fieldsOf(form, button);
		const isTyped = (one) => one.status === 406 && (campaignOf(form) || one.answer.error === "invalid_email");
		clearError(form);
		setBusy(form, true);
		const result = await send(form, campaign, fields);
		setBusy(form, false);
		const { status, answer } = result;
		if (!status)
			unanswered.add(form);
		if (status === 200) {
			succeed(form, campaign, answer, button);
			return;
		}
		if (!fire(form, "error", { campaign, status, answer }))
			return;
		const place = native(form, "closest", oldEmbed);
		const name = place && (attribute(place, "data-error_callback_function") || "KOLErrorSubscribeCallback");
		// only errors that the visitor can correct keep a form from its own action
		if (!callPage(name, true, fields.get("email"), place && place.dataset) && (isTyped(result) || !passOn(form, button)))
			await showError(form, campaign, result);
	}

	// A blocker or the policy of the page may stop requests of the script. It then lets the browser submit the form, with the fields that
	// the script has added.
	function leaves(form, button) {
		if (!unanswered.delete(form) || navigator.onLine === false || !/^post$/i.test(attribute(form, "method")) || !ownAction(form))
			return false;
		const given = new FormData(form);
		fieldsOf(form, button).forEach((value, name) => given.has(name) || (button && button.name === name) || name === "__strict" ||
			native(form, "append", make("input", "", { type: "hidden", name, value })));
		return true;
	}

	// One listener for all forms, including those added later. Forms that another script handles are left alone.
	function submitted(event) {
		const form = event.target;
		const passes = passing.delete(form) || event.defaultPrevented || !isReady() || leaves(form, event.submitter);
		const campaign = passes ? "" : campaignOf(form) || campaignOfAny(form);
		if (!campaign)
			return;
		event.preventDefault();
		const button = event.submitter;
		if (sending.has(form))
			return;
		submit(form, campaign, button).catch((error) => {
			setBusy(form, false);
			passOn(form, button);
			throw error;
		});
	}
	on(document, "submit", submitted);

	// include embed_forms.js

	// ---- leaderboards and status ----

	// Calls `show` with each element that has the attribute, for the campaign or, if none is given, for all campaigns.
	function each(name, campaign, show) {
		for (const place of all("[" + name + "]")) {
			const own = campaignIn(attribute(place, name));
			if (own && (!campaign || campaign === own))
				show(place, own);
		}
	}

	// Call this before a request. The returned function tells whether that request is still the latest one: answers can arrive in
	// another order.
	const rounds = new WeakMap();
	function begins(place) {
		const round = {};
		rounds.set(place, round);
		return () => rounds.get(place) === round;
	}

	async function showLeaders(place, campaign) {
		const isLast = begins(place);
		const id = leadId(campaign);
		const limit = parseInt(attribute(place, "data-limit"), 10) || 10;
		const { status, answer } = await request("v2/" + campaign + "/leaderboard?limit=" + limit + (id && "&social_id=" + id));
		if (!isLast())
			return;
		if (status !== 200) {
			fire(place, "error", { campaign, status, answer });
			return;
		}
		const leaders = Array.isArray(answer.leaders) ? answer.leaders.map(Object) : [];
		const me = answer.me || {};
		if (me.social_id && !leaders.some((leader) => leader.social_id === me.social_id))
			leaders.push(me);
		const list = make("ol", "", { "class": "leadhook-leaderboard" });
		for (const leader of leaders) {
			const item = make("li", "", { value: parseInt(leader.rank, 10) || 0 });
			if (leader.social_id === me.social_id)
				setAttribute(item, "aria-current", "true");
			item.append(make("span", leader.display_name, { "class": "leadhook-name" }), " ",
				make("span", leader.contest_score, { "class": "leadhook-score" }));
			list.append(item);
		}
		put(place, list);
	}

	// The lead comes from the answer to a sign-up, or is looked up if the visitor's is known. Returns false when there is none.
	async function showStatus(place, campaign, lead) {
		const isLast = begins(place);
		if (!lead) {
			const id = leadId(campaign);
			if (!id)
				return false;
			const { status, answer } = await request("v2/" + campaign + "?social_id=" + id);
			if (!isLast())
				return true;
			if (status !== 200) {
				fire(place, "error", { campaign, status, answer });
				return false;
			}
			lead = answer;
		}
		const list = make("dl", "", { "class": "leadhook-status" });
		const add = (name, value) => list.append(make("dt", textOf(place, name)), value);
		add("position", make("dd", lead.contest_score_rank));
		add("points", make("dd", lead.contest_score));
		add("referrals", make("dd", lead.referrals));
		const address = webAddress(lead.social_url);
		if (address) {
			add("link", make("dd"));
			list.lastChild.append(make("a", address, { href: address }));
		}
		put(place, ...(lead.check_mail === true ? [awaited(place, "confirm", lead)] : []), list);
		return true;
	}

	// What the lead still has to do.
	function awaited(place, name, lead) {
		const line = make("p", textOf(place, name), { "class": "leadhook-confirm" });
		const address = webAddress(lead.code_url);
		if (address)
			line.append(" ", make("a", textOf(place, "code-link"), { href: address }));
		return line;
	}

	// `lead` comes from the answer to a sign-up, which may only say that a mail is on its way.
	function showAll(campaign, lead) {
		const isShown = valid(lead.social_id);
		each("data-leadhook-status", campaign, (place, own) => (isShown ? showStatus(place, own, lead) :
			lead.check_mail === true && put(place, awaited(place, "check-mail", lead))));
		each("data-leadhook-leaderboard", campaign, showLeaders);
	}

	function findBase() {
		const named = all("[data-leadhook-url]").map((one) => webAddress(attribute(one, "data-leadhook-url")).replace(/\/*(?:[?#].*)?$/, "/"));
		const actions = (selector) => all(selector)
			.map((one) => addressOf(webAddress(attribute(one, "action")), /^([^?#]*\/)v1\/\d+\/subscribe$/));
		const links = all("[data-leadhook-form] a").map((one) => addressOf(one.href, /^([^?#]*\/)c\/\d+(?:[?#]|$)/));
		const own = addressOf(source, paths) || addressOf(source, /^([^?#]*\/)(?:embed|signupbar)\.js(?:[?#]|$)/);
		return [...named, ...actions("form[data-leadhook]"), ...links, own, ...all("script").map((one) => addressOf(one.src, paths)),
			...actions("form")].find((one) => one.length > 1) || "";
	}

	// Visitors can be faster than the rest of the page.
	function isReady() {
		base = base || (ended ? "" : findBase());
		return base !== "";
	}

	// Fills elements that were added later, for example by frameworks or tabs.
	function scan() {
		if (ended)
			return;
		base = base || findBase();
		const isFirst = base && !begun;
		if (!base) {
			if (!warned && all("[data-leadhook], [data-leadhook-form], [data-leadhook-status], [data-leadhook-leaderboard]").length)
				warned = true, console.error("Leadhook: the address of the service is not known. Give an element data-leadhook-url=\"https://...\".");
			return;
		}
		begun = true;
		// another copy of the script does the work
		const copy = Symbol.for("leadhook " + base);
		if (isFirst && document[copy]) {
			base = "";
			ended = true;
			native(document, "dispatchEvent", new Event("leadhook:scan"));
			return;
		}
		document[copy] = true;
		if (isFirst)
			storeLocal("kid", query.get("kid"));
		fillAll();
	}

	// Handles changes of the page together, at most a few times a second.
	let begun = false;
	let warned = false;
	let ended = false;
	let waiting = 0;
	const soon = (changes) => changes.some((one) => one.addedNodes.length || one.removedNodes.length) && !waiting &&
		(waiting = setTimeout(() => (waiting = 0, scan()), 200));

	function begin() {
		scan();
		new MutationObserver(soon).observe(document, { subtree: true, childList: true });
		on(document, "leadhook:scan", scan);
		if (!window.leadhook || window.leadhook instanceof Element)
			window.leadhook = { scan: () => native(document, "dispatchEvent", new Event("leadhook:scan")) };
	}

	if (native(document, "readyState") === "loading")
		on(document, "DOMContentLoaded", begin);
	else
		begin();
})();
