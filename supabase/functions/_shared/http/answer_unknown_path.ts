import { AppError } from "../errors.ts";
import type { App, AppContext } from "./app.ts";
import { answerError } from "./answer_error.ts";

/** 405 with `Allow` where the path exists under another method, 404 otherwise. */
export function answerUnknownPath(app: App): (c: AppContext) => Response {
  return function unknownPath(c) {
    const allowed = methodsOf(app, c.req.path);
    return answerError(
      allowed.length > 0
        ? new AppError(
          "method_not_allowed",
          `${c.req.method} is not allowed here; use ${allowed.join(", ")}`,
          {
            headers: { Allow: allowed.join(", ") },
          },
        )
        : new AppError("not_found", "There is no such endpoint; GET openapi.json lists all of them"),
      c,
    );
  };
}

function methodsOf(app: App, path: string): string[] {
  const matching = app.routes.filter((route) =>
    route.method !== "ALL" && new URLPattern({ pathname: route.path }).test({ pathname: path })
  );
  return [...new Set(matching.map((route) => route.method))].sort();
}
