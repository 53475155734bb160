import assert from "node:assert/strict";
import { join } from "node:path";
import { createParser } from "eventsource-parser";
import postgres from "postgres";
import { withServiceProcess } from "../attacks/service_process.ts";
import { eventually } from "../setup/eventually.ts";
import { insertMember, insertSender, insertTemplate } from "../setup/fixtures/fixtures.ts";
import { type TestLogin, withLoginOn } from "../setup/stack/login.ts";
import { activate, createPostgresDatabase, databaseUrl, onServer } from "../setup/database/postgres.ts";
import { withPostgresDatabase } from "../setup/database/postgres_database.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { enqueue, insertSendingCompany } from "../setup/fixtures/queue.ts";
import { clusterSettings, programIsMissing } from "./database/own_cluster.ts";

const RACE = "followers of two processes see what the tables hold, across long transactions and a restore";

/** How long the transactions of each writer are open, at most. */
const OPEN_S = [0.02, 0.2, 1, 6];
const BEFORE_RESTORE_MS = 9000;
const AFTER_RESTORE_MS = 8000;

/** A column whose changes are followed, by the kind of its events. */
const FOLLOWED = {
  campaign: { table: "campaigns", column: "replied", key: "campaign_id", value: (count: number) => count },
  template: { table: "templates", column: "rejected_reason", key: "template_id", value: String },
  message: { table: "contact_messages", column: "text", key: "message_id", value: String },
} as const;
type Kind = keyof typeof FOLLOWED;
const KINDS = Object.keys(FOLLOWED) as Kind[];

/** The rows that are written: their ids by kind, in one company. */
interface Written {
  companyId: string;
  ids: Record<Kind, string[]>;
}

Deno.test(RACE, async () => {
  if (programIsMissing(RACE, "pg_restore")) return;
  await withPostgresDatabase(async ({ url }) => {
    const { url: authUrl, close } = await createPostgresDatabase("migrated");
    try {
      await withLoginOn({ service: url, auth: authUrl }, (login) => race(login, url));
    } finally {
      await close();
    }
  });
});

async function race(login: TestLogin, url: string): Promise<void> {
  const written = await insertWritten(login);
  const user = await login.createUser();
  await insertMember(login.sql, written.companyId, user.id, "viewer");
  const token = await login.logIn(user);
  const settings = {
    SUPABASE_URL: login.env.SUPABASE_URL!,
    SUPABASE_PUBLISHABLE_KEY: login.env.SUPABASE_PUBLISHABLE_KEY!,
  };
  await withServiceProcess(url, (first) =>
    withServiceProcess(url, async (second) => {
      const path = `/manage/companies/${written.companyId}/events`;
      const followers = [first, second, first, second].map(({ baseUrl }, index) =>
        follow(`${baseUrl}${path}`, token, {
          readAll: () => readTables(url, written),
          hopsEveryMs: index < 2 ? undefined : 1500,
        })
      );
      await eventually(() => assert.ok(followers.every(({ hasBegun }) => hasBegun())));

      await withTempFolder(async (folder) => {
        const dump = join(folder, "dump");
        const before = write(url, written);
        await sleep(BEFORE_RESTORE_MS / 2);
        await runProgram("pg_dump", ["--format=custom", "--file", dump, url]);
        await sleep(BEFORE_RESTORE_MS / 2);
        await before.stop();
        await restoreInPlace(url, dump);
      });
      const after = write(url, written);
      await sleep(AFTER_RESTORE_MS);
      assert.ok(await after.stop() > 10);

      const truth = await readTables(url, written);
      for (const { seen, resets } of followers) {
        await eventually(() =>
          assert.deepEqual(new Map([...truth.keys()].map((key) => [key, seen.get(key)])), truth)
        );
        assert.ok(resets() >= 1, "the tables went back");
      }
      await Promise.all(followers.map(({ leave }) => leave()));
    }, settings), settings);
}

async function insertWritten({ sql }: TestLogin): Promise<Written> {
  const company = await insertSendingCompany(sql);
  const ids: Written["ids"] = { campaign: [], template: [], message: [] };
  for (let count = 0; count < 6; count++) {
    ids.campaign.push((await enqueue(sql, company, { count: 1 })).campaignId);
    const sender = await insertSender(sql, company.id);
    ids.template.push((await insertTemplate(sql, sender)).id);
    const id = crypto.randomUUID();
    await sql`
      insert into outbound.contact_messages (company_id, id, sender_id, direction, number, kind, text, status, at)
      values (${company.id}, ${id}, ${sender.id}, 'in', '34600111222', 'text', '0', 'received', now())`;
    ids.message.push(id);
  }
  return { companyId: company.id, ids };
}

