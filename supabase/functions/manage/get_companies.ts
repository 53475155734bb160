import { z } from "@hono/zod-openapi";
import { readCompaniesOfUser } from "../_shared/db/access/members.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { askAllCells } from "../_shared/http/app/request_cell.ts";
import { USER } from "../_shared/http/app/security.ts";
import { requireSignedIn } from "../_shared/http/guards/require_signed_in.ts";
import { roleSchema } from "./members/member.ts";

export const companyFields = { company_id: z.guid(), name: z.string(), role: roleSchema };

export const companySchema = z.object({
  ...companyFields,
  test: z.boolean().openapi({ description: "It is the test company of the one before it" }),
}).openapi("CompanyOfUser");

export const companyExample: z.input<typeof companySchema> = {
  company_id: "0192f8a4-5b1c-7c3d-8e2f-1a2b3c4d5e6f",
  name: "Acme",
  role: "owner",
  test: false,
};

const responseSchema = z.object({ companies: z.array(companySchema) }).openapi("CompaniesOfUser");

const route: ApiRoute = {
  method: "get",
  path: "/manage/companies",
  operationId: "listCompanies",
  summary: "List your companies",
  tags: ["Management"],
  security: USER,
  responses: {
    200: {
      description: "By name, each with its test company behind it",
      ...json(responseSchema, {
        companies: [companyExample],
      }),
    },
    ...errorResponses([401, 403, 429, 502]),
  },
};

/** `GET /manage/companies` lists the companies of the user. Fails with `unauthorized` and `rate_limit_exceeded`. */
export function registerGetCompanies(app: App): void {
  addRoute(app, route, async (c) => {
    const userId = await requireSignedIn(c);
    const memberships = await askAllCells(
      c,
      ({ sql }) => readCompaniesOfUser(sql, userId),
      ({ live_name }) => live_name,
    );
    const companies = memberships.map(({ company_id, company_name, role, is_test }) => ({
      company_id,
      name: company_name,
      role,
      test: is_test,
    }));
    return c.json({ companies });
  });
}
