// SPDX-License-Identifier: MIT
// The settings of a campaign, in groups, and its rewards, actions and tags.
import { useEffect, useRef } from "./hooks.js";
import { get, patch, post, remove } from "./api.js";
import { count, full, plural, weekday } from "./format.js";
import { readCampaigns, refresh, useLive } from "./live.js";
import { go, link, setQuery } from "./route.js";
import { may } from "./session.js";
import { useEditor } from "./versions.js";
import { LANGUAGES, MAILS } from "./words.js";
import { Choices, ConfirmButton, Field, Form, FormDialog } from "./forms.js";
import { Button, Card, Chip, Code, List, Loaded, Notice, Page, Segments, Table, Time, html, openDialog, toast } from "./ui.js";
import { endOf, lastDayBefore, zone } from "./zone.js";

const LANGUAGE_OPTIONS = [["auto", "Language of the visitor"], ...Object.entries(LANGUAGES)];

const PROTECTIONS = [
	["off", "Off"],
	["honeypot", "Hidden field (default)"],
	["proof", "Proof of work in the browser"],
	["proof_or_confirm", "Proof of work, or a confirmed address"],
];

const LOOKUPS = [
	["all", "Any lead (default)"],
	["social_id", "Any lead by its ID"],
	["own", "Own lead only"],
	["none", "No lead"],
];

const BOARD_NAMES = [
	["initial", "First name and initial (Nora B.)"],
	["first", "First name (Nora)"],
	["full", "Full name (Nora Berg)"],
];
const UPDATES = [
	["all", "Any lead (default)"],
	["own", "Own lead only"],
	["none", "No lead"],
];

const LEAD_MAILS = ["welcome", "reward", "referral", "status_link"].map(kind => [kind, ...MAILS[kind]]);

/* What a person sees after signing up again, by `repeated_signup` of the campaign. */
const REPEATED = {
	__proto__: null,
	lead: "A person who signs up again sees their position and points.",
	mail: "A person who signs up again sees nothing of their lead, and gets the link to their page by email.",
	nothing: "A person who signs up again sees nothing of their lead, and gets no email.",
};

/** When sign-ups close: at the end of the chosen day, or during it. A browser may pass an invalid day, such as 20261-12-06. */
function endHint({ ends_at: end }, { ends_at: day }) {
	const place = zone.get().replaceAll("_", " ");
	const last = endOf(day) ? `${weekday(day)} is the last day` : "The last day";
	const sudden = end && endOf(lastDayBefore(end)) !== end && ` Currently it ends during that day: ${full(end)}.`;
	return html`
		${last}, until midnight (${place}).${sudden || ""} Leave empty for no end.
		${may("account") && html` <a href=${link("account")}>Change the time zone</a>`}`;
}

/*
 * Groups: key, title, explanation, fields. Fields: name, label, hint (a text, or a function of the campaign and the values), kind:
 * text, number, check, date, lines (a list), url, select or set with options. The first group is always open.
 */
