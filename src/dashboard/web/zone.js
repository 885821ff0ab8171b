// SPDX-License-Identifier: MIT
// The time zone in which times are shown and days are taken (docs/dashboard.md 1): that of the account, whatever the browser's is.
// Intl does the arithmetic. A day is a text such as "2026-11-28".
import { store } from "./store.js";

const DAY_MS = 24 * 3600e3;

export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** Whether the browser has the zone: a stored one may be newer than the browser. */
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
/** A format of the zone for times, in English; `options` are those of Intl. */
export function formatOf(options) {
	const key = JSON.stringify([zone.get(), options]);
	if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone.get() }));
	return formats.get(key);
}

const PARTS = {
	hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric",
};

/** What a clock of the zone shows, as milliseconds since 1970 of a clock of UTC that shows the same. */
function clockOf(time) {
	const parts = Object.fromEntries(formatOf(PARTS).formatToParts(time).map(({ type, value }) => [type, Number(value)]));
	return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
}
const offsetOf = time => clockOf(time) - Math.floor(time / 1000) * 1000;

const isoDay = clock => new Date(clock).toISOString().slice(0, 10);

/** The day of a time; "" is none. */
export function dayOf(time) {
	const moment = Date.parse(time);
	return Number.isNaN(moment) ? "" : isoDay(clockOf(moment));
}

/** The last day before a time, which ends with it or during which it is; "" is none. */
export function lastDayBefore(time) {
	const moment = Date.parse(time);
	return Number.isNaN(moment) ? "" : dayOf(new Date(moment - 1).toISOString());
}

/** A time, in milliseconds or as a Date, in RFC 3339 without fractions. */
export const rfc3339 = moment => new Date(moment).toISOString().replace(/\.\d+/, "");

/**
 * When the day begins, in UTC; "" for none. Midnight may be skipped: then it is the moment after. It may come twice: then it is the
 * first one of the day.
 */
export function beginOf(day) {
	const clock = Date.parse(`${day}T00:00:00Z`);
	if (Number.isNaN(clock))
		return "";
	const offsets = [offsetOf(clock - DAY_MS), offsetOf(clock + DAY_MS)];
	const fits = offsets.find(offset => offsetOf(clock - offset) === offset) ?? offsets[0];
	return rfc3339(clock - fits);
}

/** When the day has ended: the next one begins. */
export function endOf(day) {
	const clock = Date.parse(`${day}T00:00:00Z`);
	return Number.isNaN(clock) ? "" : beginOf(isoDay(clock + DAY_MS));
}
