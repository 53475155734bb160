import { z } from "@hono/zod-openapi";
import { personSchema, readPerson } from "../_shared/contacts/ledger_entries.ts";
import { requireErased } from "../_shared/contacts/erasure.ts";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { ERASED_EXAMPLE, erasedSchema } from "../_shared/http/contacts/person_schemas.ts";
import { COMPANY_KEY } from "../_shared/http/app/security.ts";
import { callerWithBody } from "./contacts_caller.ts";
import { accessKeyParam } from "../_shared/http/guards/access_key.ts";

const responseSchema = z.object({ success: z.literal(true), erased: erasedSchema }).openapi("ErasedContact");

const route: ApiRoute = {
  method: "post",
  path: "/contacts/erase",
  operationId: "eraseContact",
  summary: "Erase what is known about a person",
  description:
    "Under every known address. What happened and when stays, without the person. The person stays " +
    "suppressed, by a hash, until a later consent is recorded. Repeating a request is harmless.",
  tags: ["Contacts"],
  "x-effect": "stops",
  security: COMPANY_KEY,
  request: {
    query: z.object({ access_key: accessKeyParam }),
    body: jsonBody(personSchema, { number: "34600111222" }),
  },
  responses: {
    200: {
      description: "How much was erased, by kind",
      ...json(responseSchema, {
        success: true,
        erased: ERASED_EXAMPLE,
      }),
    },
    ...errorResponses([400, 401, 409, 413, 429, 502], [403]),
  },
};

/**
 * `POST /contacts/erase` erases a person. Fails with `message_on_its_way` while something is being sent to the person,
 * and with `service_unavailable` when SECRETS_KEY lacks the key of the hashes; also with `unauthorized`,
 * `validation_failed`, `payload_too_large` or `rate_limit_exceeded`. 403 has the short form.
 */
export function registerPostErase(app: App): void {
  addRoute(app, route, async (c) => {
    const { companyId, actor, body: person } = await callerWithBody(c, readPerson);
    const requestId = c.get("requestId");
    const erased = await requireErased(c.var.services, { ...person, companyId, actor, requestId });
    return c.json({ success: true, erased });
  });
}
