// SPDX-License-Identifier: MIT
// Changes of selected leads, or of all that match the filters of a list.
import { useLayoutEffect, useRef, useState } from "./hooks.js";
import { get, post } from "./api.js";
import { plural } from "./format.js";
import { refresh } from "./live.js";
import { Field, Form, FormDialog, confirmAction, useForm, wrongField } from "./forms.js";
import { Selected } from "./lists.js";
import { Button, Dialog, Progress, Select, html, openDialog, showFailure, toast } from "./ui.js";
import { nameOf } from "./words.js";

const CALL_MAX = 250; // leads of a call
/** Changes are made in the background: views read leads again after these times. */
const SOON_MS = [1500, 5000];

/** By the name of the change in the API: [button, what was done, opposite change, whether a lead already has it, explanation]. */
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

/** Posts a body with any number of leads, in several calls if needed. */
async function postLeads(path, leads, body) {
	for (let from = 0; from < leads.length; from += CALL_MAX)
		await post(path, { ...body, leads: leads.slice(from, from + CALL_MAX) });
}

export const changeLeads = (campaign, change, ids, extra) => postLeads(`campaigns/${campaign}/bulk`, ids, { change, ...extra });

/** Reads all views again once a queued change of leads should have been made. */
export const refreshSoon = () => SOON_MS.forEach(time => setTimeout(refresh, time));

/** Queues a change, and shows a message whose button queues the opposite. */
async function change(campaign, word, ids, what, extra) {
	const [, done, opposite] = CHANGES[word];
	const undo = () => changeLeads(campaign, opposite, ids).then(refreshSoon);
	await changeLeads(campaign, word, ids, extra);
	toast(`${what} will be ${done}`, opposite && undo);
	refreshSoon();
}

export function Change({ campaign, lead, word }) {
	const [button, , , , why] = CHANGES[word];
	return html`<${Button} title=${why} onClick=${() => change(campaign, word, [lead.social_id], "The lead")}>${button}<//>`;
}

/** The dialog that changes all leads that match the filters, in parts. Closes with the number of leads. */
function Everything({ campaign, filters, word, extra, close }) {
	const [verb] = CHANGES[word];
	const title = `${verb}: all matching leads?`;
	const form = useForm({});
	const [count, setCount] = useState(0);
	const stop = useRef(false);
	async function submit() {
		stop.current = false;
		let done = 0;
		for (let next = { ...filters, newest: true, limit: CALL_MAX }; next && !stop.current; ) {
			const part = await get(`campaigns/${campaign}/leads`, next);
			await changeLeads(campaign, word, part.value.map(lead => lead.social_id), extra);
			done += part.value.length;
			setCount(done);
			next = part.next;
		}
		close(done);
	}
	const cancel = () => {
		stop.current = true;
		if (!form.busy)
			close(count || undefined); // some may have been queued before a failure
	};
	return html`
		<${Dialog} title=${title} close=${cancel}>
			<div class="prose">${word === "delete" ? DELETION : OTHER_PAGES}</div>
			<${Form} form=${form} onSubmit=${submit} submit=${verb} danger=${word === "delete"} cancel=${cancel}>
				${form.busy && html`<${Progress} label=${title} text=${`${plural(count, "lead")} so far…`} />`}
			<//>
		<//>`;
}

const DELETION = html`
	<p>Their data, points and ranks are deleted. Webhooks receive the event “Deleted”. This cannot be undone.</p>`;

const OTHER_PAGES = html`
	<p>All leads that match the search and the filters are changed, including those on other pages.</p>`;

/** Changes the selected leads, a map by social id. Resolves to false if there was nothing to change. */
async function changeChosen(campaign, chosen, word, extra) {
	const [, done, , isDone] = CHANGES[word];
	const ids = [...chosen].filter(([, lead]) => !isDone?.(lead)).map(([id]) => id);
	if (ids.length > 0) await change(campaign, word, ids, plural(ids.length, "lead"), extra);
	else toast(`Nothing to change: already ${done}`);
	return ids.length > 0;
}

