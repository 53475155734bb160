import type { Command } from "commander";
import type { Message } from "../../supabase/functions/_shared/db/conversations.ts";
import { closeConversation } from "../actions/close_conversation.ts";
import type { ConversationRow } from "../actions/find_conversation.ts";
import { listConversations } from "../actions/list_conversations.ts";
import { replyInConversation } from "../actions/reply_in_conversation.ts";
import { showConversation } from "../actions/show_conversation.ts";
import { renderFields } from "../output/render_fields.ts";
import { type Column, renderTable } from "../output/render_table.ts";
import { snakeKeys } from "../output/snake_keys.ts";
import type { Run } from "./answer.ts";
import { readTextFile } from "./values/read_text_file.ts";
import { uuid } from "./values/uuid.ts";
import { wholeNumber } from "./values/whole_number.ts";

const COLUMNS: Column<ConversationRow>[] = [
  ["CONVERSATION", (row) => row.conversationId],
  ["STATUS", (row) => row.status],
  ["MESSAGES", (row) => row.messages],
  ["LAST WORD", (row) => row.lastAuthor],
  ["AT", (row) => row.lastMessageAt],
  ["LANGUAGE", (row) => row.language],
  ["PAGE", (row) => row.pageUrl],
  ["TITLE", (row) => row.pageTitle],
];

const MESSAGES: Column<Message>[] = [
  ["AT", (row) => row.created_at],
  ["WHO", (row) => row.author],
  ["TEXT", (row) => row.text],
];

function fieldsOf(conversation: ConversationRow): [name: string, value: unknown][] {
  return [
    ["Status", conversation.status],
    ["Language", conversation.language],
    ["Page", conversation.pageUrl],
    ["Title", conversation.pageTitle],
  ];
}

/** `chat list | show | reply | close`. */
export function addChatCommands(program: Command, run: Run): void {
  const chat = program.command("chat").description("what visitors write in chat widgets, and the answers");
  addList(chat, run);
  addShow(chat, run);
  addReply(chat, run);
  addClose(chat, run);
}

interface ListOptions {
  company?: string;
  waiting?: boolean;
  limit: number;
}

function addList(chat: Command, run: Run): void {
  chat.command("list").description("conversations, the last written in first")
    .option("--company <id>", "only of this company", uuid)
    .option("--waiting", "only open ones whose last word is the visitor's")
    .option("--limit <n>", "how many at most", wholeNumber(1), 20)
    .action(({ company, waiting = false, limit }: ListOptions) =>
      run(async (session) => {
        const rows = await listConversations(session, { companyId: company, waiting, limit });
        return {
          json: { conversations: rows.map(snakeKeys) },
          text: renderTable(COLUMNS, rows, "No conversations"),
        };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin chat list --company "$COMPANY" --waiting');
}

function addShow(chat: Command, run: Run): void {
  chat.command("show").description("what was written, oldest first")
    .argument("<conversation-id>", "as `chat list` shows it", uuid)
    .option("--limit <n>", "the last so many messages", wholeNumber(1), 100)
    .action((conversationId: string, { limit }: { limit: number }) =>
      run(async (session) => {
        const { conversation, messages } = await showConversation(session, { conversationId, limit });
        return {
          json: { ...snakeKeys(conversation), messages },
          text: `${renderFields(fieldsOf(conversation))}\n\n${
            renderTable(MESSAGES, messages, "Nothing was written yet")
          }`,
        };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin chat show "$CONVERSATION"');
}

function addReply(chat: Command, run: Run): void {
  chat.command("reply").description("answer a visitor")
    .argument("<conversation-id>", "as `chat list` shows it", uuid)
    .argument("<text>", "up to 4,000 characters; - reads standard input")
    .action((conversationId: string, given: string) =>
      run(async (session) => {
        const text = given === "-" ? await readTextFile("-") : given;
        const message = await replyInConversation(session, { conversationId, text });
        return {
          json: { conversation_id: conversationId, message },
          text: `Message ${message.sequence} written`,
        };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin chat reply "$CONVERSATION" "It left this morning"');
}

function addClose(chat: Command, run: Run): void {
  chat.command("close").description("end a conversation")
    .argument("<conversation-id>", "as `chat list` shows it", uuid)
    .action((conversationId: string) =>
      run(async (session) => {
        const closed = await closeConversation(session, { conversationId });
        return { json: snakeKeys(closed), text: `Conversation ${conversationId} has ended` };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin chat close "$CONVERSATION"');
}
