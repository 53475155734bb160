import { type RouteConfig, z } from "@hono/zod-openapi";
import {
  applyTemplateEvents,
  type ProviderEvent,
  storeAccountEvents,
  storeTemplateEvents,
} from "../_shared/db/provider_events.ts";
import { confirmWebhookProbe } from "../_shared/db/webhook_signals.ts";
import { applyWaitingAccountEvents } from "../_shared/dispatching/apply_account_events.ts";
import { applyWaitingTemplateEvents } from "../_shared/dispatching/apply_template_events.ts";
import { createRefusalNotes } from "../_shared/dispatching/note_refusals.ts";
import { readReference } from "../_shared/dispatching/reference.ts";
import { AppError } from "../_shared/errors.ts";
import { readProbe } from "../_shared/gateways/own_webhook/probe_body.ts";
import { parseWebhook, type StatusEvent } from "../_shared/gateways/whatsapp/parse_webhook.ts";
import { readSignature, verifySignature } from "../_shared/gateways/whatsapp/verify_signature.ts";
import { addRoute, type App, type AppContext } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { readSignedBytes } from "../_shared/http/read_signed_bytes.ts";
import { accountEventRow } from "../_shared/senders/account_event_row.ts";
import type { Services } from "../_shared/services.ts";
import { templateEventRow } from "../_shared/templates/template_event_row.ts";

/** The platform batches up to 1000 updates, 3 MB at most. Source: WhatsApp webhooks overview. */
const MAX_BYTES = 4 * 1024 * 1024;

const route: RouteConfig = {
  method: "post",
  path: "/webhooks/whatsapp",
  summary: "Events of the messaging platform",
  tags: ["Webhooks"],
  request: {
    headers: z.object({ "X-Hub-Signature-256": z.string() }),
    body: { content: { "application/json": { schema: z.looseObject({ object: z.string() }) } } },
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
 * `POST /webhooks/whatsapp` takes the platform's events: signature over the raw bytes first, then stored, then 200, then
 * applied; accounts and templates before the 200, campaigns of templates after it. Anything but 200 makes the platform
 * send them again. Takes our dispatchers' probes as well. Fails with `unauthorized` and `validation_failed`.
 */
export function registerPostWhatsapp(app: App, services: Services): void {
  const noteRefusal = createRefusalNotes(services);
  addRoute(app, route, async (c) => {
    const body = await readSigned(c, noteRefusal);
    const probe = readProbe(body);
    if (probe !== null) {
      await confirmWebhookProbe(services.sql, probe);
      return c.json({ success: true });
    }
    const events = parseWebhook(body);
    if (events.statuses.length > 0) await services.eventStores.add(events.statuses.map(statusRow));
    if (events.templates.length > 0) {
      await storeTemplateEvents(services.sql, events.templates.map(templateEventRow));
      // Rare and quick, so that after the answer no request is accepted with a template that was stopped.
      await applyTemplateEvents(services.sql, events.templates.length);
    }
    if (events.accounts.length > 0) {
      await storeAccountEvents(services.sql, events.accounts.map(accountEventRow));
      // For the same reason.
      await applyWaitingAccountEvents(services);
    }
    if (events.statuses.length > 0) services.inBackground(services.applyEvents());
    if (events.templates.length > 0) services.inBackground(applyWaitingTemplateEvents(services));
    return c.json({ success: true });
  });
}

async function readSigned(c: AppContext, noteRefusal: (body: Uint8Array) => void): Promise<unknown> {
  const secret = c.var.services.env.WHATSAPP_APP_SECRET;
  const bytes = await readSignedBytes(c, MAX_BYTES, {
    signature: readSignature(c.req.header("X-Hub-Signature-256")),
    verify: async (body, given) => secret !== undefined && await verifySignature(body, given, secret),
    onMismatch: noteRefusal,
  });
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new AppError("validation_failed", "The request body is not valid JSON", { cause });
  }
}

function statusRow(event: StatusEvent): ProviderEvent {
  const reference = readReference(event.reference);
  return {
    dedupe_key: `whatsapp:${event.providerMessageId}:${event.status}`,
    channel: "whatsapp",
    account_id: event.wabaId,
    phone_number_id: event.phoneNumberId || null,
    foreign_reference: event.reference !== null && reference === null,
    provider_message_id: event.providerMessageId,
    company_id: reference?.companyId ?? null,
    notification_id: reference?.notificationId ?? null,
    fence: reference?.fence ?? null,
    status: event.status,
    occurred_at: event.at,
    error_code: event.error && String(event.error.code),
    retryable: event.error !== null && RETRYABLE.has(event.error.action),
    reason: event.error && event.error.reason,
  };
}

const RETRYABLE = new Set([
  "retry",
  "retry_recipient",
  "slow_sender",
  "stop_sender",
  "stop_sender_for_good",
  "stop_template",
]);
