// SPDX-License-Identifier: MIT
// A lead in the full view: the fields of Leadhook's payload.
import { createHash, createHmac, randomBytes } from 'node:crypto';

const SOCIAL_ID_LETTERS = '23456789ABCDEFGHJKLMNPQRSTVWXYZ0';
const OPT_OUT_SECRET = 'a secret of the installation';

export function socialId() {
    let id = '';
    for (const byte of randomBytes(10)) {
        id += SOCIAL_ID_LETTERS[byte & 31];
    }
    return id;
}

function unsubscribeUrl(lead) {
    const mac = createHmac('sha256', OPT_OUT_SECRET).update(`${lead.campaign_id}:${lead.social_id}`).digest();
    const token = mac.subarray(0, 18).toString('base64url');
    const url = `${process.env.BASE_URL}/opt-out/${lead.campaign_id}/${lead.social_id}/${token}`;
    return { default: url, safe: `${url}?safe=1` };
}

export function payload(lead) {
    const fields = JSON.parse(lead.custom_fields ?? '{}');
    const given = fields.first_name ?? null;
    const family = fields.last_name ?? null;
    return {
        id: lead.id,
        social_id: lead.social_id,
        campaign_id: lead.campaign_id,
        list_id: lead.campaign_id,
        rank: lead.subscription_number,
        rank_relative_position: lead.subscription_number - 1,
        subscription_number: lead.subscription_number,
        counter: lead.counter,
        lead_count: lead.lead_count,
        contest_score: lead.score,
        contest_score_rank: lead.score_rank,
        contest_score_rank_relative_position: lead.score_rank - 1,
        first_name: given,
        given_name: given,
        family_name: family,
        display_name: [given, family].filter(Boolean).join(' ') || lead.email.split('@')[0],
        avatar: `https://www.gravatar.com/avatar/${createHash('sha256').update(lead.email.toLowerCase()).digest('hex')}?d=mp`,
        when: `${lead.created_at.replace(' ', 'T')}Z`,
        verified: false,
        verified_email: false,
        verified_phone_number: false,
        waitlisted: false,
        enhanced: false,
        anonymous: false,
        social_url: null,
        redirect_url: null,
        thankyou_url: null,
        status_url: null,
        unsubscribe_url: unsubscribeUrl(lead),
        completed_actions: [],
        email: lead.email,
        phone_number: null,
        custom_fields: fields,
        parent_id: lead.parent_social_id,
        utm: JSON.parse(lead.utm ?? '{}'),
        tags: [],
        opted_out: Boolean(lead.opted_out),
        sms_opted_out: false,
        uid: null,
        referrals: lead.referrals,
        unverified_leads: { direct: lead.referrals, indirect: 0 },
        verified_leads: { direct: null, indirect: null },
        influence: { direct: lead.referrals, indirect: 0 },
        ip: lead.ip,
        referrer: lead.referrer,
        fraudulent: Boolean(lead.fraudulent),
    };
}
