// SPDX-License-Identifier: MIT
// The place in the dashboard is the fragment of the URL: #/campaigns/3/leads?verified=on. The view's call gets the same query, so
// that what is shown can be linked and bookmarked.
import { useState } from "./hooks.js";
import { useEvent } from "./store.js";

function decoded(part) {
	try {
		return decodeURIComponent(part);
	} catch (error) {
		return part;
	}
}

export function parse(fragment) {
	const [path, query = ""] = fragment.replace(/^#\/?/, "").split("?");
	return {
		path: path.split("/").filter(Boolean).map(decoded),
		query: Object.fromEntries(new URLSearchParams(query)),
	};
}

/** The fragment for a path and a query, whose empty values are left out. */
export function link(path, query = {}) {
	const pairs = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
	const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
	return `#/${path}${text ? `?${text}` : ""}`;
}

export const go = path => {
	location.hash = link(path);
};

/** The parts of a path as a text. A slash within a part is encoded, so that it does not divide the part. */
export const placeOf = path => path.map(encodeURIComponent).join("/");

/** Changes the query of the current place. */
export function setQuery(changes) {
	const { path, query } = parse(location.hash);
	location.hash = link(placeOf(path), { ...query, ...changes });
}

export function useRoute() {
	const [route, set] = useState(() => parse(location.hash));
	useEvent("hashchange", () => set(parse(location.hash)));
	return route;
}
