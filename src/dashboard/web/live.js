// SPDX-License-Identifier: MIT
// Keeps what views show up to date: their calls are repeated while the tab is visible and in use. Old data stays when a call fails.
import { useEffect, useState } from "./hooks.js";
import { Cancelled, get, getWhole } from "./api.js";
import { store, useStore } from "./store.js";

const FIRST_RETRY_S = 5;
const LAST_RETRY_S = 60;
const AWAY_MS = 15 * 60 * 1000; // without input: an open tab must not keep a session alive

/** Whether updates are paused, because there was no input. */
export const paused = store(false);
let lastInput = Date.now();

export function wake() {
	lastInput = Date.now();
	if (paused.get()) paused.set(false);
}
for (const name of ["keydown", "pointerdown", "pointermove", "wheel", "touchstart"])
	addEventListener(name, wake, { passive: true, capture: true });

/** Counts how often all views were told to reload. */
const refreshes = store(0);
export const refresh = () => {
	wake();
	refreshes.set(value => value + 1);
};

const mayAsk = () => {
	if (!paused.get() && Date.now() - lastInput > AWAY_MS) paused.set(true);
	return !document.hidden && !paused.get();
};

/** Seconds until a call is repeated after this number of failures in a row; null: it is not repeated. */
function retryWait(failure, failures) {
	if (!failure.isAway && failure.status !== 429)
		return null;
	return failure.retryAfter || Math.min(FIRST_RETRY_S * 2 ** (failures - 1), LAST_RETRY_S);
}

/** Path and query as a text. */
function placeOf(path, query) {
	const pairs = Object.entries(query).filter(([, one]) => one !== undefined && one !== null && one !== "");
	return `${path}?${new URLSearchParams(pairs.map(([name, one]) => [name, String(one)]))}`;
}

/**
 * Calls `read` with a signal every `every` seconds (0: once), and again after failures. `fail` gets each failure and the time of
 * the next call, in ms. Returns { run, stop }: `run` makes the first call, or the next one at once.
 */
function repeat(read, every, fail) {
	const control = new AbortController();
	let timer = 0;
	let failures = 0;
	const again = seconds => {
		timer = setTimeout(run, seconds * 1000);
	};
	async function run() {
		clearTimeout(timer);
		if (!mayAsk()) {
			again(1);
			return;
		}
		try {
			await read(control.signal);
			failures = 0;
			if (every > 0) again(every);
		} catch (failure) {
			if (failure instanceof Cancelled || control.signal.aborted)
				return;
			const wait = retryWait(failure, ++failures);
			fail(failure, wait && Date.now() + wait * 1000);
			if (wait) again(wait);
		}
	}
	const stop = () => {
		control.abort();
		clearTimeout(timer);
	};
	return { run, stop };
}

/**
 * The answer to GET `path`; without a path (null) there is no call. `every`: seconds between calls; 0: one call. `whole`: all parts
 * of a list. Returns { value, next, tag, failure, at, retryAt, isLoading, reload }. `value` is undefined before the first answer,
 * and again after path or query have changed.
 */
export function useLive(path, query = {}, { every = 30, whole = false } = {}) {
	const place = path === null ? null : placeOf(path, query);
	const [state, set] = useState({ place: null });
	const [round, setRound] = useState(0);
	useEffect(() => {
		if (place === null)
			return undefined;
		async function read(signal) {
			set(old => ({ ...old, isLoading: true }));
			const answer = await (whole ? getWhole : get)(path, query, { signal });
			set({ ...answer, place, at: Date.now(), failure: null });
		}
		const fail = (failure, retryAt) =>
			set(old => ({ ...(old.place === place ? old : {}), place, failure, isLoading: false, retryAt }));
		const { run, stop } = repeat(read, every, fail);
		const shown = () => !document.hidden && every > 0 && run();
		document.addEventListener("visibilitychange", shown);
		const ends = [refreshes.subscribe(run), paused.subscribe(is => !is && run())];
		run();
		return () => {
			stop();
			document.removeEventListener("visibilitychange", shown);
			for (const end of ends) end();
		};
	}, [place, every, round]);
	const own = state.place === place ? state : { isLoading: true };
	return { ...own, reload: () => setRound(value => value + 1) };
}

/** The value of the answer alone. */
export const useList = (path, query, options) => useLive(path, query, options).value;

/**
 * The beginning of a list whose calls examine only a limited number of rows each: reads parts until there are `target` rows, or
 * `most` calls were made. Returns { rows, next, failure, isLoading, at, goOn, reload }; `goOn` reads at least one more part.
 */
export function useSearch(path, query, { target = 50, most = 6 } = {}) {
	const place = placeOf(path, query);
	const [state, set] = useState({});
	const [from, setFrom] = useState({});
	const reload = () => setFrom({});
	useEffect(() => {
		let { rows, next } = from.place === place ? from : { rows: [], next: query };
		async function read(signal) {
			set(old => ({ ...old, isLoading: true }));
			for (let calls = 0, isLoading = Boolean(next); isLoading; ) {
				const part = await get(path, next, { signal });
				rows = [...rows, ...part.value];
				next = part.next;
				isLoading = Boolean(next) && rows.length < target && ++calls < most;
				set({ place, rows, next, isLoading, at: Date.now(), failure: null });
			}
		}
		set(old => ({ ...(old.place === place ? old : { place, rows: [] }), isLoading: true, failure: null }));
		const { run, stop } = repeat(read, 0, failure => set(old => ({ ...old, failure, isLoading: false })));
		run();
		const end = refreshes.subscribe(reload);
		return () => {
			stop();
			end();
		};
	}, [place, from]);
	const goOn = () => setFrom({ place, rows: state.rows, next: state.next });
	return { ...(state.place === place ? state : { rows: [], isLoading: true }), goOn, reload };
}

/* ---- the campaigns that the user may see ---- */

export const campaigns = store([]);
export const useCampaigns = () => useStore(campaigns);
export const campaignName = id => campaigns.get().find(one => one.id === Number(id))?.name || `Campaign ${id}`;

export async function readCampaigns() {
	campaigns.set((await getWhole("campaigns")).value);
}