/** Writes in transactions of several lengths, some of which roll back. `stop` returns how many were committed. */
function write(url: string, { ids }: Written): { stop(): Promise<number> } {
  const sql = postgres(url, { max: OPEN_S.length, onnotice: () => {} });
  let isWriting = true;
  let committed = 0;
  const writers = OPEN_S.map(async (openS) => {
    while (isWriting) {
      await sql.begin(async (on) => {
        // Begins before a follower's cursor, writes after it, and commits later still.
        await on`select pg_current_xact_id(), pg_sleep(${Math.random() * openS / 2})`;
        for (const kind of KINDS) {
          const { table, column, value } = FOLLOWED[kind];
          const row = { [column]: value(Math.floor(Math.random() * 1e6)) };
          await on`update ${on(`outbound.${table}`)} set ${on(row)} where id = ${pick(ids[kind])}`;
        }
        await on`select pg_sleep(${openS / 2})`;
        if (Math.random() < 0.1) throw new Error(ROLLED_BACK);
      }).then(() => committed++, (error) => assert.match(error.message, EXPECTED));
    }
  });
  return {
    async stop() {
      isWriting = false;
      await Promise.all(writers);
      await sql.end();
      return committed;
    },
  };
}

const ROLLED_BACK = "rolled back";
/** Writers lock rows of several kinds, each in the same order; two of one kind can meet the other way round. */
const EXPECTED = /rolled back|deadlock detected/;

const pick = (values: string[]) => values[Math.floor(Math.random() * values.length)]!;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Replaces a database by what a dump of it holds, under its name, while processes use it. */
async function restoreInPlace(url: string, dump: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const [restored, old] = [`${name}_restored`, `${name}_old`];
  await onServer((sql) => sql`create database ${sql(restored)} template template0`);
  await runProgram("pg_restore", ["--dbname", databaseUrl(restored), dump]);
  await activate(databaseUrl(restored));
  await onServer(async (sql) => {
    await sql`alter database ${sql(name)} allow_connections false`;
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
    await eventually(() => sql`alter database ${sql(name)} rename to ${sql(old)}`);
    await sql`alter database ${sql(restored)} rename to ${sql(name)}`;
    await sql`drop database ${sql(old)} with (force)`;
  });
}

async function runProgram(name: string, args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(join(clusterSettings().binaries.folder, name), {
    args,
    stdin: "null",
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** Returns what the tables hold: the value of each row, by kind and id. */
async function readTables(url: string, { ids }: Written): Promise<Map<string, unknown>> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const state = new Map<string, unknown>();
    for (const kind of KINDS) {
      const { table, column } = FOLLOWED[kind];
      const rows = await sql`
        select id, ${sql(column)} as value from ${sql(`outbound.${table}`)} where id = any(${
        ids[kind]
      }::uuid[])`;
      rows.forEach(({ id, value }) => state.set(`${kind} ${id}`, value));
    }
    return state;
  } finally {
    await sql.end();
  }
}

interface Follower {
  /** The last value of each row that arrived, by kind and id. */
  seen: Map<string, unknown>;
  resets(): number;
  hasBegun(): boolean;
  leave(): Promise<void>;
}

/**
 * Follows a stream as a browser does: reconnects with the last id, and after a `reset` reads everything anew.
 *
 * @param options.hopsEveryMs closes the connection by itself that often
 */
function follow(
  url: string,
  token: string,
  { readAll, hopsEveryMs }: { readAll: () => Promise<Map<string, unknown>>; hopsEveryMs: number | undefined },
): Follower {
  const seen = new Map<string, unknown>();
  let [resets, lastId] = [0, undefined as string | undefined];
  const leaving = new AbortController();
  const read = async () => {
    const signals = [leaving.signal, ...hopsEveryMs ? [AbortSignal.timeout(hopsEveryMs)] : []];
    const response = await fetch(url, {
      headers: {
        accept: "text/event-stream",
        authorization: `Bearer ${token}`,
        ...lastId !== undefined && { "last-event-id": lastId },
      },
      signal: AbortSignal.any(signals),
    });
    if (!response.ok) return void await response.body?.cancel();
    const events: { event: string; id: string | undefined; data: string }[] = [];
    const parser = createParser({
      onEvent: ({ event = "", id, data }) => void events.push({ event, id, data }),
    });
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
      parser.feed(part);
      for (const { event, id, data } of events.splice(0)) {
        if (event === "reset") {
          resets++;
          for (const [key, value] of await readAll()) seen.set(key, value);
        } else if (event in FOLLOWED) {
          const { key, column } = FOLLOWED[event as Kind];
          const fields = JSON.parse(data);
          seen.set(`${event} ${fields[key]}`, fields[column]);
        }
        lastId = id ?? lastId;
      }
    }
  };
  const reading = (async () => {
    while (!leaving.signal.aborted) {
      await read().catch(() => {});
      await sleep(200);
    }
  })();
  return {
    seen,
    resets: () => resets,
    hasBegun: () => lastId !== undefined,
    async leave() {
      leaving.abort();
      await reading;
    },
  };
}
