import type { Command } from "commander";
import type { ConversationRow, Message } from "../../supabase/functions/_shared/db/widgets/conversations.ts";
import { type Column, renderFields, renderTable, snakeKeys } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import { readTextFile, uuid, wholeNumber } from "../terminal/values.ts";
import { closeConversation, listConversations, replyInConversation, showConversation } from "./actions.ts";

const COLUMNS: Column<ConversationRow>[] = [
  ["CONVERSATION", (row) => row.conversation_id],
  ["STATUS", (row) => row.status],
  ["MESSAGES", (row) => row.messages],
  ["LAST FROM", (row) => row.last_author],
  ["AT", (row) => row.last_message_at],
  ["LANGUAGE", (row) => row.language],
  ["PAGE", (row) => row.page_url],
  ["TITLE", (row) => row.page_title],
];

const MESSAGES: Column<Message>[] = [
  ["AT", (row) => row.created_at],
  ["FROM", (row) => row.author],
  ["TEXT", (row) => row.text],
];

function fieldsOf(conversation: ConversationRow): [name: string, value: unknown][] {
  return [
    ["Status", conversation.status],
    ["Language", conversation.language],
    ["Page", conversation.page_url],
    ["Title", conversation.page_title],
  ];
}

/** `chat list | show | reply | close`. */
export function addChatCommands(program: Command, run: Run): void {
  const chat = program.command("chat").description("read and reply to what visitors write in chat widgets");
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
  chat.command("list").description("list conversations, the most recent message first")
    .option("--company <id>", "only this company's", uuid)
    .option("--waiting", "only open ones whose last message is the visitor's")
    .option("--limit <n>", "show at most n", wholeNumber(1), 20)
    .action(({ company, waiting = false, limit }: ListOptions) =>
      run(async (session) => {
        const rows = await listConversations(session, { companyId: company, waiting, limit });
        return {
          json: { conversations: rows },
          text: renderTable(COLUMNS, rows, "No conversations"),
        };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin chat list --company "$COMPANY" --waiting');
}

function addShow(chat: Command, run: Run): void {
  chat.command("show").description("show the messages of a conversation, oldest first")
    .argument("<conversation-id>", "the id that `chat list` shows", uuid)
    .option("--limit <n>", "show the last n messages", wholeNumber(1), 100)
    .action((conversationId: string, { limit }: { limit: number }) =>
      run(async (session) => {
        const { conversation, messages } = await showConversation(session, { conversationId, limit });
        return {
          json: { ...conversation, messages },
          text: `${renderFields(fieldsOf(conversation))}\n\n${
            renderTable(MESSAGES, messages, "No messages yet")
          }`,
        };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin chat show "$CONVERSATION"');
}

function addReply(chat: Command, run: Run): void {
  chat.command("reply").description("reply to a visitor")
    .argument("<conversation-id>", "the id that `chat list` shows", uuid)
    .argument("<text>", "up to 4,000 characters; - reads standard input")
    .action((conversationId: string, given: string) =>
      run(async (session) => {
        const text = given === "-" ? await readTextFile("-") : given;
        const message = await replyInConversation(session, { conversationId, text });
        return {
          json: { conversation_id: conversationId, message },
          text: `Message ${message.sequence} sent`,
        };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin chat reply "$CONVERSATION" "It left this morning"');
}

function addClose(chat: Command, run: Run): void {
  chat.command("close").description("end a conversation")
    .argument("<conversation-id>", "the id that `chat list` shows", uuid)
    .action((conversationId: string) =>
      run(async (session) => {
        const closed = await closeConversation(session, { conversationId });
        return { json: snakeKeys(closed), text: `Conversation ${conversationId} has ended` };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin chat close "$CONVERSATION"');
}
