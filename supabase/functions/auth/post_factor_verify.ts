import { z } from "@hono/zod-openapi";
import { listFactors, verifyFactor } from "../_shared/access/factors.ts";
import { checkFields } from "../_shared/check_fields.ts";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { USER } from "../_shared/http/app/security.ts";
import { readJson } from "../_shared/http/body/read_body.ts";
import { limitVisitors } from "../_shared/http/guards/limits.ts";
import { factorParams, readFactorId, readOwner } from "./factor_route.ts";
import { SESSION_EXAMPLE, sessionOf, sessionSchema } from "./session_schema.ts";
import { endPushesOf } from "./end_pushes.ts";

/** Codes have six digits, and three are good at a time: an attacker who knows the password guesses one in years. */
const GUESSES = { what: "factor", windowS: 300, perAddress: 50 };
const PER_FACTOR = 10;

const bodySchema = z.object({
  code: z.string({ error: "text" }).regex(/^\d{6}$/, "six digits"),
}).openapi("FactorCode");

const route: ApiRoute = {
  method: "post",
  path: "/auth/factors/{factor_id}/verify",
  operationId: "verifyFactor",
  summary: "Enter the code of a second factor",
  description:
    "Returns the session's next tokens, which open what the password alone does not. The first code finishes the " +
    "set-up of the factor and ends the user's other sessions, and their notifications in browsers.",
  tags: ["Access"],
  security: USER,
  request: { params: factorParams, body: jsonBody(bodySchema, { code: "123456" }) },
  responses: {
    200: { description: "The session", ...json(sessionSchema, SESSION_EXAMPLE) },
    ...errorResponses([400, 401, 403, 404, 413, 429, 502]),
  },
};

/**
 * `POST /auth/factors/{factor_id}/verify` checks a code. Fails with `validation_failed` for a wrong one, `unauthorized`,
 * `not_found`, `forbidden`, `rate_limit_exceeded` or `service_unavailable`.
 */
export function registerPostVerifyFactor(app: App): void {
  addRoute(app, route, async (c) => {
    const owner = readOwner(c);
    const id = readFactorId(c);
    const { code } = checkFields(bodySchema, (await readJson(c)).value);
    const limit = () => limitVisitors(c, { ...GUESSES, perSubject: { id, limit: PER_FACTOR } });
    const isFirst = (await listFactors(owner)).some((each) => each.id === id && each.status === "unverified");
    const session = sessionOf(await verifyFactor(owner, { id, code, limit }));
    if (isFirst) endPushesOf(c.var.services, owner.token.userId);
    c.var.services.outages.worked("auth");
    return c.json(session);
  });
}
