import { createRefusedKeys } from "../../../supabase/functions/_shared/access/refused_keys.ts";
import { assertRefused, assertRefusedShortly, type ExpectedError } from "../assert_refused.ts";
import { notifyBody } from "../../setup/fixtures/notify_body.ts";
import { assertNothingStored } from "../stored.ts";
import { type Api, withApi } from "../with_api.ts";
import { voiceBody, withVoiceApi } from "../with_voice_api.ts";
import type { JsonObject } from "../../setup/http/http.ts";

/** A request about to be sent; faults change it, or what the database says about its key. */
interface Attempt {
  accessKey: string;
  contentType: string;
  body: JsonObject;
  text: string | undefined;
}

interface Fault {
  name: string;
  make(attempt: Attempt, api: Api): void | Promise<unknown>;
  /** A string is the message of a 403 in the short form. */
  refusal: ExpectedError | string;
}

const invalid = (message: string): ExpectedError => ({ status: 400, error: "validation_failed", message });

/** In the order in which they are checked; `special` are those of what is sent. */
const faultsWith = (permission: string, special: Fault[]): Fault[] => [
  {
    name: "key",
    make: (attempt) => void (attempt.accessKey = "nonsense"),
    refusal: { status: 401, error: "unauthorized" },
  },
  {
    name: "permission",
    make: (_, { sql }) => sql`update outbound.api_keys set permissions = '{}'`,
    refusal: `This access key lacks the permission '${permission}'`,
  },
  {
    name: "rate",
    make: (_, { sql }) => sql`update outbound.usage set requests = 600`,
    refusal: { status: 429, error: "rate_limit_exceeded" },
  },
  {
    name: "Content-Type",
    make: (attempt) => void (attempt.contentType = "text/plain"),
    refusal: invalid("Invalid value for 'Content-Type': expected application/json"),
  },
  {
    name: "JSON",
    make: (attempt) => void (attempt.text = "{"),
    refusal: invalid("The request body is not valid JSON"),
  },
  {
    name: "contacts",
    make: ({ body }) => void (body.contacts = [body.contact]),
    refusal: invalid("Cannot use both 'contact' and 'contacts' simultaneously"),
  },
  {
    name: "fields",
    make: ({ body }) => void delete body.campaign_name,
    refusal: invalid("Missing required field: 'campaign_name'"),
  },
  {
    name: "sender",
    make: ({ body }) => void (body.recipient_id = "nobody"),
    refusal: invalid(
      "Invalid value for 'recipient_id': expected the id or the phone number of one of your senders",
    ),
  },
  ...special,
  {
    name: "schedule",
    make: ({ body }) => void (body.datetime_sending = "2020-01-01T00:00:00"),
    refusal: invalid("'datetime_sending' must be in the future"),
  },
  {
    name: "quota",
    make: (_, { sql }) => sql`update outbound.api_keys set daily_quota = 0`,
    refusal: { status: 429, error: "quota_exceeded" },
  },
];

const CHAT_FAULTS = faultsWith("chatapp_notifications", [
  {
    name: "template",
    make: ({ body }) => void (body.name_template = "no_such_template"),
    refusal: { status: 404, error: "template_not_found" },
  },
  {
    name: "variables",
    make: ({ body }) => void (body.components_push = { body_text_0: "x" }),
    refusal: { status: 422, error: "variable_mismatch" },
  },
]);

const VOICE_FAULTS = faultsWith("voice_notifications", [
  {
    name: "agent",
    make: ({ body }) => void (body.agent_id = "no_such_agent"),
    refusal: { status: 404, error: "agent_not_found" },
  },
]);

/** A route, and a body that it accepts. */
interface Target {
  path: string;
  body: JsonObject;
}

async function attemptWith(api: Api, { path, body }: Target, faults: Fault[]) {
  const { http, key, services, sql } = api;
  // The key was refused a moment ago.
  services.refusedKeys = createRefusedKeys();
  await sql`update outbound.api_keys set permissions = '{chatapp_notifications,voice_notifications}', daily_quota = 100`;
  // A window that starts in the next minute does not end during the test.
  await sql`update outbound.usage set requests = 0, window_start = date_trunc('minute', now()) + interval '1 minute'`;
  const attempt: Attempt = {
    accessKey: key.key,
    contentType: "application/json",
    body: { ...body },
    text: undefined,
  };
  for (const fault of faults) await fault.make(attempt, api);
  return await http.post(path, undefined, {
    query: { access_key: attempt.accessKey },
    headers: { "content-type": attempt.contentType },
    rawBody: attempt.text ?? JSON.stringify(attempt.body),
  });
}

/** Sends every fault with every later one, and expects the refusal of the first. */
async function assertOrder(api: Api, target: Target, faults: Fault[]): Promise<void> {
  await assertNothingStored(api.sql, async () => {
    for (const [index, first] of faults.entries()) {
      for (const second of [...faults.slice(index + 1), null]) {
        const response = await attemptWith(api, target, second ? [first, second] : [first]);
        const label = `${first.name} before ${second?.name}`;
        if (typeof first.refusal === "string") assertRefusedShortly(response, 403, first.refusal, label);
        else assertRefused(response, first.refusal, label);
      }
    }
  });
}

Deno.test("POST /notify reports the first of two faults, in the order of the checks", () =>
  withApi(async (api) => {
    await api.notify();
    await assertOrder(api, { path: "/notify", body: notifyBody(api) }, CHAT_FAULTS);
  }));

Deno.test("POST /notify/voice reports the first of two faults, in the order of the checks", () =>
  withVoiceApi(async (api) => {
    await api.voice();
    await assertOrder(api, { path: "/notify/voice", body: voiceBody(api) }, VOICE_FAULTS);
  }));

Deno.test("GET /notify/templates and /notify/template/components look at the key, the rate, then the query", () =>
  withApi(async ({ http, key, sql }) => {
    await http.get("/notify/templates", { query: { access_key: key.key, phone_number: "1" } });
    await sql`update outbound.usage set requests = 600, window_start = date_trunc('minute', now()) + interval '1 minute'`;
    for (const path of ["/notify/templates", "/notify/template/components"]) {
      const good = { phone_number: "34600111222", template: "order" };
      assertRefused(await http.get(path), { status: 401, error: "unauthorized" });
      assertRefused(await http.get(path, { query: { access_key: "x" } }), {
        status: 401,
        error: "unauthorized",
      });
      const query = { access_key: key.key };
      for (const asked of [query, { ...query, ...good }]) {
        assertRefused(await http.get(path, { query: asked }), { status: 429, error: "rate_limit_exceeded" });
      }
    }
  }));
