// SPDX-License-Identifier: MIT
// What components get from outside: values that several of them share, events of the window.
import { useEffect, useState } from "./hooks.js";

export function store(value) {
	const listeners = new Set();
	return {
		get: () => value,
		set(next) {
			value = typeof next === "function" ? next(value) : next;
			for (const listener of [...listeners]) listener(value);
		},
		subscribe(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
	};
}

export function useStore(shared) {
	const [value, set] = useState(shared.get());
	useEffect(() => {
		set(() => shared.get());
		return shared.subscribe(next => set(() => next));
	}, [shared]);
	return value;
}

/** Calls `listen`, which may change with `inputs`, at each event of the window with that name. */
export function useEvent(name, listen, inputs = []) {
	useEffect(() => {
		addEventListener(name, listen);
		return () => removeEventListener(name, listen);
	}, inputs);
}
