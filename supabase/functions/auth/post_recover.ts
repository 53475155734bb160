import { z } from "@hono/zod-openapi";
import { sendRecovery } from "../_shared/access/password.ts";
import { accountEmail } from "../_shared/access/sign_in.ts";
import { checkFields } from "../_shared/check_fields.ts";
import { type ApiRoute, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { clientAddress } from "../_shared/http/app/request_context.ts";
import { OPEN } from "../_shared/http/app/security.ts";
import { readJson } from "../_shared/http/body/read_body.ts";
import { limitVisitors } from "../_shared/http/guards/limits.ts";

/** E-mails to strangers: few to one account, and an address may be an office. */
const RECOVERIES = { what: "recovery", windowS: 3600, perAddress: 30 };
const PER_ACCOUNT = 5;

const bodySchema = z.object({
  // As loose as the log-in: the login service knows which addresses it has.
  email: z.string({ error: "text" }).trim().max(320, "an e-mail address")
    .refine((email) => email.includes("@"), "an e-mail address"),
}).openapi("Recovery");

const route: ApiRoute = {
  method: "post",
  path: "/auth/recover",
  operationId: "recoverAccount",
  summary: "Ask for a link to set a new password",
  description:
    "The login service sends the link by e-mail if there is an account with this address. The response is the same if " +
    "there is none.",
  tags: ["Access"],
  security: OPEN,
  request: { body: jsonBody(bodySchema, { email: "ana@example.com" }) },
  responses: {
    204: { description: "Noted" },
    ...errorResponses([400, 413, 429]),
  },
};

/**
 * `POST /auth/recover` has the login service send a link to set a new password. Fails with `validation_failed` or
 * `rate_limit_exceeded`.
 */
export function registerPostRecover(app: App): void {
  addRoute(app, route, async (c) => {
    const { services, requestId } = c.var;
    const { email } = checkFields(bodySchema, (await readJson(c)).value);
    await limitVisitors(c, { ...RECOVERIES, perSubject: { id: accountEmail(email), limit: PER_ACCOUNT } });
    // After the response, because sending takes time and can fail only where there is an account.
    services.inBackground(sendRecovery(services.env, email, clientAddress(c)), { request_id: requestId });
    return c.body(null, 204);
  });
}
