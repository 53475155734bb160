import { type ConversationNews, type FollowedConversation, readNews } from "../db/conversations.ts";
import type { Sql } from "../db/connect.ts";
import { describeError, type Log } from "../log.ts";
import { createWakeSignal } from "../wake_signal.ts";

/** One who follows a conversation. */
export interface Follower {
  companyId: string;
  conversationId: string;
  /** The number of the last message it has; whoever is told of messages moves it on. */
  after: number;
  /** Called with every look at the conversation. Must not throw. */
  tell(news: ConversationNews): void;
  /** Called when nothing more will come. */
  end(): void;
}

/** Tells those who follow conversations what is new, whichever process wrote it. */
export interface ConversationFeed {
  /** Returns what takes the follower off again. */
  follow(follower: Follower): () => void;
  /** Something was written in this process: look at once. */
  wake(): void;
  /** Ends all followers. */
  end(): void;
}

/** How long after it was written elsewhere a message may be noticed. */
const LOOK_EVERY_MS = 500;

/** One visitor has some tabs; more is a mistake, and the one that came first makes room. */
const MOST_OF_ONE_CONVERSATION = 10;

/**
 * Looks, every half second and after every `wake`, at all followed conversations in one query, and not at all while
 * nobody follows. A database that is away is asked again; followers miss nothing, because each says from where on.
 */
export function createConversationFeed(sql: Sql, log: Log): ConversationFeed {
  const followers = new Map<string, Set<Follower>>();
  const wakeSignal = createWakeSignal();
  let looking = false;

  async function look(): Promise<void> {
    const news = await readNews(sql, [...followers.values()].map(fromTheFurthestBack));
    for (const item of news) {
      for (const follower of followers.get(item.id) ?? []) {
        follower.tell({ ...item, messages: item.messages.filter((m) => m.sequence > follower.after) });
      }
    }
  }

  async function lookWhileFollowed(): Promise<void> {
    if (looking) return;
    looking = true;
    while (followers.size > 0) {
      await look().catch((error) => log.warn("conversations could not be read", describeError(error)));
      await wakeSignal.wait(LOOK_EVERY_MS);
    }
    looking = false;
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
      if (others.size >= MOST_OF_ONE_CONVERSATION) [...others][0]!.end();
      followers.set(follower.conversationId, others.add(follower));
      wakeSignal.notify();
      void lookWhileFollowed();
      return () => leave(follower);
    },
    wake: () => wakeSignal.notify(),
    end() {
      for (const others of [...followers.values()]) [...others].forEach((follower) => follower.end());
    },
  };
}

function fromTheFurthestBack(followers: Set<Follower>): FollowedConversation {
  const [first] = followers;
  const { companyId, conversationId } = first!;
  return { companyId, conversationId, after: Math.min(...[...followers].map(({ after }) => after)) };
}
