import { z } from "@hono/zod-openapi";
import {
  applyTemplateEvents,
  confirmWebhookProbe,
  storeAccountEvents,
  storeTemplateEvents,
} from "../_shared/db/queue/platform_events.ts";
import {
  applyWaitingAccountEvents,
  applyWaitingTemplateEvents,
} from "../_shared/dispatching/apply_events.ts";
import { applyPreferences, moveContacts, storeInboundMessages } from "../_shared/db/contacts/inbound.ts";
import { applyReplyReceipts } from "../_shared/db/contacts/replies.ts";
import { createRefusalRecorder } from "./refused_events.ts";
import { AppError } from "../_shared/errors.ts";
import { readProbe } from "../_shared/gateways/own_webhook.ts";
import { parseWebhook, type WebhookEvents } from "../_shared/gateways/whatsapp/parse_webhook.ts";
import { readSignature, verifySignature } from "../_shared/gateways/whatsapp/verify_signature.ts";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App, AppContext } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { successSchema } from "../_shared/http/app/shared_schemas.ts";
import { askEachCell } from "../_shared/http/app/request_cell.ts";
import { readSignedBytes } from "../_shared/http/body/read_signed_bytes.ts";
import { readReference, readReplyReference } from "../_shared/dispatching/reference.ts";
import type { Services } from "../_shared/services.ts";
import { countEvents, createEventSplitter } from "./event_cells.ts";
import { accountEventRow, statusRow, templateEventRow } from "./event_rows.ts";
import { messageRow, moveRow, preferenceRow, replyReceipt, userIdLink } from "./inbound_rows.ts";
import { createUserIdLinks } from "./user_id_links.ts";

/** The platform batches up to 1000 updates, 3 MB at most. Source: WhatsApp webhooks overview. */
const MAX_BYTES = 4 * 1024 * 1024;

const route: ApiRoute = {
  method: "post",
  path: "/webhooks/whatsapp",
  operationId: "receiveWhatsappEvents",
  summary: "Receive events of the messaging platform",
  tags: ["Platform callbacks"],
  security: [{ whatsappSignature: [] }],
  request: {
    headers: z.object({
      "X-Hub-Signature-256": z.string().openapi({
        pattern: "^sha256=[0-9a-fA-F]{64}$",
        example: `sha256=${"0".repeat(64)}`,
      }),
    }),
    body: jsonBody(z.looseObject({ object: z.string() }).openapi("WhatsappEvents"), {
      object: "whatsapp_business_account",
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
 * `POST /webhooks/whatsapp` receives the platform's events. It checks the signature over the raw bytes, takes the events,
 * responds 200, then applies what it stored of them; receipts of sent messages, and events of accounts, templates and
 * people, before the 200. Any other status makes the
 * platform send them again. Receives our dispatchers' probes as well. Fails with `unauthorized` and `validation_failed`.
 */
export function registerPostWhatsapp(app: App, services: Services): void {
  const recordRefusal = createRefusalRecorder(services);
  const splitEvents = createEventSplitter(services);
  const takeEvents = createEventTaker();
  addRoute(app, route, async (c) => {
    const body = await readSigned(c, recordRefusal);
    const probe = readProbe(body);
    if (probe !== null) {
      // It does not say whose it is.
      const responses = await askEachCell(services, ({ sql }) => confirmWebhookProbe(sql, probe));
      for (const { result } of responses) if (!result.ok) throw result.error;
      return c.json({ success: true });
    }
    const events = parseWebhook(body);
    services.tracing.link(
      events.statuses.flatMap(({ reference }) =>
        (readReference(reference) ?? readReplyReference(reference))?.span ?? []
      ),
    );
    const fields = { request_id: c.get("requestId") };
    const { parts, failure } = await splitEvents(events);
    await Promise.all(parts.map(([cell, part]) => takeEvents(cell, part, fields)));
    if (failure !== undefined) throw failure;
    services.metrics.eventsReceived.add(["whatsapp"], countEvents(events));
    return c.json({ success: true });
  });
}

/** Makes the function that takes the events of one cell. */
function createEventTaker() {
  const linkUserIds = createUserIdLinks();
  return async (services: Services, events: WebhookEvents, fields: { request_id: string }): Promise<void> => {
    const receipts = events.statuses.flatMap((status) => replyReceipt(status) ?? []);
    const statuses = receipts.length === 0
      ? events.statuses
      : events.statuses.filter((status) => replyReceipt(status) === null);
    const waiting = statuses.length > 0 ? await services.eventStores.add(statuses.map(statusRow)) : 0;
    if (receipts.length > 0) await applyReplyReceipts(services.sql, receipts);
    await storeWhatPeopleDid(services, events);
    if (events.templates.length > 0) {
      await storeTemplateEvents(services.sql, events.templates.map(templateEventRow));
      // Rare and quick, so that after the response no request is accepted with a template that was stopped.
      await applyTemplateEvents(services.sql, events.templates.length);
    }
    if (events.accounts.length > 0) {
      await storeAccountEvents(services.sql, events.accounts.map(accountEventRow));
      // For the same reason.
      await applyWaitingAccountEvents(services);
    }
    if (waiting > 0) services.inBackground(services.applyEvents(), fields);
    linkUserIds(services, events.statuses.flatMap((status) => userIdLink(status) ?? []));
    if (events.templates.length > 0) services.inBackground(applyWaitingTemplateEvents(services), fields);
  };
}

/** Moves first: a message that comes with one is from the new address. */
async function storeWhatPeopleDid(
  { sql, mediaStore }: Services,
  { messages, preferences, moves }: WebhookEvents,
): Promise<void> {
  if (moves.length > 0) await moveContacts(sql, moves.map(moveRow));
  const storesFiles = mediaStore !== null;
  if (messages.length > 0) {
    await storeInboundMessages(sql, messages.map((message) => messageRow(message, { storesFiles })));
  }
  if (preferences.length > 0) await applyPreferences(sql, preferences.map(preferenceRow));
}

async function readSigned(c: AppContext, recordRefusal: (body: Uint8Array) => void): Promise<unknown> {
  const secret = c.var.services.env.WHATSAPP_APP_SECRET;
  const bytes = await readSignedBytes(c, MAX_BYTES, {
    signature: readSignature(c.req.header("X-Hub-Signature-256")),
    verify: async (body, given) => secret !== undefined && await verifySignature(body, given, secret),
    onMismatch: recordRefusal,
  });
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new AppError("validation_failed", "The request body is not valid JSON", { cause });
  }
}
