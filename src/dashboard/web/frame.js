// SPDX-License-Identifier: MIT
// The frame of each view: navigation, warnings about the installation, keyboard shortcuts.
import { useEffect, useLayoutEffect, useState } from "./hooks.js";
import { paused, refresh, useList, wake } from "./live.js";
import { chosenIn, go, link, useRoute } from "./route.js";
import { logOut, may, isOperator, useSession } from "./session.js";
import { store, useStore } from "./store.js";
import { Dialog, Dialogs, Notice, Time, Toasts, html, openDialog, showFailure } from "./ui.js";
import { getWhole } from "./api.js";
import { browserZone, setZone } from "./zone.js";

/** The campaigns that the user sees, for names and the switcher. */
export const campaigns = store([]);
export const useCampaigns = () => useStore(campaigns);
export const campaignName = id => campaigns.get().find(one => one.id === Number(id))?.name || `Campaign ${id}`;

/** The way to a view of a campaign: the campaign, and for an entry of a list that list: its path and name. */
export const Crumbs = ({ id, path, name }) => html`
	<a href=${link(`campaigns/${id}`)}>${campaignName(id)}</a>
	${path && html`${" › "}<a href=${link(`campaigns/${id}/${path}`)}>${name}</a>`}`;

export async function readCampaigns() {
	campaigns.set((await getWhole("campaigns")).value);
}

const theme = store(localStorage.getItem("theme") || "");
export const useTheme = () => useStore(theme);
export function setTheme(value) {
	theme.set(value);
	if (value) localStorage.setItem("theme", value);
	else localStorage.removeItem("theme");
	document.documentElement.dataset.theme = value;
}
document.documentElement.dataset.theme = theme.get();

/* ---- navigation ---- */

const inCampaign = id => [
	["Summary", `campaigns/${id}`, "stats", "s"],
	["Leads", `campaigns/${id}/leads`, "leads", "l"],
	["Webhooks", `campaigns/${id}/webhooks`, "hooks", "w"],
	["Deliveries", `campaigns/${id}/deliveries`, "hooks", "d"],
	["Pages and email", `campaigns/${id}/pages`, "stats", "p"],
	["Settings", `campaigns/${id}/settings`, "stats", "e"],
];

function Item({ text, path, current, shortcut }) {
	return html`
		<li>
			<a href=${link(path)} aria-current=${current ? "page" : undefined} title=${shortcut ? `g ${shortcut}` : undefined}>
				${text}
			</a>
		</li>`;
}

function Switcher({ id }) {
	const list = useCampaigns();
	if (list.length < 2)
		return html`<p class="campaign-name">${campaignName(id)}</p>`;
	return html`
		<label class="offscreen" for="switcher">Campaign</label>
		<select id="switcher" value=${id} onChange=${event => go(`campaigns/${chosenIn(event.currentTarget, id)}`)}>
			${list.map(one => html`<option key=${one.id} value=${one.id} selected=${one.id === Number(id)}>${one.name}</option>`)}
		</select>`;
}

function CampaignItems({ id, route }) {
	const part = route.path[2];
	const isCurrent = path => (part ? path.split("/")[2] === part : path === route.path.join("/"));
	const items = inCampaign(id).filter(([, , right]) => may(right));
	return html`
		<div class="nav-group">
			<${Switcher} id=${id} />
			<ul>
				${items.map(([text, path, , key]) => html`
					<${Item} key=${path} text=${text} path=${path} shortcut=${key} current=${isCurrent(path)} />`)}
			</ul>
		</div>`;
}

function Navigation({ route, onGo }) {
	const user = useSession();
	const [area, id] = route.path;
	return html`
		<nav aria-label="Main" onClick=${event => event.target.closest("a") && onGo()}>
			<a class="brand" href="#/">Leadhook</a>
			<ul><${Item} text="Overview" path="" current=${route.path.length === 0} shortcut="o" /></ul>
			${area === "campaigns" && id && html`<${CampaignItems} id=${id} route=${route} />`}
			${may("account") && html`
				<div class="nav-group">
					<p class="nav-title">Account</p>
					<ul>
						<${Item} text="Team" path="team" current=${area === "team"} />
						<${Item} text="API keys" path="keys" current=${area === "keys"} />
						<${Item} text="Account settings" path="account" current=${area === "account"} />
						<${Item} text="Audit log" path="changes" current=${area === "changes"} />
					</ul>
				</div>`}
			${isOperator() && html`
				<div class="nav-group">
					<p class="nav-title">Installation</p>
					<ul><${Item} text="Operator" path="operator" current=${area === "operator"} /></ul>
				</div>`}
			<div class="nav-group nav-user">
				<ul>
					<${Item} text=${user.name || user.email} path="me" current=${area === "me"} />
					<li><button type="button" class="as-link" onClick=${() => logOut().catch(showFailure)}>Log out</button></li>
					<li class="keys-hint">
						<button type="button" class="as-link" onClick=${showShortcuts}>Keyboard shortcuts <kbd>?</kbd></button>
					</li>
				</ul>
			</div>
		</nav>`;
}

/* ---- the keyboard ---- */

const SHORTCUTS = [
	["/", "Search"],
	["r", "Refresh"],
	["g o", "Overview"],
	["g s", "Summary of the campaign"],
	["g l", "Leads"],
	["g w", "Webhooks"],
	["g d", "Deliveries"],
	["g p", "Pages and email"],
	["g e", "Settings"],
	["?", "This list"],
];

