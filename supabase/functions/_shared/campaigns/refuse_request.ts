import { keyRefusal } from "../access/key_refusal.ts";
import { type AcceptVerdict, readFirstResponse } from "../db/queue/accept_notifications.ts";
import { type KeyState, readKeyState, type SendContext } from "../db/queue/send_context.ts";
import { keyReused, type Refusal } from "../errors.ts";
import type { Services } from "../services.ts";
import { suggestTemplate } from "../templates/suggest_template.ts";
import type { Channel } from "./channel.ts";
import type { NotificationRequest } from "./notification_request.ts";
import type { CampaignInput } from "./plan_campaign.ts";
import { type QueueResult, type Refused, replayed } from "./queue_result.ts";
import { additionRefusal, verdictRefusal } from "./verdict_refusal.ts";

export type RefusingServices = Pick<Services, "sql" | "now" | "refusedKeys">;

/** A request that is refused, with the channel that it came by. */
interface RefusedRequest {
  channel: Pick<Channel<NotificationRequest>, "name" | "permission">;
  input: CampaignInput<NotificationRequest>;
}

/**
 * Returns the outcome of a request whose check against fresh facts has failed. It counts against the rate of its key. A
 * request with an idempotency key gets its first response, if it has one.
 */
export async function refuseChecked(
  services: RefusingServices,
  request: RefusedRequest,
  { refusal, context }: { refusal: Refusal; context: SendContext },
): Promise<QueueResult> {
  const refused = await chargeRefusal(services, request, { kind: "refused", refusal, key: context });
  return await firstResponse(services, request.input, refused) ??
    await withSuggestion(services, request.input, refused, context);
}

/**
 * Returns the outcome of a request that the database did not store. It has counted the request against the rate of its
 * key, unless it looked no further than the campaign that the request names.
 */
export async function refuseByVerdict(
  services: RefusingServices,
  request: RefusedRequest,
  { verdict, size, key }: { verdict: AcceptVerdict; size: number; key: KeyState },
): Promise<QueueResult> {
  const { channel, input } = request;
  const cannotAdd = additionRefusal(verdict, { channel: channel.name, ...input.request });
  if (cannotAdd) return await chargeRefusal(services, request, { kind: "refused", refusal: cannotAdd, key });
  const refusal = verdictRefusal(verdict, channel.permission, services.now());
  const refused: Refused = { kind: "refused", refusal, key };
  if (verdict.outcome === "quota_exceeded") services.refusedKeys.noteQuota(input.keyHash, size, refused);
  return await firstResponse(services, input, refused) ?? refused;
}

/** Counts a refusal, unless it is of the key itself. A key that is over its limit, or was revoked, is refused for that. */
async function chargeRefusal(
  { sql, now }: RefusingServices,
  { channel, input }: RefusedRequest,
  refused: Refused,
): Promise<Refused> {
  if (refused.refusal.code === "unauthorized" || input.unmetered) return refused;
  const key = await readKeyState(sql, input.keyHash, 1);
  return {
    ...refused,
    key,
    refusal: keyRefusal(key, { now: now(), permission: channel.permission }) ?? refused.refusal,
  };
}

/**
 * Returns the response to an earlier request with the same idempotency key; null when there was none. It stands even if
 * its time has passed or its template was stopped since.
 */
async function firstResponse(
  { sql }: RefusingServices,
  { keyHash, idempotent }: RefusedRequest["input"],
  { refusal, key }: Refused,
): Promise<QueueResult | null> {
  if (idempotent === null || refusal.code === "internal_error") return null;
  const first = await readFirstResponse(sql, { keyHash, ...idempotent });
  if (first === undefined) return null;
  if (first.request_hash !== idempotent.requestHash) return { kind: "refused", refusal: keyReused(), key };
  return replayed(first.answer, key);
}

/** Adds to the refusal of a template with an unknown name which one was probably meant. */
async function withSuggestion(
  { sql }: RefusingServices,
  { request }: RefusedRequest["input"],
  refused: Refused,
  context: SendContext,
): Promise<Refused> {
  const name = request.names.templateName;
  const isUnknown = refused.refusal.code === "template_not_found" && context.templates?.length === 0;
  if (name === null || !isUnknown) return refused;
  const owner = { companyId: context.company_id, senderId: context.sender_id };
  return { ...refused, refusal: await suggestTemplate(sql, owner, { name, refusal: refused.refusal }) };
}
