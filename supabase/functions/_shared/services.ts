import {
  acceptNotifications,
  type AcceptRequest,
  type AcceptVerdict,
} from "./db/queue/accept_notifications.ts";
import type { Batcher } from "./concurrency/batcher.ts";
import type { MemberName } from "./access/account.ts";
import { readMemberName } from "./access/member_names.ts";
import { createKeyRequests, type KeyRequests } from "./access/key_requests.ts";
import { createKeyLookups, type KeyLookups } from "./access/key_lookups.ts";
import {
  createKnownKeys,
  createRefusedAddresses,
  type KnownKeys,
  type RefusedAddresses,
} from "./access/presented_keys.ts";
import { databasesOf, HOME_CELL } from "./cells.ts";
import { createRefusedKeys, type RefusedKeys } from "./access/refused_keys.ts";
import {
  createExpiringCache,
  createExpiringMap,
  type ExpiringCache,
  type ExpiringMap,
} from "./concurrency/expiring_cache.ts";
import { type BodyMemory, createBodyMemory } from "./concurrency/body_memory.ts";
import { type ClientLibrary, clientLibrary } from "./gateways/client_library.ts";
import type { MediaStore } from "./gateways/media_store/media_store.ts";
import { openMediaStore } from "./gateways/media_store/open_media_store.ts";
import { loadPlatformMedia, type PlatformMedia, type PlatformMediaQuery } from "./media/platform_media.ts";
import { createDatabaseMonitor, type DatabaseHealth } from "./db/driver/database_health.ts";
import { connect, type Sql } from "./db/driver/connect.ts";
import { causeOf } from "./error_cause.ts";
import { loadIssuer } from "./access/access_token.ts";
import { createKeyCounter, type KeyCounter } from "./concurrency/key_counter.ts";
import { createKeyedSlots, type KeyedSlots } from "./concurrency/keyed_slots.ts";
import { SAMPLE_UPLOADS } from "./templates/create/upload_sample_file.ts";
import { createLog, describeError, failureLevel, type Log, type WriteLine } from "./log.ts";
import { createSealer, type Sealer } from "./crypto/seal.ts";
import { type CompanyFeed, createCompanyFeed } from "./company_events/company_feed.ts";
import { type ConversationFeed, createConversationFeed } from "./widgets/conversation_feed.ts";
import { coalesce, coalesceByKey } from "./concurrency/coalesce.ts";
import { createWakeSignal, type WakeSignal } from "./concurrency/wake_signal.ts";
import { createWindowCounter, type WindowCounter } from "./concurrency/window_counter.ts";
import { applyPlatformEvents, type PlatformEvent, storePlatformEvents } from "./db/queue/platform_events.ts";
import { type MemberIds, type MemberRights, readMemberRights } from "./db/access/members.ts";
import { type Overview, readOverview } from "./db/access/overview.ts";
import { type Maintenance, readMaintenance } from "./db/queue/settings.ts";
import { readSendContext, type SendContext, type SendContextQuery } from "./db/queue/send_context.ts";
import type { Env } from "./env.ts";
import { createOutages, type Outages } from "./outages.ts";
import { createMetrics, type Metrics } from "./telemetry/metrics.ts";
import { currentTrace } from "./telemetry/trace_context.ts";
import { createTracedBatcher } from "./telemetry/traced_batcher.ts";
import { NO_TRACING, type Tracing } from "./telemetry/tracing.ts";

/** The services that routes and the dispatcher work with, by what they are for; built once per process. */
export interface Services extends Basics, Stores, Callers, Caches, Limits, Feeds {}

