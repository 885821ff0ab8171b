// SPDX-License-Identifier: MIT
// The users of an account, and its API keys.
import { useState } from "./hooks.js";
import { patch, post, remove } from "./api.js";
import { day, hour } from "./format.js";
import { useCampaigns, useList, useLive } from "./live.js";
import { isOperator, session } from "./session.js";
import { RIGHTS, ROLES } from "./words.js";
import { Pager, setFilter } from "./lists.js";
import { Cards, Choices, ConfirmButton, Field, FormDialog, wrongField } from "./forms.js";
import { Button, Chip, Code, Dialog, Empty, List, Loaded, Page, Select, Table, Time, html, openDialog, toast } from "./ui.js";
import { endOf } from "./zone.js";

/* ---- the account ---- */

/** Operators choose an account; other users have one. */
export function useAccount(query) {
	const accounts = useList(isOperator() ? "accounts" : null, {}, { every: 60, whole: true });
	const own = session.get().account_id;
	return { account: own || Number(query.account) || accounts?.[0]?.id || null, accounts: isOperator() ? accounts || [] : [] };
}

/** `all`: adds the option “All”. */
export function AccountChoice({ account, accounts, all }) {
	if (accounts.length === 0)
		return null;
	const options = [...(all ? [["", "All"]] : []), ...accounts.map(one => [one.id, one.name])];
	return html`
		<div class="row">
			<label>Account${" "}<${Select} value=${account || ""} options=${options} choose=${one => setFilter({ account: one })} /></label>
		</div>`;
}

function namesOf(ids, campaigns) {
	if (ids === null)
		return "all campaigns";
	const names = ids.map(id => campaigns.find(one => one.id === id)?.name || `campaign ${id}`);
	return names.join(", ") || "no campaigns";
}

function CampaignChoices({ form, account }) {
	const campaigns = useCampaigns().filter(one => !account || one.account_id === account);
	return html`
		<${Choices} form=${form} name="campaigns" label="Campaigns" options=${campaigns.map(one => [one.id, one.name])}
			hint="Select none for all campaigns, including future ones." />`;
}

/* ---- users ---- */

function Link({ email, link: url, reset, close }) {
	const [made] = useState(Date.now());
	const installation = useList("installation", {}, { every: 0 });
	const end = installation && made + installation.invitation_seconds * 1000;
	return html`
		<${Dialog} title=${reset ? "Password link" : "Invitation"} close=${close} done="Done">
			<p>
				Send this link to <strong>${email}</strong> yourself, through a channel you trust: no email is sent.
				${" "}It can be used once to set a password${end && html`, until <strong>${day(end)}, ${hour(end)}</strong>`}.
				${" "}<strong>It is shown only once.</strong>
			</p>
			<${Code} text=${url} what="the link" />
		<//>`;
}

const RoleChoice = ({ form, roles }) => html`
	<${Cards} form=${form} name="role" label="Role" options=${roles.map(role => [role, ...ROLES[role]])} />`;

const rolesFor = account => [...(account ? ["owner", "editor", "viewer"] : []), ...(isOperator() ? ["operator"] : [])];
const isLimited = role => role === "editor" || role === "viewer";

function Invite({ account, accountName, close }) {
	async function save({ email, name, role, campaigns }) {
		const { value } = await post("users", {
			email: email.trim(),
			role,
			...(name.trim() ? { name: name.trim() } : {}),
			...(role !== "operator" && isOperator() ? { account } : {}),
			...(isLimited(role) && campaigns.length > 0 ? { campaigns } : {}),
		});
		return value;
	}
	const text = accountName && html`<p>To the account <strong>${accountName}</strong>.</p>`;
	return html`
		<${FormDialog} title="Invite a user" text=${text} submit="Create invitation" close=${close}
			values=${{ email: "", name: "", role: account ? "editor" : "operator", campaigns: [] }} save=${save}>
			${form => html`
				<${Field} form=${form} name="email" label="Email address" type="email" autocomplete="off" />
				<${Field} form=${form} name="name" label="Name" autocomplete="off" />
				<${RoleChoice} form=${form} roles=${rolesFor(account)} />
				${isLimited(form.values.role) && html`<${CampaignChoices} form=${form} account=${account} />`}`}
		<//>`;
}

