// SPDX-License-Identifier: MIT
// Changes of several leads, or of all that match the filters of a list.
import { useRef, useState } from "./hooks.js";
import { get, post } from "./api.js";
import { plural } from "./format.js";
import { refresh } from "./live.js";
import { Field, Form, FormDialog, confirmAction, useForm, wrongField } from "./forms.js";
import { Button, Dialog, html, openDialog, showFailure, toast } from "./ui.js";
import { nameOf } from "./words.js";

/** Leads of one call. */
const CALL_MAX = 250;
/** The dispatcher makes changes of leads in the background: when to look for their result. */
const SOON_MS = [1500, 5000];

/** Word of the API: [button, done, the word that undoes it, whether a lead is so already, what it does]. */
const CHANGES = {
	verify: ["Verify", "verified", "unverify", lead => lead.verified, "Marks the address as confirmed"],
	unverify: ["Unverify", "unverified", "verify", lead => !lead.verified],
	approve: ["Mark as genuine", "marked as genuine", "block", lead => !lead.fraudulent, "Not fraudulent: points count again"],
	block: ["Mark as fraudulent", "marked as fraudulent", "approve", lead => lead.fraudulent, "Points do not count"],
	waitlist: ["Add to waitlist", "added to the waitlist", "unwaitlist", lead => lead.waitlisted],
	unwaitlist: ["Let in from waitlist", "let in", "waitlist", lead => !lead.waitlisted, "Removes the lead from the waitlist"],
	optout: ["Unsubscribe", "unsubscribed", null],
	delete: ["Delete", "deleted", null],
	tag: ["Tag", "tagged", null],
};

/** Posts a body with any number of leads, in as many calls as that takes. */
async function postLeads(path, leads, body) {
	for (let from = 0; from < leads.length; from += CALL_MAX)
		await post(path, { ...body, leads: leads.slice(from, from + CALL_MAX) });
}

/** Queues a change of any number of leads. */
export const changeLeads = (campaign, change, ids, extra) => postLeads(`campaigns/${campaign}/bulk`, ids, { change, ...extra });

/** The views follow a change of leads that was queued now. */
export const refreshSoon = () => SOON_MS.forEach(time => setTimeout(refresh, time));

/** A button that changes one lead. */
export function Change({ campaign, lead, word }) {
	const [button, done, opposite, , why] = CHANGES[word];
	async function run() {
		await changeLeads(campaign, word, [lead.social_id]);
		const undo = async () => {
			await changeLeads(campaign, opposite, [lead.social_id]);
			refreshSoon();
		};
		toast(`The lead will be ${done}`, opposite && undo);
		refreshSoon();
	}
	return html`<${Button} title=${why} onClick=${run}>${button}<//>`;
}

/** Changes all leads of the list with these filters, part by part, with progress. Closes with how many. */
function Everything({ campaign, filters, title, verb, text, change, extra, close }) {
	const form = useForm({});
	const [count, setCount] = useState(0);
	const stop = useRef(false);
	async function submit() {
		stop.current = false;
		let done = 0;
		for (let next = { ...filters, newest: true, limit: CALL_MAX }; next && !stop.current; ) {
			const part = await get(`campaigns/${campaign}/leads`, next);
			await changeLeads(campaign, change, part.value.map(lead => lead.social_id), extra);
			done += part.value.length;
			setCount(done);
			next = part.next;
		}
		close(done);
	}
	const cancel = () => {
		stop.current = true;
		if (!form.busy)
			close(count || undefined); // some may be queued before a failure
	};
	return html`
		<${Dialog} title=${title} close=${cancel}>
			<div class="prose">${text}</div>
			<${Form} form=${form} onSubmit=${submit} submit=${verb} danger=${change === "delete"} cancel=${cancel}>
				${form.busy && html`
					<div class="progress">
						<progress aria-label=${title} />
						<p role="status">${plural(count, "lead")} so far…</p>
					</div>`}
			<//>
		<//>`;
}

const DELETION = html`
	<p>Their data, points and ranks are deleted. Webhooks receive the event “Deleted”. This cannot be undone.</p>`;

const OTHER_PAGES = html`
	<p>All leads that match the search and the filters are changed, including those on other pages.</p>`;

/**
 * The bar with actions for the chosen leads, a map by social id. `more`: others match, too; `everything`: all that match the
 * filters are chosen.
 */