/** The process itself: its settings, its database, its clock, and what it reports about itself. */
interface Basics {
  env: Env;
  log: Log;
  /** The figures that this process counts; `GET /metrics` shows them. */
  metrics: Metrics;
  tracing: Tracing;
  /** The number of the cell whose database `sql` is. */
  cell: number;
  sql: Sql;
  /** The services of the other cells, by number; each is made at its first use. Empty where there is one database. */
  otherCells: OtherCells;
  sealer: Sealer;
  /** Null where none is set up. */
  mediaStore: MediaStore | null;
  now(): Date;
  /** Evenly spread over 0 ≤ x < 1. */
  random(): number;
  /**
   * Keeps the process alive for work that continues after the response, and logs its failure. Only an unexpected failure is
   * logged as an error, because visitors can cause refusals.
   *
   * @param fields what the log says about the request that began it
   */
  inBackground(work: Promise<unknown>, fields?: { request_id: string }): void;
  /** Waits for background work, then closes the pools of all cells. */
  close(): Promise<void>;
}

/** The cells beside that of a request. */
export interface OtherCells {
  /** In their order. */
  numbers: readonly number[];
  /** Returns a cell's services; undefined for a number that no setting names. */
  open(cell: number): Services | undefined;
}

/** Batches of what requests store. */
interface Stores {
  /** Stores checked requests; those that arrive together share a round trip. */
  acceptances: Batcher<AcceptRequest, AcceptVerdict>;
  /** Stores the platform's events; those that arrive together share a round trip. */
  eventStores: Batcher<PlatformEvent[], number>;
  /** Applies every event the platform sent, stored before the call, that can be applied. */
  applyEvents(): Promise<void>;
  /** Notifications were queued in this process. */
  newWork: WakeSignal;
}

/** Knowledge about callers: their keys, tokens and rights. */
interface Callers {
  knownKeys: KnownKeys;
  keyLookups: KeyLookups;
  keyRequests: KeyRequests;
  refusedAddresses: RefusedAddresses;
  refusedKeys: RefusedKeys;
  /** The issuer of users' access tokens, as the auth server publishes it. */
  tokenIssuer: ExpiringCache<"issuer", string>;
  /** Checks of members' tokens by the auth server, under way or just done: the user's id by the token's hash. */
  signedInUsers: ExpiringMap<string, Promise<string>>;
  /** Tokens that were good lately, by hash. */
  goodTokens: ExpiringMap<string, true>;
  /** As `readMemberRights` returns them. */
  memberRights: ExpiringCache<MemberIds, MemberRights | null>;
}

/** Facts that are read once for many requests. */
interface Caches {
  sendContexts: ExpiringCache<SendContextQuery, SendContext>;
  /** Reads a company's overview; consoles that one event makes read at once share a query. */
  overview(companyId: string): Promise<Overview>;
  maintenance: ExpiringCache<"maintenance", Maintenance | null>;
  /** Shared by all requests, so that any number of them cost one query per second. */
  databaseHealth: ExpiringCache<"database", DatabaseHealth>;
  /** The URL of the voice platform's client library at the widget host. */
  clientLibrary: ExpiringCache<"client", ClientLibrary>;
  /** The platform's ids of files: a campaign has one file for all its messages. */
  platformMedia: ExpiringCache<PlatformMediaQuery, PlatformMedia>;
  /** The names of members by their user ids. */
  memberNames: ExpiringCache<string, MemberName>;
  /** The services that this one depends on and that fail. */
  outages: Outages;
}

/** Limits of what this process takes at a time, or in a minute. */
interface Limits {
  /** The request bodies that are in memory. */
  bodies: BodyMemory;
  /** Uploads of templates' samples. Each takes connections, event loop time and bandwidth, for minutes at most. */
  sampleUploads: KeyedSlots;
  /** Limits per minute of unknown callers, counted in this process. */
  perMinute: WindowCounter;
  /** The files of contacts that are being read; by company. */
  uploads: KeyCounter;
  /** The files of visitors that are being read; by address. */
  visitorUploads: KeyCounter;
}

/** Sources of open event streams. */
interface Feeds {
  /** Sends new messages of conversations to their open event streams. */
  conversations: ConversationFeed;
  /** Sends what changes in companies to the open event streams of their members. */
  companyEvents: CompanyFeed;
}

/** More requests in one statement do not make it cheaper, only the first of them slower. */
const MAX_SHARED_REQUESTS = 200;

/** Of up to 1000 events each. */
const MAX_SHARED_EVENT_LISTS = 20;
const EVENTS_PER_BATCH = 1000;

