// SPDX-License-Identifier: MIT
// The texts and colors of the pages of a campaign, with a preview of what is typed.
import { useRef, useState } from "./hooks.js";
import { post } from "./api.js";
import { DraftProblem, LANGUAGE_OPTIONS, LanguageChoice, Preview, useDraft, withErrors } from "./drafts.js";
import { plural } from "./format.js";
import { FieldsEditor, parse } from "./fields.js";
import { useList, useLive } from "./live.js";
import { Mails, Sent } from "./mails.js";
import { link, setQuery } from "./route.js";
import { may } from "./session.js";
import { useEditor } from "./versions.js";
import { LANGUAGES } from "./words.js";
import { Field, Form } from "./forms.js";
import { Box, Card, Loaded, Notice, Page, Segments, Select, html } from "./ui.js";

const TABS = [
	["", "Pages"],
	["mails", "Emails"],
	["sent", "Sent emails"],
];

/* Name, label, hint, kind, and what pages show if neither the language nor “All languages” has a text. */
const TEXTS = [
	["title", "Headline", "The headline of the sign-up page."],
	["text", "Text", "Separate paragraphs with blank lines.", "area"],
	["button", "Button"],
	["fields", "Form fields", null, "fields"],
	["consent", "Consent", "The text of a checkbox that visitors must tick.", "area", "no checkbox"],
	["status_text", "Text of the status page", null, "area", "no text"],
	["ended_text", "Text after the end", "On the sign-up page and the status page when the campaign has ended.", "area", "the usual text"],
	["share_text", "Share text", "Sent with the link that leads share.", "text", "the link alone"],
	["privacy_url", "Privacy policy URL", "Linked at the bottom of pages.", "url", "no link"],
	["imprint_url", "Legal notice URL", "Linked at the bottom of pages.", "url", "no link"],
];
/* Texts that visitors read: they need a translation. */
const READ = ["title", "text", "button", "fields", "consent", "status_text", "ended_text", "share_text"];
const LOOKS = [
	["logo_url", "Logo", "The address of a picture on the web, shown instead of the name.", "url"],
	["scheme", "Light or dark", "“As on the visitor's device” uses the dark colors for visitors whose device is in dark mode.", "select", [
		["", "As on the visitor's device"],
		["light", "Always light"],
		["dark", "Always dark"],
	]],
	["accent", "Button color", null, "color"],
	["background", "Background", null, "color"],
	["card", "Cards", null, "color"],
	["text_color", "Text color", null, "color"],
	["dark_accent", "Button color (dark)", null, "color"],
	["dark_background", "Background (dark)", null, "color"],
	["dark_card", "Cards (dark)", null, "color"],
	["dark_text_color", "Text color (dark)", null, "color"],
	["leaderboard", "Leaderboard on the status page", "The first ten leads with their names, or with masked addresses.", "select", [
		["", "Shown"],
		["off", "Hidden"],
	]],
	["css", "Custom CSS", "For web designers. Without url() and @import: pages load nothing from elsewhere.", "area"],
];
/** The labels of texts and colors, by name. */
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

const isColor = value => /^#[0-9a-f]{6}$/i.test(value);

function Color({ form, name, label }) {
	const { [name]: value, accent } = form.values;
	const usual = name === "dark_accent" && isColor(accent) ? accent : COLORS[name]; // by default, dark buttons have the same color
	return html`
		<div class="color">
			<${Field} form=${form} name=${name} label=${label} placeholder=${usual} spellcheck="false" />
			<input type="color" aria-label=${`${label}: color picker`} value=${isColor(value) ? value : usual}
				onInput=${event => form.set(name, event.currentTarget.value)} />
		</div>`;
}

/** A language's own values by name; "" is “All languages”. */
function valuesOf(looks, names, language) {
	const valueOf = name => looks.find(one => one.name === name && (one.language || "") === language)?.value || "";
	return Object.fromEntries(names.map(name => [name, valueOf(name)]));
}

/** The default texts by name, from the markup of a sign-up page. */
function defaultsOf(markup) {
	const page = new DOMParser().parseFromString(markup, "text/html");
	const texts = { title: "h1", text: "p.lead", button: "button[type=submit]" };
	return Object.fromEntries(Object.entries(texts).map(([name, selector]) => [name, page.querySelector(selector)?.textContent]));
}

/** What replaces an empty text: [the text that pages show, a sentence about it]. */
function inheritedBy({ name, missing, language, looks, defaults }) {
	const common = language && valuesOf(looks, [name], "")[name];
	if (common)
		return [common, "Empty: the text of “All languages” is used."];
	if (defaults[name])
		return [defaults[name], "Empty: this default text, in the language of the page."];
	return [undefined, missing && `Empty: ${missing}.`];
}

