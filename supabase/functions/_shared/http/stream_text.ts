import { describeError } from "../log.ts";
import type { AppContext } from "./app.ts";

/**
 * Answers with a text of any length, part by part, no faster than the client takes it. The first part is made before
 * the status goes out, so what fails at the start is still answered as an error; what fails later breaks the answer
 * off, and a client that leaves ends `parts`.
 */
export async function streamText(c: AppContext, parts: AsyncGenerator<string>): Promise<Response> {
  const first = await parts.next();
  const { log } = c.var.services;

  async function* all(): AsyncGenerator<string> {
    try {
      if (!first.done) yield first.value;
      yield* parts;
    } catch (error) {
      log.error("the answer broke off", { request_id: c.var.requestId, ...describeError(error) });
      throw error;
    }
  }
  return c.body(ReadableStream.from(all()).pipeThrough(new TextEncoderStream()));
}
