// SPDX-License-Identifier: MIT
// The frame of each view: navigation, warnings about the installation, keyboard shortcuts.
import { useEffect, useLayoutEffect, useRef, useState } from "./hooks.js";
import { campaignName, campaigns, paused, refresh, useCampaigns, useList, wake } from "./live.js";
import { go, link, useRoute } from "./route.js";
import { isOperator, logOut, may, useSession } from "./session.js";
import { store, useEvent, useStore } from "./store.js";
import { Check, Dialog, Dialogs, Notice, Select, Time, Toasts, html, openDialog, showFailure } from "./ui.js";
import { browserZone, setZone } from "./zone.js";

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

const Item = ({ text, path, route, shortcut }) => html`
	<li>
		<a href=${link(path)} aria-current=${route.path.slice(0, 3).join("/") === path ? "page" : undefined}
			title=${shortcut ? `g ${shortcut}` : undefined}>${text}</a>
	</li>`;

/** `items`: [text, path]. */
const Group = ({ title, items, route }) => html`
	<div class="nav-group">
		<p class="nav-title">${title}</p>
		<ul>${items.map(([text, path]) => html`<${Item} key=${path} text=${text} path=${path} route=${route} />`)}</ul>
	</div>`;

const ACCOUNT = [["Team", "team"], ["API keys", "keys"], ["Account settings", "account"], ["Audit log", "changes"]];

function Switcher({ id }) {
	const list = useCampaigns();
	if (list.length < 2)
		return html`<p class="campaign-name">${campaignName(id)}</p>`;
	return html`
		<${Select} aria-label="Campaign" value=${id} options=${list.map(one => [one.id, one.name])}
			choose=${one => go(`campaigns/${one}`)} />`;
}

const CampaignItems = ({ id, route }) => html`
	<div class="nav-group">
		<${Switcher} id=${id} />
		<ul>
			${inCampaign(id).filter(([, , right]) => may(right)).map(([text, path, , key]) => html`
				<${Item} key=${path} text=${text} path=${path} route=${route} shortcut=${key} />`)}
		</ul>
	</div>`;

function Navigation({ route, onGo }) {
	const user = useSession();
	const [area, id] = route.path;
	return html`
		<nav aria-label="Main" onClick=${event => event.target.closest("a") && onGo()}>
			<a class="brand" href="#/">Leadhook</a>
			<ul><${Item} text="Overview" path="" route=${route} shortcut="o" /></ul>
			${area === "campaigns" && id && html`<${CampaignItems} id=${id} route=${route} />`}
			${may("account") && html`<${Group} title="Account" items=${ACCOUNT} route=${route} />`}
			${isOperator() && html`<${Group} title="Installation" items=${[["Operator", "operator"]]} route=${route} />`}
			<div class="nav-group nav-user">
				<ul>
					<${Item} text=${user.name || user.email} path="me" route=${route} />
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
	...inCampaign().slice(1).map(([text, , , key]) => [`g ${key}`, text]),
	["?", "This list"],
];

function Shortcuts({ close }) {
	const [on, set] = useState(localStorage.getItem("shortcuts") !== "off");
	const turn = checked => {
		set(checked);
		localStorage.setItem("shortcuts", checked ? "on" : "off");
	};
	return html`
		<${Dialog} title="Keyboard shortcuts" close=${close} done="Close">
			<table class="keys">
				<tbody>
					${SHORTCUTS.map(([key, text]) => html`
						<tr key=${key}>
							<th scope="row">${key.split(" ").map(one => html`<kbd key=${one}>${one}</kbd>${" "}`)}</th>
							<td>${text}</td>
						</tr>`)}
				</tbody>
			</table>
			<${Check} id="shortcuts-on" label="Enable keyboard shortcuts" checked=${on} choose=${turn} />
		<//>`;
}

const showShortcuts = () => openDialog(Shortcuts);

function useKeyboard(route) {
	const before = useRef("");
	useEvent("keydown", event => {
		const typing = event.target.closest?.("input, textarea, select, [contenteditable], dialog");
		if (typing || event.ctrlKey || event.metaKey || event.altKey || localStorage.getItem("shortcuts") === "off")
			return;
		const pair = before.current === "g" ? event.key : "";
		before.current = event.key;
		const campaign = route.path[0] === "campaigns" ? route.path[1] : null;
		const target = pair && campaign && inCampaign(campaign).find(([, , right, letter]) => letter === pair && may(right));
		if (pair === "o") go("");
		else if (target) go(target[1]);
		else if (event.key === "r") refresh();
		else if (event.key === "?") showShortcuts();
		else if (event.key === "/" && document.querySelector("[type=search]")) document.querySelector("[type=search]").focus();
		else return;
		event.preventDefault();
	}, [route]);
}

/* ---- warnings ---- */

/** [member of the installation, process, what happens while it does not work]. The dispatcher comes first: it starts the others. */
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

/** `hint`: for operators; other users are told to contact the operator. */
const Fault = ({ title, hint, children }) => html`
	<${Notice} tone="bad" title=${title}>${children} ${isOperator() ? hint : "Contact the operator of this installation."}<//>`;

function ProcessFault({ installation }) {
	const found = PROCESSES.find(([name]) => FAULTS[installation[name]]);
	if (!found)
		return null;
	const [name, process, consequence] = found;
	const title = html`${process} ${FAULTS[installation[name]](installation[`${name}_at`])}`;
	return html`<${Fault} title=${title} hint=${html`<code>leadhook doctor</code> shows what to do.`}>${consequence}<//>`;
}

function Warnings() {
	const installation = useList("installation", {}, { every: 20 });
	const pausedNow = useStore(paused);
	return html`
		${pausedNow && html`
			<${Notice} beside=${html`<button type="button" onClick=${wake}>Resume</button>`}>
				Updates are paused: this tab was idle for 15 minutes.
			<//>`}
		${installation && html`<${ProcessFault} installation=${installation} />`}
		${installation?.mail_held_since && html`
			<${Notice} tone="bad" title="Email is on hold.">The mail server rejects it. Emails stay queued and are retried.<//>`}
		${installation?.mail_refused_at && !installation.mail_held_since && html`
			<${Fault} title="Some emails are being rejected" hint=${html`<a href=${link("operator")}>Operator</a> shows why.`}>
				for reasons unrelated to their recipients. They are retried.
			<//>`}`;
}

/** Sets the time zone: that of the account. Operators, who have no account, get that of the browser outside of campaigns. */
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
	useEvent("keydown", event => event.key === "Escape" && setOpen(false));
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
