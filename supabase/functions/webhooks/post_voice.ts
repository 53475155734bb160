import { z } from "@hono/zod-openapi";
import { cellOfCompany } from "../_shared/cells.ts";
import { callEvent } from "../_shared/dispatching/call_events.ts";
import { readReference } from "../_shared/dispatching/reference.ts";
import { AppError } from "../_shared/errors.ts";
import { parseWebhook } from "../_shared/gateways/voice/parse_webhook.ts";
import { readSignature, verifySignature } from "../_shared/gateways/voice/verify_signature.ts";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App, AppContext } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { successSchema } from "../_shared/http/app/shared_schemas.ts";
import { readSignedBytes } from "../_shared/http/body/read_signed_bytes.ts";
import { type Services, servicesOfAllCells, servicesOfCell } from "../_shared/services.ts";

/** The transcript of a long call is a few hundred KiB. */
const MAX_BYTES = 8 * 1024 * 1024;

const route: ApiRoute = {
  method: "post",
  path: "/webhooks/voice",
  operationId: "receiveVoiceEvents",
  summary: "Receive events of the voice platform",
  tags: ["Platform callbacks"],
  security: [{ voiceSignature: [] }],
  request: {
    headers: z.object({
      "ElevenLabs-Signature": z.string().openapi({ example: `t=1764579600,v0=${"0".repeat(64)}` }),
    }),
    body: jsonBody(z.looseObject({ type: z.string() }).openapi("VoiceEvents"), {
      type: "post_call_transcription",
    }),
  },
  responses: {
    200: {
      description: "Stored",
      ...json(successSchema, { success: true }),
    },
    ...errorResponses([400, 401, 413]),
  },
};

/**
 * `POST /webhooks/voice` receives the voice platform's reports on finished calls. It checks the signature over the raw
 * bytes, stores the event, responds 200, then applies it. Events that it does not understand are accepted and dropped:
 * the platform switches off a webhook that fails. Fails with `unauthorized` and `validation_failed`.
 */
export function registerPostVoice(app: App): void {
  addRoute(app, route, async (c) => {
    const { services } = c.var;
    const event = parseWebhook(await readSigned(c), services.now());
    if (event !== null) {
      const reference = readReference(event.report.reference);
      if (reference?.span) services.tracing.link([reference.span]);
      // Without a reference only the conversation's id says whose it is, and each cell looks for it.
      const cells = reference
        ? [servicesOfCell(services, cellOfCompany(reference.companyId))]
        : servicesOfAllCells(services);
      await Promise.all(
        cells.map(({ eventStores }) => eventStores.add([callEvent(event.report, event.type)])),
      );
      services.metrics.eventsReceived.add(["voice"]);
      for (const cell of cells) services.inBackground(apply(cell), { request_id: c.get("requestId") });
    }
    return c.json({ success: true });
  });
}

/** Applies the event, and wakes the dispatcher: a call that has ended frees its line. */
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
