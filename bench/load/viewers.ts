import { Outbound } from "../../sdk/typescript/src/mod.ts";

/** Which companies are watched, by whom, and by how many consoles. */
export interface Audience {
  baseUrl: string;
  /** Access tokens of members, who share the consoles. */
  tokens: string[];
  companyIds: string[];
  /** Consoles; they spread over the companies. */
  count: number;
}

/** The figures of all consoles so far. */
export interface ViewerFigures {
  events: number;
  /** Reads of the overview that followed events. */
  reads: number;
  failedReads: number;
  /** The longest time without an event of any one console, up to now, in milliseconds. */
  maxSilenceMs: number;
}

/** Open consoles. */
export interface Viewers {
  /** Resolves once every console follows its company. */
  ready: Promise<void>;
  figures(): ViewerFigures;
  /** Throws when a console was refused. */
  close(): Promise<void>;
}

/** The overview reads its sums at most this often, after an event. */
const READ_MS = 5000;

/**
 * Opens consoles on their most expensive screen, the overview: each follows its company's event stream through the
 * client that the console uses, and reads the overview after events as the screen does.
 */
export function openViewers({ baseUrl, tokens, companyIds, count }: Audience): Viewers {
  const closing = new AbortController();
  const figures: Omit<ViewerFigures, "maxSilenceMs"> = { events: 0, reads: 0, failedReads: 0 };
  const lastEventAt = new Array<number>(count).fill(Date.now());
  let maxSilenceMs = 0;
  const { promise: ready, resolve: allReady, reject: notReady } = Promise.withResolvers<void>();
  ready.catch(() => {});
  if (count === 0) allReady();
  let failure: unknown;
  let following = 0;

  async function watch(companyId: string, viewer: number): Promise<void> {
    const token = tokens[viewer % tokens.length]!;
    const outbound = new Outbound({ baseUrl, token, companyId });
    let readAt = 0;
    for await (const { type } of outbound.events({ signal: closing.signal })) {
      if (type === "ready" && ++following === count) allReady();
      if (type === "ready" || type === "reset") continue;
      const now = Date.now();
      maxSilenceMs = Math.max(maxSilenceMs, now - lastEventAt[viewer]!);
      lastEventAt[viewer] = now;
      figures.events++;
      if (now - readAt < READ_MS) continue;
      readAt = now;
      void readOverview(companyId, token);
    }
  }

  async function readOverview(companyId: string, token: string): Promise<void> {
    figures.reads++;
    const response = await fetch(`${baseUrl}/manage/companies/${companyId}/overview`, {
      headers: { authorization: `Bearer ${token}` },
      signal: closing.signal,
    }).catch(() => undefined);
    await response?.body?.cancel().catch(() => {});
    if (!response?.ok && !closing.signal.aborted) figures.failedReads++;
  }

  const watching = Array.from(
    { length: count },
    (_, viewer) =>
      watch(companyIds[viewer % companyIds.length]!, viewer).catch((error) => {
        if (closing.signal.aborted) return;
        failure ??= error;
        notReady(error);
      }),
  );
  return {
    ready,
    figures: () => ({
      ...figures,
      maxSilenceMs: Math.max(maxSilenceMs, ...lastEventAt.map((at) => Date.now() - at)),
    }),
    async close() {
      closing.abort();
      await Promise.all(watching);
      if (failure) throw failure;
    },
  };
}
