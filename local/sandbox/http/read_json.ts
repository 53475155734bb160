import type { Context } from "hono";
import { PlatformError } from "../errors/platform_error.ts";

/** The JSON body of a platform call; fails with code 100 when there is none. */
export async function readJson(c: Context): Promise<unknown> {
  if (!/^application\/json\b/i.test(c.req.header("Content-Type") ?? "")) {
    throw new PlatformError(100, "Content-Type must be application/json");
  }
  try {
    return await c.req.json();
  } catch {
    throw new PlatformError(100, "The body is not valid JSON");
  }
}
