// SPDX-License-Identifier: MIT
// Users and their roles, API keys.
import { useState } from "./hooks.js";
import { patch, post, remove } from "./api.js";
import { day, hour } from "./format.js";
import { useCampaigns } from "./frame.js";
import { useList, useLive } from "./live.js";
import { setQuery } from "./route.js";
import { isOperator, session } from "./session.js";
import { RIGHTS, ROLES } from "./words.js";
import { Pager } from "./lists.js";
import { Cards, Choices, Field, FormDialog, confirmAction, useForm, wrongField } from "./forms.js";
import { Button, Chip, Code, Dialog, Empty, Loaded, Page, Table, Time, Updated, html, openDialog, toast } from "./ui.js";
import { endOf } from "./zone.js";

/* ---- the account whose team it is ---- */

/** Operators choose one; other users have one. */
export function useAccount(query) {
	const accounts = useList(isOperator() ? "accounts" : null, {}, { every: 60, whole: true });
	const own = session.get().account_id;
	return { account: own || Number(query.account) || accounts?.[0]?.id || null, accounts: isOperator() ? accounts || [] : [] };
}

export function AccountChoice({ account, accounts, all }) {
	if (accounts.length === 0)
		return null;
	const choose = event => setQuery({ account: event.currentTarget.value, after: null });
	return html`
		<div class="row">
			<label>
				Account${" "}
				<select value=${account || ""} onChange=${choose}>
					${all && html`<option value="">All</option>`}
					${accounts.map(one => html`
						<option key=${one.id} value=${one.id} selected=${one.id === account}>${one.name}</option>`)}
				</select>
			</label>
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
			hint="Select none for all campaigns, also future ones." />`;
}

/* ---- users ---- */

function Link({ email, link: url, reset, close }) {
	const [made] = useState(Date.now());
	const installation = useList("installation", {}, { every: 0 });
	const end = installation && made + installation.invitation_seconds * 1000;
	return html`
		<${Dialog} title=${reset ? "Password link" : "Invitation"} close=${() => close()}>
			<p>
				Send this link to <strong>${email}</strong> yourself, through a channel you trust: no email is sent.
				${" "}It can be used once to set a password${end && html`, until <strong>${day(end)}, ${hour(end)}</strong>`}.
				${" "}<strong>It is shown only once.</strong>
			</p>
			<${Code} text=${url} what="the link" />
			<div class="buttons"><button type="button" class="primary" onClick=${() => close()}>Done</button></div>
		<//>`;
}

function RoleChoice({ form, roles }) {
	return html`<${Cards} form=${form} name="role" label="Role" options=${roles.map(role => [role, ...ROLES[role]])} />`;
}

const rolesFor = account => [...(account ? ["owner", "editor", "viewer"] : []), ...(isOperator() ? ["operator"] : [])];
const isLimited = role => role === "editor" || role === "viewer";

function Invite({ account, accountName, close }) {
	const form = useForm({ email: "", name: "", role: account ? "editor" : "operator", campaigns: [] });
	async function submit() {
		const { email, name, role, campaigns } = form.values;
		const { value } = await post("users", {
			email: email.trim(),
			role,
			...(name.trim() ? { name: name.trim() } : {}),
			...(role !== "operator" && isOperator() ? { account } : {}),
			...(isLimited(role) && campaigns.length > 0 ? { campaigns } : {}),
		});
		close(value);
	}
	const text = accountName && html`<p>To the account <strong>${accountName}</strong>.</p>`;
	return html`
		<${FormDialog} title="Invite a user" text=${text} close=${close} form=${form} onSubmit=${submit} submit="Create invitation">
			<${Field} form=${form} name="email" label="Email address" type="email" autocomplete="off" />
			<${Field} form=${form} name="name" label="Name" autocomplete="off" />
			<${RoleChoice} form=${form} roles=${rolesFor(account)} />
			${isLimited(form.values.role) && html`<${CampaignChoices} form=${form} account=${account} />`}
		<//>`;
}

function EditUser({ user, close }) {
	const form = useForm({ name: user.name, role: user.role, campaigns: user.campaigns });
	async function submit() {
		const { name, role } = form.values;
		const campaigns = isLimited(role) ? form.values.campaigns : null;
		const isSame = JSON.stringify(campaigns) === JSON.stringify(user.campaigns);
		// only what was changed: an empty list, of a user that sees no campaign, must not become all campaigns
		const changes = {
			...(name !== user.name ? { name } : {}),
			...(role !== user.role ? { role } : {}),
			...(isSame ? {} : { campaigns: campaigns?.length > 0 ? campaigns : null }),
		};
		if (Object.keys(changes).length > 0) await patch(`users/${user.id}`, changes);
		close(true);
	}
	return html`
		<${FormDialog} title=${user.email} close=${close} form=${form} onSubmit=${submit} submit="Save">
			<${Field} form=${form} name="name" label="Name" />
			${user.role !== "operator" && html`
				<${RoleChoice} form=${form} roles=${["owner", "editor", "viewer"]} />
				${isLimited(form.values.role) && html`<${CampaignChoices} form=${form} account=${user.account} />`}
				<p class="hint">Changing the role or the campaigns ends the user's sessions.</p>`}
		<//>`;
}

