import type { PerRequest } from "./create_client.ts";
import type { Client } from "./generated/client/index.ts";
import { followCompany } from "./generated/sdk.gen.ts";
import type { CompanyEvent } from "./generated/types.gen.ts";
import { OutboundError } from "./outbound_error.ts";
import { OptionError } from "./outbound_options.ts";
import { parseEvents } from "./parse_events.ts";
import { pause } from "./pause.ts";
import { createRepetitionFilter } from "./repetition_filter.ts";
import { delayBefore } from "./retry_rules.ts";

/**
 * An event of a company: a change with the state as it is now; `ready`, when the stream has begun; `reset`, when you
 * have to read your lists anew.
 */
export type FollowedEvent =
  & { /** Give it as `lastEventId` to go on from here. */ id: string }
  & (CompanyEvent | { type: "ready" | "reset"; data: Record<string, never> });

/** How to follow a company. */
export interface FollowOptions {
  /** The id of the last event that you have seen, to miss nothing since. */
  lastEventId?: string;
  signal?: AbortSignal;
}

/** The service writes something every 15 seconds. */
const MAX_SILENCE_MS = 40_000;

/** The service begins a stream at once. A proxy that collects whole responses shows nothing. */
const MAX_FIRST_SILENCE_MS = 10_000;

/** After so many streams in a row without a byte, polling begins. */
const MAX_EMPTY_STREAMS = 2;

const POLL_MS = 1000;

/** A change without its id in the stream. */
type Change = Pick<FollowedEvent, "type" | "data">;

/** Changes that belong together, and the id after them. */
interface Update {
  changes: Change[];
  id: string;
}

interface Follower extends FollowOptions {
  client: Client;
  companyId: string;
  emptyStreams: number;
}

/**
 * Yields what changes in a company, without end. It reconnects and goes on after the last id; where streams do not come
 * through, it polls. An event that arrives a second time after a reconnection is left out.
 *
 * @throws {OutboundError} when the service refuses, such as 401 when the token has expired
 */
export async function* followEvents(
  client: Client,
  companyId: string,
  options: FollowOptions,
): AsyncGenerator<FollowedEvent, void, undefined> {
  const follower: Follower = { ...options, client, companyId, emptyStreams: 0 };
  const isNew = createRepetitionFilter();
  for (let failures = 0;; failures++) {
    let retryAfterS: number | undefined;
    try {
      for await (const { changes, id } of readUpdates(follower)) {
        failures = 0;
        const before = follower.lastEventId ?? id;
        follower.lastEventId = id;
        const news = changes.filter(isNew);
        for (const [index, change] of news.entries()) {
          yield { ...change, id: index === news.length - 1 ? id : before } as FollowedEvent;
        }
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      if (isRefusal(error) || error instanceof OptionError) throw error;
      if (error instanceof OutboundError) retryAfterS = error.retryAfterS;
    }
    await pause(delayBefore(failures, retryAfterS), options.signal);
  }
}

function readUpdates(follower: Follower): AsyncGenerator<Update> {
  return follower.emptyStreams < MAX_EMPTY_STREAMS ? streamUpdates(follower) : pollUpdates(follower);
}

/** A lost connection and a service in trouble pass; a missing right does not. */
function isRefusal(error: unknown): boolean {
  return error instanceof OutboundError && error.status >= 400 && error.status < 500 &&
    error.status !== 408 && error.status !== 429;
}

/**
 * Reads one stream until it ends. Only the last event of an update has an id, so an update counts when that one has come:
 * half of it would come again.
 */
async function* streamUpdates(follower: Follower): AsyncGenerator<Update> {
  const body = await openStream(follower);
  if (body === undefined) {
    follower.emptyStreams = MAX_EMPTY_STREAMS;
    return;
  }
  follower.emptyStreams++;
  const silenceMs = () => follower.emptyStreams > 0 ? MAX_FIRST_SILENCE_MS : MAX_SILENCE_MS;
  let changes: Change[] = [];
  for await (
    const { type, data, id } of parseEvents(body, {
      silenceMs,
      ...(follower.signal && { signal: follower.signal }),
    })
  ) {
    follower.emptyStreams = 0;
    if (data !== "") changes.push({ type, data: JSON.parse(data) } as Change);
    if (id === undefined) continue;
    yield { changes, id };
    changes = [];
  }
}

/** Returns undefined where the response is no stream. */
async function openStream(
  { client, companyId, lastEventId, signal }: Follower,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const request: Omit<Parameters<typeof client.get>[0], "throwOnError"> & PerRequest = {
    url: "/manage/companies/{company_id}/events",
    path: { company_id: companyId },
    headers: {
      Accept: "text/event-stream",
      ...(lastEventId !== undefined && { "Last-Event-ID": lastEventId }),
    },
    parseAs: "stream",
    meta: { retries: 0 },
    ...(signal && { signal }),
  };
  const { data, response } = await client.get<unknown, unknown, true>({
    ...request,
    responseStyle: "fields",
  });
  const body = data as ReadableStream<Uint8Array> | null;
  if (response.headers.get("Content-Type")?.startsWith("text/event-stream")) return body ?? undefined;
  await body?.cancel();
}

async function* pollUpdates({ client, companyId, lastEventId, signal }: Follower): AsyncGenerator<Update> {
  for (let after = lastEventId;;) {
    const { events, reset, next } = await followCompany({
      client,
      path: { company_id: companyId },
      ...(after !== undefined && { query: { after } }),
      ...(signal && { signal }),
    });
    const changes: Change[] = [...events];
    if (reset) changes.unshift({ type: "reset", data: {} });
    changes.push({ type: "ready", data: {} });
    yield { changes, id: next };
    after = next;
    await pause(POLL_MS, signal);
  }
}
