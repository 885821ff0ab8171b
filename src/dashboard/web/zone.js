// SPDX-License-Identifier: MIT
// Times and days are in the time zone of the account, not of the browser (docs/dashboard.md 1). Intl does the arithmetic. A day is
// a text such as "2026-11-28".
import { store } from "./store.js";

const DAY_MS = 24 * 3600e3;

export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** Whether the browser knows the zone, which may be newer than the browser. */
function isKnown(name) {
	try {
		return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
	} catch (error) {
		return false;
	}
}

export const zone = store("UTC");
export function setZone(name) {
	const known = name && isKnown(name) ? name : "UTC";
	if (known !== zone.get()) zone.set(known);
}

const formats = new Map();
/** A format for times in English, in `timeZone` or the zone of the account. `options`: those of Intl. */
export function formatOf(options, timeZone = zone.get()) {
	const key = JSON.stringify([timeZone, options]);
	if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat("en-GB", { ...options, timeZone }));
	return formats.get(key);
}

const PARTS = {
	hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric",
};

/** The time at which a clock in UTC shows what a clock in the zone shows at `time`. */
function clockOf(time) {
	const parts = Object.fromEntries(formatOf(PARTS).formatToParts(time).map(({ type, value }) => [type, Number(value)]));
	return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
}
const offsetOf = time => clockOf(time) - Math.floor(time / 1000) * 1000;

const isoDay = clock => new Date(clock).toISOString().slice(0, 10);

/** The day of a time; "" without a time. */
export function dayOf(time) {
	const moment = Date.parse(time);
	return Number.isNaN(moment) ? "" : isoDay(clockOf(moment));
}

/** The day that contains the time, or that ends at it; "" without a time. */
export function lastDayBefore(time) {
	const moment = Date.parse(time);
	return Number.isNaN(moment) ? "" : dayOf(new Date(moment - 1).toISOString());
}

/** A time, in milliseconds or as a Date, in RFC 3339 without fractions. */
export const rfc3339 = moment => new Date(moment).toISOString().replace(/\.\d+/, "");

/**
 * The time in UTC when a day begins; "" without a day. If the clock skips midnight, it is the moment after; if midnight comes twice,
 * it is the first one.
 */
export function beginOf(day) {
	const clock = Date.parse(`${day}T00:00:00Z`);
	if (Number.isNaN(clock))
		return "";
	const offsets = [offsetOf(clock - DAY_MS), offsetOf(clock + DAY_MS)];
	const fits = offsets.find(offset => offsetOf(clock - offset) === offset) ?? offsets[0];
	return rfc3339(clock - fits);
}

/** The time when a day ends, and the next one begins. */
export function endOf(day) {
	const clock = Date.parse(`${day}T00:00:00Z`);
	return Number.isNaN(clock) ? "" : beginOf(isoDay(clock + DAY_MS));
}
