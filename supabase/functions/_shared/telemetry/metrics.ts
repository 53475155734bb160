import { createCounter, createHistogram } from "./series.ts";

/** Bounds of buckets, in seconds, from a cached read to a slow upload. */
const REQUEST_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
/** From a platform next door to the time limit of a send. */
const SEND_BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
/** Round trips to the database. */
const QUERY_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5];
/** From at once to a campaign that its sender's rate spreads over hours. */
const DELAY_BOUNDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200];

const CHANNELS = ["whatsapp", "voice"];
const PLATFORMS = CHANNELS;

/** How the pool of database connections is used. */
export interface PoolUse {
  /** Queries that wait for a connection or are executed, outside transactions. */
  queries: number;
}

/**
 * Creates the figures that a process counts while it works. Nothing here is sent anywhere: an exporter reads them, and
 * where there is none, counting costs a look-up. No label ever holds a company, a campaign, a sender or a person.
 */
export function createMetrics() {
  return {
    httpRequests: createHistogram(
      "outbound_http_request_duration_seconds",
      "Time until the response of the API began, by method, route and status",
      { labelNames: ["method", "route", "status"], bounds: REQUEST_BOUNDS },
    ),
    httpResponses: createCounter(
      "outbound_http_responses_total",
      "Responses of the API, by the class of their status (2xx, 3xx, 4xx, 5xx)",
      { class: ["2xx", "3xx", "4xx", "5xx"] },
    ),
    accepted: createCounter(
      "outbound_notifications_accepted_total",
      "Notifications that requests stored, resends included",
      { channel: CHANNELS },
    ),
    claimDuration: createHistogram(
      "outbound_claim_duration_seconds",
      "Time that a claim took, by whether it found notifications (some, none)",
      { labelNames: ["found"], bounds: QUERY_BOUNDS },
    ),
    claimed: createCounter(
      "outbound_notifications_claimed_total",
      "Notifications that dispatchers claimed",
      { channel: CHANNELS },
    ),
    queueDelay: createHistogram(
      "outbound_queue_delay_seconds",
      "Time from when a notification was due until it was claimed; it includes what its sender's rate makes it wait",
      { labelNames: ["channel"], bounds: DELAY_BOUNDS },
    ),
    sendDuration: createHistogram(
      "outbound_send_duration_seconds",
      "Time that the platform took to respond to a send",
      { labelNames: ["channel"], bounds: SEND_BOUNDS },
    ),
    sent: createCounter(
      "outbound_notifications_sent_total",
      "Attempts to send, by how they ended (accepted, refused, not_sent, unknown)",
      { channel: CHANNELS, outcome: ["accepted", "refused", "not_sent", "unknown"] },
    ),
    recorded: createCounter(
      "outbound_results_recorded_total",
      "Results of claimed notifications that were recorded, by what becomes of the notification",
      { channel: CHANNELS, outcome: [] },
    ),
    failed: createCounter(
      "outbound_notifications_failed_total",
      "Notifications that failed for good when they were tried, by error code",
      { channel: CHANNELS, reason: [] },
    ),
    recordDuration: createHistogram(
      "outbound_record_duration_seconds",
      "Time until a batch of results was recorded, retries included",
      { bounds: QUERY_BOUNDS },
    ),
    lateResults: createCounter(
      "outbound_results_late_total",
      "Results that changed nothing, because another process had settled the notification",
    ),
    replies: createCounter(
      "outbound_replies_sent_total",
      "Replies that were tried, by how that ended",
      { outcome: [] },
    ),
    eventsReceived: createCounter(
      "outbound_platform_events_received_total",
      "Events that a platform reported and that were stored",
      { platform: PLATFORMS },
    ),
    eventsRefused: createCounter(
      "outbound_platform_events_refused_total",
      "Events about messages of ours whose signature did not match",
      { platform: PLATFORMS },
    ),
    deliveries: createCounter(
      "outbound_webhook_deliveries_total",
      "Attempts to deliver an event to a company's endpoint, by how they ended (succeeded, failed, gone)",
      { outcome: ["succeeded", "failed", "gone"] },
    ),
    deliveryDuration: createHistogram(
      "outbound_webhook_delivery_duration_seconds",
      "Time that a company's endpoint took",
      { bounds: SEND_BOUNDS },
    ),
    logLines: createCounter("outbound_log_lines_total", "Lines logged, by level", {
      level: ["debug", "info", "warn", "error"],
    }),
    queryDuration: createHistogram(
      "outbound_db_query_duration_seconds",
      "Time that queries outside transactions took, waiting for a connection included",
      { bounds: QUERY_BOUNDS },
    ),
    pool: { queries: 0 } as PoolUse,
  };
}

/** The figures of one process. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Codes of ours are words, those of the platforms are numbers; anything else could hold a text. */
const CODE = /^([a-z][a-z_]{0,39}|\d{1,7})$/;

/** Returns an error code as a label. */
export function codeLabel(code: string | null): string {
  if (code === null) return "none";
  return CODE.test(code) ? code : "other";
}
