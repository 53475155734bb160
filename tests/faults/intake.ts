import assert from "node:assert/strict";
import type postgres from "postgres";
import { notifyBody } from "../setup/fixtures/notify_body.ts";
import { plainNumber } from "./plain_number.ts";
import type { FaultEnvironment } from "./with_faults.ts";

/** Requests that go on while other things happen. */
export interface Intake {
  /** Stops the requests, and fails unless every accepted one is stored. Returns the number of accepted ones. */
  stop(): Promise<number>;
  /** How many requests the service has refused. */
  refused(): number;
}

export interface IntakeOptions {
  /** Recipients of each request. */
  contacts: number;
  /** From one request to the next. */
  everyMs: number;
  /** Accepted requests may be lost, because the test counts them. @default false */
  mayBeLost?: boolean;
}

/** Sends `POST /notify` at a steady pace. A refusal of the service counts as not accepted. */
export function startIntake(
  t: FaultEnvironment,
  { contacts, everyMs, mayBeLost = false }: IntakeOptions,
): Intake {
  const accepted: string[] = [];
  let next = 0;
  let refused = 0;

  async function request(): Promise<void> {
    const first = next;
    next += contacts;
    const recipients = Array.from({ length: contacts }, (_, index) => ({
      number: plainNumber(first + index),
      name: "Asha",
    }));
    const body = notifyBody(t, { contact: undefined, contacts: recipients });
    const answer = await t.http.post("/notify", body, { query: { access_key: t.key.key } });
    if (answer.status === 200) accepted.push(answer.body.inquiry_set_id);
    else {
      assert.ok(answer.status >= 500, JSON.stringify(answer.body));
      refused++;
    }
  }

  const requests: Promise<void>[] = [];
  const timer = setInterval(() => requests.push(request()), everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(requests);
      if (!mayBeLost) await assertStored(t.sql, accepted, contacts);
      return accepted.length * contacts;
    },
    refused: () => refused,
  };
}

async function assertStored(sql: postgres.Sql, campaigns: string[], total: number): Promise<void> {
  const stored = await sql<{ id: string }[]>`
    select id from outbound.campaigns where id = any (${campaigns}) and total = ${total}`;
  const found = new Set(stored.map(({ id }) => id));
  assert.deepEqual(campaigns.filter((id) => !found.has(id)), [], "answered 200 and not stored");
}
