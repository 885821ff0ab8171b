// SPDX-License-Identifier: MIT
// What people see of a campaign: its pages and its mails, with a preview of what is typed.
import { useEffect, useRef, useState } from "./hooks.js";
import { Cancelled, post } from "./api.js";
import { plural } from "./format.js";
import { FieldsEditor } from "./fields.js";
import { Crumbs } from "./frame.js";
import { useList, useLive } from "./live.js";
import { link, setQuery } from "./route.js";
import { may, session } from "./session.js";
import { useEditor } from "./versions.js";
import { LANGUAGES, MAILS, mailReason } from "./words.js";
import { Preview } from "./preview.js";
import { mailTestProblem, waitForJob } from "./webhooks.js";
import { Pager } from "./lists.js";
import { Field, Form } from "./forms.js";
import { Button, Chip, Empty, Loaded, Notice, Page, Problem, Segments, Table, Time, Updated, html, sentence, toast } from "./ui.js";

const LANGUAGE_OPTIONS = [["", "All languages"], ...Object.entries(LANGUAGES)];
const TABS = [
	["", "Pages"],
	["mails", "Emails"],
	["sent", "Sent emails"],
];
const SOON_MS = 600; // between typing and the preview of it

/** What `request` returns for `input`, requested again a moment after it has changed. */
function useDraft(input, request) {
	const [state, set] = useState({ value: null, failure: null });
	const key = JSON.stringify(input);
	const first = useRef(true);
	useEffect(() => {
		const control = new AbortController();
		async function draft() {
			try {
				const value = await request(input, control.signal);
				set({ value, failure: null });
			} catch (failure) {
				if (!(failure instanceof Cancelled)) set(old => ({ ...old, failure }));
			}
		}
		const timer = setTimeout(draft, first.current ? 0 : SOON_MS);
		first.current = false;
		return () => {
			clearTimeout(timer);
			control.abort();
		};
	}, [key]);
	return state;
}

/** What is wrong with a draft: with its values (status 422), or with the call. */
function DraftProblem({ failure }) {
	if (!failure)
		return null;
	if (failure.status === 422)
		return html`<p class="error" role="status">${sentence(Object.values(failure.fields)[0] || failure.message)}</p>`;
	return html`<${Problem} failure=${failure} />`;
}

function LanguageChoice({ language }) {
	return html`
		<label>
			Language${" "}
			<select value=${language} onChange=${event => setQuery({ language: event.currentTarget.value })}>
				${LANGUAGE_OPTIONS.map(([key, text]) => html`
					<option key=${key} value=${key} selected=${key === language}>${text}</option>`)}
			</select>
		</label>`;
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
	["leaderboard", "Leaderboard on the status page", "The first ten leads with their names, or with masked addresses.", "board"],
	["css", "Custom CSS", "Without url() and @import: pages load nothing from elsewhere.", "area"],
];
const BOARDS = [
	["", "Shown"],
	["off", "Hidden"],
];
/** What texts and colors are called, by name. */
export const PAGE_LABELS = { __proto__: null, ...Object.fromEntries([...TEXTS, ...LOOKS].map(([name, label]) => [name, label])) };

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
	const value = form.values[name];
	return html`
		<div class="color">
			<${Field} form=${form} name=${name} label=${label} placeholder=${COLORS[name]} spellcheck="false" />
			<input type="color" aria-label=${`${label}: color picker`} value=${/^#[0-9a-f]{6}$/i.test(value) ? value : COLORS[name]}
				onInput=${event => form.set(name, event.currentTarget.value)} />
		</div>`;
}

/** The own values of a language (of all languages: ""), by name. */
function valuesOf(looks, names, language) {
	const valueOf = name => looks.find(one => one.name === name && (one.language || "") === language)?.value || "";
	return Object.fromEntries(names.map(name => [name, valueOf(name)]));
}

/** What the sign-up page shows where the campaign has no text of its own, by name. */
function defaultsOf(markup) {
	const page = new DOMParser().parseFromString(markup, "text/html");
	const texts = { title: "h1", text: "p.lead", button: "button[type=submit]" };
	return Object.fromEntries(Object.entries(texts).map(([name, selector]) => [name, page.querySelector(selector)?.textContent]));
}