function EditUser({ user, close }) {
	async function save({ name, role, campaigns: typed }) {
		const campaigns = isLimited(role) ? typed : null;
		const isSame = JSON.stringify(campaigns) === JSON.stringify(user.campaigns);
		// only changes are sent: otherwise, the empty list of a user who may see no campaign would become all campaigns
		const changes = {
			...(name !== user.name ? { name } : {}),
			...(role !== user.role ? { role } : {}),
			...(isSame ? {} : { campaigns: campaigns?.length > 0 ? campaigns : null }),
		};
		if (Object.keys(changes).length > 0) await patch(`users/${user.id}`, changes);
	}
	const { name, role, campaigns } = user;
	return html`
		<${FormDialog} title=${user.email} submit="Save" close=${close} values=${{ name, role, campaigns }} save=${save}>
			${form => html`
				<${Field} form=${form} name="name" label="Name" />
				${role !== "operator" && html`
					<${RoleChoice} form=${form} roles=${["owner", "editor", "viewer"]} />
					${isLimited(form.values.role) && html`<${CampaignChoices} form=${form} account=${user.account} />`}
					<p class="hint">Changing the role or the campaigns ends the user's sessions.</p>`}`}
		<//>`;
}

function userState(user) {
	if (user.disabled_at)
		return html`<${Chip} tone="wait">disabled<//>`;
	return user.has_password ? html`<${Chip} tone="good">active<//>` : html`<${Chip}>invited<//>`;
}

const showLink = (email, url, reset) => openDialog(Link, { email, link: url, reset });

function UserActions({ user, reload }) {
	const { id, email } = user;
	const edit = () => openDialog(EditUser, { user }).then(done => done && reload());
	const reset = async () => {
		const { value } = await post(`users/${id}/reset`, {});
		reload();
		setTimeout(() => showLink(email, value.link, true));
	};
	const turn = async () => {
		await post(`users/${id}/${user.disabled_at ? "enable" : "disable"}`);
		reload();
		toast(user.disabled_at ? `${email} can log in again` : `${email} can no longer log in`);
	};
	return html`
		<span class="buttons">
			<${Button} kind="small" onClick=${edit}>Edit<//>
			<${ConfirmButton} kind="small" title="Create a new password link?" verb="Create link" work=${reset}
				text=${html`<p>The password and all sessions of <strong>${email}</strong> become invalid at once.</p>`}>
				Reset password
			<//>
			${id !== session.get().user_id && html`
				<${Button} kind="small" onClick=${turn}>${user.disabled_at ? "Enable" : "Disable"}<//>
				<${ConfirmButton} kind="small quiet" title="Remove this user?" verb="Remove user"
					text=${html`<p><strong>${email}</strong> can no longer log in. API keys created by this user stay valid.</p>`}
					work=${() => remove(`users/${id}`).then(reload)}>Remove<//>`}
		</span>`;
}

const userColumns = (accountName, campaigns, reload) => [
	["User", user => html`
		<strong>${user.name || user.email}</strong>${user.id === session.get().user_id ? html` <${Chip}>you<//>` : ""}
		${user.name ? html`<br /><span class="muted">${user.email}</span>` : ""}`, "long"],
	["Role", user => html`
		${ROLES[user.role][0]}
		${isLimited(user.role) ? html`<br /><span class="muted">${namesOf(user.campaigns, campaigns)}</span>` : ""}`],
	isOperator() && ["Account", user => accountName(user.account) || ""],
	["State", user => html`${userState(user)}${user.has_totp ? html` <${Chip} tone="good">second factor<//>` : ""}`],
	["Last login", user => html`<${Time} at=${user.last_login_at} none="never" />`],
	["Change", user => html`<${UserActions} user=${user} reload=${reload} />`, "hidden"],
];

export function Team({ query }) {
	const { account, accounts } = useAccount(query);
	const campaigns = useCampaigns();
	const filter = { account: isOperator() ? query.account : undefined, after: query.after };
	const live = useLive(account || isOperator() ? "users" : null, filter, { every: 30 });
	const accountName = id => accounts.find(one => one.id === id)?.name;
	async function invite() {
		const made = await openDialog(Invite, { account, accountName: accountName(account) });
		if (!made)
			return;
		live.reload();
		if (made.link) await showLink(made.email, made.link);
		else toast("Created, but the response was lost. Reset the password to get a link.");
	}
	return html`
		<${Page} title="Team" live=${live} actions=${html`<${Button} kind="primary" onClick=${invite}>Invite<//>`}>
			<${AccountChoice} account=${Number(query.account) || null} accounts=${accounts} all />
			<${Loaded} live=${live}>
				${rows => html`
					<${Table} name="Users" rows=${rows} columns=${userColumns(accountName, campaigns, live.reload)} />
					<${Pager} after=${query.after} next=${live.next} first="First page" further="Next page" />`}
			<//>
		<//>`;
}

/* ---- keys ---- */

