import { type Role, ROLES } from "../../supabase/functions/_shared/access/roles.ts";
import {
  type CompanyFixture,
  insertCompany,
  insertInvitation,
  insertMember,
} from "../setup/fixtures/fixtures.ts";
import type { JsonObject, TestAnswer } from "../setup/http/http.ts";
import { type TestLogin, withLogin } from "../setup/stack/login.ts";
import type { TestServicesOptions } from "../setup/stack/services.ts";

/** A user who is logged in. */
export interface LoggedIn {
  userId: string;
  token: string;
  /** Asks for a path below `/manage`; changes settings whatever they are, unless `ifMatch` names them. */
  ask(
    method: string,
    path: string,
    body?: unknown,
    query?: Record<string, string>,
    ifMatch?: string,
  ): Promise<TestAnswer<JsonObject>>;
}

/** The service, a company with a member of each role, and two who are logged in and no members. */
export interface Manage extends TestLogin {
  company: CompanyFixture;
  members: Record<Role, LoggedIn>;
  stranger: LoggedIn;
  /** Was invited as an owner, and has not accepted. */
  invited: LoggedIn;
  /** `GET` below the company, as its viewer. */
  read(path: string, query?: Record<string, string>): Promise<TestAnswer<JsonObject>>;
  /** `POST` below the company, as its operator. */
  act(path: string, body?: unknown): Promise<TestAnswer<JsonObject>>;
}

export async function withManage(
  fn: (t: Manage) => Promise<void>,
  options: TestServicesOptions = {},
): Promise<void> {
  await withLogin(async (t) => {
    const company = await insertCompany(t.sql, { name: "Acme" });
    const entries = await Promise.all(ROLES.map(async (role) => {
      const loggedIn = await logIn(t);
      await insertMember(t.sql, company.id, loggedIn.userId, role);
      return [role, loggedIn] as const;
    }));
    const members = Object.fromEntries(entries) as Manage["members"];
    const invited = await logIn(t);
    await insertInvitation(t.sql, company.id, invited.userId);
    const below = (path: string) => `/companies/${company.id}${path}`;
    await fn({
      ...t,
      company,
      members,
      stranger: await logIn(t),
      invited,
      read: (path, query) => members.viewer.ask("GET", below(path), undefined, query),
      act: (path, body) => members.operator.ask("POST", below(path), body),
    });
  }, options);
}

async function logIn(t: TestLogin): Promise<LoggedIn> {
  const user = await t.createUser();
  const token = await t.logIn(user);
  const headers = { authorization: `Bearer ${token}` };
  return {
    userId: user.id,
    token,
    ask: (method, path, body, query = {}, ifMatch = "*") =>
      t.http.request(method, `/manage${path}`, body, {
        headers: method === "PUT" || method === "DELETE" ? { ...headers, "if-match": ifMatch } : headers,
        query,
      }),
  };
}