export function Bulk({ campaign, chosen, clear, tags, filters, more, everything, chooseEverything }) {
	const ids = [...chosen.keys()];
	const selected = everything ? "all matching leads" : plural(ids.length, "lead");
	const soon = () => {
		clear();
		refreshSoon();
	};
	const run = async (change, extra) => {
		const [, done, opposite, isDone] = CHANGES[change];
		const changed = ids.filter(id => !isDone?.(chosen.get(id)));
		if (changed.length === 0) {
			toast(`Nothing to change: already ${done}`);
			return;
		}
		await changeLeads(campaign, change, changed, extra);
		const undo = async () => {
			await changeLeads(campaign, opposite, changed);
			refreshSoon();
		};
		toast(`${plural(changed.length, "lead")} will be ${done}`, opposite && undo);
		soon();
	};
	const runAll = async (change, extra) => {
		const [verb, done] = CHANGES[change];
		const text = change === "delete" ? DELETION : OTHER_PAGES;
		const count = await openDialog(close => html`
			<${Everything} campaign=${campaign} filters=${filters} title=${`${verb}: ${selected}?`} verb=${verb} text=${text}
				change=${change} extra=${extra} close=${close} />`);
		if (count !== undefined) {
			toast(`${plural(count, "lead")} will be ${done}`);
			soon();
		}
	};
	const act = (change, extra) => {
		if (everything)
			return runAll(change, extra);
		if (change !== "delete")
			return run(change, extra);
		const name = ids.length === 1 ? nameOf(chosen.get(ids[0])) : selected;
		return confirmAction({ title: `Delete ${name}?`, verb: `Delete ${selected}`, work: () => run(change), text: DELETION });
	};
	const points = async () => {
		if (await openDialog(close => html`<${Points} campaign=${campaign} leads=${ids} close=${close} />`)) soon();
	};
	const choose = event => {
		const [change, tag] = event.currentTarget.value.split(" ");
		event.currentTarget.value = "";
		if (change)
			act(change, tag ? { tag: Number(tag) } : undefined).catch(showFailure);
	};
	const leads = [...chosen.values()];
	const words = [
		"verify",
		leads.some(lead => lead.waitlisted) && "unwaitlist",
		leads.some(lead => lead.fraudulent) ? "approve" : "block",
	].filter(Boolean);
	return html`
		<div class="bulk" role="region" aria-label="Selected leads">
			<strong>${everything ? "All matching leads" : selected} selected</strong>
			${more && !everything && html`
				<button type="button" class="small quiet" onClick=${chooseEverything}>Select all matching leads</button>`}
			${words.map(word => html`
				<${Button} key=${word} kind="small" title=${CHANGES[word][4]} onClick=${() => act(word)}>${CHANGES[word][0]}<//>`)}
			${!everything && html`<${Button} kind="small" onClick=${points}>Points…<//>`}
			<label class="offscreen" for="bulk-more">More actions</label>
			<select id="bulk-more" onChange=${choose}>
				<option value="">More…</option>
				${Object.keys(CHANGES).filter(word => !words.includes(word) && !["tag", "delete"].includes(word)).map(word => html`
					<option key=${word} value=${word}>${CHANGES[word][0]}</option>`)}
				${tags?.map(tag => html`<option key=${tag.id} value=${`tag ${tag.id}`}>Tag: ${tag.name}</option>`)}
				<option value="delete">Delete…</option>
			</select>
			<button type="button" class="small quiet" onClick=${clear}>Clear</button>
		</div>`;
}

export function Points({ campaign, leads, subject = plural(leads.length, "lead"), close }) {
	const form = useForm({ points: "", message: "" });
	const give = (points, message) =>
		postLeads(`campaigns/${campaign}/points`, leads, { points, ...(message ? { message } : {}) });
	async function submit() {
		const points = Number(form.values.points);
		if (!Number.isInteger(points) || points === 0)
			throw wrongField("points", "Enter a whole number other than 0. Negative numbers remove points.");
		await give(points, form.values.message);
		const [verb, preposition] = points > 0 ? ["Added", "to"] : ["Removed", "from"];
		const undo = async () => {
			await give(-points);
			refresh();
		};
		toast(`${verb} ${plural(Math.abs(points), "point")} ${preposition} ${plural(leads.length, "lead")}`, undo);
		close(true);
	}
	return html`
		<${FormDialog} title=${`Points for ${subject}`} close=${close} form=${form} onSubmit=${submit} submit="Save">
			<${Field} form=${form} name="points" label="Points" inputmode="numeric"
				hint="Negative numbers remove points. A score never falls below 0." />
			<${Field} form=${form} name="message" label="Reason"
				hint="Shown in the lead's activity and sent with the webhook." />
		<//>`;
}
