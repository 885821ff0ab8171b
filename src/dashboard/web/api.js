// SPDX-License-Identifier: MIT
// Calls of /manage/v1 (docs/manage.md): JSON, versions, the next part of a list, errors with what to do about them.
import { REPEATABLE_PATHS } from "./repeatable.js";

const BASE = new URL("../../manage/v1/", import.meta.url);

const SECONDS_MAX = 30; // of a call; the service answers or gives up earlier

/** An answer that is no success, or none at all (status 0). */
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

/** The user has closed a dialog that a call needed. */
export class Cancelled extends Error {}

/** What a call waits for: session.js sets functions that show the login or request the password. They return promises. */
export const gate = { logIn: null, confirm: null };

const SEEN_MAX = 64;
const seen = new Map(); // the latest answers of GET: URL → { tag, value, next }

/** Discards all answers, when another user logs in. */
export const discardAnswers = () => seen.clear();

function urlOf(path, query) {
	const url = new URL(path, BASE);
	for (const [name, value] of Object.entries(query || {})) {
		if (value !== null && value !== undefined && value !== "") url.searchParams.set(name, value);
	}
	return url;
}

/** Stores an answer in place of the oldest one. */
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
	const limit = AbortSignal.timeout(SECONDS_MAX * 1000);
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
	// The API before the path is read, and web servers, have `message`.
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

/** The query of the next part, from the header Link; null at the end. */
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
			throw new Cancelled(); // the body may come after the abort
		throw error instanceof Failure ? error : unreachable(); // the connection may break in the body
	}
}

/**
 * One call. Options: `query`, `body`, `version` (an ETag for If-Match), `key` (Idempotency-Key), `signal`, `quiet` (no login is
 * shown when the session has ended). Returns { value, tag, next }. Throws Failure or Cancelled.
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

const PARTS_MAX = 20; // of a list as a whole: 5,000 rows

/** A list as a whole, of which each answer is a part: { value, next }; `next` is not null where there is more than can be shown. */
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

/** Waits. */
export const pause = milliseconds => new Promise(done => setTimeout(done, milliseconds));

const REPEATABLE = new RegExp(`^(${REPEATABLE_PATHS.join("|").replaceAll(/{\w+}/g, "[^/]+")})$`);

/** A POST. If it accepts an Idempotency-Key, it is sent once more when its answer was lost: nothing is done twice. */
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

/** A POST that waits while the service is busy, or the account has called too often. */
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
