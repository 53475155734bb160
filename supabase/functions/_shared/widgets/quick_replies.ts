import { type ConversationIds, type MachineReply, readChatSettings } from "../db/widgets/conversations.ts";
import type { Sql } from "../db/driver/connect.ts";
import { chatConfigSchema } from "./widget_config.ts";

/** Returns the automatic reply of a conversation's widget to a text that is one of its quick replies; undefined for none. */
export async function findAutomaticReply(
  sql: Sql,
  conversation: ConversationIds,
  text: string,
): Promise<MachineReply | undefined> {
  const settings = await readChatSettings(sql, conversation);
  if (settings === undefined) return undefined;
  const { quick_replies } = chatConfigSchema.parse(settings.config);
  const reply = Object.values(quick_replies).flat().find((each) => each.text === text)?.reply;
  if (reply === undefined) return undefined;
  return { text: reply, content: { sender: { name: settings.company_name, is_machine: true } }, fits: true };
}
