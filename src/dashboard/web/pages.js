// SPDX-License-Identifier: MIT
// What people see of a campaign: its pages and its mails, with a preview of what is typed.
import { useEffect, useRef, useState } from "./hooks.js";
import { Cancelled, get, post } from "./api.js";
import { plural } from "./format.js";
import { FieldsEditor } from "./fields.js";
import { campaignName } from "./frame.js";
import { useList, useLive } from "./live.js";
import { link, setQuery } from "./route.js";
import { may, session } from "./session.js";
import { save } from "./versions.js";
import { MAILS, mailReason } from "./words.js";
import { Preview } from "./preview.js";
import { waitForJob } from "./webhooks.js";
import {
	Button,
	Chip,
	Empty,
	Field,
	Form,
	Loaded,
	Notice,
	Page,
	Problem,
	Table,
	Time,
	Updated,
	html,
	toast,
	useForm,
} from "./ui.js";

const LANGUAGES = [
	["", "All languages"],
	["en", "English"],
	["de", "German"],
	["es", "Spanish"],
	["fr", "French"],
];
const TABS = [
	["", "Pages"],
	["mails", "Emails"],
	["sent", "Sent emails"],
];
const SOON_MS = 600; // between typing and the preview of it

/** What `ask` returns for `input`, asked again a moment after it has changed. */
function useDraft(input, ask) {
	const [state, set] = useState({ value: null, failure: null });
	const key = JSON.stringify(input),
		first = useRef(true);
	useEffect(() => {
		const control = new AbortController();
		const timer = setTimeout(
			async () => {
				try {
					const value = await ask(input, control.signal);
					set({ value, failure: null });
				} catch (failure) {
					if (!(failure instanceof Cancelled)) set(old => ({ ...old, failure }));
				}
			},
			first.current ? 0 : SOON_MS,
		);
		first.current = false;
		return () => {
			clearTimeout(timer);
			control.abort();
		};
	}, [key]);
	return state;
}

/* ---- pages ---- */

const TEXTS = [
	["title", "Headline", "The headline of the sign-up page."],
	["text", "Text", "Separate paragraphs with blank lines.", "area"],
	["button", "Button"],
	["fields", "Form fields", null, "fields"],
	["consent", "Consent", "Text of a required checkbox. Leave empty for no checkbox.", "area"],
	["status_text", "Text of the status page", null, "area"],
	["share_text", "Share text", "Sent with the link that leads share."],
	["privacy_url", "Privacy policy URL", null, "url"],
	["imprint_url", "Legal notice URL", null, "url"],
];
const LOOKS = [
	["logo_url", "Logo", "Image URL, shown instead of the name.", "url"],
	["accent", "Button color", null, "color"],
	["background", "Background", null, "color"],
	["card", "Cards", null, "color"],
	["text_color", "Text", null, "color"],
	["dark_accent", "Buttons (dark)", null, "color"],
	["dark_background", "Background (dark)", null, "color"],
	["dark_card", "Cards (dark)", null, "color"],
	["dark_text_color", "Text (dark)", null, "color"],
	["css", "Custom CSS", null, "area"],
];
const COLORS = {
	accent: "#4338ca",
	background: "#f4f5f9",
	card: "#ffffff",
	text_color: "#1a1c2b",
	dark_accent: "#a5a8ff",
	dark_background: "#10111a",
	dark_card: "#1b1d2a",
	dark_text_color: "#ecedf6",
};

function Color({ form, name, label }) {
	return html`<div class="color"><${Field} form=${form} name=${name} label=${label} placeholder=${COLORS[name]} spellcheck="false" />
		<input type="color" aria-label=${`${label}: color picker`} value=${/^#[0-9a-f]{6}$/i.test(form.values[name]) ? form.values[name] : COLORS[name]} onInput=${event => form.set(name, event.currentTarget.value)} /></div>`;
}

/** The own values of a language (of all languages: ""), by name. */
const valuesOf = (looks, names, language) =>
	Object.fromEntries(
		names.map(name => [name, looks.find(one => one.name === name && (one.language || "") === language)?.value || ""]),
	);

/** What the sign-up page shows where the campaign has no text of its own, by name. */
function defaultsOf(markup) {
	const page = new DOMParser().parseFromString(markup, "text/html");
	const texts = { title: "h1", text: "p.lead", button: "button[type=submit]" };
	return Object.fromEntries(Object.entries(texts).map(([name, selector]) => [name, page.querySelector(selector)?.textContent]));
}

