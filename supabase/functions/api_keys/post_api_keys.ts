import { z } from "@hono/zod-openapi";
import { cellOfCompany } from "../_shared/cells.ts";
import { accessKeyOf } from "../_shared/crypto/seal.ts";
import { auditShownKeys, type CompanyKeyRow, readCompanyKeys } from "../_shared/db/access/keys.ts";
import { AppError, asRefusal, resultOf } from "../_shared/errors.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses, shortErrorSchema } from "../_shared/http/app/error_responses.ts";
import { askAllCells } from "../_shared/http/app/request_cell.ts";
import { USER } from "../_shared/http/app/security.ts";
import { requireUser } from "../_shared/http/guards/require_user.ts";
import { utcSeconds } from "../_shared/scheduling/due_time.ts";
import { type Services, servicesOfCell } from "../_shared/services.ts";

const keySchema = z.object({
  company_id: z.uuid(),
  key: z.string(),
  is_active: z.boolean(),
  last_used: z.iso.datetime().nullable(),
  company_name: z.string(),
}).openapi("CompanyApiKey");

const deniedSchema = shortErrorSchema.extend({
  deniedCompanies: z.array(
    z.object({ company_id: z.uuid(), company_name: z.string(), access: z.boolean() }).openapi(
      "DeniedCompany",
    ),
  ),
}).openapi("ApiAccessDenied");

const route: ApiRoute = {
  method: "post",
  path: "/api_keys",
  operationId: "listApiKeys",
  summary: "List the API keys of the user's companies",
  tags: ["Access"],
  security: USER,
  responses: {
    200: {
      description: "One current key a company; empty when no key has been created yet",
      ...json(z.object({ validApiKeys: z.array(keySchema) }).openapi("CompanyApiKeys"), {
        validApiKeys: [{
          company_id: "0192f8a4-5b1c-7c3d-8e2f-1a2b3c4d5e6f",
          key: "outbound_q3V1c2sGmXbY0a7dKfPz4tRw8hLjN6yE5uQ9oIiTnBk",
          is_active: true,
          last_used: "2026-12-01T09:00:00Z",
          company_name: "Acme",
        }],
      }),
    },
    ...errorResponses([401, 429, 502]),
    403: {
      description:
        "API access is switched off for at least one of the companies, the role shows none of the keys, or the " +
        "user's second factor is missing (then without companies)",
      ...json(deniedSchema, {
        success: false,
        message: "API access is switched off for: Acme",
        deniedCompanies: [{
          company_id: "0192f8a4-5b1c-7c3d-8e2f-1a2b3c4d5e6f",
          company_name: "Acme",
          access: false,
        }],
      }),
    },
  },
};

/**
 * `POST /api_keys` shows the keys of every company the user is a member of. Fails with `unauthorized`,
 * `rate_limit_exceeded` and `service_unavailable`; with `internal_error` where none of the keys can be opened; 403 with
 * `deniedCompanies` when API access is off for any of the companies, the user's role shows none of the keys, or the
 * second factor is missing.
 */
export function registerPostApiKeys(app: App): void {
  addRoute(app, route, async (c) => {
    const { services } = c.var;
    const user = await resultOf(requireUser(c));
    if (!user.ok) return c.json(withoutSecondFactor(user.error), 403);
    const userId = user.value;
    const companies = await askAllCells(
      c,
      ({ sql }) => readCompanyKeys(sql, userId),
      ({ company_name }) => company_name,
    );
    const denied = companies.filter((company) => !company.api_access);
    if (denied.length > 0) return c.json(deniedResponse(denied, "API access is switched off for"), 403);
    const existing = companies.filter((company) => company.key_sealed !== null);
    const withKey = existing.filter((company) => company.may_see);
    // An empty list means that no key has been created yet.
    if (withKey.length === 0 && existing.length > 0) {
      return c.json(deniedResponse(existing, "Your role does not show the key of"), 403);
    }
    const requestId = c.get("requestId");
    const entries = await Promise.all(withKey.map((company) => keyEntry(services, company, requestId)));
    const validApiKeys = entries.filter((entry) => entry !== undefined);
    if (withKey.length > 0 && validApiKeys.length === 0) throw unreadable(withKey);
    const shown = withKey.filter(({ company_id }) =>
      validApiKeys.some((each) => each.company_id === company_id)
    );
    const byCell = Map.groupBy(
      shown,
      ({ company_id }) => servicesOfCell(services, cellOfCompany(company_id)),
    );
    await Promise.all(
      [...byCell].map(([{ sql }, keys]) => auditShownKeys(sql, keys, { actor: `user:${userId}`, requestId })),
    );
    return c.json({ validApiKeys });
  });
}

function unreadable(companies: CompanyKeyRow[]): AppError {
  const names = companies.map(({ company_name }) => company_name).join(", ");
  return new AppError(
    "internal_error",
    `No key can be read, of: ${names}; the operator of this service has to make new ones`,
  );
}

/** Names no company: the password alone does not show whose key it would be. Any other error is thrown again. */
function withoutSecondFactor(error: unknown): z.infer<typeof deniedSchema> {
  const { code, message } = asRefusal(error);
  if (code !== "second_factor_required") throw error;
  return { success: false, message, deniedCompanies: [] };
}

function deniedResponse(companies: CompanyKeyRow[], reason: string): z.infer<typeof deniedSchema> {
  const names = companies.map((company) => company.company_name).join(", ");
  return {
    success: false,
    message: `${reason}: ${names}`,
    deniedCompanies: companies.map(({ company_id, company_name }) => ({
      company_id,
      company_name,
      access: false,
    })),
  };
}

/**
 * Returns undefined for a key that cannot be opened: one company's fault must not keep a caller from the keys of
 * others.
 */
async function keyEntry(
  { sealer, log }: Services,
  company: CompanyKeyRow,
  requestId: string,
): Promise<z.infer<typeof keySchema> | undefined> {
  const { company_id, company_name, key_id, key_sealed, is_active, last_used_at } = company;
  try {
    const key = await sealer.open(key_sealed!, accessKeyOf(company_id, key_id!));
    const last_used = last_used_at && utcSeconds(last_used_at);
    return { company_id, key, is_active: is_active!, last_used, company_name };
  } catch (cause) {
    const reason = (cause as Error).message;
    log.error("an access key cannot be opened", { request_id: requestId, company_id, reason });
    return undefined;
  }
}
