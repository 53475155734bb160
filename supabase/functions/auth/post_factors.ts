import { z } from "@hono/zod-openapi";
import { enrollFactor } from "../_shared/access/factors.ts";
import { checkFields } from "../_shared/check_fields.ts";
import { isOneLine, ONE_LINE, WITHOUT_CONTROLS } from "../_shared/values/control_characters.ts";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { USER } from "../_shared/http/app/security.ts";
import { readJson } from "../_shared/http/body/read_body.ts";
import { readOwner } from "./factor_route.ts";

const bodySchema = z.object({
  name: z.string({ error: "text" }).min(1, "text that is not empty").max(100, "at most 100 characters")
    .refine(isOneLine, `one line of ${WITHOUT_CONTROLS}`).openapi({ pattern: ONE_LINE }),
}).openapi("FactorRequest");

const enrolledSchema = z.object({
  factor_id: z.guid(),
  secret: z.string().openapi({ description: "For the app, in base32" }),
  uri: z.string().openapi({ description: "The same as `otpauth://…`" }),
  qr_code: z.string().openapi({ description: "The same as a picture, in SVG" }),
}).openapi("EnrolledFactor");

const route: ApiRoute = {
  method: "post",
  path: "/auth/factors",
  operationId: "enrollFactor",
  summary: "Set up a second factor",
  description:
    "An app that shows codes (TOTP). It counts once a code of it was verified; from then on, the password alone opens " +
    "nothing. Removes a set-up that was not finished.",
  tags: ["Access"],
  security: USER,
  request: { body: jsonBody(bodySchema, { name: "Ana's phone" }) },
  responses: {
    200: {
      description: "What the app needs",
      ...json(enrolledSchema, {
        factor_id: "0192f8c0-1111-4222-8333-444455556666",
        secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
        uri: "otpauth://totp/example.com:ana@example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
        qr_code: "<svg xmlns='http://www.w3.org/2000/svg'/>",
      }),
    },
    ...errorResponses([400, 401, 403, 404, 413, 429, 502]),
  },
};

/**
 * `POST /auth/factors` begins to set up a second factor. Fails with `validation_failed`, `unauthorized`,
 * `second_factor_required`, `forbidden`, `rate_limit_exceeded` or `service_unavailable`.
 */
export function registerPostFactors(app: App): void {
  addRoute(app, route, async (c) => {
    const owner = readOwner(c);
    const { name } = checkFields(bodySchema, (await readJson(c)).value);
    const { id, totp: { secret, uri, qr_code } } = await enrollFactor(owner, name);
    c.var.services.outages.worked("auth");
    c.header("Cache-Control", "no-store");
    return c.json({ factor_id: id, secret, uri, qr_code });
  });
}
