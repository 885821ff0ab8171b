<?php
// SPDX-License-Identifier: MIT
// A lead in the full view: the fields of Leadhook's payload.
declare(strict_types=1);

const SOCIAL_ID_LETTERS = '23456789ABCDEFGHJKLMNPQRSTVWXYZ0';
const OPT_OUT_SECRET = 'a secret of the installation';

function social_id(): string
{
    $id = '';
    foreach (str_split(random_bytes(10)) as $byte) {
        $id .= SOCIAL_ID_LETTERS[ord($byte) & 31];
    }
    return $id;
}

function json_text(array $fields): ?string
{
    return $fields ? json_encode($fields, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE) : null;
}

function unsubscribe_url(array $lead): array
{
    $mac = hash_hmac('sha256', "$lead[campaign_id]:$lead[social_id]", OPT_OUT_SECRET, true);
    $token = strtr(base64_encode(substr($mac, 0, 18)), '+/', '-_');
    $url = "$_SERVER[BASE_URL]/opt-out/$lead[campaign_id]/$lead[social_id]/$token";
    return ['default' => $url, 'safe' => "$url?safe=1"];
}

function payload(array $lead): array
{
    $fields = json_decode($lead['custom_fields'] ?? '{}', true);
    $given = $fields['first_name'] ?? null;
    $family = $fields['last_name'] ?? null;
    return [
        'id' => $lead['id'],
        'social_id' => $lead['social_id'],
        'campaign_id' => $lead['campaign_id'],
        'list_id' => $lead['campaign_id'],
        'rank' => $lead['subscription_number'],
        'rank_relative_position' => $lead['subscription_number'] - 1,
        'subscription_number' => $lead['subscription_number'],
        'counter' => $lead['counter'],
        'lead_count' => $lead['lead_count'],
        'contest_score' => $lead['score'],
        'contest_score_rank' => $lead['score_rank'],
        'contest_score_rank_relative_position' => $lead['score_rank'] - 1,
        'first_name' => $given,
        'given_name' => $given,
        'family_name' => $family,
        'display_name' => trim("$given $family") ?: strstr($lead['email'], '@', true),
        'avatar' => 'https://www.gravatar.com/avatar/' . hash('sha256', strtolower($lead['email'])) . '?d=mp',
        'when' => str_replace(' ', 'T', $lead['created_at']) . 'Z',
        'verified' => false,
        'verified_email' => false,
        'verified_phone_number' => false,
        'waitlisted' => false,
        'enhanced' => false,
        'anonymous' => false,
        'social_url' => null,
        'redirect_url' => null,
        'thankyou_url' => null,
        'status_url' => null,
        'unsubscribe_url' => unsubscribe_url($lead),
        'completed_actions' => [],
        'email' => $lead['email'],
        'phone_number' => null,
        'custom_fields' => (object)$fields,
        'parent_id' => $lead['parent_social_id'],
        'utm' => (object)json_decode($lead['utm'] ?? '{}', true),
        'tags' => [],
        'opted_out' => (bool)$lead['opted_out'],
        'sms_opted_out' => false,
        'uid' => null,
        'referrals' => $lead['referrals'],
        'unverified_leads' => ['direct' => $lead['referrals'], 'indirect' => 0],
        'verified_leads' => ['direct' => null, 'indirect' => null],
        'influence' => ['direct' => $lead['referrals'], 'indirect' => 0],
        'ip' => $lead['ip'],
        'referrer' => $lead['referrer'],
        'fraudulent' => (bool)$lead['fraudulent'],
    ];
}