const GROUPS = [
	["basics", "Basics", null, [
		["name", "Name", "Shown on pages and in emails."],
		["ends_at", "Ends on", endHint, "date"],
		["language", "Language", "For pages and emails.", "select", LANGUAGE_OPTIONS],
		["jump_start", "Starting number of leads", "Added to the number that pages show.", "number"],
		["waitlist", "Put new leads on a waitlist", null, "check"],
	]],
	["points", "Points", "What leads get for signing up and for friends.", [
		["points_signup", "For a sign-up", null, "number"],
		["points_direct", "For each referred friend", null, "number"],
		["points_indirect", "For each indirect referral", "A friend of a friend, and so on.", "number"],
		["points_verified", "Extra when the friend verifies", null, "number"],
		["require_verification", "Count a referral only when the friend verifies", "Protects against fake addresses.", "check"],
	]],
	["verification", "Verification and emails", "Whether addresses are confirmed, and which emails leads get.", [
		["verify_email", "Ask leads to confirm their email address", "Sends an email with a link and a code.", "check"],
		["verify_phone", "Ask leads to confirm their phone number", "Sends a code by text message.", "check"],
		["mails", "Emails to leads", null, "set", LEAD_MAILS],
	]],
	["forms", "Forms and pages", "Pages that are hosted here, websites with the form, links.", [
		["pages", "Host pages for this campaign", "A sign-up page and a status page for each lead.", "check"],
		["hosts", "Websites that embed the form", "Host names, one per line, without https:// and path, for example shop.example.", "lines"],
		["hosts_only", "Accept sign-ups only from these websites", null, "check"],
		["landing_url", "Landing page for shared links", "Leave empty for the hosted page.", "url"],
		["thankyou_url", "Thank-you page", "Shown after the form of the hosted page. Leave empty for the status page. A form on your website goes there if its code says so: see “Embed the form”.", "url"],
		["status_url", "Status page", "Leave empty for the hosted page.", "url"],
	]],
	["fraud", "Bots and fraud", "Protection against bots, and what marks leads as fraudulent.", [
		["bots", "Bot protection",
			"A hidden field catches simple bots. With proof of work the visitor's browser also solves a puzzle, in about a second.",
			"select", PROTECTIONS],
		["max_per_ip", "Maximum leads per IP address", "Leads beyond this number are marked as fraudulent. 0 means no limit.", "number"],
		["allowed_networks", "Networks without this limit", "One per line, for example 192.0.2.0/24.", "lines"],
		["blocked_email_domains", "Blocked email domains", "One per line. Their leads are marked as fraudulent.", "lines"],
		["blocked_referrers", "Blocked referring sites", "One per line. Their leads are marked as fraudulent.", "lines"],
	]],
	["privacy", "Privacy and API", "What programs may do without an API key.", [
		["privacy", "Hide personal data in responses without an API key", null, "check"],
		["require_key", "Require an API key for every call", "Forms on pages stop working.", "check"],
		["public_lookup", "Leads that can be seen without an API key",
			"To protect existing leads, choose “Any lead by its ID” here and “Own lead only” below: no one can then see or change a lead by"
			+ " its address. Plugins and apps without a key that look up leads by address stop working. If leads are verified, too, points"
			+ " and referrals count only then: verify each kind of address that your forms have.", "select", LOOKUPS],
		["public_update", "Leads that a second sign-up changes without an API key",
			campaign => REPEATED[campaign.repeated_signup], "select", UPDATES],
		["leaderboard_names", "Names on the public leaderboard", null, "select", BOARD_NAMES],
		["compat", "Send webhooks in the format of hosted lead services",
			"For receivers that were written for those services. Leave it off for receivers written for Leadhook.", "check"],
	]],
];

/** The labels of settings, by name. */
export const SETTING_LABELS = {
	__proto__: null,
	...Object.fromEntries(GROUPS.flatMap(([, , , fields]) => fields.map(([name, label]) => [name, label]))),
};

const wordsOf = text => text.split(/[\s,]+/).filter(Boolean);

/** Turns a value of the API into that of a field. */
function toField(kind, value) {
	if (kind === "lines")
		return wordsOf(value || "").join("\n");
	if (kind === "date")
		return lastDayBefore(value);
	if (kind === "check" || kind === "set")
		return value;
	return value === null || value === undefined ? "" : String(value);
}
const FROM_FIELD = { __proto__: null, lines: value => wordsOf(value).join(","), date: value => endOf(value) || value };
const fromField = (kind, value) => FROM_FIELD[kind]?.(value) ?? value;

