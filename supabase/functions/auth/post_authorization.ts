import { z } from "@hono/zod-openapi";
import { decideAuthorization } from "../_shared/access/authorizations.ts";
import { checkFields } from "../_shared/check_fields.ts";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { USER } from "../_shared/http/app/security.ts";
import { readJson } from "../_shared/http/body/read_body.ts";
import {
  authorizationParams,
  DECIDED_EXAMPLE,
  decidedSchema,
  readAuthorizationId,
  requirePerson,
} from "./authorization_route.ts";

const bodySchema = z.object({
  approve: z.boolean({ error: "true or false" }),
}).openapi("AppAnswer");

const route: ApiRoute = {
  method: "post",
  path: "/auth/authorizations/{authorization_id}",
  operationId: "decideAuthorization",
  summary: "Let an app in, or refuse it",
  description:
    "An app that is let in gets tokens that open `/mcp` in the person's name, and nothing else. Read the request first: only " +
    "who has read it may decide.",
  tags: ["Access"],
  security: USER,
  request: { params: authorizationParams, body: jsonBody(bodySchema, { approve: true }) },
  responses: {
    200: { description: "Where to go on", ...json(decidedSchema, DECIDED_EXAMPLE) },
    ...errorResponses([400, 401, 403, 404, 413, 429, 502]),
  },
};

/**
 * `POST /auth/authorizations/{authorization_id}` decides about an app. Fails with `validation_failed`, `unauthorized`,
 * `second_factor_required` or `not_found`.
 */
export function registerPostAuthorization(app: App): void {
  addRoute(app, route, async (c) => {
    const person = await requirePerson(c);
    const id = readAuthorizationId(c);
    const { approve } = checkFields(bodySchema, (await readJson(c)).value);
    return c.json(
      await decideAuthorization(person, { id, approve }),
    );
  });
}
