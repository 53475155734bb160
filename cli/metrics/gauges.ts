import process from "node:process";
import { POOL_CONNECTIONS } from "../../supabase/functions/_shared/db/driver/connect.ts";
import type { OperatingFigures } from "../../supabase/functions/_shared/db/queue/operating_figures.ts";
import type { PoolUse } from "../../supabase/functions/_shared/telemetry/metrics.ts";

/** One value of a gauge, with its labels. */
export type GaugeValue = [labels: Record<string, string>, value: number];

/** A figure that is read when it is asked for. */
export interface Gauge<Source> {
  name: string;
  help: string;
  labelNames: readonly string[];
  /** A figure that only grows is a counter. @default "gauge" */
  kind?: "counter";
  /** Returns its values; none where nothing is known. */
  read(source: Source): GaugeValue[];
}

const single = (value: number): GaugeValue[] => [[{}, value]];

function byState(values: Record<string, number>): GaugeValue[] {
  return Object.entries(values).map(([state, value]) => [{ state }, value]);
}

/** The gauges that one query on the database fills; all processes report the same. Counts end at 10,000. */
export const DATABASE_GAUGES: Gauge<OperatingFigures>[] = [
  {
    name: "outbound_queue",
    help:
      "Notifications by state (due, scheduled, held, sending, unconfirmed); 10,000 means at least as many",
    labelNames: ["state"],
    read: ({ due, scheduled, held, sending, unconfirmed }) =>
      byState({ due, scheduled, held, sending, unconfirmed }),
  },
  {
    name: "outbound_queue_oldest_due_seconds",
    help: "How long the oldest notification has been due, of senders that are not stopped",
    labelNames: [],
    read: ({ oldest_due_s }) => single(oldest_due_s),
  },
  {
    name: "outbound_campaigns_held",
    help: "Campaigns that their template keeps from being sent",
    labelNames: [],
    read: ({ campaigns_held }) => single(campaigns_held),
  },
  {
    name: "outbound_senders",
    help: "Senders by state (active, stopped, locked)",
    labelNames: ["state"],
    read: ({ senders }) => byState(senders),
  },
  {
    name: "outbound_senders_warned",
    help: "Senders by what the platform says of them (quality_red, notice within 7 days)",
    labelNames: ["warning"],
    read: ({ senders_low, senders_warned }) => [
      [{ warning: "quality_red" }, senders_low],
      [{ warning: "notice" }, senders_warned],
    ],
  },
  {
    name: "outbound_platform_events_unapplied",
    help: "Events of the platforms that wait to be applied",
    labelNames: [],
    read: ({ events_unapplied }) => single(events_unapplied),
  },
  {
    name: "outbound_platform_events_oldest_seconds",
    help: "How long the oldest of these events has been due",
    labelNames: [],
    read: ({ oldest_event_s }) => single(oldest_event_s),
  },
  {
    name: "outbound_foreign_events_today",
    help: "Events since midnight in UTC that name no sender of ours",
    labelNames: [],
    read: ({ foreign_events }) => single(foreign_events),
  },
  {
    name: "outbound_webhook_backlog",
    help: "Events that wait for companies' endpoints, those between two attempts included",
    labelNames: [],
    read: ({ deliveries_pending }) => single(deliveries_pending),
  },
  {
    name: "outbound_webhook_oldest_due_seconds",
    help: "How long the oldest event for a company's endpoint has been due",
    labelNames: [],
    read: ({ oldest_delivery_s }) => single(oldest_delivery_s),
  },
  {
    name: "outbound_calls_active",
    help: "Calls that are going on",
    labelNames: [],
    read: ({ calls_active }) => single(calls_active),
  },
  {
    name: "outbound_calls_overdue",
    help: "Calls without a known end an hour after they began",
    labelNames: [],
    read: ({ calls_overdue }) => single(calls_overdue),
  },
  {
    name: "outbound_leases_lost",
    help: "Leases that ran out within the last five minutes",
    labelNames: [],
    read: ({ leases_lost }) => single(leases_lost),
  },
  {
    name: "outbound_own_webhook_failing_seconds",
    help: "How long our own webhook cannot be reached through OUTBOUND_PUBLIC_URL; 0 while it can",
    labelNames: [],
    read: ({ webhook_failing_s }) => single(webhook_failing_s),
  },
  {
    name: "outbound_cell_active",
    help: "1 if the database is the one that works; 0 in a copy or a standby, which sends nothing",
    labelNames: [],
    read: ({ cell_active }) => single(cell_active),
  },
  {
    name: "outbound_last_tick_seconds",
    help: "Time since the queue's last tick, by who made it (dispatcher, pg_cron)",
    labelNames: ["by"],
    read: ({ tick_s = {} }) => Object.entries(tick_s).map(([by, seconds]) => [{ by }, seconds]),
  },
  {
    name: "outbound_db_oldest_snapshot_seconds",
    help: "Age of the oldest snapshot, which keeps vacuum from removing rows that died since",
    labelNames: [],
    read: ({ snapshot_s }) => single(snapshot_s),
  },
  {
    name: "outbound_db_oldest_xmin_transactions",
    help: "Age of the oldest snapshot in transactions, prepared transactions and replication slots included",
    labelNames: [],
    read: ({ xmin_age }) => single(xmin_age),
  },
];

/** The source of the gauges of this process. */
export interface ProcessFigures {
  version: string;
  pool: PoolUse;
  eventLoopDelayS: number;
}

/** The gauges of this process. Names that begin with `process_` are the customary ones. */
export const PROCESS_GAUGES: Gauge<ProcessFigures>[] = [
  {
    name: "outbound_build_info",
    help: "1, with the version that runs",
    labelNames: ["version"],
    read: ({ version }) => [[{ version }, 1]],
  },
  {
    name: "outbound_db_pool",
    help:
      "Queries outside transactions by what they do (busy, waiting for a connection), and the pool's size (max)",
    labelNames: ["state"],
    read: ({ pool: { queries } }) =>
      byState({
        busy: Math.min(queries, POOL_CONNECTIONS),
        waiting: Math.max(0, queries - POOL_CONNECTIONS),
        max: POOL_CONNECTIONS,
      }),
  },
  {
    name: "outbound_event_loop_delay_seconds",
    help: "How long something that was ready had to wait for the process, at this scrape",
    labelNames: [],
    read: ({ eventLoopDelayS }) => single(eventLoopDelayS),
  },
  {
    name: "process_cpu_seconds_total",
    help: "Processor time of this process, user and system",
    kind: "counter",
    labelNames: [],
    read() {
      const { user, system } = process.cpuUsage();
      return single((user + system) / 1e6);
    },
  },
  {
    name: "process_resident_memory_bytes",
    help: "Memory of this process",
    labelNames: [],
    read: () => single(Deno.memoryUsage().rss),
  },
  {
    name: "process_start_time_seconds",
    help: "When this process started, in seconds since 1970",
    labelNames: [],
    read: () => single(performance.timeOrigin / 1000),
  },
];

/** Whether the database gave the figures; without it, an exporter that reads nothing would look like a quiet service. */
export const DATABASE_READ: Gauge<boolean> = {
  name: "outbound_metrics_database_up",
  help: "1 when the figures of the database could be read, 0 when they are missing here",
  labelNames: [],
  read: (isRead) => single(isRead ? 1 : 0),
};
