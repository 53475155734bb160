/**
 * Does what `tests/sdk/behaviours.ts` asks of a client: `behaviours.ts BEHAVIOUR`, with INPUT as JSON in the environment.
 * Prints one line of JSON.
 *
 * @module
 */
import { Outbound, OutboundError } from "../../../sdk/typescript/src/mod.ts";
import { verifyWebhook } from "../../../sdk/typescript/src/webhooks.ts";
import { printLine } from "../../tools/run_report.ts";

const input = JSON.parse(Deno.env.get("INPUT")!);

async function sendOne() {
  const { notification, contact } = input;
  const { inquiry_set_id } = await new Outbound().notifications.send({ ...notification, contact });
  return { campaign_id: inquiry_set_id, inquiry_set_id };
}

async function failureOf(call: Promise<unknown>) {
  const error = await call.catch((error) => error);
  if (!(error instanceof OutboundError)) return error;
  const { name, code, status, details, requestId } = error;
  return {
    class: name,
    code,
    status,
    field: (details as { field?: string } | undefined)?.field ?? null,
    has_request_id: requestId !== undefined,
  };
}

async function events() {
  const missing = new Set<string>(input.names);
  const seen: string[] = [];
  const sender = new Outbound();
  const { token, company_id: companyId } = input;
  for await (const { id: _, ...event } of new Outbound({ token, companyId }).events()) {
    seen.push(JSON.stringify(event));
    if (event.type === "ready") {
      for (const campaign_name of input.names) {
        await sender.sendCampaign({ ...input.notification, campaign_name }, [input.contact]);
      }
    }
    if (event.type === "campaign") missing.delete(event.data.campaign_name);
    if (missing.size === 0) break;
  }
  return { missing: missing.size, doubles: seen.length - new Set(seen).size };
}

function check(headers: Record<string, string>) {
  try {
    return { type: verifyWebhook(input.body, headers, input.secret).type };
  } catch (error) {
    return (error as OutboundError).code;
  }
}

const BEHAVIOURS: Record<string, () => unknown> = {
  send_one: sendOne,
  environment_missing: async () => {
    try {
      await new Outbound().campaigns.list();
    } catch (error) {
      return { message: (error as Error).message };
    }
  },
  lost_response: sendOne,
  too_many: sendOne,
  server_error: sendOne,
  refused: () => failureOf(sendOne()),
  unauthorized: () => failureOf(sendOne()),
  not_json: () => failureOf(sendOne()),
  pages: async () => {
    let count = 0;
    for await (const _ of new Outbound().campaigns.list({ limit: input.limit })) count++;
    return { count };
  },
  send_campaign: async () => {
    const { notification, contacts, idempotency_key: idempotencyKey } = input;
    const sent = await new Outbound().sendCampaign(notification, contacts, { idempotencyKey });
    return { campaign_id: sent.campaignId, accepted: sent.processed };
  },
  wait_for_campaign: async () => {
    const { sent, failed } = await new Outbound().waitForCampaign(input.campaign_id, { timeoutMs: 60_000 });
    return { sent, failed };
  },
  events,
  webhook: () => ({
    valid: check(input.headers.valid),
    wrong: check(input.headers.wrong),
    old: check(input.headers.old),
  }),
  rate_limit: async () => {
    const outbound = new Outbound();
    await outbound.campaigns.list();
    const { limit, remaining, resetS } = outbound.rateLimit!;
    return { limit, remaining, has_reset: resetS >= 0 };
  },
  timeout: () => {
    const limits = { timeoutMs: input.timeout_ms, retries: 0 };
    return failureOf(new Outbound().campaigns.list(limits));
  },
  cancelled: async () => {
    const stop = new AbortController();
    const call = new Outbound().campaigns.list({ signal: stop.signal });
    setTimeout(() => stop.abort(new Error("enough")), input.cancel_after_ms);
    return { cancelled: await call.then(() => false, (error) => error.message === "enough") };
  },
};

if (import.meta.main) printLine(JSON.stringify(await BEHAVIOURS[Deno.args[0]!]!()));
