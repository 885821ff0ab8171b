// SPDX-License-Identifier: MIT
// ALTCHA's own library against our challenges, and our solver against its challenges. Reads challenges as JSON; prints the solutions of
// the library, and what it says about those of the solver, whose file is the argument.
import { readFileSync } from "node:fs";
import { createChallenge, solveChallenge, verifySolution } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";

const solveOurs = new Function(readFileSync(process.argv[2], "utf8") + "\nreturn solveChallenge;")();
const hmacSignatureSecret = "a secret of the library";
const encode = (payload) => Buffer.from(JSON.stringify(payload)).toString("base64");

const ours = [];
for (const challenge of JSON.parse(readFileSync(0, "utf8")))
	ours.push(encode({ challenge, solution: await solveChallenge({ challenge, deriveKey }) }));
const theirs = [];
for (const keyPrefix of ["0", "00", "000", "a5"]) {
	const challenge = await createChallenge({ algorithm: "PBKDF2/SHA-256", cost: 10, keyPrefix, deriveKey, hmacSignatureSecret });
	const { solution } = JSON.parse(atob(await solveOurs(challenge)));
	theirs.push((await verifySolution({ challenge, solution, deriveKey, hmacSignatureSecret })).verified);
}
console.log(JSON.stringify([ours, theirs]));
