import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type BodyReader,
  openReader,
} from "../../../../supabase/functions/_shared/http/body/collect_bytes.ts";

type Source = (parts: number[][]) => ReadableStream<Uint8Array<ArrayBuffer>>;

const SOURCES: Record<string, Source> = {
  "a stream of bytes": (parts) => streamOf(parts, { type: "bytes" }),
  "any other stream": (parts) => streamOf(parts, {}),
};

function streamOf(parts: number[][], source: { type?: "bytes" }): ReadableStream<Uint8Array<ArrayBuffer>> {
  const left = [...parts];
  return new ReadableStream({
    ...source,
    pull(controller) {
      const part = left.shift();
      if (part) return controller.enqueue(Uint8Array.from(part));
      controller.close();
      (controller as unknown as ReadableByteStreamController).byobRequest?.respond(0);
    },
  } as UnderlyingByteSource) as ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Reads to the end with buffers of `size` bytes. */
async function readAll(reader: BodyReader, size: number): Promise<number[]> {
  const bytes: number[] = [];
  let buffer = new ArrayBuffer(size);
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(buffer));
    bytes.push(...value!);
    if (done) return bytes;
    buffer = value!.buffer;
  }
}

for (const [name, source] of Object.entries(SOURCES)) {
  Deno.test(`openReader() of ${name} gives every byte, whatever the parts and the buffers`, async () => {
    const parts = fc.array(fc.array(fc.nat(255), { minLength: 1, maxLength: 20 }), { maxLength: 8 });
    await fc.assert(fc.asyncProperty(parts, fc.integer({ min: 1, max: 30 }), async (given, size) => {
      assert.deepEqual(await readAll(openReader(source(given)), size), given.flat());
    }));
  });
}
