import assert from "node:assert/strict";
import { createRefusedKeys } from "../../../supabase/functions/_shared/access/refused_keys.ts";
import { chatChannel } from "../../../supabase/functions/_shared/campaigns/chat.ts";
import type { IdempotentRequest } from "../../../supabase/functions/_shared/campaigns/plan_campaign.ts";
import {
  type CampaignServices,
  queueCampaign,
} from "../../../supabase/functions/_shared/campaigns/queue_campaign.ts";
import { createExpiringCache } from "../../../supabase/functions/_shared/concurrency/expiring_cache.ts";
import { createWakeSignal } from "../../../supabase/functions/_shared/concurrency/wake_signal.ts";
import type {
  AcceptRequest,
  AcceptVerdict,
  FirstResponse,
} from "../../../supabase/functions/_shared/db/queue/accept_notifications.ts";
import type { Sql } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import type { KeyState, SendContext } from "../../../supabase/functions/_shared/db/queue/send_context.ts";
import { createSealer } from "../../../supabase/functions/_shared/crypto/seal.ts";
import { TEST_SECRETS_KEY } from "../../setup/fixtures/fixtures.ts";
import { chatInput, NOW, sendContext } from "./campaign_facts.ts";

const IDEMPOTENT: IdempotentRequest = { endpoint: "notify", key: "k", requestHash: "h" };
const FIRST = { success: true, message: "Notification queued", inquiry_set_id: "the first" };

const verdict = (outcome: AcceptVerdict["outcome"], changes: Partial<AcceptVerdict> = {}): AcceptVerdict => ({
  outcome,
  answer: null,
  recipients: null,
  mismatch: null,
  rate_limit: 600,
  remaining: 42,
  reset_s: 7,
  quota: 1000,
  quota_used: 999,
  ...changes,
});

interface Scenario {
  /** Results of the looks at the facts, in order; every later look returns the last one. */
  contexts?: SendContext[];
  /** Results of storing, in order. */
  verdicts?: AcceptVerdict[];
  /** The key, when a refusal is counted. */
  key?: Partial<KeyState>;
  first?: FirstResponse;
}

/** Services that play a scenario, and record in `steps` what they are used for. */
function scenario(
  { contexts = [sendContext()], verdicts = [verdict("accepted")], key, first }: Scenario = {},
) {
  const steps: string[] = [];
  const stored: AcceptRequest[] = [];
  // The only statements that a refusal runs.
  const sql = ((parts: TemplateStringsArray) => {
    const text = parts.join("?");
    if (text.includes("use_access_key")) {
      steps.push("count");
      return Promise.resolve([{ ...sendContext(), ...key }]);
    }
    if (text.includes("read_idempotent_response")) {
      steps.push("first answer");
      return Promise.resolve(first ? [first] : []);
    }
    if (text.trim().startsWith("select")) steps.push("template names");
    return Promise.resolve([]);
  }) as unknown as Sql;
  const sendContexts = createExpiringCache(() => {
    steps.push("look");
    return Promise.resolve(contexts.length > 1 ? contexts.shift()! : contexts[0]!);
  }, { ttlMs: 60_000, maxEntries: 10 });
  const newWork = createWakeSignal();
  const services: CampaignServices = {
    sql,
    sealer: createSealer(TEST_SECRETS_KEY),
    env: { OUTBOUND_NOTIFICATION_TTL_S: 3600 },
    now: () => NOW,
    newWork: { ...newWork, notify: () => void steps.push("wake") },
    sendContexts,
    refusedKeys: createRefusedKeys(),
    acceptances: {
      add(request) {
        steps.push("store");
        stored.push(request);
        return Promise.resolve(verdicts.shift()!);
      },
    },
  };
  const queue = (idempotent: IdempotentRequest | null = null, body: Record<string, unknown> = {}) =>
    queueCampaign(services, chatChannel, chatInput(body, idempotent));
  return { queue, services, steps, stored };
}

Deno.test("queueCampaign() stores a good request and wakes the dispatcher", async () => {
  const { queue, steps, stored } = scenario();

  const result = await queue();

  assert.ok(result.kind === "queued");
  assert.equal(result.isReplay, false);
  assert.equal(result.response.inquiry_set_id, stored[0]!.campaign.id);
  assert.deepEqual([result.key.remaining, result.key.reset_s], [42, 7]);
  assert.deepEqual(steps, ["look", "store", "wake"]);
});

Deno.test("queueCampaign() wakes no dispatcher for what is due later", async () => {
  const { queue, steps } = scenario();

  await queue(null, { datetime_sending: "2027-01-01T00:00:00" });

  assert.deepEqual(steps, ["look", "store"]);
});

Deno.test("queueCampaign() counts a refusal", async () => {
  const { queue, steps } = scenario({ contexts: [sendContext({ templates: [] })], key: { remaining: 3 } });

  const result = await queue();

  assert.ok(result.kind === "refused");
  assert.equal(result.refusal.code, "template_not_found");
  assert.equal(result.key.remaining, 3);
  assert.deepEqual(steps, ["look", "count", "template names"]);
});

