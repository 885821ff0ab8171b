// SPDX-License-Identifier: MIT
// The first steps of a new campaign. It is hidden when all are done, or by the user.
import { useState } from "./hooks.js";
import { useList } from "./live.js";
import { link } from "./route.js";
import { plural } from "./format.js";
import { may } from "./session.js";
import { Code, html } from "./ui.js";

const hiddenKey = id => `checklist-${id}`;

function Step({ done, title, children }) {
	return html`
		<li class=${done ? "done" : ""}>
			<details open=${!done}>
				<summary>
					<span class="tick" aria-hidden="true">${done ? "✓" : "○"}</span>
					${title}<span class="offscreen">${done ? " (done)" : " (to do)"}</span>
				</summary>
				<div class="prose">${children}</div>
			</details>
		</li>`;
}

export function Checklist({ id, campaign, webhooks }) {
	const [hidden, hide] = useState(localStorage.getItem(hiddenKey(id)) === "yes");
	const wanted = !hidden && may("manage");
	const embed = useList(wanted ? `campaigns/${id}/embed` : null, {}, { every: 0 });
	const rewards = useList(wanted ? `campaigns/${id}/rewards` : null, {}, { every: 60 });
	if (!wanted || !embed || !webhooks || !rewards)
		return null;
	const isReferral = campaign.points_direct > 0;
	const countsVerified = campaign.require_verification ||
		(campaign.public_lookup !== "all" && (campaign.verify_email || campaign.verify_phone));
	const steps = [campaign.lead_count > campaign.jump_start, webhooks.length > 0, !isReferral || rewards.length > 0];
	if (steps.every(Boolean))
		return null;
	const drop = () => {
		localStorage.setItem(hiddenKey(id), "yes");
		hide(true);
	};
	const page = campaign.pages && embed.page;
	return html`
		<section class="card checklist">
			<header>
				<h2>Get started</h2>
				<button type="button" class="small quiet" onClick=${drop}>Hide</button>
			</header>
			<ol>
				<${Step} done=${steps[0]} title="Get the first sign-up">
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
						${steps[0]
							? "The first lead has arrived."
							: "Waiting for the first sign-up. This page updates automatically."}
					</p>
				<//>
				<${Step} done=${steps[1]} title="Send leads to your other systems">
					<p>
						A webhook sends each sign-up to your CRM, newsletter or automation, and retries when the receiver is down.
					</p>
					<p><a class="button" href=${link(`campaigns/${id}/webhooks`, { add: "yes" })}>Add a webhook</a></p>
				<//>
				${isReferral && html`
					<${Step} done=${steps[2]} title="Give leads a reason to invite friends">
						<p>
							Leads reach rewards with points.
							${" "}A lead gets ${plural(campaign.points_direct, "point")} for each friend who
							${countsVerified ? " signs up and is verified" : " signs up"}.
						</p>
						<p><a class="button" href=${link(`campaigns/${id}/settings`, { tab: "rewards" })}>Add a reward</a></p>
					<//>`}
			</ol>
		</section>`;
}
