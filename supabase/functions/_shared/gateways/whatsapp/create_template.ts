import { z } from "zod";
import { platformWords } from "../platform_text.ts";
import { fitsHeader, retryAfterSeconds } from "../http_client.ts";
import { postOnce } from "../posting/post_once.ts";
import type { PlatformResponse } from "../posting/posted_request.ts";
import { actionFor, errorOf, platformUrl, type WhatsappConfig } from "./errors.ts";

/** A template to be submitted for review. Components are in the platform's shape. */
export interface TemplateSubmission {
  wabaId: string;
  token: string;
  name: string;
  language: string;
  category: string;
  components: unknown[];
}

/**
 * The outcome of a submission. Only after `unknown` may the platform have the template without our knowing it. `busy` is
 * a refusal for now.
 */
export type CreateOutcome =
  | { kind: "created"; id: string; status: string; category: string | null }
  | {
    kind: "refused";
    httpStatus: number;
    code: number | null;
    subcode: number | null;
    /** In the platform's words. */
    reason: string;
  }
  | { kind: "busy"; reason: string; retryAfterS?: number }
  | { kind: "unreachable"; reason: string }
  | { kind: "unknown"; reason: string; retryAfterS?: number };

const createdSchema = z.looseObject({
  id: z.union([z.string().min(1), z.int().transform(String)]),
  status: z.string().default("PENDING"),
  category: z.string().nullish().catch(null),
});

const refusalSchema = z.looseObject({
  code: z.int(),
  error_subcode: z.int().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  error_user_title: z.string().optional().catch(undefined),
  error_user_msg: z.string().optional().catch(undefined),
  error_data: z.union([z.string(), z.looseObject({ details: z.string() })]).optional().catch(undefined),
});

/** Submits a template for review. Never throws for what the platform or the network does. */
export async function createTemplate(
  config: WhatsappConfig,
  submission: TemplateSubmission,
  { timeoutMs }: { timeoutMs: number },
): Promise<CreateOutcome> {
  const { wabaId, token } = submission;
  if (!fitsHeader(token)) return malformedToken();
  const response = await postOnce(config, {
    url: platformUrl(config, wabaId, "message_templates"),
    headers: { authorization: `Bearer ${token}` },
    body: () => submissionBody(submission),
  }, { timeoutMs });
  if (response.kind === "responded") return outcomeOf(response, token);
  return { kind: response.kind === "not_sent" ? "unreachable" : "unknown", reason: response.reason };
}

function submissionBody(
  { name, language, category, components }: TemplateSubmission,
): Record<string, unknown> {
  return { name, language, category, parameter_format: "POSITIONAL", components };
}

function malformedToken(): CreateOutcome {
  const reason = "The sender's access token is malformed";
  // As the platform would refuse it.
  return { kind: "refused", httpStatus: 401, code: null, subcode: null, reason };
}

function outcomeOf({ httpStatus, headers, body }: PlatformResponse, token: string): CreateOutcome {
  const isOk = httpStatus >= 200 && httpStatus < 300;
  const created = isOk ? createdSchema.safeParse(body).data : undefined;
  if (created !== undefined) {
    return { kind: "created", id: created.id, status: created.status, category: created.category ?? null };
  }
  const error = refusalSchema.safeParse(errorOf(body)).data;
  const reason = error === undefined
    ? `HTTP ${httpStatus} without a reason`
    : platformWords(wordsOf(error), token);
  const retryAfterS = retryAfterSeconds(headers);
  const wait = { ...(retryAfterS !== undefined && { retryAfterS }) };
  // With a fault of its own the platform may have stored it nonetheless.
  if (isOk || httpStatus >= 500) return { kind: "unknown", reason, ...wait };
  if (httpStatus === 429 || isBusy(error?.code, httpStatus)) return { kind: "busy", reason, ...wait };
  const subcode = error?.error_subcode ?? null;
  return { kind: "refused", httpStatus, code: error?.code ?? null, subcode, reason };
}

function isBusy(code: number | undefined, httpStatus: number): boolean {
  if (code === undefined) return false;
  const { action } = actionFor(code, httpStatus);
  return action === "slow_sender" || action === "retry";
}

function wordsOf(error: z.infer<typeof refusalSchema>): string {
  const { error_user_title: title, error_user_msg: text, error_data: data, message } = error;
  const details = text ?? (typeof data === "string" ? data : data?.details) ?? message ??
    `code ${error.code}`;
  return title && !details.startsWith(title) ? `${title}: ${details}` : details;
}
