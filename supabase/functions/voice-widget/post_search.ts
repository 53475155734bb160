import { z } from "@hono/zod-openapi";
import { checkFields } from "../_shared/check_fields.ts";
import { searchKnowledge } from "../_shared/db/widgets/knowledge.ts";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { SESSION } from "../_shared/http/app/security.ts";
import { readJson } from "../_shared/http/body/read_body.ts";
import { textSearchLanguage } from "../_shared/widgets/text_search_language.ts";
import { languageTag } from "../_shared/widgets/widget_config.ts";
import { requireSession, sessionQuery } from "./require_session.ts";

const MAX_RESULTS = 5;

const querySchema = z.object({
  query: z.string({ error: "text" }).trim().min(1, "text that is not empty").max(
    500,
    "at most 500 characters",
  ),
  language: languageTag.nullish(),
}).openapi("KnowledgeQuery");

const resultsSchema = z.object({
  results: z.array(z.object({ title: z.string(), text: z.string(), url: z.string().optional() })),
}).openapi("KnowledgeResults");

const route: ApiRoute = {
  method: "post",
  path: "/voice-widget/search",
  operationId: "searchKnowledge",
  summary: "Search the company's documents",
  tags: ["Voice widget"],
  security: SESSION,
  request: {
    query: z.object(sessionQuery),
    body: jsonBody(querySchema, { query: "How long does delivery take?", language: "en" }),
  },
  responses: {
    200: {
      description: "Up to five results, best first",
      ...json(resultsSchema, {
        results: [{
          title: "Delivery",
          text: "Orders arrive within three working days.",
          url: "https://shop.example/delivery",
        }],
      }),
    },
    ...errorResponses([400, 401, 403, 413, 429]),
  },
};

/**
 * `POST /voice-widget/search` returns the passages that match a question best. Fails with `unauthorized`, `forbidden`,
 * `validation_failed` or `rate_limit_exceeded`.
 */
export function registerPostSearch(app: App): void {
  addRoute(app, route, async (c) => {
    const session = await requireSession(c);
    const { query, language } = checkFields(querySchema, (await readJson(c)).value);
    const hits = await searchKnowledge(c.var.services.sql, {
      companyId: session.companyId,
      question: query,
      language: textSearchLanguage(language ?? session.config.default_language),
      limit: MAX_RESULTS,
    });
    return c.json({
      results: hits.map(({ title, text, url }) => ({ title, text, ...(url !== null && { url }) })),
    });
  });
}