/** Fields for texts and colors. `shown`: the form, with what the draft says is wrong. */
function PageFields({ shown, language, looks, placeholders }) {
	const field = ([name, label, hint, kind]) => {
		if (kind === "color")
			return html`<${Color} key=${name} form=${shown} name=${name} label=${label} />`;
		if (kind === "fields") {
			const fallback = language ? valuesOf(looks, [name], "")[name] : "";
			return html`<${FieldsEditor} key=${name} form=${shown} name=${name} label=${label} fallback=${fallback} />`;
		}
		if (kind === "board")
			return html`
				<${Field} key=${name} form=${shown} name=${name} label=${label} hint=${hint} type="select" options=${BOARDS} />`;
		return html`
			<${Field} key=${name} form=${shown} name=${name} label=${label} hint=${hint} type=${kind || "text"}
				placeholder=${placeholders[name]} />`;
	};
	return html`
		${TEXTS.map(field)}
		${!language && html`<h2>Design</h2><div class="colors">${LOOKS.map(field)}</div>`}`;
}

const PAGES = [
	["signup", "Sign-up"],
	["status", "Status page"],
];
const WIDTHS = [
	[undefined, "Computer"],
	[380, "Phone"],
]; // in pixels

function PagePreview({ draft, view, setView }) {
	const [width, setWidth] = useState(undefined);
	return html`
		<section class="card preview-card">
			<header>
				<h2>Preview</h2>
				<${Segments} label="Page" options=${PAGES} value=${view} choose=${setView} kind="small" />
				<${Segments} label="Width" options=${WIDTHS} value=${width} choose=${setWidth} kind="small" />
			</header>
			<${DraftProblem} failure=${draft.failure} />
			${draft.value && html`
				<${Preview} markup=${draft.value.html} style=${draft.value.style} title="Preview of the page"
					width=${width} />`}
		</section>`;
}

function PageForm({ id, looks, tag, language, reload }) {
	const names = [...TEXTS.map(([name]) => name), ...(language ? [] : LOOKS.map(([name]) => name))];
	const { form, changed, submit } = useEditor({
		path: `campaigns/${id}/page`,
		loaded: looks,
		tag,
		read: value => valuesOf(value, names, language),
		extra: language ? { language } : {},
		labels: PAGE_LABELS,
		saved: "Saved and published",
		reload,
	});
	const [view, setView] = useState("signup");
	const changes = may("manage");
	const draft = useDraft({ view, language, values: form.values }, async (input, signal) => {
		if (!changes)
			return null;
		const body = { view, ...(language ? { language } : {}), ...input.values };
		return (await post(`campaigns/${id}/page/preview`, body, { signal })).value;
	});
	const invalid = draft.failure?.status === 422 ? draft.failure : null;
	const shown = { ...form, fields: { ...form.fields, ...invalid?.fields } };
	const defaults = useRef({});
	if (draft.value && view === "signup") {
		const found = Object.entries(defaultsOf(draft.value.html)).filter(([name]) => !form.values[name]);
		defaults.current = { ...defaults.current, ...Object.fromEntries(found) };
	}
	return html`
		<div class="columns editor">
			<section class="card">
				${!changes && html`<${Notice}>Your role cannot change this.<//>`}
				<${Form} form=${form} onSubmit=${submit} submit=${changes && changed.length > 0 ? "Save" : null}>
					<fieldset class="stack" disabled=${!changes}>
						<${PageFields} shown=${shown} language=${language} looks=${looks} placeholders=${defaults.current} />
					</fieldset>
					${changed.length > 0 && html`<p class="hint">${plural(changed.length, "unsaved change")}.</p>`}
				<//>
			</section>
			${changes && html`<${PagePreview} draft=${draft} view=${view} setView=${setView} />`}
		</div>`;
}

function Pages({ id, query }) {
	const live = useLive(`campaigns/${id}/page`, {}, { every: 0 });
	const language = query.language || "";
	return html`
		<div class="row"><${LanguageChoice} language=${language} /></div>
		<${Loaded} live=${live} lines=${10}>${(looks, { tag }) => html`
			<${PageForm} key=${`${id}${language}`} id=${id} looks=${looks} tag=${tag} language=${language}
				reload=${live.reload} />`}
		<//>`;
}

/* ---- mails ---- */

const KINDS = Object.keys(MAILS).filter(kind => kind !== "code");

const ownTexts = ({ own_subject, own_text, own_html }) => ({
	subject: own_subject || "",
	text: own_text || "",
	html: own_html || "",
});