function PageForm({ id, looks, tag, language, reload }) {
	const names = [...TEXTS.map(([name]) => name), ...(language ? [] : LOOKS.map(([name]) => name))];
	const start = valuesOf(looks, names, language),
		form = useForm(start);
	const [base, setBase] = useState({ values: start, tag });
	const [view, setView] = useState("signup"),
		[wide, setWide] = useState(true);
	const changed = names.filter(name => form.values[name] !== base.values[name]),
		changes = may("manage");
	const draft = useDraft({ view, language, values: form.values }, async (input, signal) =>
		changes ? (await post(`campaigns/${id}/page/preview`, { view, ...(language ? { language } : {}), ...input.values }, { signal })).value : null,
	);
	const invalid = draft.failure?.status === 422 ? draft.failure : null;
	const shown = { ...form, fields: { ...form.fields, ...invalid?.fields } };
	const defaults = useRef({});
	if (draft.value && view === "signup")
		defaults.current = { ...defaults.current, ...Object.fromEntries(Object.entries(defaultsOf(draft.value.html)).filter(([name]) => !form.values[name])) };
	async function submit() {
		const done = await save({
			path: `campaigns/${id}/page`,
			tag: base.tag,
			base: base.values,
			changes: Object.fromEntries(changed.map(name => [name, form.values[name]])),
			extra: language ? { language } : {},
			read: value => valuesOf(value, names, language),
			labels: Object.fromEntries([...TEXTS, ...LOOKS].map(([name, label]) => [name, label])),
		});
		const now = await get(`campaigns/${id}/page`),
			values = valuesOf(now.value, names, language);
		setBase({ values, tag: now.tag });
		form.setValues(values);
		toast(done === "saved" ? "Saved and published" : "Their changes were kept");
		reload();
	}
	const field = ([name, label, hint, kind]) =>
		kind === "color"
			? html`<${Color} key=${name} form=${shown} name=${name} label=${label} />`
			: kind === "fields"
				? html`<${FieldsEditor} key=${name} form=${shown} name=${name} label=${label} fallback=${language ? valuesOf(looks, [name], "")[name] : ""} />`
				: html`<${Field} key=${name} form=${shown} name=${name} label=${label} hint=${hint} type=${kind || "text"} placeholder=${defaults.current[name]} />`;
	return html`<div class="columns editor">
		<section class="card"><${Form} form=${form} onSubmit=${submit} submit=${changes && changed.length > 0 ? "Save" : null}>
			<fieldset class="stack" disabled=${!changes}>${TEXTS.map(field)}${!language && html`<h2>Design</h2><div class="colors">${LOOKS.map(field)}</div>`}</fieldset>
			${changed.length > 0 && html`<p class="hint">${plural(changed.length, "unsaved change")}.</p>`}<//></section>
		${changes && html`<section class="card preview-card"><header><h2>Preview</h2><div class="segments" role="group" aria-label="Page">
				<button type="button" class="small" aria-pressed=${view === "signup"} onClick=${() => setView("signup")}>Sign-up</button>
				<button type="button" class="small" aria-pressed=${view === "status"} onClick=${() => setView("status")}>Status page</button>
				<button type="button" class="small" aria-pressed=${!wide} onClick=${() => setWide(!wide)}>Phone</button></div></header>
			${invalid && html`<p class="error" role="status">${Object.values(invalid.fields)[0] || invalid.message}</p>`}
			${draft.failure && !invalid && html`<${Problem} failure=${draft.failure} />`}
			${draft.value && html`<${Preview} markup=${draft.value.html} style=${draft.value.style} title="Preview of the page" width=${wide ? undefined : 380} />`}</section>`}</div>`;
}

function Pages({ id, query }) {
	const live = useLive(`campaigns/${id}/page`, {}, { every: 0 }),
		language = query.language || "";
	return html`<div class="row"><label>Language <select value=${language} onChange=${event => setQuery({ language: event.currentTarget.value })}>
			${LANGUAGES.map(([key, text]) => html`<option key=${key} value=${key} selected=${key === language}>${text}</option>`)}</select></label></div>
		<${Loaded} live=${live} lines=${10}>${(looks, { tag }) => html`<${PageForm} key=${`${id}${language}`} id=${id} looks=${looks} tag=${tag} language=${language} reload=${live.reload} />`}<//>`;
}

/* ---- mails ---- */

const KINDS = Object.keys(MAILS).filter(kind => kind !== "code");

const ownTexts = template => ({
	subject: template.own_subject || "",
	text: template.own_text || "",
	html: template.own_html || "",
});

