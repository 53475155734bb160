import assert from "node:assert/strict";
import { newSigningSecret, signEvent } from "../../supabase/functions/_shared/events_out/signing.ts";
import { startCuttingProxy } from "../faults/database/cutting_proxy.ts";
import { BASE_PATH } from "../setup/http/http.ts";
import {
  assertStored,
  type ClientProgram,
  envOf,
  forward,
  lose,
  one,
  scriptedEnv,
  sendThrough,
} from "./behaviour_setup.ts";
import { refusal, type Step, withScriptedService } from "./scripted_service.ts";
import { contacts, withClients } from "./with_clients.ts";

/** Behaviours of every client, whatever its language: what its program is given → what it prints. */
export const BEHAVIOURS: Record<string, (program: ClientProgram) => Promise<unknown>> = {
  /** Sends `notification` to `contact` → `{campaign_id, inquiry_set_id}`. */
  send_one: (program) =>
    withClients(async (t) => {
      const { campaign_id, inquiry_set_id } = await program.run("send_one", envOf(t, one(t)));

      assert.equal(campaign_id, inquiry_set_id);
      await assertStored(t, campaign_id, 1);
    }),

  /** Lists campaigns without a variable → `{message}`, which names it. */
  environment_missing: (program) =>
    withClients(async (t) => {
      for (const name of ["OUTBOUND_BASE_URL", "OUTBOUND_API_KEY"]) {
        const { message } = await program.run("environment_missing", { ...envOf(t, {}), [name]: "" });

        assert.match(message, new RegExp(name));
      }
    }),

  /** As `send_one`; the response to the first request is lost. */
  lost_response: (program) => sendThrough(program, "lost_response", (step) => [lose(step), step]),

  /** As `send_one`; the first request is one too many. */
  too_many: async (program) => {
    const tooMany = refusal(429, "rate_limit_exceeded", { "Retry-After": "1" });
    const seen = await sendThrough(program, "too_many", (step) => [tooMany, step]);

    const waitedMs = seen[1]!.at - seen[0]!.at;
    assert.ok(waitedMs >= 990, `${waitedMs}`);
  },

  /** As `send_one`; the first two requests meet a service in trouble. */
  server_error: async (program) => {
    const down = refusal(503, "service_unavailable", { "Retry-After": "0" });
    await sendThrough(program, "server_error", (step) => [down, down, step]);
  },

  /** As `send_one`, to a number that is none → `{class, code, status, field, has_request_id}`. */
  refused: (program) =>
    withClients(async (t) => {
      const input = { notification: t.notification, contact: { number: "12" } };

      const error = await program.run("refused", envOf(t, input));

      assert.deepEqual(error, {
        class: program.validationError,
        code: "validation_failed",
        status: 400,
        field: "contact.number",
        has_request_id: true,
      });
    }),

  /** As `refused`, with a key that the service does not know. */
  unauthorized: (program) =>
    withClients(async (t) => {
      const env = { ...envOf(t, one(t)), OUTBOUND_API_KEY: "outbound_unknown" };

      const error = await program.run("unauthorized", env);

      assert.deepEqual(
        [error.class, error.code, error.status],
        [program.unauthorizedError, "unauthorized", 401],
      );
    }),

  /** As `refused`; the page of another server comes back, with status 200. */
  not_json: (program) => {
    const page = () => new Response("<html>", { headers: { "Content-Type": "text/html" } });
    return withScriptedService([page], async ({ baseUrl, seen }) => {
      const input = { notification: {}, contact: {} };

      const error = await program.run("not_json", scriptedEnv(baseUrl, input));

      assert.deepEqual([error.code, error.status], ["invalid_response", 200]);
      assert.equal(seen.length, 1);
    });
  },

  /** Counts all campaigns, `limit` per page → `{count}`. */
  pages: (program) =>
    withClients(async (t) => {
      const outbound = t.keyClient();
      for (const _ of Array(5)) await outbound.sendCampaign(t.notification, contacts(1));
      await withScriptedService([forward(t)], async ({ baseUrl, seen }) => {
        const { count } = await program.run("pages", {
          ...envOf(t, { limit: 2 }),
          OUTBOUND_BASE_URL: baseUrl,
        });

        assert.equal(count, 5);
        assert.equal(seen.length, 3);
      });
    }),

  /** Sends `notification` to `contacts` with `idempotency_key`, here twice → `{campaign_id, accepted}`. */
  send_campaign: (program) =>
    withClients((t) =>
      withScriptedService([forward(t)], async ({ baseUrl, seen }) => {
        const input = { notification: t.notification, contacts: contacts(250), idempotency_key: "autumn" };
        const env = { ...envOf(t, input), OUTBOUND_BASE_URL: baseUrl };

        const first = await program.run("send_campaign", env);
        const second = await program.run("send_campaign", env);

        assert.equal(first.accepted, 250);
        assert.deepEqual(second, first);
        await assertStored(t, first.campaign_id, 250);
        const sizes = seen.map(({ body }) => JSON.parse(body).contacts.length);
        assert.deepEqual(sizes, [100, 100, 50, 100, 100, 50]);
      })
    ),

  /** Waits until `campaign_id` is completed → `{sent, failed}`. */
  wait_for_campaign: (program) =>
    withClients(async (t) => {
      const { campaignId } = await t.keyClient().sendCampaign(t.notification, contacts(3));
      await t.whileDispatching(async () => {
        const campaign = await program.run("wait_for_campaign", envOf(t, { campaign_id: campaignId }));

        assert.deepEqual(campaign, { sent: 3, failed: 0 });
      });
    }),

  /**
   * Follows `company_id` with `token`. On `ready`, sends a campaign to `contact` for each of `names`; ends when it has seen
   * an event of each → `{missing, doubles}`: names without an event, and events that came twice.
   */
  events: (program) =>
    withClients(async (t) => {
      const cutAfter = [600, 900, 2500];
      const proxy = startCuttingProxy(
        Number(new URL(t.url).port),
        () => ({ up: Infinity, down: cutAfter.shift() ?? Infinity }),
      );
      const input = {
        ...one(t),
        names: Array.from({ length: 8 }, (_, index) => `Campaign ${index}`),
        token: await t.logIn(t.owner),
        company_id: t.company.id,
      };
      try {
        const OUTBOUND_BASE_URL = `http://127.0.0.1:${proxy.port}${BASE_PATH}`;

        const followed = await program.run("events", { ...envOf(t, input), OUTBOUND_BASE_URL });

        assert.deepEqual(followed, { missing: 0, doubles: 0 });
        assert.ok(proxy.cuts() >= 2, `${proxy.cuts()} cuts`);
      } finally {
        await proxy.close();
      }
    }),

  /** Checks `body` with `secret` and each of `headers` → `{valid: {type}, wrong: code, old: code}`. */
  webhook: async (program) => {
    const [secret, other] = [newSigningSecret(), newSigningSecret()];
    const body = '{"type":"webhook.test","timestamp":"2030-01-31T18:00:00.000Z","data":{"company_id":"ñ"}}';
    const signed = (key: string, at = new Date()) => signEvent([key], { id: "evt_1", at, payload: body });
    const headers = {
      valid: signed(secret),
      wrong: signed(other),
      old: signed(secret, new Date(Date.now() - 600_000)),
    };

    const checked = await program.run(
      "webhook",
      scriptedEnv("http://127.0.0.1:9", { body, secret, headers }),
    );

    assert.deepEqual(checked, {
      valid: { type: "webhook.test" },
      wrong: "invalid_signature",
      old: "invalid_signature",
    });
  },

  /** Lists campaigns → `{limit, remaining, has_reset}`, as the response reports the rate of the key. */
  rate_limit: (program) =>
    withClients(async (t) => {
      const response = await fetch(`${t.baseUrl}/manage/companies/mine/campaigns`, {
        headers: { Authorization: `Bearer ${t.key.key}` },
      });
      await response.body?.cancel();
      const [, limit] = /q=(\d+)/.exec(response.headers.get("RateLimit-Policy")!)!;

      const rate = await program.run("rate_limit", envOf(t, {}));

      assert.equal(rate.limit, Number(limit));
      assert.ok(rate.remaining < rate.limit, `${rate.remaining}`);
      assert.equal(rate.has_reset, true);
    }),

  /** Lists campaigns once, for `timeout_ms` at most → as `refused`. */
  timeout: (program) =>
    withScriptedService(["silence"], async ({ baseUrl, seen }) => {
      const error = await program.run("timeout", scriptedEnv(baseUrl, { timeout_ms: 200 }));

      assert.deepEqual([error.code, error.status], ["timed_out", 0]);
      assert.equal(seen.length, 1);
    }),

  /** Lists campaigns, and cancels that after `cancel_after_ms`: under way, or waiting for a retry → `{cancelled: true}`. */
  cancelled: async (program) => {
    const wait: Step = refusal(429, "rate_limit_exceeded", { "Retry-After": "60" });
    for (const step of ["silence" as const, wait]) {
      await withScriptedService([step], async ({ baseUrl, seen }) => {
        const ended = await program.run("cancelled", scriptedEnv(baseUrl, { cancel_after_ms: 300 }));

        assert.deepEqual(ended, { cancelled: true });
        assert.ok(seen.length <= 1, `${seen.length} requests`);
      });
    }
  },
};