/** Changes all leads that match the filters, after a confirmation. Resolves to false if the user cancels. */
async function changeAll(campaign, filters, word, extra) {
	const count = await openDialog(Everything, { campaign, filters, word, extra });
	if (count === undefined)
		return false;
	toast(`${plural(count, "lead")} will be ${CHANGES[word][1]}`);
	refreshSoon();
	return true;
}

function deleteChosen(campaign, chosen) {
	const leads = plural(chosen.size, "lead");
	const name = chosen.size === 1 ? nameOf([...chosen.values()][0]) : leads;
	const work = () => changeChosen(campaign, chosen, "delete");
	return confirmAction({ title: `Delete ${name}?`, verb: `Delete ${leads}`, work, text: DELETION });
}

/** The bar with actions for the selected leads, a map by social id. `more`: the filters match other leads, too. */
export function Bulk({ campaign, chosen, clear, tags, filters, more }) {
	const [everything, setEverything] = useState(false); // whether all leads that match the filters are selected
	useLayoutEffect(() => setEverything(false), [chosen]);
	const act = async (word, extra) => {
		const isDone = everything ? changeAll(campaign, filters, word, extra)
			: word === "delete" ? deleteChosen(campaign, chosen)
			: changeChosen(campaign, chosen, word, extra);
		if (await isDone) clear();
	};
	const points = async () => {
		if (!(await openDialog(Points, { campaign, leads: [...chosen.keys()] })))
			return;
		clear();
		refreshSoon();
	};
	const choose = value => {
		const [word, tag] = value.split(" ");
		if (word) act(word, tag ? { tag: Number(tag) } : undefined).catch(showFailure);
	};
	const leads = [...chosen.values()];
	const words = [
		"verify",
		leads.some(lead => lead.waitlisted) && "unwaitlist",
		leads.some(lead => lead.fraudulent) ? "approve" : "block",
	].filter(Boolean);
	const others = Object.keys(CHANGES).filter(word => ![...words, "tag", "delete"].includes(word));
	const options = [
		["", "More…"],
		...others.map(word => [word, CHANGES[word][0]]),
		...(tags || []).map(tag => [`tag ${tag.id}`, `Tag: ${tag.name}`]),
		["delete", "Delete…"],
	];
	return html`
		<${Selected} what="leads" text=${everything ? "All matching leads" : plural(chosen.size, "lead")} clear=${clear}>
			${more && !everything && html`
				<button type="button" class="small quiet" onClick=${() => setEverything(true)}>Select all matching leads</button>`}
			${words.map(word => html`
				<${Button} key=${word} kind="small" title=${CHANGES[word][4]} onClick=${() => act(word)}>${CHANGES[word][0]}<//>`)}
			${!everything && html`<${Button} kind="small" onClick=${points}>Points…<//>`}
			<${Select} aria-label="More actions" value="" options=${options} choose=${choose} />
		<//>`;
}

export function Points({ campaign, leads, subject = plural(leads.length, "lead"), close }) {
	const give = (points, message) =>
		postLeads(`campaigns/${campaign}/points`, leads, { points, ...(message ? { message } : {}) });
	async function save({ points: typed, message }) {
		const points = Number(typed);
		if (!Number.isInteger(points) || points === 0)
			throw wrongField("points", "Enter a whole number other than 0. Negative numbers remove points.");
		await give(points, message);
		const [verb, preposition] = points > 0 ? ["Added", "to"] : ["Removed", "from"];
		const undo = () => give(-points).then(refresh);
		toast(`${verb} ${plural(Math.abs(points), "point")} ${preposition} ${plural(leads.length, "lead")}`, undo);
	}
	return html`
		<${FormDialog} title=${`Points for ${subject}`} submit="Save" close=${close} values=${{ points: "", message: "" }} save=${save}>
			${form => html`
				<${Field} form=${form} name="points" label="Points" type="number"
					hint="Negative numbers remove points. A score never falls below 0." />
				<${Field} form=${form} name="message" label="Reason"
					hint="Shown in the lead's activity and sent with the webhook." />`}
		<//>`;
}
