import type { Command } from "commander";
import type { CapChanges, VisitorCaps } from "../supabase/functions/_shared/db/widgets/visitor_limits.ts";
import { wholeNumber } from "./terminal/values.ts";

export interface CapOptions {
  maxVoiceSessions?: number;
  maxVoiceMinutes?: number;
  maxConversations?: number;
  maxStoredMb?: number;
}

/** Adds the options for what visitors may use per day (UTC). */
export function addCapOptions(command: Command): Command {
  return command
    .option("--max-voice-sessions <number>", "voice sessions that visitors may start per day", wholeNumber(0))
    .option("--max-voice-minutes <number>", "minutes that voice sessions may take per day", wholeNumber(0))
    .option("--max-conversations <number>", "conversations that visitors may open per day", wholeNumber(0))
    .option("--max-stored-mb <number>", "MB of messages that visitors may write per day", wholeNumber(0));
}

/** Returns the caps that options set. */
export function capsOf(options: CapOptions): CapChanges {
  return {
    voice_sessions: options.maxVoiceSessions,
    voice_minutes: options.maxVoiceMinutes,
    conversations: options.maxConversations,
    stored_mb: options.maxStoredMb,
  };
}

/** Describes usage and caps for people. */
export function describeUsage(used: VisitorCaps, caps: VisitorCaps): string {
  return [
    `${used.voice_sessions} of ${caps.voice_sessions} voice sessions`,
    `${used.voice_minutes} of ${caps.voice_minutes} voice minutes`,
    `${used.conversations} of ${caps.conversations} conversations`,
    `${used.stored_mb} of ${caps.stored_mb} MB`,
  ].join(", ");
}

/** Describes caps for people. */
export function describeCaps(caps: VisitorCaps): string {
  return `${caps.voice_sessions} voice sessions, ${caps.voice_minutes} voice minutes, ` +
    `${caps.conversations} conversations, ${caps.stored_mb} MB`;
}