/** A group that opens at a click on its heading. `open`: whether it is open at first. */
function Folded({ title, about, unsaved, open, children }) {
	const element = useRef(null);
	useEffect(() => {
		if (open) element.current.scrollIntoView({ block: "start" });
	}, [open]);
	return html`
		<details class="card" ref=${element} open=${open}>
			<summary>
				<h2>${title}</h2>${unsaved > 0 && html` <${Chip} tone="wait">not saved<//>`}
				<span class="muted">${about}</span>
			</summary>
			${children}
		</details>`;
}

function Group({ id, title, about, fields, campaign, tag, reload, changes, open }) {
	const valuesOf = object => Object.fromEntries(fields.map(([name, , , kind]) => [name, toField(kind, object[name])]));
	const sent = values => Object.fromEntries(fields.map(([name, , , kind]) => [name, fromField(kind, values[name])]));
	const { form, changed, submit } = useEditor({
		path: `campaigns/${id}`,
		loaded: campaign,
		tag,
		read: valuesOf,
		send: sent,
		labels: SETTING_LABELS,
		saved: "Saved",
		reload: () => {
			readCampaigns().catch(() => {});
			reload();
		},
	});
	const field = ([name, label, hint, kind, options]) => {
		if (kind === "set")
			return html`<${Choices} key=${name} form=${form} name=${name} label=${label} options=${options} />`;
		return html`
			<${Field} key=${name} form=${form} name=${name} label=${label} type=${kind === "lines" ? "area" : kind} options=${options}
				hint=${typeof hint === "function" ? hint(campaign, form.values) : hint} />`;
	};
	const content = html`
		<${Form} form=${form} onSubmit=${submit} submit=${changes && changed.length > 0 ? "Save" : null}
			note=${`${plural(changed.length, "unsaved change")}.`}>
			<fieldset class="stack" disabled=${!changes}>${fields.map(field)}</fieldset>
		<//>`;
	if (about)
		return html`<${Folded} title=${title} about=${about} unsaved=${changed.length} open=${open}>${content}<//>`;
	return html`<${Card} title=${title}>${content}<//>`;
}

/* ---- rewards, actions and tags ---- */

/* By kind: title, noun, what it is for, fields: name, label, hint, kind of the field (text, number, check). */
const DEFINITIONS = {
	rewards: ["Rewards", "reward", "Leads reach rewards with points, for example a discount with 10 points.", [
		["subject", "Reward", "Pages and emails show this text, for example “10 % off”."],
		["required_points", "Points needed", null, "number"],
		["emailed", "Send an email when it is reached", null, "check"],
	]],
	actions: ["Actions", "action", "Actions earn points, for example following you.", [
		["text", "Text"],
		["points", "Points", null, "number"],
		["public", "Leads can complete it themselves", "On their status page. It is not verified that they did.", "check"],
		["link", "Link", "Where they do it, for example your profile on another site. Leave empty if there is none."],
	]],
	tags: ["Tags", "tag", "Tags group leads, for example “VIP”. A tag can give points.", [
		["name", "Name"],
		["points", "Points", "Added with the tag. Leave empty for none.", "number"],
		["description", "Description", "For you and your team. Leave empty for none."],
	]],
};
const KINDS = Object.keys(DEFINITIONS);

/** Why leads get no email when they reach a reward, and how to change that; null: they get one. */
function NotMailed({ id, settings, mails }) {
	if (!mails)
		return html`Email is not set up on this installation: leads get <strong>no email</strong> when they reach a reward.`;
	if (!settings.mails.includes("reward"))
		return html`
			The email “Reward reached” is switched off for this campaign: leads get <strong>no email</strong> when they reach a
			reward. <a href=${link(`campaigns/${id}/settings`, { open: "verification" })}>Switch it on</a>`;
	return null;
}

/** How many friends a lead needs for a reward, in sentences. `needed`: the points that are typed. */
function FriendsFor({ settings, needed }) {
	const { points_signup: own, points_direct: direct, points_verified: verified } = settings;
	const each = direct + verified;
	if (each <= 0)
		return "In this campaign, leads get no points for friends.";
	const signup = own > 0 ? `A lead gets ${plural(own, "point")} for signing up, and` : "A lead gets";
	const gets = `${signup} ${plural(each, "point")}`;
	const rule = `${gets} for each friend who signs up${verified > 0 ? " and is verified" : ""}.`;
	const friends = Math.ceil((Number(needed) - own) / each);
	return friends > 0 ? `${rule} These points require ${plural(friends, "friend")}.` : rule;
}