function MailForm({ id, kind, language, template, tag }) {
	const own = ownTexts(template);
	const form = useForm(own),
		[base, setBase] = useState({ values: own, tag }),
		[shape, setShape] = useState("html");
	const changed = ["subject", "text", "html"].filter(name => form.values[name] !== base.values[name]);
	const draft = useDraft({ kind, language, values: form.values }, (input, signal) =>
		post(
			`campaigns/${id}/mail-templates/${kind}/preview`,
			{ ...(language ? { language } : {}), ...input.values },
			{ signal },
		).then(answer => answer.value),
	);
	const [test, setTest] = useState(null);
	async function submit() {
		const done = await save({
			path: `campaigns/${id}/mail-templates/${kind}`,
			tag: base.tag,
			base: base.values,
			changes: Object.fromEntries(changed.map(name => [name, form.values[name]])),
			extra: language ? { language } : {},
			readQuery: { language },
			read: ownTexts,
			labels: { subject: "Subject", text: "Text", html: "HTML" },
		});
		const now = await get(`campaigns/${id}/mail-templates/${kind}`, { language }),
			values = ownTexts(now.value);
		setBase({ values, tag: now.tag });
		form.setValues(values);
		toast(done === "saved" ? "Saved. New emails use this text." : "Their changes were kept");
	}
	async function sendTest() {
		setTest({ text: "Sending …" });
		const { value } = await post(`campaigns/${id}/mail-templates/${kind}/test`, language ? { language } : {});
		const job = await waitForJob(value);
		setTest(
			!job.ended_at
				? { text: "The test is still queued. Check that the dispatcher is running." }
				: job.state === "done" && job.result?.ok !== false
					? { good: true, text: `Sent to ${session.get().email}.` }
					: { bad: true, text: job.error || job.result?.answer || "The test email was not sent." },
		);
	}
	const invalid = draft.failure?.status === 422 ? draft.failure : null;
	return html`<div class="columns editor"><section class="card"><p class="muted">Sent ${MAILS[kind][1]}. Leave fields empty to use the default text in the language of the lead.</p>
		<${Form} form=${form} onSubmit=${submit} submit=${changed.length > 0 ? "Save" : null}>
			<${Field} form=${form} name="subject" label="Subject" placeholder=${template.subject || ""} /><${Field} form=${form} name="text" label="Text" type="area" rows="12" placeholder=${template.text || ""} hint="Variables: {{first_name}}, {{campaign_name}}, {{status_url}}, {{unsubscribe_url}}, {{score}}, {{position}}" />
			<${Field} form=${form} name="html" label="HTML" type="area" rows="6" hint="Leave empty to generate it from the text." /><//>
		<div class="buttons"><${Button} onClick=${sendTest} disabled=${changed.length > 0} title=${changed.length > 0 ? "Save your changes first" : undefined}>Send me a test email<//></div>
		${test && html`<${Notice} tone=${test.good ? "good" : test.bad ? "bad" : "plain"}><p role="status">${test.text}</p><//>`}</section>
		<section class="card preview-card"><header><h2>Preview</h2><div class="segments" role="group" aria-label="Form"><button type="button" class="small" aria-pressed=${shape === "html"} onClick=${() => setShape("html")}>HTML</button>
			<button type="button" class="small" aria-pressed=${shape === "text"} onClick=${() => setShape("text")}>Text</button></div></header>
			${invalid && html`<p class="error" role="status">${Object.values(invalid.fields)[0] || invalid.message}</p>`}${draft.failure && !invalid && html`<${Problem} failure=${draft.failure} />`}
			${draft.value && html`<p><strong>${draft.value.subject}</strong></p>${shape === "html" ? html`<${Preview} markup=${draft.value.html} title="Preview of the email" />` : html`<pre class="answer" tabindex="0">${draft.value.text}</pre>`}`}</section></div>`;
}

function Mails({ id, query }) {
	const kind = KINDS.includes(query.kind) ? query.kind : "verify",
		language = query.language || "";
	const templates = useList(`campaigns/${id}/mail-templates`, {}, { every: 0 });
	const live = useLive(`campaigns/${id}/mail-templates/${kind}`, { language }, { every: 0 });
	const installation = useList("installation", {}, { every: 60 });
	const own = templates
		?.filter(one => one.kind === kind && [one.subject_is, one.text_is, one.html_is].includes("own"))
		.map(one => one.language || "all");
	return html`${installation?.mail === false && html`<${Notice} tone="wait"><p><strong>Email is not configured on this installation.</strong> No emails are sent. The operator sets <code>mail.host</code> and <code>mail.from</code>.</p><//>`}
		<div class="row"><label>Email <select value=${kind} onChange=${event => setQuery({ kind: event.currentTarget.value })}>${KINDS.map(one => html`<option key=${one} value=${one} selected=${one === kind}>${MAILS[one][0]}</option>`)}</select></label>
			<label>Language <select value=${language} onChange=${event => setQuery({ language: event.currentTarget.value })}>${LANGUAGES.map(([key, text]) => html`<option key=${key} value=${key} selected=${key === language}>${text}</option>`)}</select></label></div>
		${own?.length > 0 && html`<p class="muted">Custom texts for: ${own.join(", ")}.</p>`}
		<${Loaded} live=${live} lines=${8}>${(template, { tag }) => html`<${MailForm} key=${`${kind}${language}`} id=${id} kind=${kind} language=${language} template=${template} tag=${tag} />`}<//>`;
}