function userState(user) {
	if (user.disabled_at)
		return html`<${Chip} tone="wait">disabled<//>`;
	return user.has_password ? html`<${Chip} tone="good">active<//>` : html`<${Chip}>invited<//>`;
}

export function Team({ query }) {
	const { account, accounts } = useAccount(query);
	const campaigns = useCampaigns();
	const filter = { account: isOperator() ? query.account : undefined, after: query.after };
	const live = useLive(account || isOperator() ? "users" : null, filter, { every: 30 });
	const me = session.get().user_id;
	const accountName = id => accounts.find(one => one.id === id)?.name;
	const showLink = (email, url, reset) =>
		openDialog(close => html`<${Link} reset=${reset} email=${email} link=${url} close=${close} />`);
	async function invite() {
		const made = await openDialog(close => html`
			<${Invite} account=${account} accountName=${accountName(account)} close=${close} />`);
		if (!made)
			return;
		live.reload();
		if (made.link) await showLink(made.email, made.link);
		else toast("Created, but the response was lost. Reset the password to get a link.");
	}
	const edit = async user => {
		if (await openDialog(close => html`<${EditUser} user=${user} close=${close} />`)) live.reload();
	};
	const reset = user =>
		confirmAction({
			title: "Create a new password link?",
			verb: "Create link",
			text: html`<p>The password and all sessions of <strong>${user.email}</strong> become invalid at once.</p>`,
			work: async () => {
				const { value } = await post(`users/${user.id}/reset`, {});
				live.reload();
				setTimeout(() => showLink(user.email, value.link, true));
			},
		});
	const turn = user => async () => {
		await post(`users/${user.id}/${user.disabled_at ? "enable" : "disable"}`);
		live.reload();
		toast(user.disabled_at ? `${user.email} can log in again` : `${user.email} can no longer log in`);
	};
	const drop = user =>
		confirmAction({
			title: "Remove this user?",
			verb: "Remove user",
			text: html`<p><strong>${user.email}</strong> can no longer log in. API keys created by this user stay valid.</p>`,
			work: async () => {
				await remove(`users/${user.id}`);
				live.reload();
			},
		});
	const columns = [
		{
			title: "User",
			kind: "long",
			cell: user => html`
				<strong>${user.name || user.email}</strong>${user.id === me ? html` <${Chip}>you<//>` : ""}
				${user.name ? html`<br /><span class="muted">${user.email}</span>` : ""}`,
		},
		{
			title: "Role",
			cell: user => html`
				${ROLES[user.role][0]}
				${isLimited(user.role) ? html`<br /><span class="muted">${namesOf(user.campaigns, campaigns)}</span>` : ""}`,
		},
		isOperator() && { title: "Account", cell: user => accountName(user.account) || "" },
		{
			title: "State",
			cell: user => html`${userState(user)}${user.has_totp ? html` <${Chip} tone="good">second factor<//>` : ""}`,
		},
		{ title: "Last login", cell: user => html`<${Time} at=${user.last_login_at} none="never" />` },
		{
			title: "Change",
			hidden: true,
			cell: user => html`
				<span class="buttons">
					<${Button} kind="small" onClick=${() => edit(user)}>Edit<//>
					<${Button} kind="small" onClick=${() => reset(user)}>Reset password<//>
					${user.id !== me && html`
						<${Button} kind="small" onClick=${turn(user)}>${user.disabled_at ? "Enable" : "Disable"}<//>
						<${Button} kind="small quiet" onClick=${() => drop(user)}>Remove<//>`}
				</span>`,
		},
	];
	const actions = html`
		<${Updated} live=${live} />
		<${Button} kind="primary" onClick=${invite}>Invite<//>`;
	return html`
		<${Page} title="Team" actions=${actions}>
			<${AccountChoice} account=${Number(query.account) || null} accounts=${accounts} all />
			<${Loaded} live=${live}>
				${rows => html`
					<${Table} name="Users" rows=${rows} columns=${columns.filter(Boolean)} />
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
	const form = useForm({ name: "", preset: "server", rights: ["ingest"], campaigns: [], expires: "" });
	async function submit() {
		const { name, preset, rights, campaigns, expires } = form.values;
		const chosen = PRESETS.find(([key]) => key === preset)[2] || rights;
		if (chosen.length === 0)
			throw wrongField("rights", "Select at least one right.");
		const { value } = await post(`accounts/${account}/keys`, {
			rights: chosen,
			...(name.trim() ? { name: name.trim() } : {}),
			...(campaigns.length > 0 ? { campaigns } : {}),
			...(expires ? { expires: endOf(expires) } : {}),
		});
		close(value);
	}
	const own = Object.entries(RIGHTS).filter(([right]) => session.get().rights.includes(right));
	return html`
		<${FormDialog} title="Add an API key" close=${close} form=${form} onSubmit=${submit} submit="Add key">
			<${Field} form=${form} name="name" label="Name" hint="Where the key is used." autocomplete="off" />
			<${Field} form=${form} name="preset" label="Purpose" type="select" options=${PRESETS} />
			${form.values.preset === "own" && html`
				<${Choices} form=${form} name="rights" label="Rights"
					options=${own.map(([right, [name, why]]) => [right, name, why])} />`}
			<${CampaignChoices} form=${form} account=${account} />
			<${Field} form=${form} name="expires" label="Expires on" type="date"
				hint="The last day on which it works. Leave empty for no end." />
		<//>`;
}

function NewKey({ text, close }) {
	return html`
		<${Dialog} title="New API key" close=${close}>
			<p>
				<strong>The key is shown only once.</strong> Store it where your program reads it, never in a public page.
			</p>
			<${Code} text=${text} what="the key" />
			<div class="buttons"><button type="button" class="primary" onClick=${() => close()}>I have stored it</button></div>
		<//>`;
}

function keyState(key) {
	if (key.revoked_at)
		return html`<${Chip} tone="bad">revoked<//>`;
	const isExpired = key.expires_at && Date.parse(key.expires_at) < Date.now();
	return isExpired ? html`<${Chip} tone="wait">expired<//>` : html`<${Chip} tone="good">active<//>`;
}

export function Keys({ query }) {
	const { account, accounts } = useAccount(query);
	const campaigns = useCampaigns();
	const live = useLive(account ? `accounts/${account}/keys` : null, {}, { every: 30, whole: true });
	async function add() {
		const made = await openDialog(close => html`<${AddKey} account=${account} close=${close} />`);
		if (!made)
			return;
		live.reload();
		if (made.key) await openDialog(close => html`<${NewKey} text=${made.key} close=${close} />`);
		else toast("Created, but the response was lost. Revoke the key and add another.");
	}
	const revoke = key =>
		confirmAction({
			title: "Revoke this key?",
			verb: "Revoke key",
			text: html`
				<p>
					Calls with <strong>${key.name || `key ${key.id}`}</strong> fail at once.
					${key.last_used_at ? html` It was last used <${Time} at=${key.last_used_at} />.` : " It was never used."}
				</p>`,
			work: async () => {
				await remove(`keys/${key.id}`);
				live.reload();
			},
		});
	const columns = [
		{ title: "Key", cell: key => html`<strong>${key.name || `Key ${key.id}`}</strong>` },
		{ title: "State", cell: keyState },
		{
			title: "Rights",
			cell: key => html`
				${key.rights.map(right => RIGHTS[right]?.[0] || right).join(", ")}<br />
				<span class="muted">${namesOf(key.campaigns, campaigns)}</span>`,
		},
		{ title: "Last used", cell: key => html`<${Time} at=${key.last_used_at} none="never" />` },
		{ title: "Expires", cell: key => html`<${Time} at=${key.expires_at} none="never" />` },
		{
			title: "Change",
			hidden: true,
			cell: key => (key.revoked_at ? "" : html`<${Button} kind="small quiet" onClick=${() => revoke(key)}>Revoke<//>`),
		},
	];
	const none = html`<${Empty} title="No keys yet"><p>A key gives your server or app access to the API.</p><//>`;
	return html`
		<${Page} title="API keys" actions=${account && html`<${Button} kind="primary" onClick=${add}>Add key<//>`}>
			<${AccountChoice} account=${account} accounts=${accounts} />
			${!account && html`<${Empty} title="No accounts yet"><p>Create a campaign first.</p><//>`}
			${account && html`
				<${Loaded} live=${live}>
					${rows => rows.length === 0 ? none : html`<${Table} name="Keys" rows=${rows} columns=${columns} />`}
				<//>`}
		<//>`;
}