function EditDefinition({ campaign, settings, kind, row, tag, mails, note, close }) {
	const [, noun, , fields] = DEFINITIONS[kind];
	const valueOf = ([name, , , type]) => {
		if (type === "check")
			return row ? row[name] : name === "emailed" && mails;
		return String(row?.[name] ?? "");
	};
	async function save(values) {
		const body = Object.fromEntries(Object.entries(values).filter(([, value]) => row || value !== ""));
		await (row ? patch(`${kind}/${row.id}`, body, tag) : post(`campaigns/${campaign}/${kind}`, body, { version: tag }));
	}
	const hintOf = (name, hint, { required_points: needed }) =>
		({ emailed: note, required_points: FriendsFor({ settings, needed }) })[name] || hint;
	return html`
		<${FormDialog} title=${`${row ? "Edit" : "Add"} ${noun}`} submit="Save" close=${close}
			values=${Object.fromEntries(fields.map(field => [field[0], valueOf(field)]))} save=${save}>
			${form => fields.map(([name, label, hint, type]) => html`
				<${Field} key=${name} form=${form} name=${name} label=${label} hint=${hintOf(name, hint, form.values)} type=${type} />`)}
		<//>`;
}

function cellOf(type, value) {
	if (type === "check")
		return value ? "yes" : "no";
	return type === "number" ? count(value) : value || "";
}

/** Headings of columns that are shorter than the label. */
const SHORT = { __proto__: null, emailed: "Email", public: "By themselves" };

function Definitions({ campaign, settings, kind, mails, note }) {
	const [title, noun, text, fields] = DEFINITIONS[kind];
	const path = `campaigns/${campaign}/${kind}`;
	const live = useLive(path, {}, { every: 60 });
	const changes = may("manage");
	/** Edits a definition; null: adds one. Reads the list first: a change of one definition changes the version of all. */
	async function edit(shown) {
		const { value, tag } = await get(path);
		const row = value.find(one => one.id === shown?.id) || shown;
		if (await openDialog(EditDefinition, { campaign, settings, kind, row, tag, mails, note })) refresh();
	}
	const columns = [
		...fields.map(([name, label, , type]) => [SHORT[name] || label, row => cellOf(type, row[name]), type]),
		changes && ["Change", row => html`
			<span class="buttons">
				<${Button} kind="small" onClick=${() => edit(row)}>Edit<//>
				<${ConfirmButton} kind="small quiet" title=${`Remove the ${noun} “${row[fields[0][0]]}”?`} verb=${`Remove ${noun}`}
					text=${html`<p>Points already given for it stay. This cannot be undone.</p>`}
					work=${() => remove(`${kind}/${row.id}`).then(refresh)}>Remove<//>
			</span>`, "hidden"],
	];
	return html`
		<${Card} title=${title} beside=${changes && html`<${Button} onClick=${() => edit(null)}>Add ${noun}<//>`}>
			<${List} live=${live} none=${html`<p class="muted">${text}</p>`}>${rows => html`
				${note && rows.some(row => row.emailed) && html`<${Notice} tone="wait">${note}<//>`}
				<${Table} name=${title} rows=${rows} columns=${columns} />`}
			<//>
		<//>`;
}

function AllDefinitions({ id }) {
	const campaign = useLive(`campaigns/${id}`, {}, { every: 60 });
	const installation = useLive("installation", {}, { every: 60 });
	// loaded first, because a dialog keeps the properties that it was opened with
	return html`
		<${Loaded} live=${installation}>${({ mail }) => html`
			<${Loaded} live=${campaign}>${settings => KINDS.map(kind => html`
				<${Definitions} key=${kind} campaign=${id} settings=${settings} kind=${kind} mails=${mail}
					note=${kind === "rewards" && NotMailed({ id, settings, mails: mail })} />`)}
			<//>`}
		<//>`;
}

/* ---- end ---- */

function Danger({ id, campaign, reload }) {
	const reopen = () => post(`campaigns/${id}/reopen`).then(reload);
	const end = async () => {
		await post(`campaigns/${id}/end`).then(reload);
		toast("The campaign has ended", reopen);
	};
	const start = async () => {
		await reopen();
		toast("The campaign was reopened");
	};
	const removal = html`
		<p>
			<strong>${plural(campaign.lead_count, "lead")}</strong> with their points and history, and all webhooks and
			deliveries, are deleted. This cannot be undone. Export the leads first if you need them.
		</p>`;
	async function drop() {
		await remove(`campaigns/${id}`, { yes: true });
		await readCampaigns();
		toast(`“${campaign.name}” was removed`);
		go("");
	}
	return html`
		<${Card} title="End or remove" kind="danger-zone">
			${campaign.state === "ended"
				? html`
					<p>The campaign ended <${Time} at=${campaign.ended_at || campaign.ends_at} />.</p>
					<div class="buttons"><${Button} onClick=${start}>Reopen<//></div>`
				: html`
					<p>Ending the campaign closes sign-ups. Leads, status pages and webhooks stay.</p>
					<div class="buttons"><${Button} onClick=${end}>End the campaign<//></div>`}
			<div class="buttons">
				<${ConfirmButton} kind="danger" title="Remove this campaign?" verb="Remove campaign" type=${campaign.name} text=${removal}
					work=${drop}>Remove the campaign…<//>
			</div>
		<//>`;
}

