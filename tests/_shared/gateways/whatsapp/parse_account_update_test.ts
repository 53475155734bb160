import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type AccountChange,
  parseAccountUpdate,
} from "../../../../supabase/functions/_shared/gateways/whatsapp/parse_account_update.ts";

const NOTHING = {
  number: null,
  status: null,
  reason: null,
  until: null,
  messagingLimit: null,
  quality: null,
  notice: null,
};

const account = (event: string, value: object = {}) => ["account_update", { event, ...value }] as const;
const ban = (state: string, date?: string) =>
  account("DISABLED_UPDATE", { ban_info: { waba_ban_state: state, waba_ban_date: date } });
const restriction = (...restriction_info: object[]) => account("ACCOUNT_RESTRICTION", { restriction_info });
const number = (event: string, value: object = {}) =>
  ["phone_number_quality_update", { display_phone_number: "+1 555-078 3881", event, ...value }] as const;
const MESSAGING = "RESTRICTED_BIZ_INITIATED_MESSAGING";

const READ: [update: readonly [string, object], change: Partial<AccountChange>][] = [
  [ban("DISABLE", "April 17, 2025"), {
    status: "disabled",
    reason: "The platform disabled the business account (April 17, 2025)",
  }],
  [ban("REINSTATE", "April 17, 2025"), { status: "active" }],
  [ban("SCHEDULE_FOR_DISABLE"), { notice: "The platform is going to disable the business account" }],
  [ban("PONDERED"), { notice: "The platform reported the ban state PONDERED" }],
  [account("A_NEW_NAME", { ban_info: { waba_ban_state: "DISABLE" } }), {
    status: "disabled",
    reason: "The platform disabled the business account",
  }],
  [account("ACCOUNT_DELETED"), {
    status: "disabled",
    reason: "The business account was deleted on the platform",
  }],
  [account("ACCOUNT_VIOLATION", { violation_info: { violation_type: "ADULT" } }), {
    notice: "The platform reported a violation of its policies (ADULT)",
  }],
  [restriction({ restriction_type: MESSAGING, expiration: "2030-01-31T13:59:20+0000" }), {
    status: "restricted",
    reason:
      "The platform restricted the business account: it may not begin conversations until 2030-01-31T13:59:20.000Z",
    until: "2030-01-31T13:59:20.000Z",
  }],
  [
    restriction(
      { restriction_type: MESSAGING, expiration: 1_893_456_000 },
      { restriction_type: MESSAGING, expiration: "1893542400" },
      { restriction_type: "RESTRICTED_ADD_PHONE_NUMBER_ACTION" },
    ),
    {
      status: "restricted",
      reason:
        "The platform restricted the business account: it may not begin conversations until 2030-01-02T00:00:00.000Z",
      until: "2030-01-02T00:00:00.000Z",
    },
  ],
  [restriction({ restriction_type: MESSAGING, expiration: "some day" }), {
    status: "restricted",
    reason: "The platform restricted the business account: it may not begin conversations",
  }],
  [restriction({ restriction_type: "RESTRICTED_ADD_PHONE_NUMBER_ACTION" }), {
    notice: "The platform restricted the business account (RESTRICTED_ADD_PHONE_NUMBER_ACTION)",
  }],
  [account("ACCOUNT_OFFBOARDED", { phone_number: "15550783881" }), {
    number: "15550783881",
    status: "restricted",
    reason: "The platform disconnected the number from its API",
  }],
  [account("ACCOUNT_RECONNECTED"), { status: "active" }],
  [number("THROUGHPUT_UPGRADE", { current_limit: "TIER_UNLIMITED" }), {
    number: "15550783881",
    messagingLimit: "TIER_UNLIMITED",
  }],
  [number("DOWNGRADE", { current_limit: "TIER_1K", max_daily_conversations_per_business: "TIER_250" }), {
    number: "15550783881",
    messagingLimit: "TIER_250",
  }],
  [number("FLAGGED", { current_limit: "TIER_10K" }), {
    number: "15550783881",
    messagingLimit: "TIER_10K",
    quality: "RED",
  }],
  [number("UNFLAGGED"), { number: "15550783881", quality: "UNKNOWN" }],
  [["business_capability_update", { max_daily_conversations_per_business: 2000 }], {
    messagingLimit: "TIER_2K",
  }],
  [["business_capability_update", { max_daily_conversations_per_business: -1 }], {
    messagingLimit: "TIER_UNLIMITED",
  }],
  [["business_capability_update", { max_daily_conversations_per_business: "tier_250" }], {
    messagingLimit: "TIER_250",
  }],
];

for (const [[field, value], change] of READ) {
  Deno.test(`parseAccountUpdate() reads ${field} ${JSON.stringify(value).slice(0, 120)}`, () => {
    assert.deepEqual(parseAccountUpdate(field, value), { ...NOTHING, ...change });
  });
}

const IGNORED: [field: string | undefined, value: unknown][] = [
  account("VERIFIED_ACCOUNT", { phone_number: "15550783881" }) as [string, unknown],
  account("PARTNER_ADDED", { waba_info: { waba_id: "1" } }) as [string, unknown],
  restriction() as unknown as [string, unknown],
  number("ONBOARDING") as unknown as [string, unknown],
  ["phone_number_quality_update", { event: "FLAGGED" }],
  ["business_capability_update", { max_phone_numbers_per_waba: 25 }],
  ["message_template_status_update", { event: "ACCOUNT_DELETED" }],
  [undefined, { event: "ACCOUNT_DELETED" }],
];

for (const [field, value] of IGNORED) {
  Deno.test(`parseAccountUpdate() passes over ${field} ${JSON.stringify(value)}`, () => {
    assert.equal(parseAccountUpdate(field, value), null);
  });
}

Deno.test("parseAccountUpdate() never throws", () => {
  const fields = ["account_update", "phone_number_quality_update", "business_capability_update"];
  fc.assert(fc.property(fc.constantFrom(...fields), fc.anything(), (field, value) => {
    parseAccountUpdate(field, value);
  }));
});
