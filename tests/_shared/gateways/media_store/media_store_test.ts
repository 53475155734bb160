import assert from "node:assert/strict";
import { AwsV4Signer } from "aws4fetch";
import { folderStore } from "../../../../supabase/functions/_shared/gateways/media_store/folder_store.ts";
import type { MediaStore } from "../../../../supabase/functions/_shared/gateways/media_store/media_store.ts";
import { s3Store } from "../../../../supabase/functions/_shared/gateways/media_store/s3_store.ts";
import { withHttpServer } from "../local_server.ts";

const KEYS = { accessKeyId: "id", secretAccessKey: "secret", region: "eu-west-1" };
const BYTES = new Uint8Array(100_000).map((_, index) => index);

/** A bucket that takes nothing without a right signature, or without its length. */
async function withBucket(fn: (url: string) => Promise<void>): Promise<void> {
  const objects = new Map<string, { type: string | null; bytes: Uint8Array<ArrayBuffer> }>();
  await withHttpServer(async (request) => {
    const headers = { "x-amz-content-sha256": request.headers.get("x-amz-content-sha256")! };
    const { method, url } = request;
    // The time that the request names: the signer would take the present, which may be the next second.
    const datetime = request.headers.get("x-amz-date")!;
    const signer = new AwsV4Signer({ ...KEYS, method, url, headers, datetime, service: "s3" });
    const signed = await signer.sign();
    if (signed.headers.get("authorization") !== request.headers.get("authorization")) {
      return new Response(null, { status: 403 });
    }
    const { pathname } = new URL(url);
    if (method === "PUT") {
      if (request.headers.get("content-length") === null) return new Response(null, { status: 411 });
      objects.set(pathname, { type: request.headers.get("content-type"), bytes: await request.bytes() });
      return new Response();
    }
    if (method === "DELETE") return new Response(null, { status: objects.delete(pathname) ? 204 : 404 });
    const object = objects.get(pathname);
    if (object === undefined) return new Response(null, { status: 404 });
    const headersOut = { "content-type": object.type! };
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get("range") ?? "");
    if (range === null) return new Response(object.bytes, { headers: headersOut });
    const part = object.bytes.slice(Number(range[1]), Number(range[2]) + 1);
    return new Response(part, { status: 206, headers: headersOut });
  }, (url) => fn(`${url}/bucket`));
}

async function withFolder(fn: (store: MediaStore) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await fn(folderStore(folder));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const STORES: Record<string, (fn: (store: MediaStore) => Promise<void>) => Promise<void>> = {
  folderStore: withFolder,
  s3Store: (fn) => withBucket((url) => fn(s3Store({ url, ...KEYS }))),
};

const file = (length = BYTES.length) => ({ type: "image/png", length, body: new Blob([BYTES]).stream() });

for (const [name, withStore] of Object.entries(STORES)) {
  Deno.test(`${name}() keeps a file until it is deleted`, () =>
    withStore(async (store) => {
      await store.put("company/one", file());

      const kept = await store.get("company/one");
      assert.equal(kept!.length, BYTES.length);
      assert.deepEqual(await new Response(kept!.body).bytes(), BYTES);
      await store.delete("company/one");
      await store.delete("company/one");
      assert.equal(await store.get("company/one"), null);
    }));

  Deno.test(`${name}() reads some bytes of a file`, () =>
    withStore(async (store) => {
      await store.put("company/one", file());

      for (const [start, end] of [[0, 1], [70_000, 70_010], [BYTES.length - 5, BYTES.length]] as const) {
        const part = await store.get("company/one", { start, end });
        assert.deepEqual(await new Response(part!.body).bytes(), BYTES.slice(start, end));
      }
      assert.equal(await store.get("company/two", { start: 0, end: 1 }), null);
    }));

  Deno.test(`${name}() keeps nothing of a file that has another length, or breaks`, () =>
    withStore(async (store) => {
      const broken = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error("broken")) });

      await assert.rejects(store.put("company/one", file(BYTES.length + 1)));
      await assert.rejects(store.put("company/two", file(BYTES.length - 1)));
      await assert.rejects(store.put("company/three", { ...file(), body: broken }), /broken/);

      for (const key of ["one", "two", "three"]) assert.equal(await store.get(`company/${key}`), null);
    }));
}

Deno.test("s3Store() throws service_unavailable when the bucket refuses or is not there", () =>
  withBucket(async (url) => {
    const wrong = s3Store({ url, ...KEYS, secretAccessKey: "another" });
    const nowhere = s3Store({ url: "http://127.0.0.1:9/bucket", ...KEYS });
    for (const store of [wrong, nowhere]) {
      await assert.rejects(store.get("company/one"), { code: "service_unavailable" });
      await assert.rejects(store.delete("company/one"), { code: "service_unavailable" });
    }
    await assert.rejects(wrong.put("company/one", file()), { code: "service_unavailable" });
  }));
