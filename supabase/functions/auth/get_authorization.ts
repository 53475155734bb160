import { z } from "@hono/zod-openapi";
import { readAuthorization } from "../_shared/access/authorizations.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { USER } from "../_shared/http/app/security.ts";
import {
  authorizationParams,
  decidedSchema,
  readAuthorizationId,
  requirePerson,
} from "./authorization_route.ts";

const waitingSchema = z.object({
  app: z.object({
    client_id: z.string(),
    name: z.string().openapi({ description: "As the app calls itself: nothing proves it" }),
    url: z.string(),
  }),
  goes_to: z.string().openapi({ description: "Where the answer goes: who has this address gets the access" }),
  email: z.string().openapi({ description: "Whose access it would be" }),
}).openapi("WaitingApp");

const route: ApiRoute = {
  method: "get",
  path: "/auth/authorizations/{authorization_id}",
  operationId: "getAuthorization",
  summary: "Show the app that asks for access",
  description:
    "For the page to which the login service sends a person who connects an app, such as an AI assistant, by OAuth. An app " +
    "that the person let in before goes on at once.",
  tags: ["Access"],
  security: USER,
  request: { params: authorizationParams },
  responses: {
    200: {
      description: "The app, or where to go on",
      ...json(z.union([waitingSchema, decidedSchema]), {
        app: {
          client_id: "0192f8c0-1111-4222-8333-444455556666",
          name: "Assistant",
          url: "https://app.example",
        },
        goes_to: "https://app.example/callback",
        email: "ana@example.com",
      }),
    },
    ...errorResponses([401, 403, 404, 429, 502]),
  },
};

/** `GET /auth/authorizations/{authorization_id}` shows who asks. Fails with `unauthorized`, `second_factor_required` or `not_found`. */
export function registerGetAuthorization(app: App): void {
  addRoute(app, route, async (c) => {
    const person = await requirePerson(c);
    const found = await readAuthorization(person, readAuthorizationId(c));
    if ("redirect_url" in found) return c.json(found);
    const { client: { id, name, uri }, redirect_uri, user } = found;
    return c.json({ app: { client_id: id, name, url: uri }, goes_to: redirect_uri, email: user.email });
  });
}
