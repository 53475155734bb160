import { z } from "@hono/zod-openapi";
import { type Account, ACCOUNT_STATES } from "../../_shared/access/account.ts";
import { type AuthAdmin, authAdmin } from "../../_shared/access/auth_admin.ts";
import { ROLES } from "../../_shared/access/roles.ts";
import { type MemberRow, NotAMemberError, type PictureColumns } from "../../_shared/db/access/members.ts";
import type { Env } from "../../_shared/env.ts";
import { AppError, notSetUp } from "../../_shared/errors.ts";
import { pictureUrlSchema } from "../../_shared/http/company/picture_url.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

export const roleSchema = z.enum(ROLES, { error: ROLES.join(", ") }).openapi("Role");

export const memberSchema = z.object({
  user_id: z.guid(),
  email: z.string().nullable(),
  name: z.string().nullable(),
  role: roleSchema,
  state: z.enum([...ACCOUNT_STATES, "pending"]).openapi({
    description:
      "`pending`: has not accepted yet, and shows nothing but the invited e-mail; `invited`: has not confirmed " +
      "their e-mail yet; `gone`: the login service no longer has the user",
  }),
  picture_url: pictureUrlSchema,
  added_at: z.iso.datetime(),
  last_sign_in_at: z.iso.datetime().nullable(),
}).openapi("Member");

export const memberParams = z.object({ user_id: z.guid() });

export const memberExample: z.input<typeof memberSchema> = {
  user_id: "0192f8b0-2222-4222-8333-444455556666",
  email: "ana@acme.example",
  name: "Ana",
  role: "operator",
  state: "active",
  picture_url: null,
  added_at: "2026-12-01T09:00:00Z",
  last_sign_in_at: "2026-12-02T08:30:00Z",
};

/** Returns a member with their account, of which nothing is shown before its person has accepted. */
export function showMember(
  { invited_email, ...row }: Omit<MemberRow, keyof PictureColumns> & { picture_url: string | null },
  account: Account,
): z.input<typeof memberSchema> {
  const { email, name, state, lastSignInAt } = invited_email === null
    ? account
    : { email: invited_email, name: null, state: "pending" as const, lastSignInAt: null };
  return showRow(memberSchema, { ...row, email, name, state, last_sign_in_at: lastSignInAt });
}

/** Opens the auth server as its administrator; undefined where it is not set up. */
export function findAuthAdmin(env: Env): AuthAdmin | undefined {
  const { SUPABASE_URL: supabaseUrl, SUPABASE_SECRET_KEY: supabaseSecretKey } = env;
  return supabaseUrl && supabaseSecretKey ? authAdmin({ supabaseUrl, supabaseSecretKey }) : undefined;
}

/** Opens the auth server as its administrator. Throws `service_unavailable` (502) where it is not set up. */
export function openAuthAdmin(env: Env): AuthAdmin {
  const admin = findAuthAdmin(env);
  if (admin !== undefined) return admin;
  throw notSetUp("auth", "Members cannot be managed here: SUPABASE_SECRET_KEY is not set on this server");
}

/** Waits for a change of a member. Throws `not_found` for a user who is none. */
export async function requireMembership<Result>(change: Promise<Result>): Promise<Result> {
  try {
    return await change;
  } catch (error) {
    throw error instanceof NotAMemberError ? new AppError("not_found", "Member not found") : error;
  }
}
