import {
  type AutomaticReply,
  type ConversationIds,
  readConversationWidget,
} from "../db/widgets/conversations.ts";
import type { Sql } from "../db/driver/connect.ts";
import { chatConfigSchema } from "./widget_config.ts";

/** Returns the automatic reply of a conversation's widget to a text that is one of its quick replies; undefined for none. */
export async function findAutomaticReply(
  sql: Sql,
  conversation: ConversationIds,
  text: string,
): Promise<AutomaticReply | undefined> {
  const widget = await readConversationWidget(sql, conversation);
  if (widget === undefined) return undefined;
  const { quick_replies } = chatConfigSchema.parse(widget.config);
  const reply = Object.values(quick_replies).flat().find((each) => each.text === text)?.reply;
  return reply === undefined
    ? undefined
    : { text: reply, sender: { name: widget.company_name, is_machine: true } };
}
