<?php
// SPDX-License-Identifier: MIT
// dispatch.php SECONDS: sends due deliveries in chunks, many at a time, until none is left or the time is over. Run by cron.
// A chunk is claimed before it is sent, so that several processes may run, and chunks of a dead process become due again.
declare(strict_types=1);

const CHUNK = 1000;
const CONCURRENT = 64;
const TIMEOUT = 15;
const LEASE = 60;
const RETRY_AFTER = 60;
const ANSWER_BYTES = 1024;

function places(array $values): string
{
    return implode(', ', array_fill(0, count($values), '?'));
}

/** Claimed deliveries. */
function due(mysqli $db): array
{
    $db->begin_transaction();
    $rows = $db->execute_query(
        "SELECT id FROM deliveries WHERE state = 'pending' AND due_at <= UTC_TIMESTAMP() ORDER BY due_at LIMIT " . CHUNK
        . ' FOR UPDATE SKIP LOCKED'
    )->fetch_all(MYSQLI_NUM);
    $ids = array_column($rows, 0);
    if ($ids) {
        $db->execute_query(
            'UPDATE deliveries SET attempts = attempts + 1, due_at = UTC_TIMESTAMP() + INTERVAL ' . LEASE . ' SECOND'
            . ' WHERE id IN (' . places($ids) . ')',
            $ids
        );
    }
    $db->commit();
    return $ids ? details($db, $ids) : [];
}

function details(mysqli $db, array $ids): array
{
    return $db->execute_query(
        'SELECT d.id, d.attempts, e.id AS event, e.payload, w.url, w.secret FROM deliveries d'
        . ' JOIN events e ON e.id = d.event_id JOIN webhooks w ON w.id = d.webhook_id WHERE d.id IN (' . places($ids) . ')',
        $ids
    )->fetch_all(MYSQLI_ASSOC);
}

function signature(array $delivery, string $id, int $now): string
{
    $key = base64_decode(substr($delivery['secret'], strlen('whsec_')));
    return 'v1,' . base64_encode(hash_hmac('sha256', "$id.$now.$delivery[payload]", $key, true));
}

function start(CurlMultiHandle $multi, CurlHandle $handle, array $delivery): void
{
    $id = "msg_php_$delivery[event]";
    $now = time();
    curl_setopt_array($handle, [
        CURLOPT_URL => $delivery['url'],
        CURLOPT_POSTFIELDS => $delivery['payload'],
        CURLOPT_HTTPHEADER => ['Content-Type: application/json', 'User-Agent: Bench', 'Expect:', "webhook-id: $id",
            "webhook-timestamp: $now", 'webhook-signature: ' . signature($delivery, $id, $now)],
    ]);
    curl_multi_add_handle($multi, $handle);
}

function handle(): CurlHandle
{
    $handle = curl_init();
    curl_setopt_array($handle, [CURLOPT_POST => true, CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => TIMEOUT]);
    return $handle;
}

/** Sends a chunk; returns the rows for the log of attempts. */
function send(CurlMultiHandle $multi, array $free, array $deliveries): array
{
    $attempts = $under_way = [];
    while ($deliveries || $under_way) {
        while ($deliveries && $free) {
            $handle = array_pop($free);
            $delivery = array_pop($deliveries);
            $under_way[spl_object_id($handle)] = $delivery;
            start($multi, $handle, $delivery);
        }
        curl_multi_exec($multi, $running);
        $ended = 0;
        while ($message = curl_multi_info_read($multi)) {
            $handle = $message['handle'];
            $delivery = $under_way[spl_object_id($handle)];
            $attempts[] = [$delivery['id'], $delivery['attempts'], (int)curl_getinfo($handle, CURLINFO_RESPONSE_CODE),
                (int)(1000 * curl_getinfo($handle, CURLINFO_TOTAL_TIME)),
                substr((string)curl_multi_getcontent($handle), 0, ANSWER_BYTES)];
            unset($under_way[spl_object_id($handle)]);
            curl_multi_remove_handle($multi, $handle);
            $free[] = $handle;
            $ended++;
        }
        if (!$ended && $under_way) {
            curl_multi_select($multi, 1.0);
        }
    }
    return $attempts;
}

/** One transaction per chunk. */
function mark(mysqli $db, array $attempts): void
{
    $taken = $refused = [];
    foreach ($attempts as [$id, , $status]) {
        $status >= 200 && $status < 300 ? $taken[] = $id : $refused[] = $id;
    }
    $rows = implode(', ', array_fill(0, count($attempts), '(?, ?, ?, ?, ?, UTC_TIMESTAMP())'));
    $db->begin_transaction();
    $db->execute_query(
        "INSERT INTO attempts (delivery_id, attempt, status, duration_ms, answer, created_at) VALUES $rows",
        array_merge(...$attempts)
    );
    if ($taken) {
        $db->execute_query("UPDATE deliveries SET state = 'delivered' WHERE id IN (" . places($taken) . ')', $taken);
    }
    if ($refused) {
        $db->execute_query(
            'UPDATE deliveries SET due_at = UTC_TIMESTAMP() + INTERVAL ' . RETRY_AFTER . ' SECOND WHERE id IN ('
            . places($refused) . ')',
            $refused
        );
    }
    $db->commit();
}

mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
$db = new mysqli('localhost', getenv('DB_USER'), getenv('DB_PASSWORD'), getenv('DB_NAME'), 0, getenv('DB_SOCKET'));
$multi = curl_multi_init();
curl_multi_setopt($multi, CURLMOPT_MAXCONNECTS, CONCURRENT);
$free = array_map('handle', range(1, CONCURRENT));
$end = microtime(true) + (float)$argv[1];
while (microtime(true) < $end && ($deliveries = due($db))) {
    mark($db, send($multi, $free, $deliveries));
}
