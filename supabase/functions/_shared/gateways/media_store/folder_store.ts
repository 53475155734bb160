import { dirname, join } from "node:path";
import { isOfSystem, type MediaStore, ofLength, storeUnavailable } from "./media_store.ts";

/** Keeps files in a folder of this machine. Every process of the service needs to see the same folder. */
export function folderStore(folder: string): MediaStore {
  return {
    async put(key, { length, body }) {
      const path = join(folder, key);
      // Under its name only when it is whole, also after a crash.
      const partial = `${path}.partial`;
      try {
        await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
        const file = await Deno.open(partial, { write: true, create: true, truncate: true, mode: 0o600 });
        await body.pipeThrough(ofLength(length)).pipeTo(file.writable);
        await Deno.rename(partial, path);
      } catch (error) {
        await remove(partial).catch(() => {});
        throw isOfSystem(error) ? storeUnavailable("cannot write to its folder", error) : error;
      }
    },
    async get(key, range) {
      try {
        const file = await Deno.open(join(folder, key));
        const { size } = await file.stat();
        if (range === undefined) return { type: undefined, length: size, body: file.readable };
        const { start, end } = range;
        await file.seek(start, Deno.SeekMode.Start);
        return {
          type: undefined,
          length: end - start,
          body: file.readable.pipeThrough(firstBytes(end - start)),
        };
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return null;
        throw error;
      }
    },
    async delete(key) {
      await remove(join(folder, key));
      await remove(join(folder, `${key}.partial`));
    },
  };
}

/** Passes so many bytes, and ends. */
function firstBytes(length: number): TransformStream<Uint8Array, Uint8Array> {
  let left = length;
  return new TransformStream({
    transform(part, controller) {
      controller.enqueue(part.subarray(0, left));
      left -= part.byteLength;
      if (left <= 0) controller.terminate();
    },
  });
}

async function remove(path: string): Promise<void> {
  await Deno.remove(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}