function Sent({ id, query }) {
	const filter = { state: query.state, kind: query.kind, after: query.after, limit: 50 };
	const live = useLive(`campaigns/${id}/mails`, filter, { every: 10 });
	const again = mail => async () => {
		await post("mails/resend", { mails: [mail.id] });
		toast("The email is resent");
		live.reload();
	};
	return html`<div class="filters" role="group" aria-label="Filters">${[
		["", "All"],
		["sent", "Sent"],
		["failed", "Failed"],
		["dropped", "Dropped"],
		["requested", "Pending"],
	].map(
		([state, text]) => html`
			<button type="button" class="small" key=${state} aria-pressed=${(query.state || "") === state} onClick=${() => setQuery({ state, after: null })}>${text}</button>`,
	)}<${Updated} live=${live} /></div>
		<${Loaded} live=${live}>${rows =>
			rows.length === 0
				? html`<${Empty} title="No emails"><p>${query.state ? "No email has this status." : "Leads get emails when they sign up, reach a reward or refer friends."}</p><//>`
				: html`<${Table} name="Emails" rows=${rows} columns=${[
						{ title: "Email", cell: row => MAILS[row.kind]?.[0] || row.kind },
						{
							title: "To",
							cell: row =>
								row.lead
									? html`<a href=${link(`campaigns/${id}/leads/${row.lead}`)}>${row.recipient || row.lead}</a>`
									: row.recipient || html`<span class="muted">deleted</span>`,
						},
						{
							title: "Status",
							cell: row =>
								html`<${Chip} tone=${{ sent: "good", failed: "bad", dropped: "plain" }[row.state] || "wait"}>${{ requested: "pending" }[row.state] || row.state}<//>${row.reason ? html` <span class="muted">${mailReason(row.reason)}</span>` : ""}`,
						},
						{ title: "Created", cell: row => html`<${Time} at=${row.created_at} />` },
						{
							title: "Actions",
							hidden: true,
							cell: row =>
								may("change") && ["failed", "dropped"].includes(row.state)
									? html`<${Button} kind="small" onClick=${again(row)}>Resend<//>`
									: "",
						},
					]} /><nav class="buttons pager" aria-label="Pages">${query.after && html`<button type="button" onClick=${() => setQuery({ after: null })}>Newest</button>`}
				${live.next && html`<button type="button" onClick=${() => setQuery({ after: live.next.after })}>Older</button>`}</nav>`}<//>`;
}

export function PagesAndMail({ id, query }) {
	const tab = query.tab || "";
	const shown = TABS.filter(([key]) => (key === "sent" ? may("leads") : key === "" || may("manage")));
	const embed = useList(may("manage") ? `campaigns/${id}/embed` : null, {}, { every: 0 });
	return html`<${Page} title="Pages and email" above=${html`<a href=${link(`campaigns/${id}`)}>${campaignName(id)}</a>`} actions=${html`
			${embed?.page && html`<a class="button" href=${embed.page} target="_blank" rel="noreferrer noopener">Open the page</a>`}
			<a class="button" href=${link(`campaigns/${id}/settings`, { tab: "embed" })}>Embed the form</a>`}>
		<div class="segments" role="group" aria-label="Parts">${shown.map(([key, text]) => html`<button type="button" key=${key} aria-pressed=${tab === key} onClick=${() => setQuery({ tab: key, kind: null, state: null, after: null })}>${text}</button>`)}</div>
		${tab === "mails" ? html`<${Mails} id=${id} query=${query} />` : tab === "sent" ? html`<${Sent} id=${id} query=${query} />` : html`<${Pages} id=${id} query=${query} />`}
	<//>`;
}
