import type { ChatToReplyTo, ClaimedAgentReply, EarlierMessage } from "../db/widgets/agent_replies.ts";
import type { AgentQuestion } from "../gateways/voice/text_session.ts";
import { withoutControls } from "../values/control_characters.ts";

/** The last messages that an agent gets to know, those that wait included. */
export const MAX_MESSAGES = 30;
/** Of the conversation before, and of the messages that wait: the last ones. */
const MAX_LENGTH = 8000;
/** The longest message that a conversation takes. */
const MAX_REPLY_LENGTH = 4000;

/** Composes what an agent is asked: the messages that wait are the question, those before it the context. */
export function composeQuestion(
  { conversation_id, from_sequence }: Pick<ClaimedAgentReply, "conversation_id" | "from_sequence">,
  { messages }: Pick<ChatToReplyTo, "messages">,
  language: string,
): AgentQuestion {
  const waits = ({ author, sequence }: EarlierMessage) => author === "visitor" && sequence >= from_sequence;
  const earlier = messages.filter((message) => !waits(message) && message.author !== "system")
    .map(({ author, text }) => `${author === "visitor" ? "Visitor" : "Company"}: ${text}`);
  const context = lastOf(earlier.join("\n"));
  return {
    text: lastOf(messages.filter(waits).map(({ text }) => text).join("\n")),
    context: context && `The conversation so far:\n${context}`,
    language,
    userId: conversation_id,
  };
}

function lastOf(text: string): string {
  return text.slice(-MAX_LENGTH).toWellFormed();
}

/** Makes a message of an agent's reply: of a length that a conversation takes, without what Postgres does not. */
export function composeReplyText(text: string): string {
  const characters = [...withoutControls(text).toWellFormed().trim()];
  return characters.length <= MAX_REPLY_LENGTH
    ? characters.join("")
    : `${characters.slice(0, MAX_REPLY_LENGTH - 2).join("")} …`;
}
