<?php
// SPDX-License-Identifier: MIT
// POST lead.php?campaign=N with a key and JSON: a sign-up. Answers with the whole lead, and queues deliveries for its webhooks.
declare(strict_types=1);

require __DIR__ . '/payload.php';

const OWN_NAMES = ['email' => 1, 'kid' => 1, 'ip' => 1, 'referrer' => 1];

final class Refused extends Exception
{
}

function answer(int $status, array $body): void
{
    http_response_code($status);
    header('Content-Type: application/json; charset=utf-8');
    header('Cache-Control: no-store');
    header('Access-Control-Allow-Origin: *');
    header('X-Content-Type-Options: nosniff');
    header('X-Request-Id: ' . bin2hex(random_bytes(8)));
    $text = json_encode($body, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
    header('Content-Length: ' . strlen($text));
    echo $text;
}

/** The parameters as stored, or Refused. */
function parameters(): array
{
    $given = json_decode(file_get_contents('php://input'), true, 16);
    if (!is_array($given)) {
        throw new Refused('The body is not JSON', 406);
    }
    $email = trim((string)($given['email'] ?? ''));
    if (filter_var($email, FILTER_VALIDATE_EMAIL) === false) {
        throw new Refused('Email is not valid', 406);
    }
    $fields = $utm = [];
    foreach ($given as $name => $value) {
        $name = strtolower((string)$name);
        if (isset(OWN_NAMES[$name])) {
            continue;
        }
        if (!is_scalar($value) || strlen($name) > 64 || strlen((string)$value) > 4096) {
            throw new Refused("$name is not valid", 406);
        }
        if (str_starts_with($name, 'utm_')) {
            $utm[substr($name, 4)] = $value;
        } elseif ($name[0] !== '_') {
            $fields[$name] = $value;
        }
    }
    $ip = (string)($given['ip'] ?? $_SERVER['REMOTE_ADDR']);
    if (filter_var($ip, FILTER_VALIDATE_IP) === false) {
        throw new Refused('ip is not valid', 406);
    }
    return ['email' => $email, 'kid' => (string)($given['kid'] ?? ''), 'ip' => $ip,
        'referrer' => $given['referrer'] ?? $_SERVER['HTTP_REFERER'] ?? null, 'fields' => $fields, 'utm' => $utm];
}

/** The key's campaign with its webhooks: one query. */
function campaign(mysqli $db): array
{
    $key = preg_match('/(\S+)$/', $_SERVER['HTTP_AUTHORIZATION'] ?? '', $found) ? $found[1] : '';
    $rows = $db->execute_query(
        'SELECT c.id, c.ended_at, c.points_direct, w.id AS webhook FROM api_keys k'
        . ' JOIN campaigns c ON c.account_id = k.account_id LEFT JOIN webhooks w ON w.campaign_id = c.id'
        . ' WHERE k.hash = ? AND k.revoked_at IS NULL AND c.id = ?',
        [hash('sha256', $key, true), (int)($_GET['campaign'] ?? 0)]
    )->fetch_all(MYSQLI_ASSOC);
    if (!$rows) {
        throw new Refused('No such campaign for this key', 404);
    }
    if ($rows[0]['ended_at'] !== null) {
        throw new Refused('The campaign has ended', 423);
    }
    return $rows[0] + ['webhooks' => array_filter(array_column($rows, 'webhook'))];
}

function credit(mysqli $db, array $referrer, int $lead, int $points): void
{
    $db->execute_query(
        'UPDATE leads SET score = score + ?, referrals = referrals + 1 WHERE id = ?',
        [$points, $referrer['id']]
    );
    $db->execute_query(
        'INSERT INTO score_entries (lead_id, referred_id, points, created_at) VALUES (?, ?, ?, UTC_TIMESTAMP())',
        [$referrer['id'], $lead, $points]
    );
}

function create(mysqli $db, array $campaign, array $given, string $hash, array $counters): array
{
    $referrer = $given['kid'] === '' ? null : $db->execute_query(
        'SELECT id, social_id FROM leads WHERE social_id = ? AND campaign_id = ?',
        [$given['kid'], $campaign['id']]
    )->fetch_assoc();
    $lead = [
        'campaign_id' => $campaign['id'], 'subscription_number' => $counters['last_number'] + 1,
        'social_id' => social_id(), 'parent_id' => $referrer['id'] ?? null, 'email' => $given['email'], 'email_hash' => $hash,
        'custom_fields' => json_text($given['fields']), 'utm' => json_text($given['utm']), 'ip' => $given['ip'],
        'referrer' => $given['referrer'], 'created_at' => gmdate('Y-m-d H:i:s'),
    ];
    $db->execute_query(
        'INSERT INTO leads (' . implode(', ', array_keys($lead)) . ') VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        array_values($lead)
    );
    $lead['id'] = $db->insert_id;
    $db->execute_query(
        'UPDATE counters SET last_number = last_number + 1, lead_count = lead_count + 1 WHERE campaign_id = ?',
        [$campaign['id']]
    );
    if ($referrer) {
        credit($db, $referrer, $lead['id'], $campaign['points_direct']);
    }
    return $lead + ['counter' => 1, 'score' => 0, 'referrals' => 0, 'opted_out' => 0, 'fraudulent' => 0,
        'parent_social_id' => $referrer['social_id'] ?? null, 'lead_count' => $counters['lead_count'] + 1];
}

function update(mysqli $db, array $lead, array $given, array $counters): array
{
    $lead['custom_fields'] = json_text($given['fields'] + json_decode($lead['custom_fields'] ?? '{}', true));
    $lead['ip'] = $given['ip'];
    $lead['opted_out'] = 0;
    $lead['counter']++;
    $db->execute_query(
        'UPDATE leads SET counter = ?, custom_fields = ?, ip = ?, opted_out = 0 WHERE id = ?',
        [$lead['counter'], $lead['custom_fields'], $lead['ip'], $lead['id']]
    );
    return $lead + ['lead_count' => $counters['lead_count']];
}

/** The webhooks are all for new_signup. */
function queue(mysqli $db, array $webhooks, int $lead, array $payload): void
{
    $payload['__event'] = 'new_signup';
    $db->execute_query(
        'INSERT INTO events (lead_id, type, payload, created_at) VALUES (?, ?, ?, UTC_TIMESTAMP())',
        [$lead, 'new_signup', json_encode($payload, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE)]
    );
    $event = $db->insert_id;
    $rows = implode(', ', array_fill(0, count($webhooks), '(?, ?, UTC_TIMESTAMP())'));
    $values = [];
    foreach ($webhooks as $webhook) {
        array_push($values, $event, $webhook);
    }
    $db->execute_query("INSERT INTO deliveries (event_id, webhook_id, due_at) VALUES $rows", $values);
}

/** The counter's row is locked first: numbers have no gaps, and calls with the same email are serialized. */
function sign_up(mysqli $db, array $campaign, array $given): array
{
    $hash = substr(hash('sha256', "$campaign[id]:" . strtolower($given['email']), true), 0, 16);
    $db->begin_transaction();
    $counters = $db->execute_query(
        'SELECT last_number, lead_count FROM counters WHERE campaign_id = ? FOR UPDATE',
        [$campaign['id']]
    )->fetch_assoc();
    $known = $db->execute_query(
        'SELECT l.*, p.social_id AS parent_social_id FROM leads l LEFT JOIN leads p ON p.id = l.parent_id'
        . ' WHERE l.email_hash = ?',
        [$hash]
    )->fetch_assoc();
    $lead = $known ? update($db, $known, $given, $counters) : create($db, $campaign, $given, $hash, $counters);
    $lead['score_rank'] = 1 + $db->execute_query(
        'SELECT COUNT(*) FROM leads WHERE campaign_id = ? AND fraudulent = 0 AND score > ?',
        [$campaign['id'], $lead['score']]
    )->fetch_column();
    $payload = payload($lead);
    if (!$known && $campaign['webhooks']) {
        queue($db, $campaign['webhooks'], $lead['id'], $payload);
    }
    $db->commit();
    return $payload;
}

try {
    mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
    $given = parameters();
    $e = $_SERVER;
    $db = new mysqli('p:localhost', $e['DB_USER'], $e['DB_PASSWORD'], $e['DB_NAME'], 0, $e['DB_SOCKET']);
    answer(200, sign_up($db, campaign($db), $given));
} catch (Refused $refused) {
    answer($refused->getCode(), ['message' => $refused->getMessage()]);
}
