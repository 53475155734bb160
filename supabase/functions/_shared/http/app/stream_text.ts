import { describeError, failureLevel } from "../../log.ts";
import type { AppContext } from "./context.ts";

/**
 * Responds with a text of any length, part by part, no faster than the client reads it. The first part is made before
 * the status goes out, so a failure at the start is still an error response. A later failure ends the response early, and
 * a client that disconnects ends `parts`.
 */
export async function streamText(c: AppContext, parts: AsyncGenerator<string>): Promise<Response> {
  const first = await parts.next();
  const { log } = c.get("services");

  async function* all(): AsyncGenerator<string> {
    try {
      if (!first.done) yield first.value;
      yield* parts;
    } catch (error) {
      log[failureLevel(error)]("the response ended early", {
        request_id: c.get("requestId"),
        ...describeError(error),
      });
      throw error;
    }
  }
  return c.body(ReadableStream.from(all()).pipeThrough(new TextEncoderStream()));
}
