import { permissionMissing } from "../_shared/access/key_refusal.ts";
import { readCompaniesOfUser } from "../_shared/db/access/members.ts";
import { AppError } from "../_shared/errors.ts";
import type { AppContext } from "../_shared/http/app/context.ts";
import { requireApiAccess } from "../_shared/http/guards/access_key.ts";
import { allowedChannels } from "../_shared/http/guards/require_campaign.ts";
import { requireRole } from "../_shared/http/guards/require_member.ts";
import type { Agent } from "./identify_agent.ts";
import type { Tool, ToolCaller } from "./tool.ts";

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
export async function requireCaller(
  c: AppContext,
  agent: Agent,
  named: NamedCompany,
  tool: Tool,
): Promise<ToolCaller> {
  const [given, other] = [named.inUrl ?? named.inArguments, named.inArguments ?? named.inUrl];
  // The company in the URL is a limit: an argument does not lead out of it.
  if (given?.toLowerCase() !== other?.toLowerCase()) throw companyNotFound();
  return agent.kind === "key" ? keyCaller(c, agent, given, tool) : await memberCaller(c, agent, given, tool);
}

function keyCaller(
  c: AppContext,
  { key, keyHash }: Agent & { kind: "key" },
  companyId: string | undefined,
  { permission, effect }: Tool,
): ToolCaller {
  if (companyId !== undefined && companyId.toLowerCase() !== key.company_id) throw companyNotFound();
  requireApiAccess(key, effect);
  const needsChannel = permission === "channel";
  if (permission && !needsChannel && !key.permissions.includes(permission)) {
    throw AppError.from(permissionMissing(permission));
  }
  return {
    companyId: key.company_id,
    channels: needsChannel ? allowedChannels(key.permissions) : [],
    keyHash,
    by: { actor: `mcp:key:${key.api_key_id}`, requestId: c.get("requestId") },
  };
}

async function memberCaller(
  c: AppContext,
  { userId }: Agent & { kind: "user" },
  given: string | undefined,
  { role, effect }: Tool,
): Promise<ToolCaller> {
  if (given === undefined) throw await companyMissing(c, userId);
  const { companyId } = await requireRole(c, userId, given, { role, effect });
  return {
    companyId,
    channels: ["whatsapp", "voice"],
    keyHash: null,
    by: { actor: `mcp:user:${userId}`, requestId: c.get("requestId") },
  };
}

function companyNotFound(): AppError {
  return new AppError("not_found", "Company not found");
}

/** Shows an agent which companies its user has, so that it can name one. */
async function companyMissing(c: AppContext, userId: string): Promise<AppError> {
  const memberships = await readCompaniesOfUser(c.get("services").sql, userId);
  const companies = memberships.map(({ company_id, company_name, role }) => ({
    company_id,
    name: company_name,
    role,
  }));
  return new AppError("validation_failed", "Missing required field: 'company_id'", {
    details: { field: "company_id", reason: "required", companies },
  });
}
