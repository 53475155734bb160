import assert from "node:assert/strict";
import { s3Store } from "../../supabase/functions/_shared/gateways/media_store/s3_store.ts";
import { deleteMediaLeftovers } from "../../supabase/functions/_shared/media/delete_leftovers.ts";
import { withHttpServer } from "../_shared/gateways/local_server.ts";
import { withPostgresDatabase } from "../setup/database/postgres_database.ts";
import { machineEnv } from "../setup/machine_env.ts";
import { TEST_SECRETS_KEY } from "../setup/fixtures/fixtures.ts";
import { storedMessages, withArchive } from "./with_archive.ts";

void withPostgresDatabase; // several sessions: a test file that imports this runs on a real server only

const KEYS = { region: "us-east-1", accessKeyId: "id", secretAccessKey: "secret" };

interface Bucket {
  url: string;
  objects: Map<string, Uint8Array<ArrayBuffer>>;
  /** Resolves when the request of this number, from 1, is there. It has no response. */
  reached: Promise<void>;
}

/** Object storage that never responds to its nth request, and to all before and after it. */
async function withBucket(stopAt: number, fn: (bucket: Bucket) => Promise<void>): Promise<void> {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const objects = new Map<string, Uint8Array<ArrayBuffer>>();
  let requests = 0;
  await withHttpServer(async (request) => {
    const key = new URL(request.url).pathname.replace("/bucket/", "");
    const bytes = request.method === "PUT" ? await request.bytes() : undefined;
    if (++requests === stopAt) {
      reach();
      await over;
    }
    if (bytes !== undefined) {
      objects.set(key, bytes);
      return new Response();
    }
    if (request.method === "DELETE") return new Response(null, { status: objects.delete(key) ? 204 : 404 });
    const object = objects.get(key);
    if (object === undefined) return new Response(null, { status: 404 });
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get("range") ?? "");
    if (range === null) return new Response(object);
    return new Response(object.slice(Number(range[1]), Number(range[2]) + 1), { status: 206 });
  }, (url) => fn({ url: `${url}/bucket`, objects, reached }).finally(end));
}

/** Starts `archive run` in a process of its own. */
function startRun(databaseUrl: string, bucketUrl: string): Deno.ChildProcess {
  const script = new URL("../../cli/admin.ts", import.meta.url).pathname;
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", script, "archive", "run"],
    clearEnv: true,
    env: {
      ...machineEnv(),
      OUTBOUND_SECRETS_KEY: TEST_SECRETS_KEY,
      DATABASE_URL: databaseUrl,
      OUTBOUND_S3_URL: bucketUrl,
      OUTBOUND_S3_ACCESS_KEY_ID: KEYS.accessKeyId,
      OUTBOUND_S3_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
    },
    stdout: "null",
    stderr: "null",
  }).spawn();
}

// 1 stores the file, 2 reads all of it, 3 its end, and each one more a group that is deleted then.
for (
  const [stopAt, where] of [[1, "it stores a file"], [2, "it checks it"], [4, "it deletes"], [
    5,
    "it deletes",
  ]] as const
) {
  Deno.test(`SIGKILL while ${where} (request ${stopAt} of the store): the next run loses and doubles nothing`, () =>
    withBucket(stopAt, (bucket) =>
      withArchive(async (t) => {
        const { ids } = await t.sendOld({ count: 6000 });
        const store = s3Store({ url: bucket.url, ...KEYS });
        const process = startRun(t.databaseUrl, bucket.url);
        await Promise.race([
          bucket.reached,
          process.status.then(() => Promise.reject(new Error("It ended before"))),
        ]);
        process.kill("SIGKILL");
        await process.status;

        // As if the lease had ended.
        await t.sql`update outbound.archive_files set due_at = now()`;
        await t.run({ store });

        const [file, ...others] = await t.files();
        assert.deepEqual([others.length, file!.rows, file!.state], [0, ids.length, "archived"]);
        assert.deepEqual(await storedMessages(t.db), []);
        await t.sql`update outbound.media_leftovers set due_at = now()`;
        await deleteMediaLeftovers({ ...t.services, mediaStore: store });
        assert.deepEqual([...bucket.objects.keys()], [`${t.company.id}/${file!.object_id}`]);
      })));
}

Deno.test("a message that is locked stays until it is not", () =>
  withArchive(async (t) => {
    const { ids } = await t.sendOld();

    await t.db.begin(async (on) => {
      await on`select from outbound.notification_facts where id = ${ids[0]!} for update`;
      await t.run();
    });
    const [file] = await t.files();
    const left = await storedMessages(t.db);
    await t.sql`update outbound.archive_files set due_at = now()`;
    await t.run();

    assert.deepEqual([file!.state, left.length >= 1], ["deleting", true]);
    assert.deepEqual([(await t.files())[0]!.state, await storedMessages(t.db)], ["archived", []]);
  }));
