// SPDX-License-Identifier: MIT
// The dashboard (docs/dashboard.md): chooses the view by the fragment of the URL.
import { render } from "./preact.js";
import { unreachable } from "./api.js";
import { useEffect, useErrorBoundary, useState } from "./hooks.js";
import { campaigns, useCampaigns } from "./live.js";
import { Frame, Overlays } from "./frame.js";
import { Campaign } from "./campaign.js";
import { Deliveries, Delivery } from "./deliveries.js";
import { Lead } from "./lead.js";
import { Leads } from "./leads.js";
import { Overview } from "./overview.js";
import { go, parse, placeOf, useRoute } from "./route.js";
import { Ended, Login, Welcome, logOut, readSession, useSession } from "./session.js";
import { Settings } from "./settings.js";
import { Keys, Team } from "./team.js";
import { Webhook } from "./webhook.js";
import { Webhooks } from "./webhooks.js";
import { useEvent, useStore } from "./store.js";
import { Button, Empty, Page, Problem, Skeleton, html } from "./ui.js";
import { zone } from "./zone.js";

/** A view whose file is loaded when it is first shown. */
function later(load, name) {
	let view = null;
	return values => {
		const [failure, setFailure] = useState(null);
		const [, setLoaded] = useState(view !== null);
		useEffect(() => {
			if (view)
				return;
			const loaded = module => {
				view = module[name];
				setLoaded(true);
			};
			load().then(loaded, () => setFailure(unreachable()));
		}, []);
		if (failure)
			throw failure;
		return view ? html`<${view} ...${values} />` : html`<${Skeleton} lines=${8} />`;
	};
}

/** [path, view]. A part of the path that begins with ":" stands for any id, which the view gets by that name. */
const VIEWS = [
	["", Overview],
	["campaigns/:id", Campaign],
	["campaigns/:id/leads", Leads],
	["campaigns/:id/leads/:lead", Lead],
	["campaigns/:id/import", later(() => import("./import.js"), "Import")],
	["campaigns/:id/export", later(() => import("./export.js"), "Export")],
	["campaigns/:id/webhooks", Webhooks],
	["campaigns/:id/webhooks/:webhook", Webhook],
	["campaigns/:id/deliveries", Deliveries],
	["campaigns/:id/deliveries/:delivery", Delivery],
	["campaigns/:id/pages", later(() => import("./pages.js"), "PagesAndMail")],
	["campaigns/:id/settings", Settings],
	["team", Team],
	["keys", Keys],
	["account", later(() => import("./account.js"), "Account")],
	["changes", later(() => import("./audit.js"), "Changes")],
	["operator", later(() => import("./operator.js"), "Operator")],
	["me", later(() => import("./me.js"), "Me")],
];

/** [pattern of a place, view]. Ids have only letters and digits, because they become parts of paths of the API. */
const PLACES = VIEWS.map(([path, view]) => [new RegExp(`^${path.replaceAll(/:(\w+)/g, "(?<$1>[0-9A-Za-z]+)")}$`), view]);

/** The view at a place, and its ids by name. */
function find(place) {
	const [pattern, view] = PLACES.find(([one]) => one.test(place)) || [];
	return pattern ? [view, pattern.exec(place).groups] : [Missing, {}];
}

const Missing = () => html`
	<${Page} title="Not found">
		<${Empty} title="This page does not exist, or you do not have access to it">
			<p><a href="#/">Go to the overview</a></p>
		<//>
	<//>`;

function View({ route }) {
	useCampaigns(); // the view is rendered again when names of campaigns change
	const [error, reset] = useErrorBoundary(one => console.error(one));
	const place = placeOf(route.path);
	const [view, values] = find(place);
	const shownIn = useStore(zone); // a change of the zone creates the view again, because its fields contain days
	useEffect(() => {
		if (error) reset();
	}, [place]);
	if (error)
		return html`<${Page} title="Something went wrong"><${Problem} failure=${error} onRetry=${reset} /><//>`;
	return html`<${view} key=${`${place} ${shownIn}`} query=${route.query} ...${values} />`;
}

const Alone = ({ children }) => html`
	<main class="alone">
		<p class="brand">Leadhook</p>
		${children}
	</main>`;

/** The token of a link, which is removed from the address bar. */
function takeToken() {
	const { path } = parse(location.hash.replace("#welcome", "#/welcome"));
	if (path[0] !== "welcome" || !path[1])
		return null;
	history.replaceState(history.state, "", location.pathname);
	return path[1];
}

function App() {
	const user = useSession();
	const route = useRoute();
	const [token, setToken] = useState(takeToken);
	const [failure, setFailure] = useState(null);
	const start = () => {
		setFailure(null);
		readSession().catch(setFailure);
	};
	useEffect(() => {
		if (!token) start();
	}, []);
	useEvent("hashchange", () => location.hash.startsWith("#welcome/") && setToken(takeToken()));
	useEffect(() => {
		campaigns.set([]);
	}, [user?.user_id]);
	const enter = () => {
		setToken(null);
		go("");
		if (!user) start();
	};
	if (token)
		return html`<${Alone}><${Welcome} token=${token} onDone=${enter} /><//>`;
	if (failure)
		return html`<${Alone}><h1>Leadhook</h1><${Problem} failure=${failure} onRetry=${start} /><//>`;
	if (user === undefined)
		return html`<${Alone}><${Skeleton} lines=${2} /><//>`;
	if (user === null)
		return html`<${Alone}><h1>Log in</h1><${Login} /><//>`;
	if (user.account_suspended)
		return html`
			<${Alone}>
				<h1>${user.account_name || "Your account"} is suspended</h1>
				<p>
					Forms, API keys and the dashboard of this account are switched off. Contact the operator of this installation.
				</p>
				<div class="buttons"><${Button} onClick=${logOut}>Log out<//></div>
			<//>`;
	return html`<${Frame}><${View} route=${route} /><//><${Ended} />`;
}

render(html`<${App} /><${Overlays} />`, document.getElementById("app"));
