import {
  type ConversationUpdate,
  type FollowedConversation,
  readConversationUpdates,
} from "../db/widgets/conversations.ts";
import type { Sql } from "../db/connect.ts";
import { describeError, type Log } from "../log.ts";
import { createWakeSignal } from "../concurrency/wake_signal.ts";

/** A reader of a conversation. */
export interface Follower {
  companyId: string;
  conversationId: string;
  /** The number of the last message it has. `receive` increases it. */
  after: number;
  /** Called after every query. Must not throw. */
  receive(update: ConversationUpdate): void;
  /** Called once there will be no more updates. */
  end(): void;
}

/** Sends followers the updates of their conversations, whichever process wrote them. */
export interface ConversationFeed {
  /** Adds a follower. Returns the function that removes it. */
  follow(follower: Follower): () => void;
  /** Queries at once, because this process wrote something. */
  wake(): void;
  /** Ends all followers. */
  end(): void;
}

/** The maximum delay of a message that another process wrote. */
const POLL_MS = 500;

/** Enough for a visitor's tabs. Beyond it, the oldest follower is ended. */
const MAX_PER_CONVERSATION = 10;

/**
 * Polls all followed conversations in one query, every half second and after every `wake`; without followers it does not
 * query. It retries while the database is unavailable. Followers miss nothing, because each has its own `after`.
 */
export function createConversationFeed(sql: Sql, log: Log): ConversationFeed {
  const followers = new Map<string, Set<Follower>>();
  const wakeSignal = createWakeSignal();
  let isPolling = false;

  async function poll(): Promise<void> {
    const updates = await readConversationUpdates(sql, [...followers.values()].map(fromEarliest));
    for (const update of updates) {
      for (const follower of followers.get(update.id) ?? []) {
        follower.receive({ ...update, messages: update.messages.filter((m) => m.sequence > follower.after) });
      }
    }
  }

  async function pollWhileFollowed(): Promise<void> {
    if (isPolling) return;
    isPolling = true;
    while (followers.size > 0) {
      await poll().catch((error) => log.warn("conversations could not be read", describeError(error)));
      await wakeSignal.wait(POLL_MS);
    }
    isPolling = false;
  }

  function leave(follower: Follower): void {
    const others = followers.get(follower.conversationId);
    others?.delete(follower);
    if (others?.size === 0) followers.delete(follower.conversationId);
    wakeSignal.notify();
  }

  return {
    follow(follower) {
      const others = followers.get(follower.conversationId) ?? new Set();
      if (others.size >= MAX_PER_CONVERSATION) [...others][0]!.end();
      followers.set(follower.conversationId, others.add(follower));
      wakeSignal.notify();
      void pollWhileFollowed();
      return () => leave(follower);
    },
    wake: () => wakeSignal.notify(),
    end() {
      for (const others of [...followers.values()]) [...others].forEach((follower) => follower.end());
    },
  };
}

function fromEarliest(followers: Set<Follower>): FollowedConversation {
  const [first] = followers;
  const { companyId, conversationId } = first!;
  return { companyId, conversationId, after: Math.min(...[...followers].map(({ after }) => after)) };
}
