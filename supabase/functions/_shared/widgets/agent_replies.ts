import { startDeadline } from "../concurrency/deadline.ts";
import { findVoiceAgent } from "../db/calls/agents.ts";
import {
  claimAgentReplies,
  type ClaimedAgentReply,
  finishAgentReply,
  type FinishedAgentReply,
  readChatToReplyTo,
} from "../db/widgets/agent_replies.ts";
import { askAgent, type AskedAgent } from "../gateways/voice/ask_agent.ts";
import type { AgentQuestion, AgentReply } from "../gateways/voice/text_session.ts";
import type { Queue } from "../sending/queue.ts";
import { createSender, type Sender } from "../sending/sender.ts";
import type { Services } from "../services.ts";
import { scheduledDelayS } from "../values/retry_delay.ts";
import { composeQuestion, composeReplyText, MAX_MESSAGES } from "./agent_question.ts";
import { chooseTexts, type ChosenTexts } from "./choose_texts.ts";
import { type ChatConfig, chatConfigSchema } from "./widget_config.ts";

const MAX_IN_FLIGHT = 64;
/** Of a company, in all processes. */
const MAX_IN_FLIGHT_EACH = 8;
/** The agent's words until then are its reply. */
const TIMEOUT_MS = 30_000;
/** Longer than a reply takes, so that a lease need not be renewed; a visitor waits for it when a dispatcher dies. */
const LEASE_S = 60;
/** A visitor who has waited for so long gets a person instead of another attempt. */
const MAX_WAIT_S = 120;

/** Seconds to wait after the first, second, … failed attempt, and after all that follow. */
const RETRY_SCHEDULE_S = [2, 5, 15, 30];

/** The result of an attempt, and what the log should say of it. */
interface AgentReplyJudgement {
  result: FinishedAgentReply;
  reason?: string;
}

/**
 * Makes the sender of what agents reply in chats, with an identity of its own: leases are in its name. A reply that is
 * not recorded before the lease ends is asked for again, and stored once. Where there is none in time, the conversation
 * goes to a person.
 */
export function createAgentReplies(services: Services, { signal }: { signal: AbortSignal }): Sender {
  const { conversations, log, random, sql } = services;
  const worker = crypto.randomUUID();

  async function finish({ result, reason }: AgentReplyJudgement): Promise<void> {
    const done = await finishAgentReply(sql, worker, result);
    if (done === "replied" || done === "handed_off") conversations.wake();
    const { company_id, conversation_id, attempt } = result;
    const facts = { company_id, conversation_id, attempt, reason };
    if (done === "handed_off") log.warn("a chat goes from its agent to a person", facts);
    if (done === "retry" && reason !== undefined) log.info("a chat waits for its agent", facts);
  }

  const queue: Queue<ClaimedAgentReply, AgentReplyJudgement> = {
    name: "agent_replies",
    span: "agent reply",
    leaseS: LEASE_S,
    claim: ({ limit }) =>
      claimAgentReplies(sql, { worker, limit, limitEach: MAX_IN_FLIGHT_EACH, leaseS: LEASE_S }),
    deliver: async (owed, isLate) => {
      const chat = await readChatToReplyTo(sql, owed, MAX_MESSAGES);
      // The database drops it where that is still so.
      if (!chat?.is_wanted || isLate()) return released(owed);
      const config = chatConfigSchema.parse(chat.config);
      const { language, texts } = chooseTexts("chat", config, chat.language ?? undefined);
      const question = composeQuestion(owed, chat, language);
      const agent = await agentOf(services, owed, chat.is_usable ? config.assistant : undefined);
      return judge(owed, await reply(services, agent, { question, stop: signal }), texts, random());
    },
    released,
    // One transaction each: one that waits for a visitor's message holds no other conversation.
    finish: async (judgements) => void await Promise.all(judgements.map(finish)),
    // A claim whose response was lost is due again when its lease ends.
    release: () => Promise.resolve(0),
    recorded: () => {},
    facts: ({ company_id, attempt }) => ({ "outbound.company_id": company_id, "outbound.attempt": attempt }),
    describe: ({ result: { company_id, conversation_id, outcome } }) => ({
      company_id,
      conversation_id,
      outcome,
    }),
  };
  return createSender(services, queue, { signal, maxInFlight: MAX_IN_FLIGHT });
}

function released(owed: ClaimedAgentReply): AgentReplyJudgement {
  return { result: { ...idsOf(owed), outcome: "retry", retry_in_s: 0 } };
}

function idsOf({ company_id, conversation_id, attempt, to_sequence }: ClaimedAgentReply) {
  return { company_id, conversation_id, attempt, to_sequence };
}

/** Asks the agent for the reply. */
async function reply(
  services: Services,
  agent: AskedAgent | string,
  { question, stop }: { question: AgentQuestion; stop: AbortSignal },
): Promise<AgentReply> {
  if (typeof agent === "string") return { kind: "failed", isFinal: true, reason: agent };
  const deadline = startDeadline(TIMEOUT_MS, stop);
  try {
    const config = { apiUrl: services.env.ELEVENLABS_API_URL };
    return await askAgent(config, agent, question, deadline.signal);
  } finally {
    deadline.clear();
  }
}

/**
 * Returns the agent to ask, or why there is none.
 *
 * @param assistant of the widget; undefined where the widget cannot be used
 */
async function agentOf(
  { env: { ELEVENLABS_API_KEY: apiKey }, sql }: Services,
  { company_id: companyId }: ClaimedAgentReply,
  assistant: ChatConfig["assistant"] | undefined,
): Promise<AskedAgent | string> {
  if (assistant?.mode !== "agent") return "The widget has no agent any more, or is switched off";
  if (!apiKey) return "ELEVENLABS_API_KEY is not set";
  const agent = await findVoiceAgent(sql, { companyId, agentId: assistant.agent_id! });
  if (agent?.status !== "active") {
    return `The widget's agent ${agent ? "is disabled" : "is not one of the company's"}`;
  }
  return { apiKey, agentId: agent.platform_agent_id };
}

const NO_TEXT = { isFinal: false, reason: "The agent's reply has no text" };

function judge(
  owed: ClaimedAgentReply,
  given: AgentReply,
  texts: ChosenTexts["texts"],
  random: number,
): AgentReplyJudgement {
  if (given.kind === "stopped") return released(owed);
  const ids = { ...idsOf(owed), person_text: texts.person_will_reply! };
  if (given.kind === "replied") {
    const text = composeReplyText(given.text);
    const content = { sender: { name: texts.assistant!, is_machine: true } };
    const reason = given.wantsPerson ? "The agent gave it to a person" : "The visitor's storage is used up";
    if (text !== "" || given.wantsPerson) {
      return {
        result: { ...ids, outcome: "replied", text, content, wants_person: given.wantsPerson },
        reason,
      };
    }
  }
  const { isFinal, reason } = given.kind === "failed" ? given : NO_TEXT;
  const retry_in_s = scheduledDelayS(RETRY_SCHEDULE_S, owed.attempt, random);
  return !isFinal && owed.waited_s + TIMEOUT_MS / 1000 + retry_in_s < MAX_WAIT_S
    ? { result: { ...ids, outcome: "retry", retry_in_s }, reason }
    : { result: { ...ids, outcome: "failed" }, reason };
}
