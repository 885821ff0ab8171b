// SPDX-License-Identifier: MIT
// The emails of a campaign: an overview, the editor of their texts with a preview, and the emails that were sent.
import { useState } from "./hooks.js";
import { mailTestProblem, post, runJob } from "./api.js";
import { DraftProblem, LanguageChoice, Preview, useDraft, withErrors } from "./drafts.js";
import { useList, useLive } from "./live.js";
import { link, setQuery } from "./route.js";
import { isOperator, may, session } from "./session.js";
import { useEditor } from "./versions.js";
import { LANGUAGES, MAILS, MAIL_STATES, mailReason } from "./words.js";
import { FilterButton, Filters, Pager } from "./lists.js";
import { Field, Form } from "./forms.js";
import { Button, Card, Chip, Empty, List, Loaded, Notice, Segments, Select, Table, Time, Updated, html, toast } from "./ui.js";

const KINDS = Object.keys(MAILS).filter(kind => kind !== "code");

const ownTexts = one => ({ subject: one.own_subject || "", text: one.own_text || "", html: one.own_html || "" });

/** The variables of an email, the required ones first. */
function variablesOf({ variables, required }) {
	const others = variables.filter(name => !required.includes(name));
	const shown = [...required.map(name => `{{${name}}} (required)`), ...others.map(name => `{{${name}}}`)];
	return `Variables: ${shown.join(", ")}. {{#first_name}} … {{/first_name}} is shown only to leads with a first name.`;
}

const SHAPES = [["html", "HTML"], ["text", "Text"]];

function MailPreview({ draft }) {
	const [shape, setShape] = useState("html");
	const shown = draft.value;
	const choice = html`<${Segments} label="Form" options=${SHAPES} value=${shape} choose=${setShape} kind="small" />`;
	return html`
		<${Card} title="Preview" kind="preview-card" beside=${choice}>
			<${DraftProblem} draft=${draft} />
			${shown && html`<p><strong>${shown.subject}</strong></p>`}
			${shown && shape === "html" && html`<${Preview} markup=${shown.html} title="Preview of the email" />`}
			${shown && shape === "text" && html`<pre class="answer" tabindex="0">${shown.text}</pre>`}
		<//>`;
}

function SendTest({ path, inLanguage, unsaved }) {
	const [test, set] = useState(null);
	async function send() {
		set({ tone: "plain", text: "Sending…" });
		const job = await runJob(`${path}/test`, inLanguage);
		const problem = mailTestProblem(job);
		const ended = problem ? "bad" : "good";
		set({ tone: job.ended_at ? ended : "plain", text: problem || `Sent to ${session.get().email}.` });
	}
	return html`
		<div class="buttons">
			<${Button} onClick=${send} disabled=${unsaved}>Send me a test email<//>
			${unsaved && html`<span class="hint">Save first: the test uses the saved text.</span>`}
		</div>
		${test && html`<${Notice} tone=${test.tone} role="status">${test.text}<//>`}`;
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
	const unsaved = changed.length > 0;
	const isEmpty = values => !values.subject && !values.text;
	const begin = () => ["subject", "text"].forEach(name => form.set(name, template[name]));
	return html`
		<div class="columns editor">
			<${Card}>
				<p class="muted">Sent ${MAILS[kind][1]}. Leave fields empty to use the default text in the language of the lead.</p>
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
				<${SendTest} path=${path} inLanguage=${inLanguage} unsaved=${unsaved} />
			<//>
			<${MailPreview} draft=${draft} />
		</div>`;
}

/* ---- which mails there are ---- */

/* Whether a kind is on, for kinds that the setting `mails` does not have. */
const IS_ON = { __proto__: null, verify: campaign => campaign.verify_email, erase_confirm: () => true };
const isOn = (kind, campaign) => (IS_ON[kind] || (one => one.mails.includes(kind)))(campaign);

