import type { Sql } from "../db/driver/connect.ts";
import {
  type ConversationIds,
  type MachineReply,
  type OwedReply,
  readChatSettings,
} from "../db/widgets/conversations.ts";
import { type KnowledgeHit, searchKnowledge } from "../db/widgets/knowledge.ts";
import { withoutControls } from "../values/control_characters.ts";
import { chooseTexts } from "./choose_texts.ts";
import { textSearchLanguage } from "./text_search_language.ts";
import { chatConfigSchema } from "./widget_config.ts";

const MAX_PASSAGES = 2;

/** A longer passage is cut: its document is among the sources. */
const MAX_PASSAGE_LENGTH = 1000;

/** The words of a longer message are no question any more. As of a search by voice. */
const MAX_QUESTION_LENGTH = 500;

/**
 * Returns the reply of a widget's machine to a visitor's message: the best passages of the company's documents, and the
 * documents as `content.sources`; or that an agent owes one (`createAgentReplies`). Null where people reply.
 */
export async function machineReply(
  sql: Sql,
  conversation: ConversationIds & { hasAssistant: boolean },
  text: string,
): Promise<MachineReply | OwedReply | null> {
  const settings = conversation.hasAssistant ? await readChatSettings(sql, conversation) : undefined;
  if (!settings) return null;
  const config = chatConfigSchema.parse(settings.config);
  const { texts } = chooseTexts("chat", config, settings.language ?? undefined);
  if (config.assistant.mode === "agent") return { is_owed: true, name: texts.assistant! };
  const hits = await searchKnowledge(sql, {
    companyId: conversation.companyId,
    question: text.slice(0, MAX_QUESTION_LENGTH),
    language: textSearchLanguage(settings.language ?? config.default_language),
    limit: MAX_PASSAGES,
  });
  return composeReply(hits, texts);
}

/** Composes a reply of the passages that have at least half of the question's words. */
export function composeReply(hits: KnowledgeHit[], texts: Record<string, string>): MachineReply {
  const fitting = hits.filter(({ found, words }) => found * 2 >= words);
  const sender = { name: texts.assistant!, is_machine: true };
  if (fitting.length === 0) return { text: texts.assistant_not_found!, content: { sender }, fits: false };
  const passages = fitting.map(({ title, text }) => `${title}\n${cut(withoutControls(text).trim())}`);
  return {
    text: [texts.assistant_found, ...passages].join("\n\n"),
    content: { sender, sources: fitting.map(({ title, url }) => ({ title, ...(url !== null && { url }) })) },
    fits: true,
  };
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length <= MAX_PASSAGE_LENGTH
    ? text
    : `${characters.slice(0, MAX_PASSAGE_LENGTH).join("")} …`;
}
