import assert from "node:assert/strict";
import type { JsonObject, TestAnswer } from "../../setup/http/http.ts";
import { insertSendingCompany } from "../../setup/fixtures/queue.ts";
import { type Contacts, withContacts } from "../with_contacts.ts";

/** The service and a company, with short ways to its contacts. */
export interface People extends Contacts {
  /** A request with the company's key, below the company. */
  manage(
    method: string,
    path: string,
    body?: unknown,
    query?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<TestAnswer<JsonObject>>;
  /** Makes a contact with this number and these fields. */
  make(number: string, fields?: JsonObject): Promise<JsonObject>;
  /** The names of the contacts that a list returns. */
  namesOf(query: Record<string, string>): Promise<string[]>;
  /** Imports a CSV file. */
  importCsv(csv: string, query?: Record<string, string>): Promise<TestAnswer<JsonObject>>;
}

/** Calls `fn` with the service and a company that has no contacts. */
export async function withPeople(fn: (t: People) => Promise<void>): Promise<void> {
  await withContacts(async (t) => await fn(peopleOf(t)));
}

/** The same for another company of the same database. */
export async function anotherCompany(t: Contacts): Promise<People> {
  return peopleOf({ ...t, company: await insertSendingCompany(t.sql, { key: { rate_limit: 100_000 } }) });
}

function peopleOf(t: Contacts): People {
  const manage: People["manage"] = (method, path, body, query, headers = {}) =>
    t.http.request(method, `/manage/companies/mine/${path}`, body, {
      query: { access_key: t.company.key.key, ...query },
      headers: method === "PUT" ? { "if-match": "*", ...headers } : headers,
    });
  return {
    ...t,
    manage,
    async make(number, fields = {}) {
      const body = { addresses: [{ kind: "number", address: number }], ...fields };
      const made = await manage("POST", "contacts", body);
      assert.equal(made.status, 200, JSON.stringify(made.body));
      return made.body;
    },
    async namesOf(query) {
      const { status, body } = await manage("GET", "contacts", undefined, query);
      assert.equal(status, 200, JSON.stringify(body));
      return body.contacts.map(({ name }: JsonObject) => name);
    },
    importCsv: (csv, query = {}) =>
      t.http.request("POST", "/manage/companies/mine/contacts/import", undefined, {
        rawBody: csv,
        headers: { "content-type": "text/csv" },
        query: { access_key: t.company.key.key, ...query },
      }),
  };
}
