import { acceptNotifications, type AcceptRequest, type AcceptVerdict } from "./db/accept_notifications.ts";
import { type Batcher, createBatcher } from "./batcher.ts";
import { createKnownKeys, type KnownKeys } from "./access/known_keys.ts";
import { createRefusedAddresses, type RefusedAddresses } from "./access/refused_addresses.ts";
import { createExpiringCache, type ExpiringCache } from "./expiring_cache.ts";
import { type BodyMemory, createBodyMemory } from "./body_memory.ts";
import { type ClientLibrary, clientLibrary } from "./gateways/widget_host/client_library.ts";
import { createDatabaseMonitor, type DatabaseHealth } from "./db/database_health.ts";
import { connect, type Sql } from "./db/connect.ts";
import { causeOf } from "./db/error_cause.ts";
import { loadIssuer } from "./access/load_issuer.ts";
import { createKeyedSlots, type KeyedSlots } from "./keyed_slots.ts";
import { SAMPLE_UPLOADS } from "./templates/create/sample_uploads.ts";
import { createLog, describeError, failureLevel, type Log } from "./log.ts";
import { createSealer, type Sealer } from "./crypto/seal.ts";
import { type ConversationFeed, createConversationFeed } from "./widgets/conversation_feed.ts";
import { shareTurns } from "./share_turns.ts";
import { createWakeSignal, type WakeSignal } from "./wake_signal.ts";
import { createWindowCounter, type WindowCounter } from "./window_counter.ts";
import { applyProviderEvents, type ProviderEvent, storeProviderEvents } from "./db/provider_events.ts";
import { type Maintenance, readMaintenance } from "./db/settings.ts";
import { readSendContext, type SendContext, type SendContextQuery } from "./db/send_context.ts";
import type { Env } from "./env.ts";
import { createOutages, type Outages } from "./outages.ts";

/** What routes and the dispatcher work with; built once a process. */
export interface Services {
  env: Env;
  log: Log;
  sql: Sql;
  sealer: Sealer;
  now(): Date;
  /** Evenly spread over 0 ≤ x < 1. */
  random(): number;
  /** Stores checked requests; those that arrive together share a round trip. */
  acceptances: Batcher<AcceptRequest, AcceptVerdict>;
  /** Stores the platform's events; those that arrive together share a round trip. */
  eventStores: Batcher<ProviderEvent[], void>;
  /** Applies every event the platform sent, stored before the call, that can be applied. */
  applyEvents(): Promise<void>;
  sendContexts: ExpiringCache<SendContextQuery, SendContext>;
  knownKeys: KnownKeys;
  refusedAddresses: RefusedAddresses;
  /** The request bodies that are in memory. */
  bodies: BodyMemory;
  /** Who issues users' access tokens, as the auth server publishes it. */
  tokenIssuer: ExpiringCache<"issuer", string>;
  /** Uploads of templates' samples. Each takes connections, time of the event loop and bandwidth for up to minutes. */
  sampleUploads: KeyedSlots;
  maintenance: ExpiringCache<"maintenance", Maintenance | null>;
  /** Shared by all who ask, so that a stranger who asks all the time costs one query per second. */
  databaseHealth: ExpiringCache<"database", DatabaseHealth>;
  /** Where the widget host has the voice platform's client library. */
  clientLibrary: ExpiringCache<"client", ClientLibrary>;
  /** Which of the services that this one depends on fail. */
  outages: Outages;
  /** What strangers may do so often per minute, counted in this process. */
  perMinute: WindowCounter;
  /** Notifications were queued in this process. */
  newWork: WakeSignal;
  /** Tells open event streams what is new in their conversations. */
  conversations: ConversationFeed;
  /**
   * Keeps the process alive for work that goes on after an answer, and logs its failure: as an error only what nobody
   * expected, since refusals are what visitors' own words lead to.
   */
  inBackground(work: Promise<unknown>): void;
  /** Waits for what is in the background, then closes the pool. */
  close(): Promise<void>;
}

/** More requests in one statement make it no cheaper, only the first of them slower. */
const MOST_SHARED_REQUESTS = 200;

/** Of up to 1000 events each. */
const MOST_SHARED_EVENT_LISTS = 20;
const EVENTS_A_CALL = 1000;