Deno.test("queueCampaign() refuses for the key's rate first when a counted refusal exceeds it", async () => {
  const { queue } = scenario({
    contexts: [sendContext({ templates: [] })],
    key: { outcome: "rate_limited", remaining: 0 },
  });

  const result = await queue();

  assert.ok(result.kind === "refused");
  assert.equal(result.refusal.code, "rate_limit_exceeded");
  assert.equal(result.refusal.retryAfterS, 30);
});

Deno.test("queueCampaign() does not count the request of an unknown key", async () => {
  const { queue, steps } = scenario({ contexts: [sendContext({ outcome: "unauthorized" })] });

  const result = await queue();

  assert.ok(result.kind === "refused");
  assert.deepEqual([result.refusal.code, result.key.outcome], ["unauthorized", "unauthorized"]);
  assert.deepEqual(steps, ["look"]);
});

Deno.test("queueCampaign() looks again before it refuses on old facts", async () => {
  const { queue, steps } = scenario({ contexts: [sendContext({ templates: [] }), sendContext()] });
  await queue();
  steps.length = 0;

  const result = await queue();

  assert.equal(result.kind, "queued");
  assert.deepEqual(steps, ["look", "store", "wake"]);
});

Deno.test("queueCampaign() looks again when the facts changed while it stored", async () => {
  const { queue, steps, stored } = scenario({ verdicts: [verdict("stale"), verdict("accepted")] });

  const result = await queue();

  assert.ok(result.kind === "queued");
  assert.equal(result.response.inquiry_set_id, stored[1]!.campaign.id);
  assert.deepEqual(steps, ["look", "store", "look", "store", "wake"]);
});

Deno.test("queueCampaign() refuses after three looks at facts that keep changing", async () => {
  const { queue, steps } = scenario({ verdicts: [verdict("stale"), verdict("stale"), verdict("stale")] });

  const result = await queue(IDEMPOTENT);

  assert.ok(result.kind === "refused");
  assert.equal(result.refusal.code, "internal_error");
  assert.deepEqual(steps, ["look", "store", "look", "store", "look", "store"]);
});

Deno.test("queueCampaign() throws a programming error once and does not retry it", async () => {
  const { services, steps } = scenario();
  await queueCampaign(services, chatChannel, chatInput());
  steps.length = 0;
  let plans = 0;
  const broken = {
    ...chatChannel,
    plan() {
      plans++;
      throw new TypeError("a programming error");
    },
  };

  await assert.rejects(queueCampaign(services, broken, chatInput()), TypeError);

  assert.equal(plans, 1);
  assert.deepEqual(steps, []);
});

Deno.test("queueCampaign() returns the key with the error of a database that fails while storing", async () => {
  const { services } = scenario();
  const error = new Error("the database is away");
  const failing = { ...services, acceptances: { ...services.acceptances, add: () => Promise.reject(error) } };

  const result = await queueCampaign(failing, chatChannel, chatInput());

  assert.ok(result.kind === "failed");
  assert.equal(result.error, error);
  assert.deepEqual(result.key, sendContext());
});

Deno.test("queueCampaign() returns what storing replays", async () => {
  const { queue } = scenario({ verdicts: [verdict("replayed", { answer: FIRST })] });

  const result = await queue(IDEMPOTENT);

  assert.ok(result.kind === "queued");
  assert.deepEqual([result.response, result.isReplay], [FIRST, true]);
});

Deno.test("queueCampaign() repeats the first response when the same request would be refused by now", async () => {
  const { queue, steps } = scenario({
    contexts: [sendContext({ templates: [] })],
    first: { request_hash: "h", answer: FIRST },
  });

  const result = await queue(IDEMPOTENT);

  assert.ok(result.kind === "queued");
  assert.deepEqual([result.response, result.isReplay], [FIRST, true]);
  assert.deepEqual(steps, ["look", "count", "first answer"]);
});

Deno.test("queueCampaign() refuses another request with the idempotency key of a first one", async () => {
  const { queue } = scenario({
    contexts: [sendContext({ templates: [] })],
    first: { request_hash: "another", answer: FIRST },
  });

  const result = await queue(IDEMPOTENT);

  assert.ok(result.kind === "refused");
  assert.equal(result.refusal.code, "idempotency_key_reused");
});

const VERDICTS: [outcome: AcceptVerdict["outcome"], code: string, attempts?: number][] = [
  ["key_reused", "idempotency_key_reused"],
  // The key may have been rotated or changed since the look.
  ["unauthorized", "unauthorized", 3],
  ["forbidden", "permission_missing", 3],
  ["no_api_access", "api_access_off"],
  ["rate_limited", "rate_limit_exceeded"],
  ["quota_exceeded", "quota_exceeded"],
];

for (const [outcome, code, attempts = 1] of VERDICTS) {
  Deno.test(`queueCampaign() refuses with ${code} what storing finds ${outcome}`, async () => {
    const { queue, steps } = scenario({ verdicts: Array(attempts).fill(verdict(outcome)) });

    const result = await queue();

    assert.ok(result.kind === "refused");
    assert.equal(result.refusal.code, code);
    assert.deepEqual(steps, Array(attempts).fill(["look", "store"]).flat());
  });
}