/** The fields for texts and colors. `shown`: the form with the errors of the draft. */
function PageFields({ shown, language, looks, defaults }) {
	const text = ([name, label, hint, kind = "text", missing]) => {
		const [placeholder, empty] = inheritedBy({ name, missing, language, looks, defaults });
		if (kind === "fields")
			return html`<${FieldsEditor} key=${name} form=${shown} name=${name} label=${label} fallback=${placeholder} />`;
		return html`
			<${Field} key=${name} form=${shown} name=${name} label=${label} type=${kind} placeholder=${placeholder}
				hint=${[hint, !shown.values[name] && empty].filter(Boolean).join(" ")} />`;
	};
	const look = ([name, label, hint, kind, options]) => {
		if (kind === "color")
			return html`<${Color} key=${name} form=${shown} name=${name} label=${label} />`;
		return html`
			<${Field} key=${name} form=${shown} name=${name} label=${label} hint=${hint} type=${kind} options=${options} />`;
	};
	return html`
		${TEXTS.map(text)}
		${!language && html`<h2>Design</h2><div class="colors">${LOOKS.map(look)}</div>`}`;
}

/* ---- what is not translated ---- */

/** Whether the fields have labels or options other than the default ones. */
const hasWords = fields => Boolean(fields && parse(fields).rows?.some(row => row.label || row.options));

/** The labels of texts that the campaign has, but not in this language. */
const missingIn = (texts, looks, language) => {
	const own = valuesOf(looks, READ, language);
	const isRead = name => (name === "fields" ? hasWords(texts.fields) : texts[name]);
	return READ.filter(name => isRead(name) && !own[name]).map(name => PAGE_LABELS[name]);
};

/** The texts. Those of the form replace the stored ones. */
function withTyped(looks, language, values) {
	const own = Object.entries(values).map(([name, value]) => ({ name, language, value }));
	return [...own, ...looks.filter(one => (one.language || "") !== language)];
}

/** A warning with a list. `rows`: [name, texts]. */
const Lines = ({ title, rows, children }) => html`
	<${Box} tone="wait">
		<div>
			<p><strong>${title}</strong> ${children}</p>
			<ul>${rows.map(([name, list]) => html`<li key=${name}>${name}: ${list.join(", ")}</li>`)}</ul>
		</div>
	<//>`;

/* Whether the form asks for more than an address. */
const hasMore = fields => parse(fields).rows?.some(row => row.name !== "email");

/** Warns when visitors with some languages are asked for something that others are not. */
function AskedOfSome({ campaign, looks, language, values }) {
	const all = withTyped(looks, language, values);
	const of = (name, code) => valuesOf(all, [name], code)[name];
	const has = (name, code) => (name === "fields" ? hasMore(of(name, code)) : of(name, code));
	const codes = Object.keys(LANGUAGES);
	const rows = ["fields", "consent"]
		.filter(name => !of(name, ""))
		.map(name => [name, codes.filter(code => has(name, code))])
		.filter(([, found]) => found.length > 0 && found.length < codes.length);
	if (campaign?.language !== "auto" || rows.length === 0)
		return null;
	return html`
		<${Lines} title="Not on all pages." rows=${rows.map(([name, found]) => [PAGE_LABELS[name], found.map(code => LANGUAGES[code])])}>
			Only visitors with these languages are asked. Enter it in “All languages”, and translate it from there:
		<//>`;
}

/** Warns of texts in a language other than that of the rest of the page. `values`: those of the form. */
function Untranslated({ campaign, looks, language, values }) {
	if (campaign?.language !== "auto")
		return null;
	const texts = language ? valuesOf(looks, READ, "") : values;
	const others = language ? [language] : Object.keys(LANGUAGES);
	const rows = others.map(code => [code, missingIn(texts, withTyped(looks, language, values), code)]);
	const begun = rows.filter(([code, missing]) => missing.length > 0 && (language || READ.some(name => valuesOf(looks, READ, code)[name])));
	if (begun.length === 0)
		return null;
	return html`
		<${Lines} title="Not translated." rows=${begun.map(([code, missing]) => [LANGUAGES[code], missing])}>
			Visitors see these texts as they are in “All languages”, and the rest of the page in their language:
		<//>`;
}

/* ---- the preview ---- */

const PAGES = [["signup", "Sign-up"], ["status", "Status page"]];
const WIDTHS = [[undefined, "Computer"], [380, "Phone"]]; // in pixels
const SCHEMES = [["light", "Light"], ["dark", "Dark"]];

