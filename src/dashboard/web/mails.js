// SPDX-License-Identifier: MIT
// The mails of a campaign: which there are, their texts with a preview of what is typed, and those that were sent.
import { useState } from "./hooks.js";
import { post } from "./api.js";
import { DraftProblem, LanguageChoice, useDraft, withErrors } from "./drafts.js";
import { useList, useLive } from "./live.js";
import { chosenIn, link, setQuery } from "./route.js";
import { isOperator, may, session } from "./session.js";
import { useEditor } from "./versions.js";
import { LANGUAGES, MAILS, MAIL_STATES, mailReason } from "./words.js";
import { Preview } from "./preview.js";
import { mailTestProblem, waitForJob } from "./webhooks.js";
import { Pager } from "./lists.js";
import { Field, Form } from "./forms.js";
import { Button, Chip, Empty, Loaded, Notice, Segments, Table, Time, Updated, html, toast } from "./ui.js";

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
	return `Variables: ${shown.join(", ")}. {{#first_name}} … {{/first_name}} is shown only to leads with a first name.`;
}

const SHAPES = [
	["html", "HTML"],
	["text", "Text"],
];

function MailPreview({ draft }) {
	const [shape, setShape] = useState("html");
	const shown = draft.value;
	return html`
		<section class="card preview-card">
			<header>
				<h2>Preview</h2>
				<${Segments} label="Form" options=${SHAPES} value=${shape} choose=${setShape} kind="small" />
			</header>
			<${DraftProblem} draft=${draft} />
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
	const shown = withErrors(form, draft);
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
					<${Field} form=${shown} name="subject" label="Subject" placeholder=${template.subject || ""} />
					<${Field} form=${shown} name="text" label="Text" type="area" rows="12" placeholder=${template.text || ""}
						hint=${variablesOf(template)} />
					<${Field} form=${shown} name="html" label="HTML" type="area" rows="6"
						hint="Leave empty to generate it from the text." />
				<//>
				<div class="buttons">
					<${Button} onClick=${sendTest} disabled=${unsaved}>Send me a test email<//>
					${unsaved && html`<span class="hint">Save first: the test has the saved text.</span>`}
				</div>
				${test && html`<${Notice} tone=${test.tone}><p role="status">${test.text}</p><//>`}
			</section>
			<${MailPreview} draft=${draft} />
		</div>`;
}

/* ---- which mails there are ---- */

/* What switches a kind on, by a member of the campaign; a deletion is always confirmed. */
const IS_ON = { __proto__: null, verify: campaign => campaign.verify_email, erase_confirm: () => true };
const isOn = (kind, campaign) => (IS_ON[kind] || (one => one.mails.includes(kind)))(campaign);

function Overview({ id, templates, isSet }) {
	const live = useLive(`campaigns/${id}`, {}, { every: 20 });
	const textOf = kind => {
		const languages = templates?.filter(one => one.kind === kind).map(one => LANGUAGES[one.language] || "all languages");
		return languages?.length > 0 ? `yours: ${languages.join(", ")}` : languages && "standard text";
	};
	const columns = campaign => [
		{ title: "Email", cell: kind => html`<a href=${link(`campaigns/${id}/pages`, { tab: "mails", kind })}>${MAILS[kind][0]}</a>` },
		{ title: "Sent", phone: "plain", cell: kind => MAILS[kind][1] },
		{
			title: "Status",
			phone: "plain",
			cell: kind => (isOn(kind, campaign) && isSet ? html`<${Chip} tone="good">on<//>` : html`<${Chip}>off<//>`),
		},
		{ title: "Text", phone: "off", cell: textOf },
		{
			title: "Change",
			hidden: true,
			phone: "off",
			cell: kind => html`
				<a class="button small" href=${link(`campaigns/${id}/pages`, { tab: "mails", kind })}
					aria-label=${`Text and preview: ${MAILS[kind][0]}`}>Text and preview</a>`,
		},
	];
	return html`
		<${Loaded} live=${live}>${campaign => html`
			<${Table} name="Emails of this campaign" rows=${KINDS} id=${kind => kind} columns=${columns(campaign)} />`}
		<//>
		<p class="muted">Leads who unsubscribed get no emails, except to confirm an address or a deletion that they ask for.</p>
		<p><a class="button" href=${link(`campaigns/${id}/settings`, { open: "verification" })}>Switch emails on or off</a></p>`;
}

function Editor({ id, kind, language, templates }) {
	const live = useLive(`campaigns/${id}/mail-templates/${kind}`, { language }, { every: 0 });
	const own = templates
		?.filter(one => one.kind === kind && [one.subject_is, one.text_is, one.html_is].includes("own"))
		.map(one => LANGUAGES[one.language] || "all languages");
	return html`
		<div class="row">
			<label>
				Email${" "}
				<select value=${kind} onChange=${event => setQuery({ kind: chosenIn(event.currentTarget, kind) })}>
					${KINDS.map(one => html`<option key=${one} value=${one} selected=${one === kind}>${MAILS[one][0]}</option>`)}
				</select>
			</label>
			<${LanguageChoice} language=${language} />
			<a href=${link(`campaigns/${id}/pages`, { tab: "mails" })}>All emails</a>
		</div>
		${own?.length > 0 && html`<p class="muted">Custom texts for: ${own.join(", ")}.</p>`}
		<${Loaded} live=${live} lines=${8}>${(template, { tag }) => html`
			<${MailForm} key=${`${kind}${language}`} id=${id} kind=${kind} language=${language} template=${template} tag=${tag}
				reload=${live.reload} />`}
		<//>`;
}

export function Mails({ id, query }) {
	const templates = useList(`campaigns/${id}/mail-templates`, {}, { every: 0 });
	const installation = useList("installation", {}, { every: 60 });
	return html`
		${installation?.mail === false && html`
			<${Notice} tone="wait">
				<p>
					<strong>Email is not configured on this installation.</strong> No emails are sent.
					${" "}${isOperator()
						? html`Set <code>mail.host</code> and <code>mail.from</code> in the configuration.`
						: "Ask the operator of this installation to set it up."}
				</p>
			<//>`}
		${KINDS.includes(query.kind)
			? html`<${Editor} id=${id} kind=${query.kind} language=${query.language || ""} templates=${templates} />`
			: html`<${Overview} id=${id} templates=${templates} isSet=${installation?.mail !== false} />`}`;
}

/* ---- those that were sent ---- */

const STATES = [
	["", "All"],
	["sent", "Sent"],
	["failed", "Failed"],
	["dropped", "Not sent"],
	["requested", "Pending"],
];

const TONES = { __proto__: null, sent: "good", failed: "bad", dropped: "plain" };

export function Sent({ id, query }) {
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
		{ title: "To", phone: "plain", cell: recipientOf },
		{
			title: "Status",
			phone: "plain",
			cell: row => html`
				<${Chip} tone=${TONES[row.state] || "wait"}>${MAIL_STATES[row.state] || row.state}<//>
				${row.reason ? html` <span class="muted">${mailReason(row.reason)}</span>` : ""}
				${row.state === "requested" && row.due_at && Date.parse(row.due_at) > Date.now()
					? html`<span class="muted">${row.reason ? "," : ""} next attempt <${Time} at=${row.due_at} /></span>`
					: ""}`,
		},
		{ title: "Created", phone: "plain", cell: row => html`<${Time} at=${row.created_at} />` },
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