/** Four times the `statement_timeout` of the slowest statements that requests make. */
const MAX_QUERY_MS = 120_000;

/** The longest wait for a connection to one cell of several: meanwhile its requests hold memory that all share. */
const CELL_CONNECT_TIMEOUT_S = 2;

/** A cached context is only ever trusted to accept; the database checks it again when it stores. */
const CONTEXT_MS = 30_000;

/** The maximum age of the issuer that is used. */
const ISSUER_MS = 600_000;

/** The maximum delay after which a member who logged out, was banned or was removed is refused. */
const SIGNED_IN_MS = 10_000;
/** How long a token that was good counts as no stranger's. */
const GOOD_TOKEN_MS = 600_000;
const ROLE_MS = 1000;
const MAX_MEMBERS = 5000;

/** The maximum delay after which a switched maintenance flag counts. */
const MAINTENANCE_MS = 250;

/** The maximum delay after which `GET /health` reports a database that failed or came back. */
const HEALTH_MS = 1000;

/** The maximum delay after which a new version at the widget host is used. */
const CLIENT_LIBRARY_MS = 30_000;

/** Each holds some 14 MB: the recipients of 100,000 rows, to find who is in the file twice, and what is read ahead. */
export const UPLOADS = { perKey: 2, total: 8 };

/** Each holds one part of a file. */
export const VISITOR_UPLOADS = { perKey: 4, total: 64 };

/** Of some 150 bytes each. */
const MAX_COUNTED = 50_000;

/** The maximum delay after which a file that was removed is sent no more. */
const PLATFORM_MEDIA_MS = 60_000;

/** The maximum delay after which a member's new name is shown. */
const NAME_MS = 600_000;

/** Logged once, when prepared statements are switched off. */
export const PREPARED_STATEMENTS_LOST =
  "the database or the pooler in front of it forgets prepared statements: going on without them, which costs a " +
  "round trip for each statement";

/** The services that all cells share: they belong to the process, not to a database. */
type Shared =
  & Omit<Basics, "cell" | "sql" | "otherCells" | "close">
  & Limits
  & Pick<
    Callers & Caches,
    | "refusedAddresses"
    | "tokenIssuer"
    | "signedInUsers"
    | "goodTokens"
    | "clientLibrary"
    | "memberNames"
    | "outages"
  >;

/**
 * Wires the service together for one environment. Connects with the first query.
 *
 * @param options `maxQueryMs`: the longest that a query or a transaction may take; `writeLog`: takes the lines of its
 * log. @default the console
 * @returns the services of cell 0
 */
export function createServices(
  env: Env,
  { tracing = NO_TRACING, maxQueryMs = MAX_QUERY_MS, writeLog }: {
    tracing?: Tracing;
    maxQueryMs?: number;
    writeLog?: WriteLine;
  } = {},
): Services {
  const background = new Set<Promise<unknown>>();
  const shared = createShared(env, { tracing, writeLog, background });
  const urls = databasesOf(env);
  const opened = new Map<number, Services>();
  const open = (cell: number): Services | undefined => {
    const url = urls.get(cell);
    if (url === undefined) return undefined;
    const known = opened.get(cell);
    if (known !== undefined) return known;
    const numbers = [...urls.keys()].filter((number) => number !== cell);
    const services = createCellServices({ ...shared, env: { ...env, DATABASE_URL: url } }, {
      cell,
      otherCells: { numbers, open: (number) => number === cell ? undefined : open(number) },
      close: () => closeCells([...opened.values()], background),
      maxQueryMs,
    });
    opened.set(cell, services);
    return services;
  };
  return open(HOME_CELL)!;
}

/** Waits for what requests left to store and for background work, then closes the pools. */
async function closeCells(cells: Services[], background: Set<Promise<unknown>>): Promise<void> {
  for (const { conversations, companyEvents, keyRequests } of cells) {
    conversations.end();
    companyEvents.end();
    keyRequests.end();
  }
  await Promise.all(
    cells.flatMap(({ acceptances, eventStores }) => [acceptances.idle(), eventStores.idle()]),
  );
  await Promise.all(background);
  await Promise.all(cells.map(({ sql }) => sql.end({ timeout: 5 })));
  await cells[0]?.tracing.close();
}