function Overview({ id, templates, isSet }) {
	const live = useLive(`campaigns/${id}`, {}, { every: 20 });
	const placeOf = kind => link(`campaigns/${id}/pages`, { tab: "mails", kind });
	const textOf = kind => {
		const languages = templates?.filter(one => one.kind === kind).map(one => LANGUAGES[one.language] || "all languages");
		return languages?.length > 0 ? `custom: ${languages.join(", ")}` : languages && "default text";
	};
	const columns = campaign => [
		["Email", kind => html`<a href=${placeOf(kind)}>${MAILS[kind][0]}</a>`],
		["Sent", kind => MAILS[kind][1], "plain"],
		["Status", kind => (isOn(kind, campaign) && isSet ? html`<${Chip} tone="good">on<//>` : html`<${Chip}>off<//>`), "plain"],
		["Text", textOf, "off"],
		["Change", kind => html`
			<a class="button small" href=${placeOf(kind)} aria-label=${`Text and preview: ${MAILS[kind][0]}`}>Text and preview</a>`,
		"hidden off"],
	];
	return html`
		<${Loaded} live=${live}>${campaign => html`
			<${Table} name="Emails of this campaign" rows=${KINDS} id=${kind => kind} columns=${columns(campaign)} />`}
		<//>
		<p class="muted">Leads who unsubscribed get no emails, except to confirm an address or a deletion that they requested.</p>
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
				<${Select} value=${kind} options=${KINDS.map(one => [one, MAILS[one][0]])} choose=${one => setQuery({ kind: one })} />
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
			<${Notice} tone="wait" title="Email is not configured on this installation.">
				No emails are sent. ${isOperator()
					? html`Set <code>mail.host</code> and <code>mail.from</code> in the configuration.`
					: "Ask the operator of this installation to set it up."}
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

function SentState({ mail: { state, reason, due_at: due } }) {
	const isDue = state === "requested" && due && Date.parse(due) > Date.now();
	return html`
		<${Chip} tone=${TONES[state] || "wait"}>${MAIL_STATES[state] || state}<//>
		${reason ? html` <span class="muted">${mailReason(reason)}</span>` : ""}
		${isDue ? html`<span class="muted">${reason ? "," : ""} next attempt <${Time} at=${due} /></span>` : ""}`;
}

const mayResend = mail => may("change") && ["failed", "dropped"].includes(mail.state);

function sentColumns(id, reload) {
	const again = async mail => {
		await post("mails/resend", { mails: [mail.id] });
		toast("The email will be sent again");
		reload();
	};
	const recipientOf = row => {
		if (row.lead)
			return html`<a href=${link(`campaigns/${id}/leads/${row.lead}`)}>${row.recipient || row.lead}</a>`;
		return row.recipient || html`<span class="muted">deleted</span>`;
	};
	return [
		["Email", row => MAILS[row.kind]?.[0] || row.kind],
		["To", recipientOf, "plain"],
		["Status", row => html`<${SentState} mail=${row} />`, "plain"],
		["Created", row => html`<${Time} at=${row.created_at} />`, "plain"],
		["Actions", row => (mayResend(row) ? html`<${Button} kind="small" onClick=${() => again(row)}>Resend<//>` : ""), "hidden"],
	];
}

export function Sent({ id, query }) {
	const filter = { state: query.state, kind: query.kind, after: query.after, limit: 50 };
	const live = useLive(`campaigns/${id}/mails`, filter, { every: 10 });
	const none = html`
		<${Empty} title="No emails" text=${query.state
			? "No email has this status."
			: "Leads get emails when they sign up, reach a reward or refer friends."} />`;
	return html`
		<${Filters}>
			${STATES.map(([state, text]) => html`
				<${FilterButton} key=${state} pressed=${(query.state || "") === state} change=${{ state }}>${text}<//>`)}
			<${Updated} live=${live} />
		<//>
		<${List} live=${live} none=${none}>${rows => html`
			<${Table} name="Emails" rows=${rows} columns=${sentColumns(id, live.reload)} />
			<${Pager} after=${query.after} next=${live.next} />`}
		<//>`;
}
