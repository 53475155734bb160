import { batch, computed, effect, signal } from "@preact/signals";
import { api, ask } from "./client.ts";
import { forgetEntries } from "./entries.ts";
import { hrefTo } from "./href.ts";
import { route } from "./route.ts";
import { Problem } from "./problem.ts";
import { readPreference, writePreference } from "./preferences.ts";
import { type CompanyOfUser, type Invitation, listCompanies, listInvitations } from "./sdk.ts";
import { sessionId } from "./session/session.ts";

export type Role = CompanyOfUser["role"];

const RANKS: Role[] = ["viewer", "operator", "owner"];

/** The companies of who is logged in; undefined while they are read. */
export const companies = signal<CompanyOfUser[] | undefined>(undefined);

/** The companies that invited who is logged in. None of them is a company that is shown. */
export const invitations = signal<Invitation[]>([]);

/** Whether some may be missing: a part of the service did not answer. */
export const isIncomplete = signal(false);

/** Why they could not be read. */
export const companiesProblem = signal<Problem | undefined>(undefined);

/** The company in the address; undefined in an address that names none, or another's. */
export const company = computed(() => {
  const [id] = route.value.path;
  return companies.value?.find(({ company_id }) => company_id === id);
});

/** The company to show where the address names none: the last one, or else the first, which is no test company. */
export function usualCompany(known: CompanyOfUser[]): CompanyOfUser | undefined {
  const last = readPreference("company");
  return known.find(({ company_id }) => company_id === last) ?? known[0];
}

/** Whether the company that is shown is a test company. */
export function isTest(): boolean {
  return company.value?.test ?? false;
}

/** The company that is shown, or the one whose test company it is: it stands before that in the list. */
export function liveCompany(): CompanyOfUser | undefined {
  const known = companies.value ?? [];
  return isTest() ? known[known.indexOf(company.value!) - 1] : company.value;
}

/** The test company of the company that is shown; undefined where there is none. */
export function testCompany(): CompanyOfUser | undefined {
  const known = companies.value ?? [];
  const next = known[known.indexOf(company.value!) + 1];
  return next?.test ? next : undefined;
}

/** The id of the company that is shown. Screens are only shown with one. */
export function companyId(): string {
  return company.value?.company_id ?? "";
}

/** Whether the member may do what needs a role. The API checks it again. */
export function may(role: Role): boolean {
  return RANKS.indexOf(company.value?.role ?? "viewer") >= RANKS.indexOf(role);
}

/** Whether the member may begin a campaign here: a test company has them of programs alone. */
export function maySend(): boolean {
  return may("operator") && !isTest();
}

/** Writes the link to a screen of the company that is shown. */
export function link(path: string[], query?: Record<string, string | undefined>): string {
  return hrefTo([companyId(), ...path], query);
}

/** Reads the companies of who is logged in, and their invitations. */
export async function readCompanies(): Promise<void> {
  companiesProblem.value = undefined;
  const send = api().getConfig().fetch!;
  let missing = false;
  const fetch: typeof send = async (request) => {
    const response = await send(request);
    missing = response.headers.has("X-Outbound-Missing-Cells");
    return response;
  };
  try {
    const [known, invited] = await Promise.all([
      ask(listCompanies({ client: api(), fetch })),
      ask(listInvitations({ client: api() })),
    ]);
    batch(() => {
      companies.value = known.companies;
      isIncomplete.value = missing;
      invitations.value = invited.invitations;
    });
  } catch (error) {
    if (error instanceof Problem) companiesProblem.value = error;
    else throw error;
  }
}

/** Follows the session: nothing of one person stays for the next one. */
export function followSession(): void {
  effect(() => {
    if (sessionId.value) return void readCompanies();
    companies.value = undefined;
    invitations.value = [];
    forgetEntries();
  });
  effect(() => {
    if (company.value) writePreference("company", company.value.company_id);
  });
}
