import { createWakeSignal } from "./wake_signal.ts";

/** Why a follower gets no more: the process stops, it may not read any more, or it has too many beside it. */
export type EndReason = "stopping" | "removed" | "displaced";

/** A reader of a topic. */
export interface FeedFollower {
  /** Called once there will be no more updates. */
  end(reason: EndReason): void;
}

/** Something that is followed, with all that a feed knows of it. It is forgotten with its last follower. */
export interface Topic<Follower> {
  id: string;
  followers: Set<Follower>;
}

/** Sends followers what is new in their topics, whichever process wrote it. */
export interface Feed<Follower> {
  /** Adds a follower. Returns the function that removes it. */
  follow(follower: Follower): () => void;
  /** Reads at once, because this process wrote something. */
  wake(): void;
  /** Ends all followers. */
  end(): void;
}

/** The part of a feed that differs from others. */
export interface FeedOptions<Follower, Followed extends Topic<Follower>> {
  /** The id of the topic that a follower follows. */
  topicOf(follower: Follower): string;
  /** Makes a topic without followers. */
  open(id: string, first: Follower): Followed;
  /** Reads what is new in all topics, in one query, and hands it to their followers. */
  read(topics: Followed[]): Promise<void>;
  /** Called when `read` failed; the next one comes in its time. */
  fail(error: unknown, topics: Followed[]): void;
  /** The time between two reads, and so the maximum delay of what another process wrote, in milliseconds. */
  everyMs: number;
  /** The followers that count against the same limit as a new one, and the limit. Beyond it, the oldest is ended. */
  rivals(topic: Followed, follower: Follower): { others: Follower[]; max: number };
}

/** Creates a feed. It reads all topics at once and without followers nothing, so its cost does not grow with followers. */
export function createFeed<Follower extends FeedFollower, Followed extends Topic<Follower>>(
  { topicOf, open, read, fail, everyMs, rivals }: FeedOptions<Follower, Followed>,
): Feed<Follower> {
  const topics = new Map<string, Followed>();
  const signal = createWakeSignal();
  let isReading = false;
  let readAt = -Infinity;

  async function readWhileFollowed(): Promise<void> {
    if (isReading) return;
    isReading = true;
    while (topics.size > 0) {
      await signal.wait(Math.max(readAt + everyMs - performance.now(), 0));
      if (topics.size === 0) break;
      readAt = performance.now();
      await read([...topics.values()]).catch((error) => fail(error, [...topics.values()]));
    }
    isReading = false;
  }

  function leave(follower: Follower): void {
    const topic = topics.get(topicOf(follower));
    topic?.followers.delete(follower);
    if (topic?.followers.size === 0) topics.delete(topic.id);
    if (topics.size === 0) signal.notify();
  }

  return {
    follow(follower) {
      const id = topicOf(follower);
      const topic = topics.get(id) ?? open(id, follower);
      const { others, max } = rivals(topic, follower);
      if (others.length >= max) others[0]!.end("displaced");
      topics.set(id, topic);
      topic.followers.add(follower);
      void readWhileFollowed();
      return () => leave(follower);
    },
    wake: () => signal.notify(),
    end() {
      for (const { followers } of [...topics.values()]) {
        [...followers].forEach((follower) => follower.end("stopping"));
      }
    },
  };
}