function createShared(
  env: Env,
  { tracing, writeLog, background }: {
    tracing: Tracing;
    writeLog: WriteLine | undefined;
    background: Set<Promise<unknown>>;
  },
): Shared {
  const metrics = createMetrics();
  const log = createServiceLog(env, { metrics, tracing }, writeLog);
  const limits = createLimits();
  return {
    env,
    log,
    metrics,
    tracing,
    sealer: createSealer(env.OUTBOUND_SECRETS_KEY),
    mediaStore: openMediaStore(env),
    now: () => new Date(),
    random: Math.random,
    ...limits,
    refusedAddresses: createRefusedAddresses(limits.perMinute),
    tokenIssuer: createExpiringCache(() => loadIssuer(env), { ttlMs: ISSUER_MS, maxEntries: 1 }),
    signedInUsers: createExpiringMap({ ttlMs: SIGNED_IN_MS, maxEntries: MAX_MEMBERS }),
    goodTokens: createExpiringMap({ ttlMs: GOOD_TOKEN_MS, maxEntries: MAX_MEMBERS }),
    clientLibrary: createExpiringCache(() => clientLibrary(env.OUTBOUND_WIDGET_URL), {
      ttlMs: CLIENT_LIBRARY_MS,
      maxEntries: 1,
    }),
    memberNames: createExpiringCache((userId) => readMemberName(env, userId), {
      ttlMs: NAME_MS,
      maxEntries: MAX_MEMBERS,
    }),
    outages: createOutages(() => new Date()),
    inBackground(work, fields) {
      const settled: Promise<unknown> = work.catch((error) =>
        log[failureLevel(error)]("background work failed", { ...fields, ...describeError(error) })
      )
        .then(() => background.delete(settled));
      background.add(settled);
      hostedRuntime()?.waitUntil(settled);
    },
  };
}

/** The services of one cell: its connections, batches, and what is known from its database. */
function createCellServices(
  shared: Shared,
  { cell, otherCells, close, maxQueryMs }: Pick<Services, "cell" | "otherCells" | "close"> & {
    maxQueryMs: number;
  },
): Services {
  const { env, log, metrics, tracing, sealer, mediaStore } = shared;
  const monitor = createDatabaseMonitor(log);
  const sql = connect(env.DATABASE_URL, {
    maxQueryMs,
    ...otherCells.numbers.length > 0 && { connectTimeoutS: CELL_CONNECT_TIMEOUT_S },
    onStatementsLost: () => log.warn(PREPARED_STATEMENTS_LOST),
    onQuery() {
      const startedAt = performance.now();
      metrics.pool.queries++;
      return (error) => {
        metrics.pool.queries--;
        metrics.queryDuration.observe([], (performance.now() - startedAt) / 1000);
        monitor.record(error);
      };
    },
  });
  const knownKeys = createKnownKeys();
  return {
    ...shared,
    cell,
    otherCells,
    sql,
    ...createStores(sql, { metrics, tracing }),
    knownKeys,
    keyLookups: createKeyLookups(sql, knownKeys),
    keyRequests: createKeyRequests(sql, shared.inBackground),
    refusedKeys: createRefusedKeys(),
    memberRights: createExpiringCache((member) => readMemberRights(sql, member), {
      ttlMs: ROLE_MS,
      maxEntries: MAX_MEMBERS,
    }),
    sendContexts: createExpiringCache((query) => readSendContext(sql, query), {
      ttlMs: CONTEXT_MS,
      maxEntries: 5000,
    }),
    overview: coalesceByKey((companyId) => readOverview(sql, companyId)),
    maintenance: createExpiringCache(() => readMaintenance(sql), { ttlMs: MAINTENANCE_MS, maxEntries: 1 }),
    databaseHealth: createExpiringCache(() => monitor.check(sql), { ttlMs: HEALTH_MS, maxEntries: 1 }),
    platformMedia: createExpiringCache(
      (query) => loadPlatformMedia({ env, sql, sealer, mediaStore }, query),
      {
        ttlMs: PLATFORM_MEDIA_MS,
        maxEntries: 1000,
      },
    ),
    conversations: createConversationFeed(sql, log),
    companyEvents: createCompanyFeed(sql, log),
    close,
  };
}

