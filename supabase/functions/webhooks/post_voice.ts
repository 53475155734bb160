import { type RouteConfig, z } from "@hono/zod-openapi";
import { callEvent } from "../_shared/dispatching/call_event.ts";
import { AppError } from "../_shared/errors.ts";
import { parseWebhook } from "../_shared/gateways/voice/parse_webhook.ts";
import { readSignature, verifySignature } from "../_shared/gateways/voice/verify_signature.ts";
import { addRoute, type App, type AppContext } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { readSignedBytes } from "../_shared/http/read_signed_bytes.ts";
import type { Services } from "../_shared/services.ts";

/** The transcript of a long call is a few hundred KiB. */
const MAX_BYTES = 8 * 1024 * 1024;

const route: RouteConfig = {
  method: "post",
  path: "/webhooks/voice",
  summary: "Events of the voice platform",
  tags: ["Webhooks"],
  request: {
    headers: z.object({ "ElevenLabs-Signature": z.string() }),
    body: { content: { "application/json": { schema: z.looseObject({ type: z.string() }) } } },
  },
  responses: {
    200: {
      description: "Stored",
      content: { "application/json": { schema: z.object({ success: z.literal(true) }) } },
    },
    ...errorResponses([400, 401, 413]),
  },
};

/**
 * `POST /webhooks/voice` takes what the voice platform tells of finished calls: signature over the raw bytes first, then
 * stored, then 200, then applied. What it does not understand it takes and forgets: the platform switches off a webhook
 * that fails. Fails with `unauthorized` and `validation_failed`.
 */
export function registerPostVoice(app: App): void {
  addRoute(app, route, async (c) => {
    const { services } = c.var;
    const event = parseWebhook(await readSigned(c), services.now());
    if (event !== null) {
      await services.eventStores.add([callEvent(event.report, event.type)]);
      services.inBackground(apply(services));
    }
    return c.json({ success: true });
  });
}

/** A call that is over leaves its line to the next. */
async function apply(services: Services): Promise<void> {
  await services.applyEvents();
  services.newWork.notify();
}

async function readSigned(c: AppContext): Promise<unknown> {
  const { env, now } = c.var.services;
  const secret = env.ELEVENLABS_WEBHOOK_SECRET;
  const signature = readSignature(c.req.header("ElevenLabs-Signature"), now());
  const bytes = await readSignedBytes(c, MAX_BYTES, {
    signature: secret === undefined ? null : signature,
    verify: (body, given) => verifySignature(body, given, secret!),
  });
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new AppError("validation_failed", "The request body is not valid JSON", { cause });
  }
}
