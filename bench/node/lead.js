// SPDX-License-Identifier: MIT
// node lead.js PROCESSES PORT: POST /v2/N with a key and JSON is a sign-up. Answers with the whole lead, and queues deliveries for its
// webhooks. The same job as php/lead.php, with the same tables.
import cluster from 'node:cluster';
import { createHash, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import fastify from 'fastify';
import mysql from 'mysql2/promise';
import { payload, socialId } from './payload.js';

const OWN_NAMES = new Set(['email', 'kid', 'ip', 'referrer']);
const CONNECTIONS = 10; // of each process to the database

// Checked by fastify before the handler runs.
const BODY = {
    type: 'object',
    required: ['email'],
    properties: { email: { type: 'string', format: 'email', maxLength: 254 }, kid: { type: 'string' }, ip: { type: 'string' } },
    propertyNames: { maxLength: 64 },
    additionalProperties: { type: ['string', 'number', 'boolean', 'null'], maxLength: 4096 },
};

class Refused extends Error {
    constructor(status, message) {
        super(message);
        this.statusCode = status;
    }
}

function parameters(request) {
    const given = request.body;
    const fields = {};
    const utm = {};
    for (const [written, value] of Object.entries(given)) {
        const name = written.toLowerCase();
        if (name.startsWith('utm_')) {
            utm[name.slice(4)] = value;
        } else if (!OWN_NAMES.has(name) && !name.startsWith('_')) {
            fields[name] = value;
        }
    }
    const ip = given.ip ?? request.ip;
    if (!isIP(ip)) {
        throw new Refused(406, 'ip is not valid');
    }
    return { email: given.email, kid: given.kid ?? '', ip, referrer: given.referrer ?? request.headers.referer ?? null, fields, utm };
}

function jsonText(fields) {
    return Object.keys(fields).length > 0 ? JSON.stringify(fields) : null;
}

/** The key's campaign with its webhooks: one query. */
async function findCampaign(db, request) {
    const key = /(\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const [rows] = await db.execute(
        'SELECT c.id, c.ended_at, c.points_direct, w.id AS webhook FROM api_keys k' +
            ' JOIN campaigns c ON c.account_id = k.account_id LEFT JOIN webhooks w ON w.campaign_id = c.id' +
            ' WHERE k.hash = ? AND k.revoked_at IS NULL AND c.id = ?',
        [createHash('sha256').update(key).digest(), request.params.campaign],
    );
    if (rows.length === 0) {
        throw new Refused(404, 'No such campaign for this key');
    }
    if (rows[0].ended_at !== null) {
        throw new Refused(423, 'The campaign has ended');
    }
    return { ...rows[0], webhooks: rows.map((row) => row.webhook).filter(Boolean) };
}

async function credit(db, referrer, lead, points) {
    await db.execute('UPDATE leads SET score = score + ?, referrals = referrals + 1 WHERE id = ?', [points, referrer.id]);
    await db.execute('INSERT INTO score_entries (lead_id, referred_id, points, created_at) VALUES (?, ?, ?, UTC_TIMESTAMP())', [
        referrer.id,
        lead,
        points,
    ]);
}

async function create(db, campaign, given, hash, counters) {
    let referrer;
    if (given.kid !== '') {
        const [rows] = await db.execute('SELECT id, social_id FROM leads WHERE social_id = ? AND campaign_id = ?', [
            given.kid,
            campaign.id,
        ]);
        referrer = rows[0];
    }
    const lead = {
        campaign_id: campaign.id,
        subscription_number: counters.last_number + 1,
        social_id: socialId(),
        parent_id: referrer?.id ?? null,
        email: given.email,
        email_hash: hash,
        custom_fields: jsonText(given.fields),
        utm: jsonText(given.utm),
        ip: given.ip,
        referrer: given.referrer,
        created_at: new Date().toISOString().slice(0, 19).replace('T', ' '),
    };
    const [inserted] = await db.execute(
        `INSERT INTO leads (${Object.keys(lead).join(', ')}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        Object.values(lead),
    );
    await db.execute('UPDATE counters SET last_number = last_number + 1, lead_count = lead_count + 1 WHERE campaign_id = ?', [
        campaign.id,
    ]);
    if (referrer) {
        await credit(db, referrer, inserted.insertId, campaign.points_direct);
    }
    return {
        ...lead,
        id: inserted.insertId,
        counter: 1,
        score: 0,
        referrals: 0,
        opted_out: 0,
        fraudulent: 0,
        parent_social_id: referrer?.social_id ?? null,
        lead_count: counters.lead_count + 1,
    };
}

async function update(db, known, given, counters) {
    const fields = jsonText({ ...JSON.parse(known.custom_fields ?? '{}'), ...given.fields });
    const lead = { ...known, custom_fields: fields, ip: given.ip, opted_out: 0, counter: known.counter + 1 };
    await db.execute('UPDATE leads SET counter = ?, custom_fields = ?, ip = ?, opted_out = 0 WHERE id = ?', [
        lead.counter,
        lead.custom_fields,
        lead.ip,
        lead.id,
    ]);
    return { ...lead, lead_count: counters.lead_count };
}

/** The webhooks are all for new_signup. */
async function queue(db, webhooks, lead, values) {
    const [event] = await db.execute('INSERT INTO events (lead_id, type, payload, created_at) VALUES (?, ?, ?, UTC_TIMESTAMP())', [
        lead,
        'new_signup',
        JSON.stringify({ ...values, __event: 'new_signup' }),
    ]);
    const rows = webhooks.map(() => '(?, ?, UTC_TIMESTAMP())').join(', ');
    await db.execute(
        `INSERT INTO deliveries (event_id, webhook_id, due_at) VALUES ${rows}`,
        webhooks.flatMap((webhook) => [event.insertId, webhook]),
    );
}

/** The counter's row is locked first: numbers have no gaps, and calls with the same email are serialized. */
async function signUp(db, campaign, given) {
    const hash = createHash('sha256').update(`${campaign.id}:${given.email.toLowerCase()}`).digest().subarray(0, 16);
    await db.beginTransaction();
    const [[counters]] = await db.execute('SELECT last_number, lead_count FROM counters WHERE campaign_id = ? FOR UPDATE', [campaign.id]);
    const [[known]] = await db.execute(
        'SELECT l.*, p.social_id AS parent_social_id FROM leads l LEFT JOIN leads p ON p.id = l.parent_id WHERE l.email_hash = ?',
        [hash],
    );
    const lead = known ? await update(db, known, given, counters) : await create(db, campaign, given, hash, counters);
    const [[above]] = await db.execute('SELECT COUNT(*) AS count FROM leads WHERE campaign_id = ? AND fraudulent = 0 AND score > ?', [
        campaign.id,
        lead.score,
    ]);
    const values = payload({ ...lead, score_rank: 1 + above.count });
    if (!known && campaign.webhooks.length > 0) {
        await queue(db, campaign.webhooks, lead.id, values);
    }
    await db.commit();
    return values;
}

async function serve(port) {
    const { DB_SOCKET, DB_NAME, DB_USER, DB_PASSWORD } = process.env;
    const pool = mysql.createPool({
        socketPath: DB_SOCKET,
        database: DB_NAME,
        user: DB_USER,
        password: DB_PASSWORD,
        connectionLimit: CONNECTIONS,
        timezone: 'Z',
        dateStrings: true,
    });
    const app = fastify({ ajv: { customOptions: { allowUnionTypes: true, coerceTypes: false, removeAdditional: false } } });
    app.setErrorHandler((error, request, reply) => {
        const status = error.validation ? 406 : (error.statusCode ?? 500);
        reply.code(status).send({ message: status === 500 ? 'Internal error' : error.message });
        if (status === 500) {
            console.error(error);
        }
    });
    app.post('/v2/:campaign', { schema: { body: BODY } }, async (request, reply) => {
        const given = parameters(request);
        const db = await pool.getConnection();
        try {
            const answer = await signUp(db, await findCampaign(db, request), given);
            reply.headers({
                'Cache-Control': 'no-store',
                'Access-Control-Allow-Origin': '*',
                'X-Content-Type-Options': 'nosniff',
                'X-Request-Id': randomBytes(8).toString('hex'),
            });
            return answer;
        } catch (error) {
            await db.rollback();
            throw error;
        } finally {
            db.release();
        }
    });
    await app.listen({ port, host: '127.0.0.1', backlog: 1024 });
}

const [processes, port] = process.argv.slice(2).map(Number);
if (cluster.isPrimary) {
    for (let i = 0; i < processes; i++) {
        cluster.fork();
    }
} else {
    await serve(port);
}
