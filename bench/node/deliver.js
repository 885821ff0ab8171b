// SPDX-License-Identifier: MIT
// node deliver.js PROCESSES CONCURRENCY: runs the deliveries that are jobs of Graphile Worker. The variables of PostgreSQL's clients name
// the database. A job that fails is repeated by Graphile Worker; one that succeeds is removed.
import cluster from 'node:cluster';
import { createHmac } from 'node:crypto';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { Agent, request } from 'undici';

const TIMEOUT = 15_000;
const LOCAL_QUEUE = 500; // jobs that a process fetches with one statement
// Without the line for each job that succeeds.
const logger = new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') {
        console.error(message);
    }
});

async function readWebhooks() {
    const utils = await makeWorkerUtils({ logger });
    const { rows } = await utils.withPgClient((db) => db.query('SELECT id, url, secret FROM webhooks'));
    await utils.release();
    return new Map(rows.map(({ id, url, secret }) => [id, { url, key: Buffer.from(secret.slice('whsec_'.length), 'base64') }]));
}

function signature(key, id, now, body) {
    return `v1,${createHmac('sha256', key).update(`${id}.${now}.${body}`).digest('base64')}`;
}

async function work(concurrency) {
    const webhooks = await readWebhooks();
    const dispatcher = new Agent({ connections: concurrency, headersTimeout: TIMEOUT, bodyTimeout: TIMEOUT });

    async function deliver({ webhook, event, body }) {
        const { url, key } = webhooks.get(webhook);
        const id = `msg_node_${event}`;
        const now = Math.floor(Date.now() / 1000);
        const answer = await request(url, {
            dispatcher,
            method: 'POST',
            headers: {
                'Content-Type': 'application/json',
                'User-Agent': 'Bench',
                'webhook-id': id,
                'webhook-timestamp': String(now),
                'webhook-signature': signature(key, id, now, body),
            },
            body,
        });
        await answer.body.dump();
        if (answer.statusCode < 200 || answer.statusCode > 299) {
            throw new Error(`the receiver answered ${answer.statusCode}`);
        }
    }

    const runner = await run({
        preset: {
            worker: {
                concurrentJobs: concurrency,
                maxPoolSize: 10,
                localQueue: { size: LOCAL_QUEUE },
                // Outcomes are stored together with those that come in the same turn of the event loop.
                completeJobBatchDelay: 0,
                failJobBatchDelay: 0,
                logger,
            },
        },
        taskList: { deliver },
    });
    await runner.promise;
}

const [processes, concurrency] = process.argv.slice(2).map(Number);
if (cluster.isPrimary) {
    for (let i = 0; i < processes; i++) {
        cluster.fork();
    }
} else {
    await work(concurrency);
}
