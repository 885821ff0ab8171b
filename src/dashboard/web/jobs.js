// SPDX-License-Identifier: MIT
// Jobs of the dispatcher (docs/manage.md 1.4) that a view waits for.
import { get, pause, post } from "./api.js";

const WAITS_MS = [500, 500, 1000, 1000, 2000, 2000, 5000, 5000, 10000, 10000, 10000];

/** Posts, to queue a job, and polls the job until it has ended or `waits`, in ms, are over. `report` gets each state. */
export async function runJob(path, body, report = () => {}, waits = WAITS_MS) {
	let { value: job } = await post(path, body);
	report(job);
	for (const wait of waits) {
		if (job.ended_at)
			return job;
		await pause(wait);
		job = (await get(`jobs/${job.id}`)).value;
		report(job);
	}
	return job;
}

/** Why a test email was not sent, or not yet, in a sentence; undefined: it was sent. */
export function mailTestProblem({ ended_at, state, error, result }) {
	if (!ended_at)
		return "The test is still queued. Check that the dispatcher is running.";
	if (state === "done" && result?.ok !== false)
		return undefined;
	return error || result?.answer || result?.error || "The test email was not sent.";
}
