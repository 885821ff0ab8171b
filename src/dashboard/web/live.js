// SPDX-License-Identifier: MIT
// Answers that stay up to date: while the tab is visible and somebody is there, a view asks again, with the ETag of what it has.
// Old data stays when a call fails.
import { useCallback, useEffect, useRef, useState } from "./hooks.js";
import { Cancelled, get } from "./api.js";
import { store } from "./store.js";

const FIRST_RETRY_S = 5;
const LAST_RETRY_S = 60;
const AWAY_MS = 15 * 60 * 1000; // without input: an open tab must not keep a session alive

/** Whether nobody is there; a view shows it. */
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

/** A call as a text: its path and its query. */
function placeOf(path, query) {
	const pairs = Object.entries(query).filter(([, one]) => one !== undefined && one !== null && one !== "");
	return `${path}?${new URLSearchParams(pairs.map(([name, one]) => [name, String(one)]))}`;
}

/**
 * The answer to GET `path`; null as a path asks nothing. `every`: seconds between two calls; 0: once. Returns { value, next, tag,
 * failure, at, retryAt, isLoading, reload }: `value` is undefined before the first answer and after a change of path or query.
 */
export function useLive(path, query = {}, { every = 30 } = {}) {
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
			timer = setTimeout(ask, seconds * 1000);
		};
		async function ask() {
			clearTimeout(timer);
			if (!mayAsk()) {
				again(1);
				return;
			}
			set(old => ({ ...old, isLoading: true }));
			try {
				const answer = await get(current.current.path, current.current.query, { signal: control.signal });
				failures = 0;
				set({ ...answer, place, at: Date.now(), failure: null });
				if (every > 0) again(every);
			} catch (failure) {
				if (failure instanceof Cancelled || control.signal.aborted)
					return;
				failures++;
				const wait = failure.retryAfter || Math.min(FIRST_RETRY_S * 2 ** (failures - 1), LAST_RETRY_S);
				const repeats = failure.isAway || failure.status === 429;
				set(old => ({
					...(old.place === place ? old : {}),
					place,
					failure,
					isLoading: false,
					retryAt: repeats ? Date.now() + wait * 1000 : null,
				}));
				if (repeats) again(wait);
			}
		}
		const shown = () => {
			if (!document.hidden && every > 0) ask();
		};
		document.addEventListener("visibilitychange", shown);
		const stopRefresh = refreshes.subscribe(ask);
		const stopPause = paused.subscribe(is => !is && ask());
		ask();
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

/** The whole list behind a path that is short, such as that of webhooks; undefined until it is there. */
export const useList = (path, query, options) => useLive(path, query, options).value;

/**
 * The beginning of a list whose calls examine a limited number of rows: asks for further parts until `target` rows are there or
 * `most` calls were made. Returns { rows, next, failure, isLoading, calls, at, goOn, reload }: `goOn` asks for more of them.
 */
export function useSearch(path, query, { target = 50, most = 6 } = {}) {
	const place = placeOf(path, query);
	const [state, set] = useState({ rows: [], isLoading: true });
	const [round, setRound] = useState(0);
	const reload = useCallback(() => setRound(value => value + 1), []);
	const [from, setFrom] = useState(null);
	useEffect(() => {
		const control = new AbortController();
		const goesOn = from?.place === place;
		let rows = goesOn ? from.rows : [];
		let next = goesOn ? from.next : query;
		let calls = goesOn ? from.calls : 0;
		const end = calls + most;
		set(old => ({
			...old,
			isLoading: true,
			failure: null,
			...(old.place === place ? {} : { rows: [], calls: 0, next: null }),
			place,
		}));
		(async () => {
			try {
				while (next && rows.length < target && calls < end) {
					const part = await get(path, next, { signal: control.signal });
					rows = [...rows, ...part.value];
					next = part.next;
					calls++;
					set({
						place,
						rows,
						next,
						calls,
						isLoading: Boolean(next) && rows.length < target && calls < end,
						at: Date.now(),
						failure: null,
					});
				}
			} catch (failure) {
				if (!(failure instanceof Cancelled) && !control.signal.aborted) set(old => ({ ...old, failure, isLoading: false }));
			}
		})();
		const stop = refreshes.subscribe(() => {
			setFrom(null);
			reload();
		});
		return () => {
			control.abort();
			stop();
		};
	}, [place, round, from]);
	const goOn = () => setFrom({ place, rows: state.rows, next: state.next, calls: state.calls });
	return { ...(state.place === place ? state : { rows: [], isLoading: true, calls: 0 }), goOn, reload };
}
