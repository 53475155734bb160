import { z } from "@hono/zod-openapi";
import { checkFields } from "../_shared/check_fields.ts";
import { rateConversation, type RatingOutcome } from "../_shared/db/widgets/chat_people.ts";
import { AppError } from "../_shared/errors.ts";
import { type ApiRoute, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { VISITOR } from "../_shared/http/app/security.ts";
import { readJson } from "../_shared/http/body/read_body.ts";
import { limitVisitors } from "../_shared/http/guards/limits.ts";
import { requireVisitor } from "../_shared/http/guards/require_conversation.ts";
import { isPlainText, PLAIN_TEXT, WITHOUT_CONTROLS } from "../_shared/values/control_characters.ts";
import { conversationParams } from "./conversation_route.ts";

/** Ratings in ten minutes. */
const RATINGS = { what: "rating", windowS: 600, perAddress: 60 };
const PER_CONVERSATION = 10;

const STARS = "a whole number from 1 to 5";
const MAX_COMMENT_LENGTH = 2000;
const COMMENT = `at most ${MAX_COMMENT_LENGTH} characters`;

const ratingSchema = z.object({
  rating: z.int({ error: STARS }).min(1, STARS).max(5, STARS),
  comment: z.string({ error: "text" }).trim()
    // Counts characters, as the database does, not UTF-16 units.
    .refine((text) => [...text].length <= MAX_COMMENT_LENGTH, COMMENT)
    .refine(isPlainText, WITHOUT_CONTROLS).nullish()
    .openapi({ maxLength: MAX_COMMENT_LENGTH, pattern: PLAIN_TEXT }),
}).openapi("ConversationRatingRequest");

const route: ApiRoute = {
  method: "post",
  path: "/widget/conversations/{conversation_id}/rating",
  operationId: "rateConversation",
  summary: "Rate a conversation",
  description: "As the visitor. Another rating replaces it, up to a day after the end of the conversation.",
  tags: ["Chat widget"],
  security: VISITOR,
  request: {
    params: conversationParams,
    body: jsonBody(ratingSchema, { rating: 5, comment: "Very helpful" }),
  },
  responses: {
    204: { description: "Stored" },
    ...errorResponses([400, 401, 403, 404, 409, 413, 429], [403]),
  },
};

/** The refusals of ratings that are not stored. */
const REFUSALS: Partial<Record<NonNullable<RatingOutcome>, ConstructorParameters<typeof AppError>>> = {
  off: ["forbidden", "This widget takes no ratings"],
  empty: ["forbidden", "This conversation has no message yet"],
  late: ["conversation_closed", "This conversation ended more than a day ago"],
};

/**
 * `POST /widget/conversations/{conversation_id}/rating` stores the visitor's rating. Fails with `unauthorized`,
 * `validation_failed`, `forbidden`, `not_found`, `conversation_closed` or `rate_limit_exceeded`.
 */
export function registerPostRating(app: App): void {
  addRoute(app, route, async (c) => {
    const conversation = await requireVisitor(c);
    const { rating, comment } = checkFields(ratingSchema, (await readJson(c)).value);
    const perSubject = { id: conversation.conversationId, limit: PER_CONVERSATION };
    await limitVisitors(c, { ...RATINGS, perSubject });
    const outcome = await rateConversation(c.var.services.sql, conversation, {
      rating,
      comment: comment || null,
    });
    const refusal = outcome && REFUSALS[outcome];
    if (refusal) throw new AppError(...refusal);
    return c.body(null, 204);
  });
}