const PRESETS = [
	["form", "Form or app", ["ingest"]],
	["server", "Server", ["ingest", "stats", "leads", "change", "hooks", "manage"]],
	["numbers", "Statistics only", ["stats"]],
	["own", "Custom rights", null],
];

function AddKey({ account, close }) {
	async function save({ name, preset, rights, campaigns, expires }) {
		const chosen = PRESETS.find(([key]) => key === preset)[2] || rights;
		if (chosen.length === 0)
			throw wrongField("rights", "Select at least one right.");
		const { value } = await post(`accounts/${account}/keys`, {
			rights: chosen,
			...(name.trim() ? { name: name.trim() } : {}),
			...(campaigns.length > 0 ? { campaigns } : {}),
			...(expires ? { expires: endOf(expires) || expires } : {}),
		});
		return value;
	}
	const own = Object.entries(RIGHTS).filter(([right]) => session.get().rights.includes(right));
	return html`
		<${FormDialog} title="Add an API key" submit="Add key" close=${close}
			values=${{ name: "", preset: "server", rights: ["ingest"], campaigns: [], expires: "" }} save=${save}>
			${form => html`
				<${Field} form=${form} name="name" label="Name" hint="Where the key is used." autocomplete="off" />
				<${Field} form=${form} name="preset" label="Purpose" type="select" options=${PRESETS} />
				${form.values.preset === "own" && html`
					<${Choices} form=${form} name="rights" label="Rights"
						options=${own.map(([right, [name, why]]) => [right, name, why])} />`}
				<${CampaignChoices} form=${form} account=${account} />
				<${Field} form=${form} name="expires" label="Expires on" type="date"
					hint="The last day on which it works. Leave empty if it never expires." />`}
		<//>`;
}

const NewKey = ({ text, close }) => html`
	<${Dialog} title="New API key" close=${close} done="I have stored it">
		<p><strong>The key is shown only once.</strong> Store it where your program reads it, never on a public page.</p>
		<${Code} text=${text} what="the key" />
	<//>`;

function keyState(key) {
	if (key.revoked_at)
		return html`<${Chip} tone="bad">revoked<//>`;
	const isExpired = key.expires_at && Date.parse(key.expires_at) < Date.now();
	return isExpired ? html`<${Chip} tone="wait">expired<//>` : html`<${Chip} tone="good">active<//>`;
}

function RevokeKey({ one, reload }) {
	const text = html`
		<p>
			Calls with <strong>${one.name || `key ${one.id}`}</strong> fail at once.
			${one.last_used_at ? html` It was last used <${Time} at=${one.last_used_at} />.` : " It was never used."}
		</p>`;
	return one.revoked_at ? "" : html`
		<${ConfirmButton} kind="small quiet" title="Revoke this key?" verb="Revoke key" text=${text}
			work=${() => remove(`keys/${one.id}`).then(reload)}>Revoke<//>`;
}

const keyColumns = (campaigns, reload) => [
	["Key", key => html`<strong>${key.name || `Key ${key.id}`}</strong>`],
	["State", keyState],
	["Rights", key => html`
		${key.rights.map(right => RIGHTS[right]?.[0] || right).join(", ")}<br />
		<span class="muted">${namesOf(key.campaigns, campaigns)}</span>`],
	["Last used", key => html`<${Time} at=${key.last_used_at} none="never" />`],
	["Expires", key => html`<${Time} at=${key.expires_at} none="never" />`],
	["Change", key => html`<${RevokeKey} one=${key} reload=${reload} />`, "hidden"],
];

export function Keys({ query }) {
	const { account, accounts } = useAccount(query);
	const campaigns = useCampaigns();
	const live = useLive(account ? `accounts/${account}/keys` : null, {}, { every: 30, whole: true });
	async function add() {
		const made = await openDialog(AddKey, { account });
		if (!made)
			return;
		live.reload();
		if (made.key) await openDialog(NewKey, { text: made.key });
		else toast("Created, but the response was lost. Revoke the key and add another.");
	}
	const none = html`<${Empty} title="No keys yet" text="A key gives your server or app access to the API." />`;
	return html`
		<${Page} title="API keys" actions=${account && html`<${Button} kind="primary" onClick=${add}>Add key<//>`}>
			<${AccountChoice} account=${account} accounts=${accounts} />
			${!account && html`<${Empty} title="No accounts yet" text="Create a campaign first." />`}
			${account && html`
				<${List} live=${live} none=${none}>
					${rows => html`<${Table} name="Keys" rows=${rows} columns=${keyColumns(campaigns, live.reload)} />`}
				<//>`}
		<//>`;
}