/** The variables of a kind, what its text must show first. */
function variablesOf({ variables, required }) {
	const others = variables.filter(name => !required.includes(name));
	const shown = [...required.map(name => `{{${name}}} (required)`), ...others.map(name => `{{${name}}}`)];
	return `Variables: ${shown.join(", ")}`;
}

const SHAPES = [
	["html", "HTML"],
	["text", "Text"],
];

function MailPreview({ draft: { value, failure } }) {
	const [shape, setShape] = useState("html");
	const shown = failure?.status === 422 ? null : value; // the mail before the error would look as if it were that of the text
	return html`
		<section class="card preview-card">
			<header>
				<h2>Preview</h2>
				<${Segments} label="Form" options=${SHAPES} value=${shape} choose=${setShape} kind="small" />
			</header>
			<${DraftProblem} failure=${failure} />
			${shown && html`<p><strong>${shown.subject}</strong></p>`}
			${shown && shape === "html" && html`<${Preview} markup=${shown.html} title="Preview of the email" />`}
			${shown && shape === "text" && html`<pre class="answer" tabindex="0">${shown.text}</pre>`}
		</section>`;
}

function MailForm({ id, kind, language, template, tag, reload }) {
	const path = `campaigns/${id}/mail-templates/${kind}`;
	const inLanguage = language ? { language } : {};
	const { form, stored, changed, submit } = useEditor({
		path,
		query: inLanguage,
		loaded: template,
		tag,
		read: ownTexts,
		extra: inLanguage,
		labels: { subject: "Subject", text: "Text", html: "HTML" },
		saved: "Saved. New emails use this text.",
		reload,
	});
	const draft = useDraft({ kind, language, values: form.values }, async (input, signal) =>
		(await post(`${path}/preview`, { ...inLanguage, ...input.values }, { signal })).value,
	);
	const [test, setTest] = useState(null);
	async function sendTest() {
		setTest({ tone: "plain", text: "Sending…" });
		const { value } = await post(`${path}/test`, inLanguage);
		const job = await waitForJob(value);
		const problem = mailTestProblem(job);
		const ended = problem ? "bad" : "good";
		setTest({ tone: job.ended_at ? ended : "plain", text: problem || `Sent to ${session.get().email}.` });
	}
	const unsaved = changed.length > 0;
	const isEmpty = values => !values.subject && !values.text;
	function begin() {
		form.set("subject", template.subject);
		form.set("text", template.text);
	}
	return html`
		<div class="columns editor">
			<section class="card">
				<p class="muted">
					Sent ${MAILS[kind][1]}. Leave fields empty to use the default text in the language of the lead.
				</p>
				${isEmpty(stored) && isEmpty(form.values) && html`
					<div class="buttons">
						<button type="button" onClick=${begin}>
							Start from the ${template.text_is === "default" ? "default text" : "text of all languages"}
						</button>
					</div>`}
				<${Form} form=${form} onSubmit=${submit} submit=${unsaved ? "Save" : null}>
					<${Field} form=${form} name="subject" label="Subject" placeholder=${template.subject || ""} />
					<${Field} form=${form} name="text" label="Text" type="area" rows="12" placeholder=${template.text || ""}
						hint=${variablesOf(template)} />
					<${Field} form=${form} name="html" label="HTML" type="area" rows="6"
						hint="Leave empty to generate it from the text." />
				<//>
				<div class="buttons">
					<${Button} onClick=${sendTest} disabled=${unsaved} title=${unsaved ? "Save your changes first" : undefined}>
						Send me a test email
					<//>
				</div>
				${test && html`<${Notice} tone=${test.tone}><p role="status">${test.text}</p><//>`}
			</section>
			<${MailPreview} draft=${draft} />
		</div>`;
}

function Mails({ id, query }) {
	const kind = KINDS.includes(query.kind) ? query.kind : "verify";
	const language = query.language || "";
	const templates = useList(`campaigns/${id}/mail-templates`, {}, { every: 0 });
	const live = useLive(`campaigns/${id}/mail-templates/${kind}`, { language }, { every: 0 });
	const installation = useList("installation", {}, { every: 60 });
	const own = templates
		?.filter(one => one.kind === kind && [one.subject_is, one.text_is, one.html_is].includes("own"))
		.map(one => one.language || "all");
	return html`
		${installation?.mail === false && html`
			<${Notice} tone="wait">
				<p>
					<strong>Email is not configured on this installation.</strong> No emails are sent.
					${" "}The operator sets <code>mail.host</code> and <code>mail.from</code>.
				</p>
			<//>`}
		<div class="row">
			<label>
				Email${" "}
				<select value=${kind} onChange=${event => setQuery({ kind: event.currentTarget.value })}>
					${KINDS.map(one => html`<option key=${one} value=${one} selected=${one === kind}>${MAILS[one][0]}</option>`)}
				</select>
			</label>
			<${LanguageChoice} language=${language} />
		</div>
		${own?.length > 0 && html`<p class="muted">Custom texts for: ${own.join(", ")}.</p>`}
		<${Loaded} live=${live} lines=${8}>${(template, { tag }) => html`
			<${MailForm} key=${`${kind}${language}`} id=${id} kind=${kind} language=${language} template=${template} tag=${tag}
				reload=${live.reload} />`}
		<//>`;
}