function Shortcuts({ close }) {
	const [on, set] = useState(localStorage.getItem("shortcuts") !== "off");
	const turn = event => {
		set(event.currentTarget.checked);
		localStorage.setItem("shortcuts", event.currentTarget.checked ? "on" : "off");
	};
	return html`
		<${Dialog} title="Keyboard shortcuts" close=${close}>
			<table class="keys">
				<tbody>
					${SHORTCUTS.map(([key, text]) => html`
						<tr key=${key}>
							<th scope="row">${key.split(" ").map(one => html`<kbd key=${one}>${one}</kbd>${" "}`)}</th>
							<td>${text}</td>
						</tr>`)}
				</tbody>
			</table>
			<div class="field check">
				<input type="checkbox" id="shortcuts-on" checked=${on} onChange=${turn} />
				<label for="shortcuts-on">Enable keyboard shortcuts</label>
			</div>
			<div class="buttons"><button type="button" class="primary" onClick=${() => close()}>Close</button></div>
		<//>`;
}

const showShortcuts = () => openDialog(close => html`<${Shortcuts} close=${close} />`);

function useKeyboard(route) {
	useEffect(() => {
		let before = "";
		function key(event) {
			const typing = event.target.closest?.("input, textarea, select, [contenteditable], dialog");
			if (typing || event.ctrlKey || event.metaKey || event.altKey || localStorage.getItem("shortcuts") === "off")
				return;
			const pair = before === "g" ? event.key : "";
			before = event.key;
			const campaign = route.path[0] === "campaigns" ? route.path[1] : null;
			const target = pair && campaign && inCampaign(campaign).find(([, , right, letter]) => letter === pair && may(right));
			if (pair === "o") go("");
			else if (target) go(target[1]);
			else if (event.key === "r") refresh();
			else if (event.key === "?") showShortcuts();
			else if (event.key === "/" && document.querySelector("[type=search]")) document.querySelector("[type=search]").focus();
			else return;
			event.preventDefault();
		}
		addEventListener("keydown", key);
		return () => removeEventListener("keydown", key);
	}, [route]);
}

/* ---- warnings ---- */

/** What does not work in the background, by the member of the installation. The dispatcher starts the others. */
const PROCESSES = [
	["dispatcher", "The dispatcher", "Webhooks and emails stay queued."],
	["mailer", "The process that sends emails", "Emails stay queued."],
	["texter", "The process that sends text messages", "Text messages stay queued."],
];
const FAULTS = {
	never_ran: () => "has never run.",
	stopped: at => html`stopped <${Time} at=${at} />.`,
	silent: at => html`hangs, or was killed: its last heartbeat was <${Time} at=${at} />.`,
};

function ProcessFault({ installation }) {
	const found = PROCESSES.find(([name]) => FAULTS[installation[name]]);
	if (!found)
		return null;
	const [name, title, consequence] = found;
	return html`
		<${Notice} tone="bad">
			<p>
				<strong>${title} ${FAULTS[installation[name]](installation[`${name}_at`])}</strong> ${consequence}
				${isOperator()
					? html` <code>leadhook doctor</code> shows what to do.`
					: " Contact the operator of this installation."}
			</p>
		<//>`;
}

function Warnings() {
	const installation = useList("installation", {}, { every: 20 });
	const pausedNow = useStore(paused);
	return html`
		${pausedNow && html`
			<${Notice}>
				<p>Updates are paused: this tab was idle for 15 minutes.</p> <button type="button" onClick=${wake}>Resume</button>
			<//>`}
		${installation && html`<${ProcessFault} installation=${installation} />`}
		${installation?.mail_held_since && html`
			<${Notice} tone="bad">
				<p>
					<strong>Email is on hold.</strong> The mail server rejects it. Emails stay queued and are retried.
				</p>
			<//>`}
		${installation?.mail_refused_at && !installation.mail_held_since && html`
			<${Notice} tone="bad">
				<p>
					<strong>Some emails are being rejected</strong> for reasons that are not the recipients'. They are retried.
					${isOperator()
						? html` <a href=${link("operator")}>Operator</a> shows why.`
						: " Contact the operator of this installation."}
				</p>
			<//>`}`;
}

/** The time zone of what is shown: that of the account. Operators have none: outside of campaigns they see the browser's. */
function useZone(route) {
	const user = useSession();
	const list = useCampaigns();
	const accounts = useList(isOperator() ? "accounts" : null, {}, { every: 60, whole: true });
	const [area, id] = route.path;
	const owner = area === "campaigns" ? list.find(one => one.id === Number(id))?.account_id : null;
	const name = owner === null ? browserZone() : accounts?.find(one => one.id === owner)?.time_zone;
	const own = user.account_id ? user.time_zone : name;
	useLayoutEffect(() => setZone(own), [own]);
}

export function Frame({ children }) {
	const route = useRoute();
	useZone(route);
	const [open, setOpen] = useState(false);
	const list = useList("campaigns", {}, { every: 60, whole: true });
	useEffect(() => {
		if (list) campaigns.set(list);
	}, [list]);
	useKeyboard(route);
	useEffect(() => setOpen(false), [route.path.join("/")]);
	useEffect(() => {
		const escape = event => event.key === "Escape" && setOpen(false);
		addEventListener("keydown", escape);
		return () => removeEventListener("keydown", escape);
	}, []);
	const skip = event => {
		event.preventDefault();
		document.querySelector("h1")?.focus();
	};
	return html`
		<a class="skip" href="#main" onClick=${skip}>Skip to content</a>
		<div class=${`shell ${open ? "nav-open" : ""}`}>
			<header class="top">
				<a class="brand" href="#/">Leadhook</a>
				<button type="button" class="menu" aria-expanded=${open} onClick=${() => setOpen(!open)}>Menu</button>
			</header>
			<div class="side"><${Navigation} route=${route} onGo=${() => setOpen(false)} /></div>
			<main id="main">
				<${Warnings} />
				${children}
			</main>
		</div>`;
}

export const Overlays = () => html`<${Dialogs} /><${Toasts} />`;
