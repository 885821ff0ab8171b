// SPDX-License-Identifier: MIT
// The settings of an account: its time zone.
import { useList } from "./live.js";
import { setTimeZone } from "./session.js";
import { AccountChoice, useAccount } from "./team.js";
import { Field, Form, useForm } from "./forms.js";
import { Card, Page, Skeleton, html, toast } from "./ui.js";
import { browserZone } from "./zone.js";

/** The zones that the browser knows, and UTC, which its list lacks. */
function zones(stored) {
	const names = Intl.supportedValuesOf ? Intl.supportedValuesOf("timeZone") : [browserZone()];
	return [...new Set(["UTC", ...names, stored || "UTC"])].map(name => [name, name.replaceAll("_", " ")]);
}

/** The current day and time in the zone. */
function nowIn(name) {
	try {
		return new Intl.DateTimeFormat("en-GB", { weekday: "long", hour: "2-digit", minute: "2-digit", timeZone: name }).format(new Date());
	} catch (error) {
		return "unknown to this browser";
	}
}

function Zone({ account }) {
	const form = useForm({ time_zone: account.time_zone || "UTC" });
	async function submit() {
		await setTimeZone(account.id, form.values.time_zone);
		toast("Saved");
	}
	return html`
		<${Card} title="Time zone" kind="narrow">
			<p class="muted">
				All times of the dashboard are shown in this time zone, to everyone on the account. Days that you choose, such as the
				last day of a campaign, begin and end in it.
			</p>
			<${Form} form=${form} onSubmit=${submit} submit="Save">
				<${Field} form=${form} name="time_zone" label="Time zone" type="select" options=${zones(account.time_zone)}
					hint=${`Now: ${nowIn(form.values.time_zone)}. Your browser uses ${browserZone().replaceAll("_", " ")}.`} />
			<//>
		<//>`;
}

export function Account({ query }) {
	const { account, accounts } = useAccount(query);
	const list = useList("accounts", {}, { every: 0, whole: true });
	const found = list?.find(one => one.id === account);
	return html`
		<${Page} title="Account settings">
			<${AccountChoice} account=${account} accounts=${accounts} />
			${found ? html`<${Zone} key=${found.id} account=${found} />` : html`<${Skeleton} lines=${3} />`}
		<//>`;
}
