import type { MiddlewareHandler } from "hono";
import { AppError } from "../errors.ts";
import type { AppEnv } from "./app.ts";

/** Answers 400 to a URL with a NUL character, which no text in the database can hold. */
export function refuseNul(): MiddlewareHandler<AppEnv> {
  return async function refuseNul(c, next) {
    if (c.req.url.includes("%00")) {
      throw new AppError("validation_failed", "The URL holds a NUL character", { details: { field: "url" } });
    }
    await next();
  };
}
