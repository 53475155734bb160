import type { Sample } from "./sample.ts";
import { PROCESS_NAMES } from "./stack.ts";

/** The figures of a whole run, once everything had settled. */
export interface Outcome {
  samples: Sample[];
  /** Messages per second that were asked for. */
  rate: number;
  accepted: number;
  refused: number;
  kills: number;
  viewers: { count: number; events: number; reads: number; failedReads: number; maxSilenceMs: number };
  /** From the comparison of every notification with every message that the platform took. */
  sendLog: {
    notifications: number;
    lost: number;
    twice: number;
    unexplained: number;
    denied: number;
    unknown: number;
  };
  /** Notifications whose last event is not `read`. */
  unread: number;
  /** Campaigns with a counter that differs from its notifications. */
  wrongCounters: number;
  /** Seconds from the end of the load until nothing waited. */
  settledS: number;
}

/** One thing that had to hold; `met` is absent where the figure is there to be read only. */
export interface Finding {
  name: string;
  aim: string;
  figure: string;
  met?: boolean;
}

/** How far memory may move, as a share. */
const MAX_DRIFT = 0.1;
const MAX_SILENCE_MS = 30_000;

/** Says what held and what did not. */
export function judge(outcome: Outcome): Finding[] {
  const { samples, rate, accepted, refused, kills, viewers, sendLog, unread, wrongCounters, settledS } =
    outcome;
  const none = (name: string, count: number) => ({ name, aim: "0", figure: number(count), met: count === 0 });
  const taken = mean(samples.map(({ taken_per_s }) => taken_per_s));
  return [
    { name: "messages accepted", aim: "", figure: number(accepted) },
    {
      name: "messages sent per second",
      aim: `${rate} ± 2 %`,
      figure: taken.toFixed(1),
      met: near(taken, rate, 0.02),
    },
    { name: "dispatchers killed", aim: "", figure: number(kills) },
    none("requests refused", refused),
    none("accepted and not stored", accepted - sendLog.notifications),
    none("lost", sendLog.lost),
    none("sent more often than unknown outcomes explain", sendLog.unexplained),
    { name: "sent twice after an unknown outcome", aim: "", figure: number(sendLog.twice) },
    none("sent, and recorded as not sent", sendLog.denied + sendLog.unknown),
    none("without their last event", unread),
    none("campaigns with a wrong counter", wrongCounters),
    { name: "seconds from the last request until nothing waited", aim: "", figure: number(settledS) },
    growth("notifications that are due", samples, ({ due }) => due, rate),
    growth("events to apply", samples, ({ unapplied }) => unapplied, rate),
    ...PROCESS_NAMES.map((name) => drift(`memory of ${name}`, samples, ({ memory }) => memory[name])),
    { name: `events received by ${viewers.count} consoles`, aim: "", figure: number(viewers.events) },
    {
      name: "longest silence of a console",
      aim: `≤ ${MAX_SILENCE_MS / 1000} s`,
      figure: `${(viewers.maxSilenceMs / 1000).toFixed(1)} s`,
      met: viewers.count === 0 || (viewers.events > 0 && viewers.maxSilenceMs <= MAX_SILENCE_MS),
    },
    none(`failed reads of consoles (of ${number(viewers.reads)})`, viewers.failedReads),
  ];
}

/** The second fifth of a run, when everything has warmed up, and the last. */
function fifths(
  samples: Sample[],
  figureOf: (sample: Sample) => number | undefined,
): [early: number, late: number] {
  const fifth = Math.floor(samples.length / 5);
  const figures = samples.map(figureOf);
  const meanOf = (some: typeof figures) => mean(some.filter((figure) => figure !== undefined));
  return [meanOf(figures.slice(fifth, 2 * fifth)), meanOf(figures.slice(-fifth))];
}

function drift(
  name: string,
  samples: Sample[],
  figureOf: (sample: Sample) => number | undefined,
): Finding {
  const [early, late] = fifths(samples, figureOf);
  return {
    name,
    aim: `± ${MAX_DRIFT * 100} %`,
    figure: `${early.toFixed(0)} → ${late.toFixed(0)} MB (${percent(late / early - 1)})`,
    met: near(late, early, MAX_DRIFT),
  };
}

/** A queue may not end longer than it was, by more than a second's work. */
function growth(
  name: string,
  samples: Sample[],
  figureOf: (sample: Sample) => number,
  perSecond: number,
): Finding {
  const [early, late] = fifths(samples, figureOf);
  return {
    name,
    aim: "no growth",
    figure: `${early.toFixed(0)} → ${late.toFixed(0)}`,
    met: late <= early + perSecond,
  };
}

function near(figure: number, other: number, share: number): boolean {
  return Math.abs(figure - other) <= share * other;
}

function mean(figures: number[]): number {
  return figures.reduce((sum, each) => sum + each, 0) / figures.length;
}

function number(figure: number): string {
  return figure.toLocaleString("en");
}

function percent(share: number): string {
  return `${share < 0 ? "−" : "+"}${Math.abs(share * 100).toFixed(1)} %`;
}
