import assert from "node:assert/strict";
import { AppError } from "../../../../supabase/functions/_shared/errors.ts";
import { statusOf } from "../../../../supabase/functions/_shared/http/app/respond_error.ts";
import {
  type Sample,
  SampleSourceError,
  uploadSample,
} from "../../../../supabase/functions/_shared/gateways/whatsapp/upload_sample.ts";
import { withHttpServer } from "../local_server.ts";

const LENGTH = 9;

/** A sample of which one byte comes and then nothing, or an error. */
function createSample(end: "stalls" | "fails", isWaiting: boolean): Sample {
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (pulls++ === 0) return controller.enqueue(new Uint8Array(1));
      if (end === "fails") return controller.error(new Error("cut"));
      return new Promise(() => {});
    },
  }, { highWaterMark: 0 });
  const failure = () => end === "fails" ? "The source has gone" : undefined;
  return { body, length: LENGTH, type: "image/png", name: "a.png", failure, isWaiting: () => isWaiting };
}

/** How the upload of a sample ends at a platform that takes whatever comes. */
async function uploadTo(sample: Sample): Promise<unknown> {
  let error: unknown;
  await withHttpServer(async (request) => {
    if (new URL(request.url).pathname.endsWith("/app/uploads")) {
      return Response.json({ id: "upload:x?sig=y" });
    }
    return Response.json({ h: `4::${(await request.arrayBuffer()).byteLength}` });
  }, async (apiUrl) => {
    const config = { apiUrl, apiVersion: "v25.0" };
    await uploadSample(config, { token: "token", sample }, { timeoutMs: 200 }).catch((reason) =>
      error = reason
    );
  });
  return error;
}

Deno.test("uploadSample() blames the source when it fails or is being waited for as the time ends", async () => {
  const failed = await uploadTo(createSample("fails", false));
  const tooSlow = await uploadTo(createSample("stalls", true));

  assert.ok(failed instanceof SampleSourceError && tooSlow instanceof SampleSourceError);
  assert.equal(failed.message, "The source has gone");
  assert.match(tooSlow.message, /did not send the whole of it in time/);
});

Deno.test("uploadSample() blames the platform when the source was not being waited for", async () => {
  const error = await uploadTo(createSample("stalls", false));

  assert.ok(error instanceof AppError);
  assert.deepEqual([error.code, statusOf(error)], ["service_unavailable", 502]);
});
