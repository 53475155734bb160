import { type RouteConfig, z } from "@hono/zod-openapi";
import { checkFields } from "../_shared/check_fields.ts";
import { searchKnowledge } from "../_shared/db/voice_sessions.ts";
import { addRoute, type App } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { readJson } from "../_shared/http/read_json.ts";
import { textSearchLanguage } from "../_shared/widgets/text_search_language.ts";
import { languageTag } from "../_shared/widgets/widget_config.ts";
import { requireSession } from "./require_session.ts";
import { jsonBody, sessionQuery, sessionSecurity } from "./session_route.ts";

const MOST_RESULTS = 5;

const querySchema = z.object({
  query: z.string({ error: "text" }).trim().min(1, "text that is not empty").max(
    500,
    "at most 500 characters",
  ),
  language: languageTag.nullish(),
}).openapi("KnowledgeQuery");

const answerSchema = z.object({
  results: z.array(z.object({ title: z.string(), text: z.string(), url: z.string().optional() })),
}).openapi("KnowledgeResults");

const route: RouteConfig = {
  method: "post",
  path: "/voice-widget/search",
  summary: "Look something up in the company's documents",
  tags: ["Widgets"],
  security: sessionSecurity,
  request: { query: z.object(sessionQuery), body: jsonBody(querySchema) },
  responses: {
    200: {
      description: "The best five, best first",
      content: { "application/json": { schema: answerSchema } },
    },
    ...errorResponses([400, 401, 403, 413, 429]),
  },
};

/**
 * `POST /voice-widget/search` finds the passages that answer a question. Fails with `unauthorized`, `forbidden`,
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
      limit: MOST_RESULTS,
    });
    return c.json({ results: hits.map(({ url, ...hit }) => ({ ...hit, ...(url !== null && { url }) })) });
  });
}
