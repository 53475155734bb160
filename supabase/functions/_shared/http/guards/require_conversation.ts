import { z } from "zod";
import {
  type ConversationIds,
  type ConversationStatus,
  findVisitorsConversation,
  readConversationStatus,
} from "../../db/widgets/conversations.ts";
import type { Actor } from "../../db/access/audit.ts";
import { readKeyState } from "../../db/queue/send_context.ts";
import { AppError } from "../../errors.ts";
import { hashVisitorToken } from "../../widgets/conversation_rules.ts";
import { credentialOf, presentedKeyHash, requireGoodKey } from "./access_key.ts";
import type { AppContext } from "../app/context.ts";
import { bearerToken } from "../app/request_context.ts";
import { requireAllowedOrigin } from "./require_widget.ts";

export interface KnownConversation extends ConversationIds {
  status: ConversationStatus;
  /** The caller's side of the conversation. */
  author: "visitor" | "operator";
  /** The key that writes for the company, for the audit; null for the visitor. */
  by: Actor | null;
  /** Whether a machine replies to the caller first; false unless asked for. */
  hasAssistant: boolean;
}

/**
 * Returns the conversation in the path, for its visitor (`Authorization: Bearer <visitor_token>`) or an operator of its company
 * (with the company's own key; counts a request).
 *
 * Throws `unauthorized`, and `not_found` for a conversation of another company as for one that does not exist;
 * `forbidden` when the widget is off, or on the wrong page.
 *
 * @param options `withAssistant`: for a visitor's message, which a machine may reply to
 */
export async function requireConversation(
  c: AppContext,
  { withAssistant = false }: { withAssistant?: boolean } = {},
): Promise<KnownConversation> {
  const conversationId = z.uuid().safeParse(c.req.param("conversation_id")).data;
  switch (credentialOf(c)) {
    case "token":
      return await ofVisitor(c, conversationId, withAssistant);
    case "key":
      return await ofOperator(c, conversationId);
    case "none":
      throw missingToken();
  }
}

/** Returns the conversation in the path for its visitor alone. Throws `unauthorized`, also for a key, and `forbidden`, as {@link requireConversation}. */
export async function requireVisitor(c: AppContext): Promise<KnownConversation> {
  if (credentialOf(c) !== "token") throw missingToken();
  return await requireConversation(c);
}

function missingToken(): AppError {
  return new AppError("unauthorized", "Missing visitor token: send Authorization: Bearer <visitor_token>");
}

async function ofVisitor(
  c: AppContext,
  conversationId: string | undefined,
  withAssistant: boolean,
): Promise<KnownConversation> {
  const tokenHash = hashVisitorToken(bearerToken(c) ?? "");
  const found = conversationId &&
    await findVisitorsConversation(c.get("services").sql, { conversationId, tokenHash, withAssistant });
  if (!found) throw new AppError("unauthorized", "The visitor token does not belong to this conversation");
  c.set("companyId", found.company_id);
  if (!found.usable) throw new AppError("forbidden", "This widget is switched off");
  requireAllowedOrigin(c, found.allowed_origins);
  return {
    companyId: found.company_id,
    conversationId,
    status: found.status,
    author: "visitor",
    by: null,
    hasAssistant: found.has_assistant,
  };
}

async function ofOperator(c: AppContext, conversationId: string | undefined): Promise<KnownConversation> {
  const { sql } = c.get("services");
  const key = await readKeyState(sql, presentedKeyHash(c), 1);
  requireGoodKey(c, key);
  const ids = conversationId && { companyId: key.company_id, conversationId };
  const status = ids && await readConversationStatus(sql, ids);
  if (!ids || !status) throw new AppError("not_found", "This company has no conversation with this id");
  const by: Actor = { actor: `key:${key.api_key_id}`, requestId: c.get("requestId") };
  return { ...ids, status, author: "operator", by, hasAssistant: false };
}
