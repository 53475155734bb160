import type { Context } from "hono";
import type { SandboxApp } from "../../http/sandbox_app.ts";
import { parseVoiceBody } from "../calls/outbound_call.ts";
import { parseRecipient, readText } from "../calls/post_outbound_call.ts";
import { findAgent, findPhoneNumber, type VoiceAccount } from "../voice_accounts.ts";
import { VoiceError } from "../voice_error.ts";
import type { VoicePlatform } from "../voice_platform.ts";
import { type Batch, type BatchBody, batchBodySchema, batchDetails, batchView } from "./batch.ts";

const DEFAULT_LIMIT = 100;

/**
 * Registers `POST /batch-calling/submit`, `GET /batch-calling/workspace`, `GET /batch-calling/{id}`, `POST
 * …/{id}/cancel`.
 */
export function registerBatchRoutes(app: SandboxApp, voice: VoicePlatform): void {
  app.post("/batch-calling/submit", async (c) => {
    const account = voice.accounts.authorize(c.req.header("xi-api-key"));
    const batch = createBatch(account, parseVoiceBody(await readText(c), batchBodySchema));
    voice.batches.start(batch);
    return c.json(batchView(batch));
  });
  app.get("/batch-calling/workspace", (c) => c.json(listBatches(voice, c)));
  app.get("/batch-calling/:id", (c) => c.json(batchDetails(batchOf(voice, c))));
  app.post("/batch-calling/:id/cancel", (c) => {
    const batch = batchOf(voice, c);
    voice.batches.cancel(batch);
    return c.json(batchView(batch));
  });
}

function createBatch(account: VoiceAccount, body: BatchBody): Batch {
  const agent = findAgent(account, body.agent_id);
  const number = findPhoneNumber(account, body.agent_phone_number_id);
  const now = Date.now();
  return {
    id: `btcal_${serial()}`,
    account,
    agent,
    number,
    body,
    createdAt: now,
    scheduledAt: body.scheduled_time_unix ? body.scheduled_time_unix * 1000 : now,
    updatedAt: now,
    cancelled: false,
    recipients: body.recipients.map((recipient) => ({
      id: recipient.id ?? `rcpt_${serial()}`,
      body: recipient,
      to: parseRecipient(recipient.phone_number, number),
      status: "pending",
      updatedAt: now,
      call: null,
    })),
  };
}

/** Lists batches, newest first; `next_doc` is the id that the next page's `last_doc` names. */
function listBatches(voice: VoicePlatform, c: Context): Record<string, unknown> {
  const account = voice.accounts.authorize(c.req.header("xi-api-key"));
  const batches = [...voice.batches.batches.values()].filter((each) => each.account.id === account.id)
    .reverse();
  const limit = Number(c.req.query("limit")) || DEFAULT_LIMIT;
  const start = batches.findIndex(({ id }) => id === c.req.query("last_doc")) + 1;
  const page = batches.slice(start, start + limit);
  const has_more = start + page.length < batches.length;
  return { batch_calls: page.map(batchView), next_doc: has_more ? page.at(-1)!.id : null, has_more };
}

function batchOf(voice: VoicePlatform, c: Context): Batch {
  const account = voice.accounts.authorize(c.req.header("xi-api-key"));
  const batch = voice.batches.batches.get(c.req.param("id") ?? "");
  if (batch?.account.id !== account.id) {
    throw VoiceError.older(404, "batch_call_not_found", `Batch call ${c.req.param("id")} was not found`);
  }
  return batch;
}

function serial(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 26);
}
