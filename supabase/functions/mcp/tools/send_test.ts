import { z } from "@hono/zod-openapi";
import { chatChannel, singleResponseSchema } from "../../_shared/campaigns/chat.ts";
import { describeDryRun } from "../../_shared/campaigns/dry_run/describe_dry_run.ts";
import { dryRunResponseSchema } from "../../_shared/campaigns/dry_run/dry_run_response.ts";
import { dryRunCampaign } from "../../_shared/campaigns/dry_run/dry_run_campaign.ts";
import {
  queueSingleMessage,
  readSingleMessage,
  singleMessageFields,
} from "../../_shared/campaigns/single_message.ts";
import { sha256Hex } from "../../_shared/crypto/digests.ts";
import { AppError } from "../../_shared/errors.ts";
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_FORMAT } from "../../_shared/http/body/read_body.ts";
import { requireSendingKey } from "../../_shared/http/guards/sending_key.ts";
import { defineTool, type ToolCall } from "../tool.ts";

const inputSchema = z.strictObject({
  ...singleMessageFields("Test"),
  dry_run: z.boolean({ error: "true or false" }).default(false).openapi({
    description: "Makes every check and shows the message; nothing is sent",
  }),
  idempotency_key: z.string({ error: IDEMPOTENCY_KEY_FORMAT })
    .regex(IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_FORMAT).optional().openapi({
      description:
        "Required unless `dry_run`: repeated with the same arguments, it sends nothing twice. Kept for 24 hours",
    }),
});

type SendTest = z.infer<typeof inputSchema>;

const outputSchema = z.object({
  sent: singleResponseSchema.nullable().openapi({
    description: "`inquiry_set_id` is the campaign. Null for a dry run",
  }),
  dry_run: dryRunResponseSchema.nullable(),
});

export const sendTest = defineTool({
  name: "send_test",
  title: "Send one message",
  description:
    "Sends a template to one person, for real, or with `dry_run` shows what would be sent. It counts for the " +
    "company's key and its quota.",
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  effect: "acts",
  role: "operator",
  permission: "chatapp_notifications",
  input: inputSchema,
  output: outputSchema,
  async run({ services, caller, args }) {
    const { hash: keyHash } = await requireSendingKey(services.sql, caller);
    const call = { services, caller, args };
    return args.dry_run
      ? { sent: null, dry_run: await dryRunMessage(call, keyHash) }
      : { sent: await sendMessage(call, keyHash), dry_run: null };
  },
});

function inputOf({ dry_run: _, idempotency_key: __, ...root }: SendTest, keyHash: string) {
  return readSingleMessage(root, keyHash);
}

async function dryRunMessage({ services, caller, args }: ToolCall<SendTest>, keyHash: string) {
  const input = inputOf(args, keyHash);
  const planned = await dryRunCampaign(services, chatChannel, input);
  if (planned.kind === "refused") throw AppError.from(planned.refusal);
  if (planned.kind === "failed") throw planned.error;
  const { sql, now } = services;
  const { request } = input;
  const dryRun = {
    companyId: caller.companyId,
    channel: chatChannel,
    request,
    plan: planned.plan,
    now: now(),
    contacts: request.contacts,
  };
  return await describeDryRun(sql, dryRun);
}

async function sendMessage({ services, caller, args }: ToolCall<SendTest>, keyHash: string) {
  const { idempotency_key: key, ...message } = args;
  if (key === undefined) {
    throw new AppError("validation_failed", "Missing required field: 'idempotency_key'", {
      details: { field: "idempotency_key", reason: "required unless dry_run" },
    });
  }
  const requestHash = sha256Hex(JSON.stringify(message));
  const idempotent = { endpoint: "mcp/send_test", key, requestHash };
  return await queueSingleMessage(services, caller, {
    ...inputOf(args, keyHash),
    idempotent,
    action: "test.sent",
  });
}
