// SPDX-License-Identifier: MIT
// Calls /manage/v1 (docs/manage.md): JSON, versions, lists in parts, failures.
import { REPEATABLE_PATHS } from "./repeatable.js";

const BASE = new URL("../../manage/v1/", import.meta.url);

const TIMEOUT_S = 30; // the service answers or gives up earlier

/** An error answer, or no answer (status 0). */
export class Failure extends Error {
	constructor(status, problem, retryAfter) {
		super(problem.detail || problem.title);
		this.status = status;
		this.code = problem.error;
		this.requestId = problem.request_id || null;
		this.fields = Object.fromEntries((problem.errors || []).map(one => [one.pointer.replace(/^\//, ""), one.detail]));
		this.retryAfter = retryAfter;
	}

	get isAway() {
		return this.status === 0 || this.status >= 500;
	}
}

export const unreachable = () => new Failure(0, { detail: "The service cannot be reached.", error: "unreachable" });

/** Thrown when a call was aborted, or the user closed the dialog that it needed. */
export class Cancelled extends Error {}

/** Set by session.js: functions that show the login or ask for the password. Calls wait for the promises that they return. */
export const gate = { logIn: null, confirm: null };

const SEEN_MAX = 64;
const seen = new Map(); // the latest answers to GET: URL → { tag, value, next }

/** Forgets all answers: another user has logged in. */
export const discardAnswers = () => seen.clear();

function urlOf(path, query) {
	const url = new URL(path, BASE);
	for (const [name, value] of Object.entries(query || {})) {
		if (value !== null && value !== undefined && value !== "") url.searchParams.set(name, value);
	}
	return url;
}

/** Stores an answer. When there are too many, the oldest one is dropped. */
function keep(url, found) {
	seen.delete(url.href);
	seen.set(url.href, found);
	if (seen.size > SEEN_MAX) seen.delete(seen.keys().next().value);
}

async function send(method, url, { body, version, key, signal }, tag) {
	const headers = {};
	if (body !== undefined) headers["Content-Type"] = "application/json";
	if (version) headers["If-Match"] = version;
	if (key) headers["Idempotency-Key"] = key;
	if (tag) headers["If-None-Match"] = tag;
	const limit = AbortSignal.timeout(TIMEOUT_S * 1000);
	try {
		return await fetch(url, {
			method,
			headers,
			credentials: "same-origin",
			cache: "no-store",
			redirect: "error",
			body: body === undefined ? undefined : JSON.stringify(body),
			signal: signal && AbortSignal.any ? AbortSignal.any([signal, limit]) : signal || limit,
		});
	} catch (error) {
		if (signal && signal.aborted)
			throw new Cancelled();
		throw unreachable();
	}
}

async function failureOf(answer) {
	let problem;
	try {
		problem = await answer.json();
	} catch (error) {
		problem = {};
	}
	// errors that are found before the path is parsed have `message` in place of `detail`
	const texts = {
		title: problem.title || `The web server answered ${answer.status}.`,
		detail: problem.detail || problem.message,
	};
	return new Failure(
		answer.status,
		{ ...problem, ...texts, request_id: problem.request_id || answer.headers.get("X-Request-Id") },
		Number(answer.headers.get("Retry-After")) || null,
	);
}

/** The query of the next part, from the header Link; null: this was the last part. */
function nextOf(answer) {
	const link = /<\?([^>]*)>; rel="next"/.exec(answer.headers.get("Link") || "");
	return link ? Object.fromEntries(new URLSearchParams(link[1])) : null;
}

const read = async answer => ({ tag: answer.headers.get("ETag"), value: await answer.json(), next: nextOf(answer) });

async function attempt(method, path, options) {
	const url = urlOf(path, options.query);
	const old = method === "GET" ? seen.get(url.href) : undefined;
	const answer = await send(method, url, options, old?.tag);
	try {
		if (!answer.ok && answer.status !== 304)
			throw await failureOf(answer);
		const found = answer.status === 304 ? old : await read(answer);
		if (method === "GET" && found.tag) keep(url, found);
		return found;
	} catch (error) {
		if (options.signal?.aborted)
			throw new Cancelled(); // aborted while the body was read
		throw error instanceof Failure ? error : unreachable(); // the connection broke while the body was read
	}
}

/**
 * Makes a call. Options: `query`, `body`, `version` (an ETag for If-Match), `key` (Idempotency-Key), `signal`, and `quiet`, which
 * shows no login when the session has ended. Returns { value, tag, next }. Throws Failure or Cancelled.
 */
export async function call(method, path, options = {}) {
	for (;;) {
		try {
			return await attempt(method, path, options);
		} catch (failure) {
			if (!(failure instanceof Failure) || options.quiet)
				throw failure;
			if (failure.status === 401 && ["session_ended", "missing_api_key"].includes(failure.code)) await gate.logIn();
			else if (failure.code === "confirmation_needed") await gate.confirm();
			else throw failure;
		}
	}
}

export const get = (path, query, options) => call("GET", path, { ...options, query });

const PARTS_MAX = 20; // 5,000 rows

/** Gets all parts of a list: { value, next }. `next` is not null when there are more than PARTS_MAX. */
export async function getWhole(path, query, options) {
	let { value, next } = await get(path, query, options);
	for (let parts = 1; next && parts < PARTS_MAX; parts++) {
		const part = await get(path, next, options);
		value = [...value, ...part.value];
		next = part.next;
	}
	return { value, next };
}

export const patch = (path, body, version) => call("PATCH", path, { body, version });
export const remove = (path, query) => call("DELETE", path, { query });

export const pause = milliseconds => new Promise(done => setTimeout(done, milliseconds));

const REPEATABLE = new RegExp(`^(${REPEATABLE_PATHS.join("|").replaceAll(/{\w+}/g, "[^/]+")})$`);

/** Posts. If the answer is lost, repeats the call, but only if an Idempotency-Key ensures that nothing is done twice. */
export async function post(path, body = {}, options = {}) {
	const key = REPEATABLE.test(path) ? crypto.randomUUID() : undefined;
	try {
		return await call("POST", path, { ...options, body, key });
	} catch (failure) {
		if (!key || !(failure instanceof Failure) || !(failure.status === 0 || failure.code === "unknown_outcome"))
			throw failure;
		return await call("POST", path, { ...options, body, key });
	}
}

/** Posts, and tries again while the service is busy or the rate limit is reached. */
export async function postPatiently(path, body) {
	for (;;)
		try {
			return await post(path, body);
		} catch (failure) {
			if (failure.status !== 429 || !failure.retryAfter)
				throw failure;
			await pause(failure.retryAfter * 1000);
		}
}

/* ---- jobs of the dispatcher (docs/manage.md 1.4) that a view waits for ---- */

const WAITS_MS = [500, 500, 1000, 1000, 2000, 2000, 5000, 5000, 10000, 10000, 10000];

/** Posts, which queues a job, and polls it until it has ended. `report` gets each state; `waits`: pauses between polls, in ms. */
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

/** A sentence that explains why a test email was not sent, or not yet; undefined: it was sent. */
export function mailTestProblem({ ended_at, state, error, result }) {
	if (!ended_at)
		return "The test is still queued. Check that the dispatcher is running.";
	if (state === "done" && result?.ok !== false)
		return undefined;
	return error || result?.answer || result?.error || "The test email was not sent.";
}
