// SPDX-License-Identifier: MIT
// The first steps of a new campaign, shown until all are done or the user hides them.
import { useState } from "./hooks.js";
import { useList } from "./live.js";
import { link } from "./route.js";
import { plural } from "./format.js";
import { may } from "./session.js";
import { Card, Code, html } from "./ui.js";

const hiddenKey = id => `checklist-${id}`;

const Step = ({ done, title, children }) => html`
	<li class=${done ? "done" : ""}>
		<details open=${!done}>
			<summary>
				<span class="tick" aria-hidden="true">${done ? "✓" : "○"}</span>
				${title}<span class="offscreen">${done ? " (done)" : " (to do)"}</span>
			</summary>
			<div class="prose">${children}</div>
		</details>
	</li>`;

function SignUpStep({ id, campaign, embed, done }) {
	const page = campaign.pages && embed.page;
	return html`
		<${Step} done=${done} title="Get the first sign-up">
			${page && html`
				<p>
					Your sign-up page is online: <a href=${page} target="_blank" rel="noreferrer noopener">${page}</a>.
					${" "}<a href=${link(`campaigns/${id}/pages`)}>Change its texts and colors</a>, or${" "}
					<a href=${link(`campaigns/${id}/pages`, { tab: "mails" })}>see which emails leads get</a>.
				</p>`}
			${embed.script && html`
				<p>Or add the form to your own page. Paste this where the form belongs:</p>
				<${Code} text=${[embed.script, embed.form].filter(Boolean).join("\n")} what="the form" />`}
			<p class="muted" role="status">
				${done ? "The first lead has arrived." : "Waiting for the first sign-up. This page updates automatically."}
			</p>
		<//>`;
}

const WebhookStep = ({ id, done }) => html`
	<${Step} done=${done} title="Send leads to your other systems">
		<p>A webhook sends each sign-up to your CRM, newsletter or automation, and retries when the receiver is down.</p>
		<p><a class="button" href=${link(`campaigns/${id}/webhooks`, { add: "yes" })}>Add a webhook</a></p>
	<//>`;

function RewardStep({ id, campaign, done }) {
	const countsVerified = campaign.require_verification ||
		(campaign.public_lookup !== "all" && (campaign.verify_email || campaign.verify_phone));
	return html`
		<${Step} done=${done} title="Give leads a reason to invite friends">
			<p>
				Leads reach rewards with points.
				${" "}A lead gets ${plural(campaign.points_direct, "point")} for each friend who
				${countsVerified ? " signs up and is verified" : " signs up"}.
			</p>
			<p><a class="button" href=${link(`campaigns/${id}/settings`, { tab: "rewards" })}>Add a reward</a></p>
		<//>`;
}

export function Checklist({ id, campaign, webhooks }) {
	const [hidden, hide] = useState(localStorage.getItem(hiddenKey(id)) === "yes");
	const wanted = !hidden && may("manage");
	const embed = useList(wanted ? `campaigns/${id}/embed` : null, {}, { every: 0 });
	const rewards = useList(wanted ? `campaigns/${id}/rewards` : null, {}, { every: 60 });
	if (!wanted || !embed || !webhooks || !rewards)
		return null;
	const isReferral = campaign.points_direct > 0;
	const steps = [campaign.lead_count > campaign.jump_start, webhooks.length > 0, !isReferral || rewards.length > 0];
	if (steps.every(Boolean))
		return null;
	const drop = () => {
		localStorage.setItem(hiddenKey(id), "yes");
		hide(true);
	};
	const hiding = html`<button type="button" class="small quiet" onClick=${drop}>Hide</button>`;
	return html`
		<${Card} title="Get started" kind="checklist" beside=${hiding}>
			<ol>
				<${SignUpStep} id=${id} campaign=${campaign} embed=${embed} done=${steps[0]} />
				<${WebhookStep} id=${id} done=${steps[1]} />
				${isReferral && html`<${RewardStep} id=${id} campaign=${campaign} done=${steps[2]} />`}
			</ol>
		<//>`;
}
