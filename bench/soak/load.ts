import { plainNumber } from "../../tests/faults/plain_number.ts";
import { notifyBody } from "../measures/request_body.ts";
import { pause } from "../setup/pause.ts";
import type { Tenant } from "../setup/tenants.ts";

/** Requests that come in at a fixed rate. */
export interface SoakLoad {
  /** So far: messages accepted, and requests that were refused or broke off. */
  figures(): { accepted: number; refused: number };
  /** Sends no more, and waits for the responses. */
  stop(): Promise<void>;
}

const CONTACTS_PER_BULK = 100;
/** Three quarters of the messages come in bulk requests, the others one by one. */
const BULK_SHARE = 0.75;
/** People are written to again. */
const PEOPLE = 100_000;

/** Posts `rate` messages per second to the service, for the companies in turn, however long the responses take. */
export function startSoakLoad(baseUrl: string, tenants: Tenant[], rate: number): SoakLoad {
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  const figures = { accepted: 0, refused: 0 };
  let [requests, people] = [0, 0];

  async function post(contacts: number): Promise<void> {
    const tenant = tenants[requests++ % tenants.length]!;
    const numbers = Array.from({ length: contacts }, (_, index) => plainNumber((people + index) % PEOPLE));
    people = (people + contacts) % PEOPLE;
    const response = await fetch(`${baseUrl}/notify`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${tenant.key.key}` },
      body: JSON.stringify(notifyBody(tenant, numbers)),
    }).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.status === 200) figures.accepted += contacts;
    else figures.refused++;
  }

  async function repeat(contacts: number, everyMs: number): Promise<void> {
    for (let due = performance.now(); !stopping.signal.aborted; due += everyMs) {
      await pause(due - performance.now());
      const request = post(contacts).finally(() => underWay.delete(request));
      underWay.add(request);
    }
  }

  const loops = Promise.all([
    repeat(CONTACTS_PER_BULK, 1000 / (rate * BULK_SHARE / CONTACTS_PER_BULK)),
    repeat(1, 1000 / (rate * (1 - BULK_SHARE))),
  ]);
  return {
    figures: () => ({ ...figures }),
    async stop() {
      stopping.abort();
      await loops;
      await Promise.all(underWay);
    },
  };
}
