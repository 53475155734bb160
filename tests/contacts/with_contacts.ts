import type postgres from "postgres";
import type { JsonObject, TestAnswer } from "../setup/http/http.ts";
import { insertSendingCompany, type SendingCompany } from "../setup/fixtures/queue.ts";
import { type TestServices, type TestServicesOptions, withServices } from "../setup/stack/services.ts";

/** The service in this process, and a company whose key may do everything. */
export interface Contacts extends TestServices {
  company: SendingCompany;
  /** A request below `…/contacts` with the company's key. */
  ask(method: string, path: string, body?: unknown, query?: Record<string, string>): Promise<
    TestAnswer<JsonObject>
  >;
}

/** Calls `fn` with the service and a company; responses are checked against the OpenAPI document. */
export async function withContacts(
  fn: (contacts: Contacts) => Promise<void>,
  options: TestServicesOptions = {},
): Promise<void> {
  await withServices(async (services) => {
    const company = await insertSendingCompany(services.sql as unknown as postgres.Sql, {
      key: { rate_limit: 100_000 },
    });
    await fn({
      ...services,
      company,
      ask: (method, path, body, query) =>
        services.http.request(method, `/manage/companies/mine/contacts/${path}`, body, {
          query: { access_key: company.key.key, ...query },
        }),
    });
  }, options);
}

/** A time so many minutes from now, ISO 8601. */
export function minutesFromNow(minutes: number): string {
  return new Date(Date.now() + minutes * 60_000).toISOString();
}

/** Records a suppression as another part of the service would. */
export async function suppress(
  { sql, company }: Pick<Contacts, "sql" | "company">,
  suppression: JsonObject,
): Promise<void> {
  const whole = {
    channel: "any",
    category: "marketing",
    source: "keyword",
    at: minutesFromNow(-10),
    ...suppression,
  };
  await sql`select outbound.suppress_contacts(${company.id}, ${sql.json([whole])})`;
}

/** Counts the rows of each given table that belong to a company. */
export async function countRows(
  sql: Contacts["sql"],
  companyId: string,
  tables: string[],
): Promise<Record<string, number>> {
  const counts = await Promise.all(tables.map(async (table) => {
    const [row] = await sql`
      select count(*)::int as count from ${sql(`outbound.${table}`)} where company_id = ${companyId}`;
    return [table, row!.count];
  }));
  return Object.fromEntries(counts);
}
