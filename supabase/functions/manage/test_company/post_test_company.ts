import { z } from "@hono/zod-openapi";
import { openTestCompany } from "../../_shared/db/access/test_companies.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";

const responseSchema = z.object({
  company_id: z.guid().openapi({ description: "Make its keys with `POST …/keys/further` of this company" }),
  name: z.string(),
  test: z.literal(true),
  daily_quota: z.int().openapi({ description: "Notifications per day (UTC) of all its keys together" }),
}).openapi("TestCompany");

/** `POST …/test_company` makes the company's test company, or refreshes the one that it has. */
export function registerPostTestCompany(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/test_company",
    operationId: "openTestCompany",
    summary: "Make or refresh the test company",
    description:
      "Its keys begin with `outbound_test`, and what they send reaches no platform. The first request makes it; each one " +
      "copies the senders and templates that the company has now.",
    response: {
      schema: responseSchema,
      example: {
        company_id: "0192f8a4-7e57-4c3d-8e2f-1a2b3c4d5e6f",
        name: "Acme (test)",
        test: true,
        daily_quota: 20000,
      },
    },
  }, async (c, { caller: { companyId, by } }) => {
    const { env, sql } = c.get("services");
    const company = await openTestCompany(sql, companyId, { dailyQuota: env.OUTBOUND_TEST_DAILY_QUOTA }, by);
    if (company === undefined) throw new AppError("not_found", "Company not found");
    return { ...company, test: true as const };
  });
}