function createStores(sql: Sql, { metrics, tracing }: Pick<Services, "metrics" | "tracing">): Stores {
  const acceptances = createTracedBatcher(
    { tracing, name: "store requests" },
    async (requests: AcceptRequest[]) => {
      const verdicts = await acceptNotifications(sql, requests);
      verdicts.forEach(({ outcome }, index) => {
        const { campaign, notifications } = requests[index]!;
        if (outcome === "accepted") metrics.accepted.add([campaign.channel], notifications.length);
      });
      return verdicts;
    },
    { maxItems: MAX_SHARED_REQUESTS, isOfOneItem },
  );
  const eventStores = createTracedBatcher(
    { tracing, name: "store events" },
    async (lists: PlatformEvent[][]) => {
      const stored = await storePlatformEvents(sql, lists.flat());
      return lists.map(() => stored);
    },
    { maxItems: MAX_SHARED_EVENT_LISTS, isOfOneItem },
  );
  return {
    acceptances: {
      ...acceptances,
      add: (request) => acceptances.add(withTrace(request, currentTrace(tracing))),
    },
    eventStores,
    applyEvents: coalesce(async () => {
      while (await applyPlatformEvents(sql, EVENTS_PER_BATCH) === EVENTS_PER_BATCH);
    }),
    newWork: createWakeSignal(),
  };
}

function createLimits(): Limits {
  return {
    bodies: createBodyMemory(),
    sampleUploads: createKeyedSlots(SAMPLE_UPLOADS),
    perMinute: createWindowCounter({
      windowMs: 60_000,
      maxSubjects: MAX_COUNTED,
      now: () => performance.now(),
    }),
    uploads: createKeyCounter(UPLOADS),
    visitorUploads: createKeyCounter(VISITOR_UPLOADS),
  };
}

/** Creates a log that counts its lines, and names the trace in which a line is written. */
function createServiceLog(
  { OUTBOUND_LOG_LEVEL }: Env,
  { metrics, tracing }: Pick<Services, "metrics" | "tracing">,
  write: WriteLine | undefined,
): Log {
  const onLine = (level: string) => metrics.logLines.add([level]);
  if (!tracing.isOn) return createLog(OUTBOUND_LOG_LEVEL, write, { onLine });
  const always = () => ({ trace_id: tracing.current()?.traceId });
  return createLog(OUTBOUND_LOG_LEVEL, write, { onLine, always });
}

/** Without the database every item fails alone too; one after the other, the last would wait for minutes. */
function isOfOneItem(error: unknown): boolean {
  return causeOf(error) !== "database";
}

/** Supabase's runtime ends a worker after its response, except for promises passed to `waitUntil`. */
function hostedRuntime(): { waitUntil(promise: Promise<unknown>): void } | undefined {
  return (globalThis as { EdgeRuntime?: { waitUntil(promise: Promise<unknown>): void } }).EdgeRuntime;
}

/** Keeps the span of the request with its campaign: the sends, often in another process, are linked to it. */
function withTrace(request: AcceptRequest, trace: string | null): AcceptRequest {
  return trace === null ? request : { ...request, campaign: { ...request.campaign, trace } };
}

/** Returns the services of a cell; those given for a number that no setting names, whose database knows nothing of it. */
export function servicesOfCell(services: Services, cell: number): Services {
  return cell === services.cell ? services : services.otherCells.open(cell) ?? services;
}

/** Returns the services of every cell, in their order. */
export function servicesOfAllCells(services: Services): Services[] {
  const others = services.otherCells.numbers.flatMap((cell) => services.otherCells.open(cell) ?? []);
  return [services, ...others].sort((a, b) => a.cell - b.cell);
}
