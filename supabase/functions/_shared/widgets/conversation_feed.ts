import {
  type ConversationUpdate,
  type FollowedConversation,
  readConversationUpdates,
} from "../db/widgets/conversations.ts";
import type { Sql } from "../db/driver/connect.ts";
import { createFeed, type Feed, type FeedFollower, type Topic } from "../concurrency/feed.ts";
import { describeError, type Log } from "../log.ts";

/** A reader of a conversation. */
export interface Follower extends FeedFollower {
  companyId: string;
  conversationId: string;
  /** The number of the last message it has. `receive` increases it. */
  after: number;
  /** Called after every query. Must not throw. */
  receive(update: ConversationUpdate): void;
}

/** The feed of conversations. */
export type ConversationFeed = Feed<Follower>;

const POLL_MS = 500;

/** Enough for a visitor's tabs. */
const MAX_PER_CONVERSATION = 10;

/** Reads all followed conversations in one query. Followers miss nothing, because each has its own `after`. */
export function createConversationFeed(sql: Sql, log: Log): ConversationFeed {
  const feed = createFeed<Follower, Topic<Follower>>({
    topicOf: ({ conversationId }) => conversationId,
    open: (id) => ({ id, followers: new Set() }),
    async read(conversations) {
      const updates = await readConversationUpdates(sql, conversations.map(fromEarliest));
      for (const update of updates) sendTo(conversations.find(({ id }) => id === update.id)!, update);
    },
    fail: (error) => log.warn("conversations could not be read", describeError(error)),
    everyMs: POLL_MS,
    rivals: ({ followers }) => ({ others: [...followers], max: MAX_PER_CONVERSATION }),
  });
  return {
    ...feed,
    follow(follower) {
      const leave = feed.follow(follower);
      feed.wake();
      return leave;
    },
  };
}

function sendTo({ followers }: Topic<Follower>, update: ConversationUpdate): void {
  for (const follower of followers) {
    follower.receive({ ...update, messages: update.messages.filter((m) => m.sequence > follower.after) });
  }
}

function fromEarliest({ followers }: Topic<Follower>): FollowedConversation {
  const [first] = followers;
  const { companyId, conversationId } = first!;
  return { companyId, conversationId, after: Math.min(...[...followers].map(({ after }) => after)) };
}
