import { z } from "zod";
import { findNumber } from "../accounts.ts";
import type { SandboxApp } from "../http/sandbox_app.ts";
import type { Platform } from "../platform.ts";
import { setBanned } from "../set_banned.ts";
import { nextChangeTime, reportChange } from "../webhooks/report_change.ts";
import { ControlError } from "./control_error.ts";
import { readControlBody } from "./read_control_body.ts";

const eventBody = z.strictObject({
  field: z.enum(["account_update", "phone_number_quality_update", "business_capability_update"]),
  /** Goes out as it is: the platform's own words. */
  value: z.looseObject({}),
});

const inboundBody = z.strictObject({
  phone_number_id: z.string(),
  from: z.string().transform((from) => from.replace(/\D/g, "")).pipe(z.string().min(7).max(15)),
  text: z.string().min(1).max(4096),
});

/** `POST /sandbox/accounts/{waba_id}/events`, and `POST /sandbox/inbound`: a person writes to a number. */
export function registerAccountEventRoutes(app: SandboxApp, platform: Platform): void {
  app.post("/sandbox/accounts/:id/events", async (c) => {
    const waba_id = c.req.param("id");
    const { field, value } = await readControlBody(c, eventBody);
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
    const id = `wamid.${crypto.randomUUID().replaceAll("-", "")}`;
    const seconds = Math.floor(Date.now() / 1000);
    platform.windows.open(phone_number_id, from, Date.now());
    reportChange(platform, {
      waba_id: sender.account.wabaId,
      field: "messages",
      value: {
        messaging_product: "whatsapp",
        metadata: { display_phone_number: sender.number.displayNumber, phone_number_id },
        contacts: [{ profile: { name: `+${from}` }, wa_id: from }],
        messages: [{ from, id, timestamp: String(seconds), type: "text", text: { body: text } }],
      },
    });
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
