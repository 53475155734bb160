import type { Actor } from "../_shared/db/access/audit.ts";
import { readCompaniesOfUser } from "../_shared/db/access/members.ts";
import { AppError } from "../_shared/errors.ts";
import { askAllCells, enterCompanyCell } from "../_shared/http/app/request_cell.ts";
import type { AppContext } from "../_shared/http/app/context.ts";
import { type CompanyCaller, type Identity, requireCaller } from "../_shared/http/guards/company_caller.ts";
import type { Tool } from "./tool.ts";

/** How a tool names its company: in its arguments, in the server's URL, or not at all. */
export interface NamedCompany {
  inArguments: string | undefined;
  inUrl: string | undefined;
}

/**
 * Returns the caller of a tool, if the agent may use it in the company.
 *
 * Throws `validation_failed` for a user who names no company, `not_found` for a company that is not theirs, and
 * `forbidden` for a role that is too small, or a key without the permission.
 */
export async function requireToolCaller(
  c: AppContext,
  agent: Identity,
  named: NamedCompany,
  tool: Tool,
): Promise<CompanyCaller> {
  const [given, other] = [named.inUrl ?? named.inArguments, named.inArguments ?? named.inUrl];
  // The company in the URL is a limit: an argument does not lead out of it.
  if (given?.toLowerCase() !== other?.toLowerCase()) throw new AppError("not_found", "Company not found");
  if (given === undefined && agent.kind === "user") throw await companyMissing(c, agent.userId);
  if (given !== undefined && agent.kind === "user") enterCompanyCell(c, given);
  const caller = await requireCaller(c, agent, given ?? "mine", tool);
  return { ...caller, by: { ...caller.by, actor: `mcp:${caller.by.actor}` as Actor["actor"] } };
}

/** Shows an agent which companies its user has, so that it can name one. */
async function companyMissing(c: AppContext, userId: string): Promise<AppError> {
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
  return new AppError("validation_failed", "Missing required field: 'company_id'", {
    details: { field: "company_id", reason: "required", companies },
  });
}
