// SPDX-License-Identifier: MIT
// The rewards, actions and tags of a campaign.
import { patch, post, remove } from "./api.js";
import { count, plural } from "./format.js";
import { refresh, useLive } from "./live.js";
import { link } from "./route.js";
import { may } from "./session.js";
import { ConfirmButton, Field, FormDialog } from "./forms.js";
import { Button, Card, List, Loaded, Notice, Table, html, openDialog } from "./ui.js";

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

/** The value of a field in the form of a new definition. */
const startOf = (name, type, mails) => (type === "check" ? name === "emailed" && mails : "");

function EditDefinition({ campaign, settings, kind, row, tag, mails, note, close }) {
	const [, noun, , fields] = DEFINITIONS[kind];
	const valueOf = ([name, , , type]) => {
		if (!row)
			return startOf(name, type, mails);
		return type === "check" ? row[name] : String(row[name] ?? "");
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
	const live = useLive(`campaigns/${campaign}/${kind}`, {}, { every: 60 });
	const changes = may("manage");
	const edit = row =>
		openDialog(EditDefinition, { campaign, settings, kind, row, tag: live.tag, mails, note })
			.then(done => done && refresh()); // all definitions share a version
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

export function AllDefinitions({ id }) {
	const campaign = useLive(`campaigns/${id}`, {}, { every: 60 });
	const installation = useLive("installation", {}, { every: 60 });
	// loaded first, because a dialog keeps what it is opened with
	return html`
		<${Loaded} live=${installation}>${({ mail }) => html`
			<${Loaded} live=${campaign}>${settings => KINDS.map(kind => html`
				<${Definitions} key=${kind} campaign=${id} settings=${settings} kind=${kind} mails=${mail}
					note=${kind === "rewards" && NotMailed({ id, settings, mails: mail })} />`)}
			<//>`}
		<//>`;
}
