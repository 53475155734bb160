import assert from "node:assert/strict";
import { s3Store } from "../../../supabase/functions/_shared/gateways/media_store/s3_store.ts";
import { withHttpServer } from "../../_shared/gateways/local_server.ts";
import { eventually } from "../../setup/eventually.ts";
import { plainNumber } from "../plain_number.ts";
import { type FaultEnvironment, withFaults } from "../with_faults.ts";

const KEYS = { region: "us-east-1", accessKeyId: "id", secretAccessKey: "secret" };

/** Object storage that takes the whole of the first object, and responds to it after `release`. */
interface Bucket {
  url: string;
  objects: Set<string>;
  /** How many objects it was sent. */
  begun(): number;
  release(): void;
}

async function withBucket(fn: (bucket: Bucket) => Promise<void>): Promise<void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const objects = new Set<string>();
  let begun = 0;
  await withHttpServer(async (request) => {
    const { pathname } = new URL(request.url);
    if (request.method === "DELETE") {
      return new Response(null, { status: objects.delete(pathname) ? 204 : 404 });
    }
    if (request.method !== "PUT") return new Response(null, { status: 404 });
    await request.bytes();
    if (++begun === 1) await released;
    objects.add(pathname);
    return new Response();
  }, (url) => fn({ url: `${url}/bucket`, objects, begun: () => begun, release }).finally(release));
}

/** Makes what waits for a lease, or for an hour, due. */
async function passTime({ sql }: FaultEnvironment): Promise<void> {
  await sql`update outbound.received_media set next_at = now()`;
  await sql`update outbound.received_media_schedule set due_at = now()`;
  await sql`update outbound.media_leftovers set due_at = now()`;
}

Deno.test("a dispatcher is killed while it stores a file: another one stores it after the lease, and deletes what is left over", () =>
  withBucket((bucket) =>
    withFaults(async (t) => {
      t.services.mediaStore = s3Store({ url: bucket.url, ...KEYS });
      const env = {
        OUTBOUND_S3_URL: bucket.url,
        OUTBOUND_S3_ACCESS_KEY_ID: KEYS.accessKeyId,
        OUTBOUND_S3_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
      };
      const pool = t.startDispatchers(1, () => ({ env }));
      await pool.ready();
      await t.platform.write(plainNumber(1), { phone_number_id: t.sender.platform_id, type: "image" });
      await eventually(() => assert.equal(bucket.begun(), 1));

      await pool.killOne();
      bucket.release();
      await eventually(() => assert.equal(bucket.objects.size, 1));
      await pool.ready();
      await passTime(t);

      await eventually(async () => {
        const files = await t.sql<{ key: string }[]>`
          select '/bucket/' || company_id || '/' || id as key from outbound.media_files`;
        const waiting = await t.sql`select from outbound.received_media`;
        assert.deepEqual([files.length, waiting.length], [1, 0]);
        assert.deepEqual([...bucket.objects], [files[0]!.key]);
      });
      await pool.stop();
    }, { ratePerSecond: 10 })
  ));
