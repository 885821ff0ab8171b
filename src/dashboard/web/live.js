// SPDX-License-Identifier: MIT
// Answers that stay up to date: while the tab is visible and there is input, a view repeats its call with the ETag of what it
// shows. Old data stays when a call fails.
import { useCallback, useEffect, useRef, useState } from "./hooks.js";
import { Cancelled, get, getWhole } from "./api.js";
import { store } from "./store.js";

const FIRST_RETRY_S = 5;
const LAST_RETRY_S = 60;
const AWAY_MS = 15 * 60 * 1000; // without input: an open tab must not extend a session

/** Whether updates are paused because there was no input. */
export const paused = store(false);
let lastInput = Date.now();

export function wake() {
	lastInput = Date.now();
	if (paused.get()) paused.set(false);
}
for (const name of ["keydown", "pointerdown", "pointermove", "wheel", "touchstart"])
	addEventListener(name, wake, { passive: true, capture: true });

/** Counts up when all views are to read again. */
const refreshes = store(0);
export const refresh = () => {
	wake();
	refreshes.set(value => value + 1);
};

const mayAsk = () => {
	if (!paused.get() && Date.now() - lastInput > AWAY_MS) paused.set(true);
	return !document.hidden && !paused.get();
};

/** Seconds until a call is repeated that has failed so many times in a row; null: it is not repeated. */
function retryWait(failure, failures) {
	if (!failure.isAway && failure.status !== 429)
		return null;
	return failure.retryAfter || Math.min(FIRST_RETRY_S * 2 ** (failures - 1), LAST_RETRY_S);
}

/** A call as a text: its path and its query. */
function placeOf(path, query) {
	const pairs = Object.entries(query).filter(([, one]) => one !== undefined && one !== null && one !== "");
	return `${path}?${new URLSearchParams(pairs.map(([name, one]) => [name, String(one)]))}`;
}

/**
 * The answer to GET `path`; null as a path makes no call. `every`: seconds between two calls; 0: once. `whole`: all parts of a
 * list (getWhole). Returns { value, next, tag,
 * failure, at, retryAt, isLoading, reload }: `value` is undefined before the first answer and after a change of path or query.
 */
export function useLive(path, query = {}, { every = 30, whole = false } = {}) {
	const place = path === null ? null : placeOf(path, query);
	const [state, set] = useState({ place: null });
	const current = useRef(null);
	current.current = { path, query };
	const [round, setRound] = useState(0);
	const reload = useCallback(() => setRound(value => value + 1), []);

	useEffect(() => {
		if (place === null)
			return undefined;
		let timer = 0;
		let failures = 0;
		const control = new AbortController();
		const again = seconds => {
			timer = setTimeout(request, seconds * 1000);
		};
		async function request() {
			clearTimeout(timer);
			if (!mayAsk()) {
				again(1);
				return;
			}
			set(old => ({ ...old, isLoading: true }));
			try {
				const read = whole ? getWhole : get;
				const answer = await read(current.current.path, current.current.query, { signal: control.signal });
				failures = 0;
				set({ ...answer, place, at: Date.now(), failure: null });
				if (every > 0) again(every);
			} catch (failure) {
				if (failure instanceof Cancelled || control.signal.aborted)
					return;
				failures++;
				const wait = retryWait(failure, failures);
				set(old => ({
					...(old.place === place ? old : {}),
					place,
					failure,
					isLoading: false,
					retryAt: wait && Date.now() + wait * 1000,
				}));
				if (wait) again(wait);
			}
		}
		const shown = () => {
			if (!document.hidden && every > 0) request();
		};
		document.addEventListener("visibilitychange", shown);
		const stopRefresh = refreshes.subscribe(request);
		const stopPause = paused.subscribe(is => !is && request());
		request();
		return () => {
			control.abort();
			clearTimeout(timer);
			document.removeEventListener("visibilitychange", shown);
			stopRefresh();
			stopPause();
		};
	}, [place, every, round]);

	const own = state.place === place ? state : { isLoading: true };
	return { ...own, reload };
}

/** The whole list of a path, if it is short, such as webhooks; undefined until it is there. */
export const useList = (path, query, options) => useLive(path, query, options).value;

/**
 * The beginning of a list whose calls examine a limited number of rows: reads further parts until `target` rows are there or
 * `most` calls were made. Returns { rows, next, failure, isLoading, at, goOn, reload }: `goOn` reads at least one more part.
 */
export function useSearch(path, query, { target = 50, most = 6 } = {}) {
	const place = placeOf(path, query);
	const [state, set] = useState({ rows: [], isLoading: true });
	const [round, setRound] = useState(0);
	const reload = useCallback(() => setRound(value => value + 1), []);
	const [from, setFrom] = useState(null);
	useEffect(() => {
		const control = new AbortController();
		let { rows, next } = from?.place === place ? from : { rows: [], next: query };
		let failures = 0;
		let timer = 0;
		const again = seconds => {
			timer = setTimeout(search, seconds * 1000);
		};
		async function search() {
			if (!mayAsk()) {
				again(1);
				return;
			}
			set(old => ({ ...old, isLoading: true }));
			try {
				for (let calls = 0; next && (calls === 0 || rows.length < target) && calls < most; ) {
					const part = await get(path, next, { signal: control.signal });
					rows = [...rows, ...part.value];
					next = part.next;
					calls++;
					failures = 0;
					const isLoading = Boolean(next) && rows.length < target && calls < most;
					set({ place, rows, next, isLoading, at: Date.now(), failure: null });
				}
			} catch (failure) {
				if (failure instanceof Cancelled || control.signal.aborted)
					return;
				failures++;
				set(old => ({ ...old, failure, isLoading: false }));
				const wait = retryWait(failure, failures);
				if (wait) again(wait);
			}
		}
		set(old => ({
			...old,
			isLoading: true,
			failure: null,
			...(old.place === place ? {} : { rows: [], next: null, at: undefined }),
			place,
		}));
		search();
		const stop = refreshes.subscribe(() => {
			setFrom(null);
			reload();
		});
		return () => {
			control.abort();
			clearTimeout(timer);
			stop();
		};
	}, [place, round, from]);
	const goOn = () => setFrom({ place, rows: state.rows, next: state.next });
	return { ...(state.place === place ? state : { rows: [], isLoading: true }), goOn, reload };
}
