import { z } from "@hono/zod-openapi";
import { errorResponses } from "../_shared/http/error_responses.ts";

/** What both forms of the path take in the query. */
export const webViewQuery = {
  lang: z.string().optional().openapi({ description: "The language of the texts", example: "es" }),
  showClose: z.enum(["true", "false"]).optional().openapi({
    description: "Whether it can be closed; default true",
  }),
};

const html = { "text/html": { schema: z.string() } };

/** Errors are pages for whoever asks for HTML, JSON for everybody else. */
export const webViewResponses = {
  200: { description: "The page", content: html },
  ...Object.fromEntries(
    Object.entries(errorResponses([400, 403, 404, 502])).map(([status, response]) => [
      status,
      { ...response, content: { ...response.content, ...html } },
    ]),
  ),
};