const STATES = [
	["", "All"],
	["sent", "Sent"],
	["failed", "Failed"],
	["dropped", "Dropped"],
	["requested", "Pending"],
];

const TONES = { __proto__: null, sent: "good", failed: "bad", dropped: "plain" };

function Sent({ id, query }) {
	const filter = { state: query.state, kind: query.kind, after: query.after, limit: 50 };
	const live = useLive(`campaigns/${id}/mails`, filter, { every: 10 });
	const again = mail => async () => {
		await post("mails/resend", { mails: [mail.id] });
		toast("The email will be sent again");
		live.reload();
	};
	const recipientOf = row => {
		if (row.lead)
			return html`<a href=${link(`campaigns/${id}/leads/${row.lead}`)}>${row.recipient || row.lead}</a>`;
		return row.recipient || html`<span class="muted">deleted</span>`;
	};
	const mayResend = row => may("change") && ["failed", "dropped"].includes(row.state);
	const columns = [
		{ title: "Email", cell: row => MAILS[row.kind]?.[0] || row.kind },
		{ title: "To", cell: recipientOf },
		{
			title: "Status",
			cell: row => html`
				<${Chip} tone=${TONES[row.state] || "wait"}>${row.state === "requested" ? "pending" : row.state}<//>
				${row.reason ? html` <span class="muted">${mailReason(row.reason)}</span>` : ""}`,
		},
		{ title: "Created", cell: row => html`<${Time} at=${row.created_at} />` },
		{
			title: "Actions",
			hidden: true,
			cell: row => (mayResend(row) ? html`<${Button} kind="small" onClick=${again(row)}>Resend<//>` : ""),
		},
	];
	const none = html`
		<${Empty} title="No emails">
			<p>
				${query.state
					? "No email has this status."
					: "Leads get emails when they sign up, reach a reward or refer friends."}
			</p>
		<//>`;
	const show = rows => html`
		<${Table} name="Emails" rows=${rows} columns=${columns} />
		<${Pager} after=${query.after} next=${live.next} />`;
	return html`
		<div class="filters" role="group" aria-label="Filters">
			${STATES.map(([state, text]) => html`
				<button type="button" class="small" key=${state} aria-pressed=${(query.state || "") === state}
					onClick=${() => setQuery({ state, after: null })}>${text}</button>`)}
			<${Updated} live=${live} />
		</div>
		<${Loaded} live=${live}>${rows => (rows.length === 0 ? none : show(rows))}<//>`;
}

export function PagesAndMail({ id, query }) {
	const tab = query.tab || "";
	const shown = TABS.filter(([key]) => (key === "sent" ? may("leads") : key === "" || may("manage")));
	const embed = useList(may("manage") ? `campaigns/${id}/embed` : null, {}, { every: 0 });
	const choose = key => setQuery({ tab: key, kind: null, state: null, after: null });
	const Part = tab === "mails" ? Mails : tab === "sent" ? Sent : Pages;
	const actions = html`
		${embed?.page && html`<a class="button" href=${embed.page} target="_blank" rel="noreferrer noopener">Open the page</a>`}
		<a class="button" href=${link(`campaigns/${id}/settings`, { tab: "embed" })}>Embed the form</a>`;
	return html`
		<${Page} title="Pages and email" above=${html`<${Crumbs} id=${id} />`} actions=${actions}>
			<${Segments} label="Parts" options=${shown} value=${tab} choose=${choose} />
			<${Part} id=${id} query=${query} />
		<//>`;
}