/** `look`: which page is shown, and its language, width and colors; `fixed`: those that the form determines. */
function PagePreview({ draft, look, setLook, fixed }) {
	const set = name => value => setLook({ ...look, [name]: value });
	const choice = (name, label, options) => html`
		<${Segments} label=${label} options=${options} value=${look[name]} choose=${set(name)} kind="small" />`;
	const choices = html`
		${choice("view", "Page", PAGES)}
		${choice("width", "Width", WIDTHS)}
		${!fixed.scheme && choice("scheme", "Colors", SCHEMES)}
		${!fixed.language && html`
			<${Select} class="small" aria-label="Preview for visitors" value=${look.language} options=${LANGUAGE_OPTIONS}
				choose=${set("language")} />`}`;
	return html`
		<${Card} title="Preview" kind="preview-card" beside=${choices}>
			<${DraftProblem} draft=${draft} />
			${draft.value && html`
				<${Preview} markup=${draft.value.html} style=${draft.value.style} title="Preview of the page"
					width=${look.width} />`}
		<//>`;
}

/** The body of the request for a preview: the texts and the colors that visitors with this language get. */
function previewOf({ values, language, look, looks }) {
	const shown = language || look.language;
	const own = shown && !language ? valuesOf(looks, TEXTS.map(([name]) => name), shown) : {};
	const replaced = Object.fromEntries(Object.entries(own).filter(([, value]) => value));
	return {
		view: look.view,
		...(shown ? { language: shown } : {}),
		...values,
		...replaced,
		scheme: values.scheme || look.scheme,
	};
}

/** The form with its errors. Those of the form fields are in the words of their editor, and shown only after an attempt to save. */
function shownForm(form, draft) {
	const { fields, ...others } = withErrors(form, draft).fields;
	const refused = form.fields.fields && (parse(form.values.fields).problem || fields);
	return { ...form, fields: { ...others, ...(refused ? { fields: refused } : {}) } };
}

function PageForm({ id, campaign, looks, tag, language, reload }) {
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
	const [look, setLook] = useState({ view: "signup", width: undefined, scheme: "light", language: "" });
	const changes = may("manage");
	const stored = valuesOf(looks, ["scheme"], "").scheme;
	const body = previewOf({ values: { scheme: stored, ...form.values }, language, look, looks });
	const draft = useDraft(body, async (input, signal) =>
		(changes ? (await post(`campaigns/${id}/page/preview`, input, { signal })).value : null),
	);
	const defaults = useRef({});
	if (draft.value && look.view === "signup") {
		const found = Object.entries(defaultsOf(draft.value.html)).filter(([name]) => !body[name]);
		defaults.current = { ...defaults.current, ...Object.fromEntries(found) };
	}
	return html`
		<div class="columns editor">
			<${Card}>
				${!changes && html`<${Notice}>Your role cannot change this.<//>`}
				<${AskedOfSome} campaign=${campaign} looks=${looks} language=${language} values=${form.values} />
				<${Untranslated} campaign=${campaign} looks=${looks} language=${language} values=${form.values} />
				<${Form} form=${form} onSubmit=${submit} submit=${changes && changed.length > 0 ? "Save" : null}
					note=${`${plural(changed.length, "unsaved change")}. Save publishes on the page.`}>
					<fieldset class="stack" disabled=${!changes}>
						<${PageFields} shown=${shownForm(form, draft)} language=${language} looks=${looks} defaults=${defaults.current} />
					</fieldset>
				<//>
			<//>
			${changes && html`
				<${PagePreview} draft=${draft} look=${look} setLook=${setLook}
					fixed=${{ language, scheme: form.values.scheme || (language && stored) }} />`}
		</div>`;
}

function Pages({ id, query }) {
	const live = useLive(`campaigns/${id}/page`, {}, { every: 0 });
	const campaign = useList(`campaigns/${id}`, {}, { every: 0 });
	const language = query.language || "";
	return html`
		<div class="row"><${LanguageChoice} language=${language} /></div>
		<p class="hint">
			${language
				? `Only on pages in ${LANGUAGES[language]}. Empty texts, and the design, are those of “All languages”.`
				: "On pages in every language. Choose a language to translate."}
		</p>
		<${Loaded} live=${live} lines=${10}>${(looks, { tag }) => html`
			<${PageForm} key=${`${id}${language}`} id=${id} campaign=${campaign} looks=${looks} tag=${tag} language=${language}
				reload=${live.reload} />`}
		<//>`;
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
		<${Page} title="Pages and email" campaign=${id} actions=${actions}>
			<${Segments} label="Parts" options=${shown} value=${tab} choose=${choose} />
			<${Part} id=${id} query=${query} />
		<//>`;
}
