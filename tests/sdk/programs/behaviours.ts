/**
 * Does what `tests/sdk/behaviours.ts` asks of a client: `behaviours.ts BEHAVIOUR`, with INPUT as JSON in the environment.
 * Prints one line of JSON.
 *
 * @module
 */
import {
  type BulkAccepted,
  listCampaigns,
  Outbound,
  OutboundError,
  sendNotification,
} from "../../../sdk/typescript/src/mod.ts";
import { verifyWebhook } from "../../../sdk/typescript/src/webhooks.ts";
import { printLine } from "../../tools/run_report.ts";

const input = JSON.parse(Deno.env.get("INPUT")!);
const mine = { company_id: "mine" };

async function sendOne() {
  const { client } = new Outbound();
  const accepted = await sendNotification({
    client,
    body: { ...input.notification, contact: input.contact },
  });
  const { inquiry_set_id } = accepted as BulkAccepted;
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
  for await (const { id: _, ...event } of new Outbound({ token: input.token }).events(input.company_id)) {
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
      await listCampaigns({ client: new Outbound().client, path: mine });
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
    const query = { limit: input.limit };
    for await (const _ of new Outbound().pages(listCampaigns, { path: mine, query })) count++;
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
    await listCampaigns({ client: outbound.client, path: mine });
    const { limit, remaining, resetS } = outbound.rateLimit!;
    return { limit, remaining, has_reset: resetS >= 0 };
  },
  timeout: () => {
    const { client } = new Outbound({ timeoutMs: input.timeout_ms, retries: 0 });
    return failureOf(listCampaigns({ client, path: mine }));
  },
  cancelled: async () => {
    const stop = new AbortController();
    const call = listCampaigns({ client: new Outbound().client, path: mine, signal: stop.signal });
    setTimeout(() => stop.abort(new Error("enough")), input.cancel_after_ms);
    return { cancelled: await call.then(() => false, (error) => error.message === "enough") };
  },
};

if (import.meta.main) printLine(JSON.stringify(await BEHAVIOURS[Deno.args[0]!]!()));