/* ---- the view ---- */

const TABS = [
	["", "Settings"],
	["rewards", "Rewards, actions, tags"],
	["embed", "Embed the form"],
];

function Embed({ id }) {
	const live = useLive(`campaigns/${id}/embed`, { markup: true }, { every: 0 });
	return html`
		<${Loaded} live=${live}>${({ page, script, form, frame, status, leaderboard, form_markup: markup, plain_form: plain }) => html`
			<div class="stack">
				${page && html`
					<${Card} title="Hosted page"><p><a href=${page} target="_blank" rel="noreferrer noopener">${page}</a></p><//>`}
				${script && html`
					<${Card} title="On your own page">
						<p>Add the script once, at the end of the page:</p>
						<${Code} text=${script} what="the script" />
						<p>
							Add this where the form belongs. It follows the fields, texts and colors
							${" "}in <a href=${link(`campaigns/${id}/pages`)}>Pages and email</a>.
						</p>
						<${Code} text=${form} what="the form" />
					<//>`}
				${status && html`
					<${Card} title="More">
						<p>Referral link and points of the visitor:</p>
						<${Code} text=${status} what="the status" />
						<p>Leaderboard:</p>
						<${Code} text=${leaderboard} what="the leaderboard" />
						${frame && html`
							<p>The hosted page in a frame:</p>
							<${Code} text=${frame} what="the frame" />`}
						<p>The form written out, for markup of your own. After a change of the form, copy it again:</p>
						<${Code} text=${markup} what="the form as markup" />
						<p>The same without JavaScript:</p>
						<${Code} text=${plain} what="the plain form" />
					<//>`}
			</div>`}
		<//>`;
}

function Groups({ id, live, opened }) {
	const changes = may("manage");
	return html`
		<${Loaded} live=${live} lines=${10}>${(campaign, { tag }) => html`
			<div class="stack narrow">
				${GROUPS.map(([key, title, about, fields]) => html`
					<${Group} key=${key} id=${id} title=${title} about=${about} fields=${fields} campaign=${campaign} tag=${tag}
						reload=${live.reload} changes=${changes} open=${key === opened} />`)}
				${changes && html`<${Danger} id=${id} campaign=${campaign} reload=${live.reload} />`}
			</div>`}
		<//>`;
}

export function Settings({ id, query }) {
	const live = useLive(`campaigns/${id}`, {}, { every: 20 });
	const tab = query.tab || "";
	const part = () => {
		if (tab === "rewards")
			return html`<${AllDefinitions} id=${id} />`;
		return tab === "embed" ? html`<${Embed} id=${id} />` : html`<${Groups} id=${id} live=${live} opened=${query.open} />`;
	};
	return html`
		<${Page} title="Settings" campaign=${id}>
			<${Segments} label="Sections" options=${TABS} value=${tab} choose=${key => setQuery({ tab: key, open: null })} />
			${!may("manage") && html`<${Notice}>Your role cannot change settings.<//>`}
			${part()}
		<//>`;
}
