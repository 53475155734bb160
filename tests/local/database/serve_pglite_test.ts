import assert from "node:assert/strict";
import { PGlite } from "@electric-sql/pglite";
import postgres from "postgres";
import { servePglite, type ServePgliteOptions } from "../../../local/database/serve_pglite.ts";

type Connect = (options?: postgres.Options<Record<string, never>>) => postgres.Sql;

const template = await makeTemplate();

async function makeTemplate(): Promise<Blob> {
  const database = await PGlite.create();
  const template = await database.dumpDataDir("none");
  await database.close();
  return template;
}

/** Calls `fn` with a server on a PGlite of its own; Postgres' own timers end with that. */
async function withServer(
  fn: (connect: Connect, url: string) => Promise<void>,
  options: Partial<ServePgliteOptions> = {},
): Promise<void> {
  const database = await PGlite.create({ loadDataDir: template });
  const server = servePglite(database, { port: 0, ...options });
  const url = `postgres://postgres:${options.password ?? ""}@127.0.0.1:${server.port}/postgres`;
  const clients: postgres.Sql[] = [];
  try {
    await fn((more = {}) => {
      const client = postgres(url, { onnotice: () => {}, ...more });
      clients.push(client);
      return client;
    }, url);
  } finally {
    await Promise.all(clients.map((client) => client.end({ timeout: 1 })));
    await server.close();
    await database.close();
  }
}

Deno.test("servePglite() gives every client the responses to its own unnamed statements", () =>
  withServer(async (connect) => {
    const clients = Array.from({ length: 6 }, () => connect({ max: 2, prepare: false }));
    const names = Array.from({ length: 120 }, (_, index) => `n${index}`);

    const results = await Promise.all(
      names.map((name, index) => clients[index % 6]!.unsafe(`select $1::text || '-${name}' as v`, [name])),
    );

    assert.deepEqual(results.map(([row]) => row?.v), names.map((name) => `${name}-${name}`));
  }));

Deno.test("servePglite() keeps one client's failing statements away from the others", () =>
  withServer(async (connect) => {
    const good = connect({ max: 3 });
    const bad = connect({ max: 3 });

    const failed = Array.from(
      { length: 20 },
      () => bad`select ${"x"}::int`.then(() => "passed", () => "failed"),
    );
    const passed = Array.from({ length: 20 }, (_, index) => good`select ${index}::int as v`);

    assert.deepEqual(new Set(await Promise.all(failed)), new Set(["failed"]));
    assert.deepEqual((await Promise.all(passed)).map(([row]) => row?.v), [...Array(20).keys()]);
  }));

Deno.test("servePglite() lets no client see or enter another client's transaction", () =>
  withServer(async (connect) => {
    const writer = connect({ max: 1 });
    const reader = connect({ max: 1 });
    await writer`create table if not exists rooms (name text)`;
    let read: Promise<postgres.RowList<postgres.Row[]>> | undefined;

    await writer.begin(async (transaction) => {
      await transaction`insert into rooms values ('a')`;
      read = reader`select count(*)::int as n from rooms`.execute();
      await transaction`insert into rooms values ('b')`;
    });

    assert.deepEqual([...(await read!)], [{ n: 2 }]);
  }));

Deno.test("servePglite() rolls back the transaction of a client that vanishes", () =>
  withServer(async (connect, url) => {
    const sql = connect({ max: 1 });
    await sql`create table if not exists kept (name text)`;
    const vanishing = await openRaw(new URL(url).port);
    await vanishing.query("begin");
    await vanishing.query("insert into kept values ('lost')");

    vanishing.close();

    assert.deepEqual([...await sql`select * from kept`], []);
  }));

Deno.test("servePglite() ends a client that leaves a transaction open without a word", () =>
  withServer(async (connect) => {
    const silent = connect({ max: 1 });
    const other = connect({ max: 1 });
    const held = Promise.withResolvers<void>();

    const ended = silent.begin(async (transaction) => {
      await transaction`select 1`;
      await held.promise;
      await transaction`select 2`;
    }).then(() => "committed", () => "ended");
    const [row] = await other`select 3 as v`;
    held.resolve();

    assert.equal(row?.v, 3);
    assert.equal(await ended, "ended");
  }, { idleInTransactionMs: 100 }));

Deno.test("servePglite() passes notifications on to the clients that listen", () =>
  withServer(async (connect) => {
    const received = Promise.withResolvers<string>();
    await connect().listen("doors", received.resolve);

    await connect()`select pg_notify('doors', 'open')`;

    assert.equal(await received.promise, "open");
  }));

Deno.test("servePglite() refuses COPY FROM STDIN and lives on", () =>
  withServer(async (connect) => {
    const sql = connect({ max: 1 });

    await assert.rejects(sql`copy pg_class from stdin`.simple(), { code: "0A000" });

    assert.deepEqual([...await sql`select 1 as v`], [{ v: 1 }]);
  }));

Deno.test("servePglite() drops the named statements of a disconnected client", () =>
  withServer(async (connect) => {
    const first = connect({ max: 1 });
    await first`select ${1}::int`;
    await first.end();

    const rows = await connect({ max: 1, prepare: false })`
      select name from pg_prepared_statements where name <> ''`;

    assert.deepEqual([...rows], []);
  }));

Deno.test("servePglite() asks for the password and refuses a wrong one", () =>
  withServer(async (connect, url) => {
    const wrong = new URL(url);
    wrong.password = "guess";
    const guessing = postgres(wrong.href, { max: 1 });

    await assert.rejects(guessing`select 1`, { code: "28P01" });

    assert.deepEqual([...await connect()`select 1 as v`], [{ v: 1 }]);
    await guessing.end();
  }, { password: "right" }));

/** A client that can be cut off in the middle, which postgres.js cannot. */
async function openRaw(port: string): Promise<{ query(text: string): Promise<void>; close(): void }> {
  const socket = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
  const startup = new TextEncoder().encode("....\0\x03\0\0user\0postgres\0database\0postgres\0\0");
  new DataView(startup.buffer).setInt32(0, startup.length);
  const untilReady = async () => {
    for (let last = 0, buffer = new Uint8Array(65536); last !== "Z".charCodeAt(0);) {
      const length = await socket.read(buffer);
      if (length === null) throw new Error("The server closed the connection");
      last = buffer[length - 6]!;
    }
  };
  await socket.write(startup);
  await untilReady();
  return {
    query: async (text) => {
      const message = new TextEncoder().encode(`Q....${text}\0`);
      new DataView(message.buffer).setInt32(1, message.length - 1);
      await socket.write(message);
      await untilReady();
    },
    close: () => socket.close(),
  };
}
