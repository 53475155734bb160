import { z } from "zod";
import { findNumber, setBanned } from "../accounts/accounts.ts";
import type { SandboxApp } from "../http/sandbox_app.ts";
import { receiveMessage } from "../people/receive_message.ts";
import type { Platform } from "../platform.ts";
import { templateBodySchema } from "../templates/template_body.ts";
import { nextChangeTime, reportChange } from "../webhooks/report_change.ts";
import { ControlError, readControlBody } from "./control_request.ts";

const callEventBody = z.strictObject({
  field: z.enum(["account_update", "phone_number_quality_update", "business_capability_update"]),
  /** Sent as it is, in the platform's terms. */
  value: z.looseObject({}),
});

const inboundBody = z.strictObject({
  phone_number_id: z.string(),
  from: z.string().transform((from) => from.replace(/\D/g, "")).pipe(z.string().min(7).max(15)),
  text: z.string().min(1).max(4096),
});

/** Registers `POST /sandbox/accounts/{waba_id}/events`, and `POST /sandbox/inbound`: a person writes to a number. */
export function registerAccountEventRoutes(app: SandboxApp, platform: Platform): void {
  app.post("/sandbox/accounts/:id/events", async (c) => {
    const waba_id = c.req.param("id");
    const { field, value } = await readControlBody(c, callEventBody);
    if (platform.accounts.get(waba_id) === undefined) {
      throw new ControlError(404, "There is no account with this id");
    }
    if (field === "account_update") applyAccountUpdate(platform, waba_id, value);
    const update = { waba_id, time: nextChangeTime(platform, waba_id), field, value };
    reportChange(platform, update);
    platform.events.publish({ kind: "account_event", waba_id, banned: platform.bans.has(waba_id) });
    return c.json({ ...update, banned: platform.bans.has(waba_id) });
  });
  app.post("/sandbox/inbound", async (c) => {
    const { phone_number_id, from, text } = await readControlBody(c, inboundBody);
    const sender = findNumber(platform.accounts.list(), phone_number_id);
    if (sender === undefined) throw new ControlError(404, "There is no number with this id");
    const { id } = receiveMessage(platform, sender, platform.people.at(from), { type: "text", text });
    return c.json({ id });
  });
}

/** A disabled account sends nothing until it is reinstated; a deleted one nothing at all. */
function applyAccountUpdate(platform: Platform, waba_id: string, value: Record<string, unknown>): void {
  const info = value.ban_info;
  const state = typeof info === "object" && info !== null ? Reflect.get(info, "waba_ban_state") : undefined;
  const banned = state === "DISABLE" || value.event === "ACCOUNT_DELETED";
  if (!banned && state !== "REINSTATE") return;
  setBanned(platform, waba_id, banned);
  platform.journal.write({ t: "ban", waba_id, banned });
}

const id = z.string().regex(/^\d{1,20}$/, "must be digits");

const numberSchema = z.strictObject({
  phoneNumberId: id,
  displayNumber: z.string().regex(/^[1-9]\d{6,14}$/, "must be digits with the country code"),
  verifiedName: z.string().min(1),
  ratePerSecond: z.number().int().min(0).optional(),
});

/** The body of `POST /sandbox/accounts`: one account, with the fields of `SandboxOptions`. */
export const accountBodySchema = z.strictObject({
  wabaId: id,
  token: z.string().min(1).regex(/^\S+$/),
  numbers: z.array(numberSchema).min(1),
  templates: z.array(
    templateBodySchema.omit({ message_send_ttl_seconds: true }).extend({
      id: id.optional(),
      status: z.string().regex(/^[A-Z_]+$/),
      rejected_reason: z.string().optional(),
    }),
  ).default([]),
});