/** A cached context is only ever trusted to accept; the database checks it again when it stores. */
const CONTEXT_MS = 30_000;

/** How long another issuer may go unnoticed. */
const ISSUER_MS = 600_000;

/** How long a switched maintenance flag may go unnoticed. */
const MAINTENANCE_MS = 250;

/** How long a database that failed or came back may go unnoticed by `GET /health`. */
const HEALTH_MS = 1000;

/** How long a new version at the widget host may go unnoticed. */
const CLIENT_LIBRARY_MS = 30_000;

/** Of some 150 bytes each. */
const MAX_COUNTED = 50_000;

/** What is logged, once, when prepared statements are switched off. */
export const FORGOTTEN =
  "the database or the pooler in front of it forgets prepared statements: going on without them, which costs a " +
  "round trip for each statement";

/** Wires the service together for one environment. Connects with the first query. */
export function createServices(env: Env): Services {
  const log = createLog(env.LOG_LEVEL);
  const monitor = createDatabaseMonitor(log);
  const sql = connect(env.DATABASE_URL, {
    onForgotten: () => log.warn(FORGOTTEN),
    onError: monitor.noteError,
  });
  const background = new Set<Promise<unknown>>();
  const acceptances = createBatcher(
    (requests: AcceptRequest[]) => acceptNotifications(sql, requests),
    { maxItems: MOST_SHARED_REQUESTS, isOfOneItem },
  );
  const eventStores = createBatcher(async (lists: ProviderEvent[][]) => {
    await storeProviderEvents(sql, lists.flat());
    return lists.map(() => undefined);
  }, { maxItems: MOST_SHARED_EVENT_LISTS, isOfOneItem });
  const conversations = createConversationFeed(sql, log);
  const perMinute = createWindowCounter({
    windowMs: 60_000,
    maxSubjects: MAX_COUNTED,
    now: () => performance.now(),
  });
  return {
    env,
    log,
    sql,
    sealer: createSealer(env.SECRETS_KEY),
    now: () => new Date(),
    random: Math.random,
    acceptances,
    eventStores,
    applyEvents: shareTurns(async () => {
      while (await applyProviderEvents(sql, EVENTS_A_CALL) === EVENTS_A_CALL);
    }),
    sendContexts: createExpiringCache((query) => readSendContext(sql, query), {
      ttlMs: CONTEXT_MS,
      maxEntries: 5000,
    }),
    knownKeys: createKnownKeys(),
    refusedAddresses: createRefusedAddresses(perMinute),
    bodies: createBodyMemory(),
    tokenIssuer: createExpiringCache(() => loadIssuer(env), { ttlMs: ISSUER_MS, maxEntries: 1 }),
    sampleUploads: createKeyedSlots(SAMPLE_UPLOADS),
    maintenance: createExpiringCache(() => readMaintenance(sql), { ttlMs: MAINTENANCE_MS, maxEntries: 1 }),
    databaseHealth: createExpiringCache(() => monitor.check(sql), { ttlMs: HEALTH_MS, maxEntries: 1 }),
    clientLibrary: createExpiringCache(() => clientLibrary(env.WIDGET_URL), {
      ttlMs: CLIENT_LIBRARY_MS,
      maxEntries: 1,
    }),
    outages: createOutages(() => new Date()),
    perMinute,
    newWork: createWakeSignal(),
    conversations,
    inBackground(work) {
      const settled = work.catch((error) =>
        log[failureLevel(error)]("background work failed", describeError(error))
      )
        .finally(() => background.delete(settled));
      background.add(settled);
      hostedRuntime()?.waitUntil(settled);
    },
    async close() {
      conversations.end();
      await Promise.all([acceptances.idle(), eventStores.idle()]);
      await Promise.all(background);
      await sql.end({ timeout: 5 });
    },
  };
}

/** Without its database no item fares better alone; one after the other, the last would wait for minutes. */
function isOfOneItem(error: unknown): boolean {
  return causeOf(error) !== "database";
}

/** Supabase's runtime ends a worker after its answer unless told what it still has to wait for. */
function hostedRuntime(): { waitUntil(promise: Promise<unknown>): void } | undefined {
  return (globalThis as { EdgeRuntime?: { waitUntil(promise: Promise<unknown>): void } }).EdgeRuntime;
}
